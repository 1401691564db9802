"""The reader of JSON and of references in the extension beside `json` and a resolver in Python."""

from __future__ import annotations

import decimal
import json
import random
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from frisket._core import front_end
from frisket.errors import FrisketError, InvalidSchemaError, LimitExceededError
from frisket.json_schema import text
from tests.conformance import suite
from tests.data import maskbench
from tests.unit.json_schema.native_registry import fetched
from tests.unit.json_schema.resolver import (
    DRAFT4,
    DRAFT6,
    DRAFT7,
    DRAFT2019,
    DRAFT2020,
    Documents,
    Resource,
    UnresolvedReference,
    subschemas,
)

DRAFTS = {DRAFT4: "4", DRAFT6: "6", DRAFT7: "7", DRAFT2019: "2019-09", DRAFT2020: "2020-12"}
REFERENCES = ("$ref", "$dynamicRef", "$recursiveRef")

#: Pieces that texts are made of: JSON and what is nearly JSON.
PIECES = (
    *("{", "}", "[", "]", ",", ":", " ", "\n", "\t", '"', "\\", "'", "\x00", "\x0b", "é", "😀", "\u00a0", "\ufeff"),
    *("null", "true", "false", "nul", "NaN", "Infinity", "0", "-", "-1", "01", "1.", ".5", "1.50", "1e5", "1E+", "12"),
    *('"a"', '"a":', '"a":1', '"\\ud83d\\ude00"', '"\\ud83d"', '"\\ude00\\ud83d"', '"\\x"', '"\\u12"', '{"a":[', "]}"),
)


def outcome(work: Callable[[], Any]) -> Any:
    """What a call returns, or its error's code."""
    try:
        return work()
    except FrisketError as error:
        return error.code


class Decimal:
    """A number as it is spelled: the reader of values asks a Decimal for its text."""

    def __init__(self, spelling: str) -> None:
        self._spelling = spelling

    def __str__(self) -> str:
        return self._spelling

    def is_finite(self) -> bool:
        return True


def python_value(source: str) -> Any:
    """The value that Python's reader of schemas finds, numbers as they are spelled."""
    text.parse(source)  # for its errors
    return json.loads(source, parse_int=Decimal, parse_float=Decimal)


def texts(seed: int, count: int) -> Iterator[str]:
    chance = random.Random(seed)
    for _ in range(count):
        value = document(chance, chance.randint(0, 4))
        whole = json.dumps(value, ensure_ascii=chance.random() < 0.5, indent=chance.choice((None, 1)))
        kind = chance.randrange(3)
        if kind == 0:
            yield whole
        elif kind == 1:
            at = chance.randint(0, len(whole))
            yield whole[:at] + chance.choice(PIECES) + whole[at + chance.randint(0, 2) :]
        else:
            yield "".join(chance.choices(PIECES, k=chance.randint(0, 8)))


def document(chance: random.Random, depth: int) -> Any:
    kind = chance.randrange(7 if depth else 5)
    if kind < 5:
        return (
            None,
            True,
            chance.choice((0, -7, 10**30)),
            chance.choice((1.5, -2e-9)),
            chance.choice(("", "é", '"\n', "😀")),
        )[kind]
    if kind == 5:
        return [document(chance, depth - 1) for _ in range(chance.randrange(4))]
    return {chance.choice("abcdé"): document(chance, depth - 1) for _ in range(chance.randrange(6))}


def test_texts_are_read_alike() -> None:
    refused = 0
    for source in texts(1, 20_000):
        python = outcome(partial(python_value, source))
        native = outcome(partial(front_end.json_hash, source))
        if isinstance(native, str):
            assert native == python, source
        else:
            # A text alone is JSON, a value that is a str is none.
            assert front_end.json_hash([python]) == front_end.json_hash(f"[{source}]"), source
        refused += native == "schema-invalid"
    assert 5_000 < refused < 15_000


def test_errors_of_texts_stand_at_the_same_place() -> None:
    """But for escapes, of which Python names the letter, and for what is no number, of which it names no place."""
    same = 0
    for source in texts(2, 20_000):
        try:
            text.parse(source)
        except InvalidSchemaError as error:
            if error.where is None or "escape" in error.message:
                continue
            with pytest.raises(InvalidSchemaError) as caught:
                front_end.json_hash(source)
            if "NaN" in source or "Infinity" in source:
                continue
            assert caught.value.where == error.where, source
            same += 1
        except LimitExceededError:
            continue
    assert same > 4_000


def python_references(schema: Any, registry: Any) -> list[Any]:
    """Every reference of a schema, and of the schemas that they lead to, by Python's Documents."""
    documents = Documents(schema, registry)
    found: list[Any] = []
    met: set[tuple[int, int]] = set()
    stack: list[tuple[Any, Resource, str]] = [(schema, documents.root, "")]
    while stack:
        place, around, pointer = stack.pop()
        resource = documents.inside(place, around, pointer)
        if not isinstance(place, dict) or (id(place), id(resource)) in met:
            continue
        met.add((id(place), id(resource)))
        for keyword in REFERENCES:
            reference = place.get(keyword)
            if not isinstance(reference, str):
                continue
            try:
                target = documents.resolve(reference, resource)
            except UnresolvedReference:
                target = None
            shown = None if target is None else (target[2], target[1].uri, DRAFTS[target[1].draft])
            found.append((pointer, keyword, reference, shown))
            if target is not None:
                stack.append(target)
        stack += [(below, resource, where) for below, where in subschemas(place, pointer)]
    return found


def assert_same_references(schema: Any, registry: Any = None) -> int:
    python = outcome(lambda: python_references(schema, registry))
    native = outcome(lambda: front_end.schema_references(schema, fetched(schema, registry)))
    assert native == python, schema
    if isinstance(python, list) and registry is None:
        written = json.dumps(schema)
        assert outcome(lambda: front_end.schema_references(written, fetched(schema, None))) == python, schema
    return len(python) if isinstance(python, list) else 0


@pytest.mark.parametrize("draft", suite.DRAFTS)
def test_references_of_the_suite_lead_to_the_same_places(draft: str, data_dir: Path) -> None:
    documents = suite.registry(data_dir, draft)
    counts = [assert_same_references(case.schema, documents) for case in suite.cases(data_dir, draft)]
    assert sum(counts) > 50


def test_references_of_real_schemas_lead_to_the_same_places(data_dir: Path) -> None:
    counts = [assert_same_references(line["schema"]) for line in maskbench(data_dir)]
    assert sum(counts) > 10_000


#: What made-up schemas name themselves and refer to.
NAMES = (
    *(
        "",
        "a",
        "a.json",
        "b/c.json",
        "c.json",
        "/d",
        "//h.org/e",
        "http://x.org/a/b",
        "http://x.org/a/b?q",
        "urn:x:y",
    ),
    *(
        "#",
        "#a",
        "#/a",
        "#/$defs/a",
        "#/properties/a~1b",
        "#/properties/a%25b",
        "#/items/0",
        "#/items/1",
        "#/$defs/a/not",
    ),
    *(
        "a.json#/$defs/a",
        "urn:x:y#a",
        "http://x.org/a/b#a",
        "a?q",
        "./d",
        "x y",
        "http://[::1]/",
        "é#é",
    ),
)


def schema_with_references(chance: random.Random, depth: int) -> Any:
    if not depth or chance.random() < 0.1:
        return chance.choice((True, {}, {"type": "string"}))
    schema: dict[str, Any] = {}
    for keyword in chance.sample(
        ("$id", "id", "$anchor", "$dynamicAnchor", "$schema", *REFERENCES, "below", "below"), 4
    ):
        if keyword == "$schema":
            schema[keyword] = chance.choice([url for _, url in suite.DRAFTS.values()] + ["http://x.org/meta", 1])
        elif keyword.endswith("nchor"):
            schema[keyword] = chance.choice(("a", "b", "é"))
        elif keyword == "below":
            below = [schema_with_references(chance, depth - 1) for _ in range(2)]
            name = chance.choice(("$defs", "definitions", "properties", "items", "allOf", "not"))
            if name == "not":
                schema[name] = below[0]
            elif name in ("items", "allOf"):
                schema[name] = below
            else:
                schema[name] = dict(zip(chance.sample(("a", "a/b", "a%b", "~"), 2), below, strict=True))
        else:
            schema[keyword] = chance.choice(NAMES)
    return schema


def test_made_up_references_lead_to_the_same_places() -> None:
    chance = random.Random(3)
    counts = [assert_same_references(schema_with_references(chance, 4)) for _ in range(5_000)]
    assert sum(map(bool, counts)) > 1_000


def test_values_that_python_shares_are_read_once() -> None:
    schema: Any = {"$ref": "#"}
    for _ in range(60):
        schema = {"allOf": [schema, schema]}
    assert front_end.schema_references(schema, lambda uri: None) == [
        ("/allOf/1" * 60, "$ref", "#", ("", "", "2020-12"))
    ]


def test_what_is_deeper_than_ten_thousand_levels_is_a_limit() -> None:
    schema: Any = {}
    for _ in range(9_999):
        schema = {"not": schema}
    assert front_end.schema_references(schema, lambda uri: None) == []
    for deep in ({"not": schema}, "[" * 20_000):
        with pytest.raises(LimitExceededError):
            front_end.schema_references(deep, lambda uri: None)


def test_numbers_of_python_are_their_numerals() -> None:
    assert front_end.json_hash(decimal.Decimal("1.50")) == front_end.json_hash("1.50") != front_end.json_hash("1.5")
    written = [(1.5, "1.5"), (1e22, "1e+22"), (10**30, str(10**30)), (-7, "-7"), (1e-7, "1e-07"), (True, "true")]
    assert all(front_end.json_hash(value) == front_end.json_hash(numeral) for value, numeral in written)
    odd = {"const": decimal.Decimal("1.50"), "minimum": float("inf"), 1: {2}}
    assert front_end.schema_references(odd, lambda uri: None) == []
