"""Draft 4 tells integers by their spelling: random conditions on numbers × every usual spelling, judged by jsonschema.

The other drafts go by value and are judged in tests/conformance; only here `1` and `1.0` differ.
"""

from __future__ import annotations

import json
import random
from typing import Any

import jsonschema
import pytest

from frisket import Grammar, JSONSchemaOptions
from frisket.errors import EmptyGrammarError, UnsatisfiableSchemaError

DRAFT_4 = "http://json-schema.org/draft-04/schema#"
NUMERALS = ["0", "-0", "0.0", "-0.0", "1", "1.0", "1.00", "1e0", "1.5", "15e-1", "2", "2.0", "2.5", "3", "3.0", "4"]
NUMERALS += ["4.0", "-3", "-3.0", "-3.5", "6", "6.0", "7", "7.0", "10", "10.0", "1e1", "1E1", "100", "1e2"]
OTHERS = ["null", "true", '"a"']
VALUES = [1, 1.0, 0, 0.0, 2.0, 3, 10, 1.5, None, "a"]


def leaf(rng: random.Random) -> dict[str, Any]:
    kinds = ["integer", ["integer", "null"], ["integer", "boolean"], "number", ["integer", "number"], "null"]
    return rng.choice(
        [
            {"type": rng.choice(kinds)},
            {"type": "integer", rng.choice(["minimum", "maximum"]): rng.choice([0, 1, 3])},
            {"enum": rng.sample(VALUES, 3)},
            {"type": "integer", "enum": [3, *rng.sample(VALUES, 3)]},
            {"multipleOf": rng.choice([1, 2, 3, 0.5])},
            {"minimum": rng.choice([-3, 0, 2]), "maximum": rng.choice([3, 7])},
            {"type": "number", "multipleOf": 1},
        ]
    )


def condition(rng: random.Random, depth: int) -> dict[str, Any]:
    keyword = rng.choice(["not", "oneOf", "anyOf", "allOf", ""]) if depth else ""
    if not keyword:
        return leaf(rng)
    if keyword == "not":
        return {"not": condition(rng, depth - 1)}
    return {keyword: [condition(rng, depth - 1) for _ in range(rng.choice([1, 2, 2, 3]))]}


@pytest.mark.parametrize("seed", range(150))
def test_spellings(seed: int) -> None:
    schema = {"$schema": DRAFT_4, **condition(random.Random(seed), 3)}
    judge = jsonschema.Draft4Validator(schema)
    grammars: dict[str, Grammar | None] = {}
    for numbers in ("plain", "free"):
        try:
            grammars[numbers] = Grammar.from_json_schema(schema, JSONSchemaOptions(numbers=numbers))
        except (EmptyGrammarError, UnsatisfiableSchemaError):
            grammars[numbers] = None
    accepted: dict[str, set[str]] = {
        numbers: {text for text in NUMERALS + OTHERS if grammar is not None and grammar.accepts(text)}
        for numbers, grammar in grammars.items()
    }
    valid = {text for text in NUMERALS + OTHERS if judge.is_valid(json.loads(text))}
    assert accepted["free"] == valid
    assert accepted["plain"] <= valid


@pytest.mark.parametrize("numbers", ["plain", "free"])
def test_what_is_no_integer_may_have_its_value(numbers: str) -> None:
    options = JSONSchemaOptions(numbers=numbers)  # type: ignore[arg-type]  # one of two
    grammar = Grammar.from_json_schema({"$schema": DRAFT_4, "not": {"type": ["integer", "boolean"]}}, options)
    assert all(map(grammar.accepts, ["1.0", "1e2", "-0.0", "1.5", "null"]))
    assert not any(map(grammar.accepts, ["1", "-0", "100", "true"]))


def test_an_enum_of_integers_has_no_point() -> None:
    """Draft 4's `1.0` equals 1, but is no integer."""
    grammar = Grammar.from_json_schema({"$schema": DRAFT_4, "type": "integer", "enum": [1.0, 2]})
    assert grammar.accepts("1") and grammar.accepts("2")
    assert not grammar.accepts("1.0")
