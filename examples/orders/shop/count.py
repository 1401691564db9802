"""Held-out orders × tiers → constraint errors, wrong SKUs and wrong prices, each counted apart.

    python -m shop.count

The orders are those of the half that did not choose the threshold of the masked tier ([choose.py](choose.py)).

A recorded transport stands in for the hosted API: it knows the held-out answers, breaks the schema once in five
answers and mistakes a size once in seven, so that the figures of that tier show the machinery and no vendor.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter as Tally
from functools import partial
from typing import Any

import frisket
from frisket import hosted

from .cart import Cart
from .catalogue import Catalogue
from .choose import halves
from .counter import Counter
from .verdict import verdict


def recorded(cases: list[dict[str, Any]]) -> hosted.Transport:
    """A hosted API that has heard all orders before, and is not always right."""
    answers = {json.dumps(case["input"]): case["answer"] for case in cases}
    asked: Tally[str] = Tally()

    def transport(request: dict[str, Any]) -> str:
        said = next(one for one in answers if request["messages"][0]["content"].endswith(one))
        cart = json.loads(json.dumps(answers[said]))
        place, asked[said] = list(answers).index(said), asked[said] + 1
        if place % 5 == 0 and asked[said] == 1:
            cart["items"][0]["quantity"] = 99
        if place % 7 == 0 and "size" in cart["items"][0]:
            cart["items"][0]["size"] = "S"
        return json.dumps(cart)

    return transport


def count(cases: list[dict[str, Any]]) -> dict[str, Tally[str]]:
    """By tier, and for the shop as a whole: how many answers were right, and what was wrong with the others."""
    catalogue, model = Catalogue(), frisket.models.embedded()
    tallies: dict[str, Tally[str]] = {name: Tally() for name in ("masked", "hosted, unrepaired", "hosted", "shop")}
    alone = Counter(model, catalogue, recorded(cases), sure=0.0)
    first, shop = Counter(model, catalogue, recorded(cases)), Counter(model, catalogue, recorded(cases))
    for case in cases:
        wanted, said = Cart.model_validate(case["answer"]), case["input"]
        tallies["masked"][verdict(partial(alone.masked, said), wanted, catalogue)] += 1
        tallies["hosted, unrepaired"][verdict(partial(first.hosted, said, repairs=0), wanted, catalogue)] += 1
        tallies["hosted"][verdict(partial(alone.hosted, said), wanted, catalogue)] += 1
        outcome = shop.take(said)
        if outcome.cart is None:
            tallies["shop"]["left to a person"] += 1
            continue
        tallies["shop"][verdict(outcome.cart.model_copy, wanted, catalogue)] += 1
        tallies["shop"][f"taken by {outcome.tier}"] += 1
    return tallies


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m shop.count", description=__doc__)
    parser.add_argument("--count", type=int, help="only so many of the orders")
    cases = halves()[1][: parser.parse_args().count]
    for tier, tally in count(cases).items():
        print(f"{tier:<19}", ", ".join(f"{name} {number}" for name, number in sorted(tally.items())))


if __name__ == "__main__":
    main()
