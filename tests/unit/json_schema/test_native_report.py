"""What the native report says of each keyword beside Python's, where both sides read all of a schema.

Python passes over the copies of a place that is not enforced, and calls them so; the native report says of each copy
what it says of the first.
"""

from __future__ import annotations

import random
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from frisket._core import front_end
from frisket.errors import FrisketError
from frisket.json_schema.options import JSONSchemaOptions
from frisket.json_schema.report import Report
from tests.conformance import suite
from tests.data import maskbench
from tests.oracle.json_schema.coverage import NAMES, alike
from tests.unit.json_schema.native_registry import fetched
from tests.unit.json_schema.test_native_read import VALUES, PythonReader, patterns_by_text, read_by_python

__all__ = ["patterns_by_text"]  # a fixture that holds here, too

Entries = list[tuple[str, str, str, str, str]]


def python_report(reader: PythonReader, options: JSONSchemaOptions) -> Entries:
    algebra = reader.algebra
    algebra.options = options  # all was read with annotations for formats: no format of these is built here
    report = Report(algebra.report.loosened, algebra.report.narrowed, source=algebra.entries)
    return sorted(
        (
            (entry.pointer, writable(entry.keyword), entry.status, entry.slips, writable(entry.note))
            for entry in report.entries
        ),
        key=lambda entry: entry[:2],
    )


def writable(text: str) -> str:
    """The text as the native report has it: half of a surrogate pair is its escape."""
    return text.encode("utf-8", "backslashreplace").decode()


def compare(schema: Any, registry: Any = None, **changes: Any) -> int:
    """How many entries there are; 0 for what is refused (`test_native_read` compares errors)."""
    options = JSONSchemaOptions(relaxed=True, **changes)
    reader = read_by_python(schema, registry, JSONSchemaOptions(relaxed=True, **{**changes, "formats": "annotate"}))
    scoped = isinstance(reader, PythonReader) and reader.algebra.scoped
    documents = fetched(schema, registry)
    if not isinstance(reader, PythonReader):
        with pytest.raises(FrisketError):
            front_end.schema_report_of_all(schema, documents, prelude(options), has_scopes=scoped)
        return 0
    python = python_report(reader, options)
    native = front_end.schema_report_of_all(schema, documents, prelude(options), has_scopes=scoped)
    assert_alike(python, native, schema)
    return len(native)


def assert_alike(python: Entries, native: Entries, schema: Any) -> None:
    """Equal but for copies of what is loosened or narrowed."""
    if python != native:
        slipping = {entry[2:4] for entry in python if entry[3]}
        copies = {entry[:2] for entry in native if entry[2:4] in slipping and entry not in python}
        python = [entry for entry in python if entry[:2] not in copies]
        native = [entry for entry in native if entry[:2] not in copies]
    assert python == native, schema


@cache
def prelude(options: JSONSchemaOptions) -> front_end.Prelude:
    return front_end.Prelude(options)


@pytest.mark.parametrize("draft", suite.DRAFTS)
def test_the_suite_is_reported_alike(draft: str, data_dir: Path) -> None:
    documents = suite.registry(data_dir, draft)
    counts = [compare(case.schema, documents) for case in suite.cases(data_dir, draft)]
    assert sum(counts) > 500


@pytest.mark.parametrize("part", range(2))
def test_real_schemas_are_reported_alike(part: int, data_dir: Path) -> None:
    some = (line["schema"] for number, line in enumerate(maskbench(data_dir)) if number % 16 == part)
    assert sum(map(compare, some)) > 5_000


#: What only a report looks at.
WORDS: dict[str, tuple[Any, ...]] = {
    "format": ("date", "time", "duration", "Emial", "int32", "password", "double", "\ud800", ""),
    "contentEncoding": ("base64", "hex"), "contentMediaType": ("application/json", "text/html"), "contentSchema": ({},),
    "requried": ([],), "Type": (1,), "min_length": (1,), "IDs": (1,), "x-y": (1,), "discriminator": ({},),
    "xml": ({},), "deprecated": (True,), "größe": (1,), "\ud800": (1,), "description": ("d",), "$comment": ("c",),
    "definitions": ({"a": {"Type": 1}},), "nullable": (True,), "const": (1,), "$anchor": ("b",), "$id": ("http://a/b",),
}  # fmt: skip


def test_made_up_schemas_are_reported_alike() -> None:
    chance = random.Random(11)
    known = {**VALUES, **{word: (*VALUES.get(word, ()), *values) for word, values in WORDS.items()}}
    counts = []
    for _ in range(10_000):
        words = chance.sample(list(known), chance.randint(1, 5)) + chance.sample(list(WORDS), 2)
        schema = {word: chance.choice(known[word][: chance.choice((2, 9))]) for word in words}
        if chance.random() < 0.4:
            below = dict(schema)
            schema = {"properties": {"x": schema, "y": below}, "$defs": {"a": {"type": "null"}}}
            if chance.random() < 0.3:
                schema["$schema"] = chance.choice(VALUES["$schema"])
        counts.append(
            compare(
                schema,
                formats=chance.choice(("assert", "annotate", "openapi", "python")),
                nullable=chance.random() < 0.3,
                closed_objects=chance.random() < 0.3,
            )
        )
    assert sum(map(bool, counts)) > 4_000


@pytest.mark.parametrize(
    "schema",
    [
        {"anyOf": [{"pattern": "a"}, {"pattern": "a"}, {"items": {"pattern": "a"}}]},
        {"anyOf": [{"items": {"$ref": "x.json"}}, {"not": {"items": {"$ref": "x.json"}}}]},
        {"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"minimum": 1}, "c": {"Type": 1}}},
        {"$ref": "#/$defs/t", "$defs": {"t": True}},
        {"properties": {"~a/b": {"minimum": 1}, "": {"minimum": 1}}},
        {"$dynamicAnchor": "a", "items": {"$dynamicRef": "#a"}},
        {"$schema": "https://json-schema.org/draft/2019-09/schema", "$recursiveAnchor": True,
         "items": {"$recursiveRef": "#"}},
        {"items": {"$id": "http://a/b", "$defs": {"c": {"minimum": 1}}, "$ref": "#/$defs/c"}},
        True,
        {},
        {"title": "t"},
    ],
)  # fmt: skip
def test_places_are_those_of_python(schema: Any) -> None:
    compare(schema)


def test_one_dict_at_two_places_is_one_place() -> None:
    shared = {"type": "array", "items": {"type": "object", "properties": {"a": {"minimum": 1}}, "Type": 1}}
    assert compare({"properties": {"x": shared, "y": shared}}) > 5


def test_the_word_that_is_meant_is_that_of_difflib() -> None:
    chance = random.Random(3)
    words = sorted({*VALUES, *NAMES, *WORDS, "ſtraße", "STRASSE", "ΣΑΣ", "σας", "Ǆ", "ŉa"})
    found = 0
    for _ in range(20_000):
        word = list(chance.choice(words))
        for _ in range(chance.randint(1, 3)):
            place = chance.randrange(len(word) + 1)
            word[place : place + chance.randint(0, 1)] = chance.choice(("", "e", "T", "-", "$", "ß"))
        known = tuple(chance.sample(words, 20))
        given = "".join(word).replace("\ud800", "")
        safe = [other for other in known if other != "\ud800"]
        expected = alike(given, tuple(safe))
        found += expected is not None
        assert front_end.closest(given, safe) == expected, (given, safe)
    assert 2_000 < found < 18_000
