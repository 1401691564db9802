"""Rules on disk: the same language and report, whatever happens to the files; nothing false is ever kept."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from frisket import Grammar, JSONSchemaOptions, Limits, compiled_schema, json_schema
from frisket.compiled_schema import compiled_lately
from frisket.errors import FrisketError, UnsatisfiableSchemaError
from frisket.json_schema import stored

SCHEMAS: dict[str, tuple[Any, list[str], list[str]]] = {
    "object": (
        {
            "type": "object",
            "properties": {"a": {"type": "string", "pattern": "^[a-c]+$"}, "é😀": {"enum": [1, "x", None]}},
            "required": ["a"],
            "additionalProperties": False,
        },
        ['{"a": "abc"}', '{"a": "b", "é😀": null}'],
        ['{"a": "d"}', "{}", '{"a": "a", "b": 1}'],
    ),
    "recursive": (
        {"$defs": {"x": {"type": "array", "items": {"$ref": "#/$defs/x"}}}, "$ref": "#/$defs/x"},
        ["[]", "[[], [[]]]"],
        ["[1]", "{}"],
    ),
    "algebra": (
        {"oneOf": [{"multipleOf": 3, "type": "integer"}, {"minimum": 10, "type": "integer"}], "not": {"const": 6}},
        ["3", "11"],
        ["6", "12", "4"],
    ),
    "keys": (
        {"patternProperties": {"^a": {"type": "integer"}}, "propertyNames": {"maxLength": 3}, "type": "object"},
        ['{"a": 1}', '{"b": "x"}'],
        ['{"a": "x"}', '{"abcd": 1}'],
    ),
    "unique": (
        {"type": "array", "items": {"enum": ["a", "b", "c"]}, "uniqueItems": True, "minItems": 2},
        ['["a", "b"]'],
        ['["a", "a"]', '["a"]'],
    ),
    "format": ({"type": "string", "format": "date-time"}, ['"2024-01-01T00:00:00Z"'], ['"2024"']),
    "true": (True, ["1", "[]"], ["x"]),
}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("FRISKET_CACHE_DIR", str(tmp_path))
    monkeypatch.setenv("FRISKET_GRAMMAR_CACHE_BYTES", str(8 << 20))
    monkeypatch.setattr(stored, "WORTH", -1.0)
    compiled_lately.clear()
    stored.wanted.cache_clear()
    compiled_schema.stored.cache_clear()
    yield tmp_path / "grammars"
    compiled_lately.clear()
    stored.wanted.cache_clear()
    compiled_schema.stored.cache_clear()


def files(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.grammar"))


def compiled(schema: Any, options: JSONSchemaOptions | None = None) -> Grammar:
    """With options: without any, the engine was told before these tests that nothing is kept on disk."""
    return Grammar.from_json_schema(schema, options or JSONSchemaOptions())


def again(schema: Any, options: JSONSchemaOptions | None = None) -> Grammar:
    """As another process would."""
    compiled_lately.clear()
    return compiled(schema, options)


def made_again(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Grows whenever the front end is at work."""
    made: list[int] = []
    work = json_schema.compile_json_schema

    def counted(*arguments: Any) -> Any:
        made.append(1)
        return work(*arguments)

    monkeypatch.setattr(json_schema, "compile_json_schema", counted)
    return made


@pytest.mark.parametrize("name", SCHEMAS)
@pytest.mark.parametrize(
    "options", [JSONSchemaOptions(), JSONSchemaOptions.free(), JSONSchemaOptions(whitespace="pretty")]
)
def test_what_is_kept_is_the_same(
    name: str, options: JSONSchemaOptions, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    schema, good, bad = SCHEMAS[name]
    first = compiled(schema, options)
    assert len(files(folder)) == 1
    made = made_again(monkeypatch)
    second = again(schema, options)
    assert not made
    assert second.core is not first.core
    assert second.report is not None and first.report is not None
    assert second.report.to_json() == first.report.to_json()
    for text in [*good, *bad]:
        assert second.accepts(text) == first.accepts(text)
    if options == JSONSchemaOptions():
        assert all(second.accepts(text) for text in good)
        assert not any(second.accepts(text) for text in bad)


def test_a_report_of_what_slips_through_is_kept(folder: Path) -> None:
    schema = {"type": "string", "pattern": "^(a+)\\1$"}
    relaxed = JSONSchemaOptions(relaxed=True)
    pytest.importorskip("jsonschema_rs")
    first, second = compiled(schema, relaxed), again(schema, relaxed)
    assert first.report is not None and second.report is not None
    assert not second.report.exact
    assert second.report.to_json() == first.report.to_json()


def test_other_options_other_orders_other_engines_are_made_anew(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compiled({"properties": {"a": True, "b": True}})
    compiled({"properties": {"b": True, "a": True}})
    compiled({"properties": {"a": True, "b": True}}, JSONSchemaOptions(property_order="any"))
    assert len(files(folder)) == 3
    monkeypatch.setattr(stored, "version", lambda: "the next")
    again({"properties": {"a": True, "b": True}})
    assert len(files(folder)) == 4


def test_off_unless_asked_for(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FRISKET_GRAMMAR_CACHE_BYTES")
    stored.wanted.cache_clear()
    compiled_schema.stored.cache_clear()
    compiled({"const": 1})
    assert not folder.exists()


@pytest.mark.parametrize(
    "act",
    [
        lambda: compiled({"type": "string", "minLength": 2, "maxLength": 1}),
        lambda: compiled({"type": "string", "pattern": "^(a+)\\1$"}),
        lambda: Grammar.from_json_schema({"const": 1}, limits=Limits(seconds=0.0)),
    ],
)
def test_no_refusal_is_kept(folder: Path, act: Callable[[], object]) -> None:
    with pytest.raises(FrisketError):
        act()
    assert not folder.exists()


def forged(change: Callable[[list[Any]], object]) -> Callable[[bytes], bytes]:
    """A file whose hash is right and whose report is not."""

    def forge(whole: bytes) -> bytes:
        _, length, told, grammar = parts(whole)
        content = json.loads(told)
        change(content)
        told = json.dumps(content).encode()
        return hashed(len(told).to_bytes(length, "little") + told + grammar)

    return forge


def forged_grammar(change: Callable[[bytes], bytes]) -> Callable[[bytes], bytes]:
    """A file whose hash is right and whose grammar is not."""

    def forge(whole: bytes) -> bytes:
        data, length, told, grammar = parts(whole)
        return hashed(data[: length + len(told)] + change(grammar))

    return forge


def parts(whole: bytes) -> tuple[bytes, int, bytes, bytes]:
    """What is hashed, how many of its bytes are the report's length, the report, the grammar."""
    data, length = whole[len(stored._MAGIC) + 32 :], stored._LENGTH
    end = length + int.from_bytes(data[:length], "little")
    return data, length, data[length:end], data[end:]


def hashed(data: bytes) -> bytes:
    return stored._MAGIC + hashlib.sha256(data).digest() + data


@pytest.mark.parametrize(
    "damage",
    [
        lambda whole: b"",
        lambda whole: whole[:-1],
        lambda whole: whole[:-1] + b"x",
        lambda whole: whole.replace(b"grammar 5", b"grammar 0"),
        lambda whole: hashed(b""),
        lambda whole: hashed(b"\xff" * 8),
        lambda whole: hashed(b"\xff" * 99),
        forged(lambda content: content.pop()),
        forged(lambda content: content.append([])),
        forged(lambda content: content.__setitem__(2, [["", 1]])),
        forged(lambda content: content.__setitem__(2, "text")),
        forged(lambda content: content.__setitem__(1, [{}])),
        forged(lambda content: content.__setitem__(1, [["", "type"]])),
        forged(lambda content: content.__setitem__(1, [["", "type", 7]])),
        forged(lambda content: content.__setitem__(0, None)),
        forged_grammar(lambda grammar: b""),
        forged_grammar(lambda grammar: grammar[:-1]),
        forged_grammar(lambda grammar: grammar + b"x"),
        forged_grammar(lambda grammar: grammar[:-1] + bytes([grammar[-1] ^ 1])),
        forged_grammar(lambda grammar: b"x" + grammar[1:]),
    ],
)
def test_a_damaged_file_is_made_anew(folder: Path, damage: Callable[[bytes], bytes]) -> None:
    schema, good, bad = SCHEMAS["object"]
    compiled(schema)
    [path] = files(folder)
    whole = path.read_bytes()
    path.write_bytes(damage(whole))
    grammar = again(schema)
    assert all(grammar.accepts(text) for text in good)
    assert not any(grammar.accepts(text) for text in bad)
    assert path.read_bytes() == whole


def test_the_folder_keeps_to_its_bound(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compiled({"const": 0})
    [first] = files(folder)
    bound = 3 * first.stat().st_size + 50
    monkeypatch.setenv("FRISKET_GRAMMAR_CACHE_BYTES", str(bound))
    os.utime(first, (1, 1))
    for number in range(1, 6):
        compiled({"const": number})
    assert 0 < sum(path.stat().st_size for path in files(folder)) <= bound
    assert not first.exists()


def test_a_folder_that_cannot_be_written_costs_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_bytes(b"")
    monkeypatch.setenv("FRISKET_CACHE_DIR", str(tmp_path / "file"))
    assert compiled({"const": 1}).accepts("1")


def test_nothing_can_match_still(folder: Path) -> None:
    for _ in range(2):
        with pytest.raises(UnsatisfiableSchemaError):
            again({"type": "object", "required": ["a"], "properties": {"a": False}})
