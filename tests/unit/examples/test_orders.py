"""The café as a shop: one model of an order, prices from the catalogue alone, and somebody for every order."""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import frisket
from frisket import Grammar
from tests.data import ROOT

FOLDER = ROOT / "examples" / "orders"


@pytest.fixture(scope="module")
def shop() -> Iterator[Any]:
    pytest.importorskip("pydantic", reason="pydantic is not installed")
    if not FOLDER.exists():
        pytest.skip("the tests run on an installed package alone")
    sys.path.insert(0, str(FOLDER))
    yield importlib.import_module("shop.count")
    sys.path.remove(str(FOLDER))
    for name in [name for name in sys.modules if name.partition(".")[0] == "shop"]:
        del sys.modules[name]


@pytest.fixture(scope="module")
def cases(shop: Any) -> list[dict[str, Any]]:
    choosing, judging = shop.halves()
    assert len(choosing) == len(judging) == 100 and not {case["input"] for case in choosing if case in judging}
    return [case for pair in zip(choosing, judging, strict=True) for case in pair]


def line(**fields: Any) -> dict[str, Any]:
    return {"item": "latte", "quantity": 2, "size": "M", "milk": "oat"} | fields


def test_every_heldout_order_is_in_the_grammar_and_sold(shop: Any, cases: list[dict[str, Any]]) -> None:
    grammar, catalogue = Grammar.from_type(shop.Cart), shop.Catalogue()
    for case in cases:
        assert grammar.accepts(json.dumps(case["answer"]))
        assert catalogue.quote(shop.Cart.model_validate(case["answer"])).cents > 0


@pytest.mark.parametrize(
    "wrong",
    [
        {"item": "bagel"},
        {"item": "pizza"},
        {"quantity": 13},
        {"quantity": 0},
        {"size": None},
        {"milk": "goat"},
        {"x": 1},
    ],
)
def test_mask_and_validation_refuse_the_same(shop: Any, wrong: dict[str, Any]) -> None:
    cart = {"items": [line(**wrong)]}
    assert not Grammar.from_type(shop.Cart).accepts(json.dumps(cart))
    with pytest.raises(ValueError, match="validation error"):
        shop.Cart.model_validate(cart)


def test_prices_are_those_of_the_catalogue(shop: Any) -> None:
    cart = shop.Cart.model_validate({"items": [line(), {"item": "croissant", "quantity": 3}]})
    quote = shop.Catalogue().quote(cart)
    assert [(one.sku, one.cents) for one in quote.lines] == [("LAT-M", 430), ("CRO", 240)]
    assert quote.cents == 2 * 430 + 3 * 240


def test_what_is_wrong_is_told_apart(shop: Any) -> None:
    catalogue, right = shop.Catalogue(), {"items": [line()]}
    wanted = shop.Cart.model_validate(right)
    catalogue.withdraw("LAT-L")
    answers = {
        "right": right,
        "wrong SKUs": {"items": [line(size="S")]},
        "wrong prices": {"items": [line(milk="whole")]},
        "not sold": {"items": [line(size="L")]},
        "constraint errors": {"items": [line(quantity=99)]},
    }
    for verdict, cart in answers.items():
        assert shop.verdict(lambda cart=cart: shop.Cart.model_validate(cart), wanted, catalogue) == verdict


def test_tiers_take_over_from_each_other(shop: Any, tmp_path: Path) -> None:
    model, catalogue = frisket.models.embedded(), shop.Catalogue(tmp_path / "shop.sqlite")
    said, asked = "two large oat lattes and a blueberry muffin", list[Any]()
    outcome = shop.Counter(model, catalogue).take(said)
    assert outcome.tier == "masked" and "LAT-L" in outcome.quote.skus and not outcome.reasons

    def transport(request: dict[str, Any]) -> str:
        asked.append(request)
        return json.dumps({"items": [line(size="M"), line(quantity=99)][: len(asked)][-1:]})

    catalogue.withdraw("LAT-L")
    outcome = shop.Counter(model, catalogue, transport).take(said)
    assert (outcome.tier, outcome.quote.skus) == ("hosted", ["LAT-M"])
    assert outcome.reasons == ("masked: not sold: latte in L",)
    assert said in asked[0]["messages"][0]["content"] and "quantity" in asked[0]["messages"][0]["content"]

    outcome = shop.Counter(model, catalogue, transport).take(said)
    assert len(asked) == 4, "an answer that is not valid is shown to the model twice"
    assert (outcome.tier, outcome.cart, outcome.number) == ("person", None, 1)
    assert [(number, what) for number, what, _ in shop.Catalogue(tmp_path / "shop.sqlite").waiting()] == [(1, said)]


def test_a_guess_is_handed_on(shop: Any) -> None:
    catalogue = shop.Catalogue()
    outcome = shop.Counter(frisket.models.embedded(), catalogue, sure=1.0).take("a latte")
    assert outcome.tier == "person" and "a guess" in outcome.reasons[0] and len(catalogue.waiting()) == 1


def test_the_threshold_is_the_least_that_is_right_often_enough(shop: Any) -> None:
    choose: Any = importlib.import_module("shop.choose")
    found = [(0.3, False), (0.55, False), (0.9, True), (0.95, True)]
    assert choose.choose(found) == 0.6, "below, one of three would be wrong"
    assert choose.choose(found, right=0.5) == 0.0
    assert choose.choose([(0.99, False)], grid=(0.0, 0.5)) == 0.5
    # Each order alone: how sure the model was, and whether it was right.
    ((least, right),) = choose.answers([{"input": "a latte", "answer": {"items": [line(quantity=1, milk="whole")]}}])
    assert 0 < least <= 1 and right is True


def test_the_api(shop: Any) -> None:
    pytest.importorskip("starlette", reason="starlette is not installed")
    pytest.importorskip("httpx", reason="httpx is not installed")
    from starlette.testclient import TestClient

    api: Any = importlib.import_module("shop.api")
    catalogue = shop.Catalogue()
    client = TestClient(api.application(shop.Counter(frisket.models.embedded(), catalogue, sure=0.0), catalogue))
    outcome = client.post("/orders", json={"said": "two large oat lattes"}).json()
    assert outcome["tier"] == "masked"
    assert client.post("/carts", json=outcome["cart"]).json() == outcome["quote"]
    assert client.post("/carts", json={"items": [line(quantity=99)]}).status_code == 422
    assert client.post("/orders", json={"said": ""}).status_code == 422
    for sku in ("LAT-S", "LAT-M", "LAT-L"):
        catalogue.withdraw(sku)
    assert client.post("/carts", json={"items": [line()]}).status_code == 409
    waits = client.post("/orders", json={"said": "two large oat lattes"})
    assert waits.status_code == 202 and client.get("/waiting").json()[0]["number"] == waits.json()["number"]


def test_the_count_adds_up(shop: Any, cases: list[dict[str, Any]]) -> None:
    tallies = shop.count(cases[:6])
    for name in ("masked", "hosted", "hosted, unrepaired"):
        assert sum(tallies[name].values()) == 6
    assert not tallies["masked"]["constraint errors"], "the mask lets none through"
    assert tallies["hosted, unrepaired"]["constraint errors"] == 2, "the first and the sixth of the recording"
