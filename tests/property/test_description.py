"""Descriptions of real schemas: examples are valid, and members stand in an order that the mask takes."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from experiments.describe.reading import top_names
from frisket import Grammar
from frisket.description.writer import plain
from frisket.errors import LimitExceededError, SchemaError
from tests.conformance.suite import cases
from tests.data import maskbench


def grammars(data_dir: Path, every: int) -> Iterator[tuple[dict[str, Any], Grammar]]:
    for entry in islice(maskbench(data_dir), 0, None, every):
        try:
            yield entry, Grammar.from_json_schema(entry["schema"])
        except (SchemaError, LimitExceededError):
            continue


def is_valid(schema: Any, text: str, *, formats: bool = True) -> bool:
    return bool(jsonschema_rs.validator_for(schema, validate_formats=formats).is_valid(json.loads(text)))


def test_examples_of_real_schemas_are_valid(data_dir: Path) -> None:
    count = 0
    for entry, grammar in grammars(data_dir, 25):
        example = grammar.describe("example")
        assert grammar.accepts(example), entry["id"]
        try:
            assert is_valid(entry["schema"], example), entry["id"]
        except ValueError:  # a pattern or a reference that the validator does not read
            continue
        count += 1
    assert count > 100


def test_examples_of_the_suite_are_valid(data_dir: Path) -> None:
    count = 0
    for case in cases(data_dir, "2020-12"):
        if case.name.startswith("optional/") or "localhost" in json.dumps(case.schema, default=plain):
            continue
        try:
            grammar = Grammar.from_json_schema(case.schema)
        except (SchemaError, LimitExceededError):
            continue
        example = grammar.describe("example")
        assert grammar.accepts(example), case.name
        schema = json.loads(json.dumps(case.schema, default=plain))
        assert is_valid(schema, example, formats=False), (case.name, example)
        count += 1
    assert count > 200


@pytest.mark.parametrize("style", ["typescript", "prose"])
def test_members_stand_in_an_order_that_the_mask_takes(data_dir: Path, style: str) -> None:
    """A valid document whose members are put in the order of the description passes the masks."""
    count = 0
    for entry, grammar in grammars(data_dir, 20):
        names = NAMES[style](grammar.describe(style))  # type: ignore[arg-type]
        if len(names) < 2 or len(set(names)) < len(names):
            continue
        rank = {name: place for place, name in enumerate(names)}
        for test in entry["tests"]:
            value = test["data"]
            # Names with a dollar come wherever; others than the schema's come last.
            if not isinstance(value, dict) or not grammar.accepts(json.dumps(value)):
                continue
            known = sorted((name for name in value if name[:1] != "$"), key=lambda name: rank.get(name, len(rank)))
            again = {name: value[name] for name in [*(name for name in value if name[:1] == "$"), *known]}
            assert grammar.accepts(json.dumps(again)), (entry["id"], names)
            count += 1
    assert count > 50


def test_an_order_that_contradicts_the_mask_would_be_seen() -> None:
    grammar = Grammar.from_json_schema({"properties": {"b": {"type": "null"}, "a": {"type": "null"}}})
    assert NAMES["typescript"](grammar.describe()) == NAMES["prose"](grammar.describe("prose")) == ["b", "a"]
    assert grammar.accepts('{"b": null, "a": null}') and not grammar.accepts('{"a": null, "b": null}')


def _names_of_prose(text: str) -> list[str]:
    """The members of the whole document, which comes last."""
    lines = text.split("\n")
    start = max(place for place, line in enumerate(lines) if not line.startswith(("- ", " ")))
    found = (LINE.match(line) for line in lines[start + 1 :])
    names = [match[1] for match in found if match is not None]
    return [json.loads(name) if name[:1] == '"' else name for name in names]


LINE = re.compile(r'- ("(?:[^"\\]|\\.)*"|[A-Za-z_$][\w$]*)(?: \(optional\))?: ')
NAMES = {"typescript": top_names, "prose": _names_of_prose}
