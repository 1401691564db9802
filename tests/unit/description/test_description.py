"""Schemas as prompt text: nothing of names, types, values and bounds is lost, and examples are documents."""

from __future__ import annotations

import gzip
import json
import statistics
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

import frisket
from frisket import Grammar, JSONSchemaOptions
from frisket.description.prose import prose
from frisket.description.typescript import typescript
from frisket.description.writer import resolve
from frisket.errors import FrisketError, LimitExceededError, SchemaError

NODE = {
    "$defs": {
        "node": {
            "type": "object",
            "description": "a\nnode",
            "properties": {
                "v": {"type": ["integer", "null"], "minimum": 0, "exclusiveMaximum": 9.5},
                "next": {"$ref": "#/$defs/node"},
                "odd key": {"anyOf": [{"const": 1}, {"type": "string", "pattern": "^a+$"}]},
                "pair": {"type": "array", "prefixItems": [{"type": "boolean"}, {"enum": ["x", None]}], "items": False},
            },
            "required": ["v"],
            "additionalProperties": {"type": "number", "multipleOf": 0.5},
        }
    },
    "type": "array",
    "items": {"$ref": "#/$defs/node"},
    "minItems": 2,
    "uniqueItems": True,
}


def test_what_a_type_cannot_say_stands_in_comments() -> None:
    assert (
        typescript(NODE)
        == """\
// a node
type node = {
  v: integer | null // at least 0; less than 9.5
  next?: node
  "odd key"?: 1 | /* pattern: "^a+$" */ string
  pair?: [boolean, "x" | null]
  [key: string]: number // a multiple of 0.5
}
// at least 2 items; uniqueItems: true
node[]"""
    )


@pytest.mark.parametrize(
    "schema, text",
    [
        (True, "unknown"),
        ({"type": "string", "minLength": 3, "maxLength": 3}, "// 3 characters\nstring"),
        ({"enum": ["a", 1, {"b": []}]}, '"a" | 1 | {"b": []}'),
        ({"type": ["string", "null"], "format": "date"}, '// format: "date"\nstring | null'),
        ({"type": "array", "items": {"type": ["string", "null"]}}, "(string | null)[]"),
        (
            {"allOf": [{"anyOf": [{"type": "string"}, {"type": "null"}]}, {"type": "string"}]},
            "(string | null) & string",
        ),
        ({"type": "object", "required": ["a"]}, "{a: unknown}"),
        ({"if": {"type": "string"}, "then": False}, '// if: {"type": "string"}; then: false\nunknown'),
        ({"properties": {"a": {"$ref": "#"}}}, "type Root = {a?: Root}\nRoot"),
        ({"$ref": "https://example.com/x"}, "// as https://example.com/x says\ntype x = unknown\nx"),
        ({"$ref": "#/$defs/missing"}, "type missing = unknown\nmissing"),
        ({"type": "object", "additionalProperties": {"type": "integer"}}, "{[key: string]: integer}"),
        ({"type": "object", "patternProperties": {"^x": {}}, "additionalProperties": False}, "{[key: /^x/]: unknown}"),
    ],
)
def test_typescript(schema: Any, text: str) -> None:
    assert typescript(schema) == text


def test_what_binds_less_than_brackets_stands_in_parentheses() -> None:
    one, two = ({"type": "object", "properties": {name: {}}, "additionalProperties": False} for name in "ab")
    assert typescript({"type": "array", "items": {"anyOf": [one, two]}}) == "({a?: unknown} | {b?: unknown})[]"
    assert typescript({"type": "array", "items": {"enum": ["a | b"]}}) == '"a | b"[]'
    assert typescript({"anyOf": [{"allOf": [one, two]}, one]}) == "({a?: unknown} & {b?: unknown}) | {a?: unknown}"


def test_a_pattern_does_not_end_its_comment() -> None:
    text = typescript({"anyOf": [{"type": "null"}, {"type": "string", "pattern": ".*/x"}]})
    assert text == r'null | /* pattern: ".*\/x" */ string' and json.loads(text[18:26]) == ".*/x"


def test_numbers_that_only_python_has() -> None:
    bounds = {"type": "number", "minimum": Decimal("-2.0"), "maximum": Decimal("2.50"), "multipleOf": Decimal("0.5")}
    grammar = Grammar.from_json_schema(bounds)
    assert grammar.describe() == "// -2 to 2.5; a multiple of 0.5\nnumber"
    assert json.loads(grammar.describe("json_schema"))["maximum"] == 2.5
    assert grammar.accepts(grammar.describe("example"))
    assert Grammar.from_json_schema({"const": Decimal("2.5")}).describe("example") == "2.5"


def digits(before: int, after: int) -> dict[str, Any]:
    """The part of a schema by which a Decimal has so many digits before and after the point."""
    return {"exclusiveMinimum": -(10**before), "exclusiveMaximum": 10**before, "multipleOf": float(f"1e-{after}")}


@pytest.mark.parametrize(
    ("keywords", "words"),
    [
        ({"allOf": [digits(3, 2)]}, "at most 3 digits before the point and 2 after it"),
        ({"allOf": [{"multipleOf": 0.01}]}, "at most 2 digits after the point"),
        ({"anyOf": [digits(2, 0), digits(1, 1), digits(0, 2)]}, "at most 2 digits"),
        ({"minimum": 0, "maximum": 99.5, "allOf": [digits(2, 1)]},
         "0 to 99.5; at most 2 digits before the point and 1 after it"),
    ],
)  # fmt: skip
def test_the_digits_of_a_decimal_are_words(keywords: dict[str, Any], words: str) -> None:
    schema = {"type": "number", **keywords}
    assert typescript(schema) == f"// {words}\nnumber" and prose(schema) == f"number ({words})"


@pytest.mark.parametrize(
    "part",
    [
        {"exclusiveMinimum": -100, "exclusiveMaximum": 1000, "multipleOf": 0.1},
        {"exclusiveMinimum": -50, "exclusiveMaximum": 50, "multipleOf": 0.1},
        {"exclusiveMaximum": 10, "multipleOf": 0.1},
        {"multipleOf": 0.25},
        {"multipleOf": 10**400},
        {"multipleOf": 0.1, "type": "number"},
    ],
)
def test_other_bounds_are_no_digits(part: dict[str, Any]) -> None:
    assert "digits" not in prose({"type": "number", "allOf": [part]})
    assert "digits" not in prose({"type": "number", "anyOf": [digits(2, 0), part]})
    assert "digits" not in prose({"type": "number", "anyOf": [digits(2, 0), digits(0, 2)]})


def test_the_description_of_a_decimal_says_its_bounds() -> None:
    pydantic = pytest.importorskip("pydantic", reason="pydantic is not installed")
    price = pydantic.condecimal(ge=0, le=100, max_digits=5, decimal_places=2)
    said = "0.0 to 100.0; at most 3 digits before the point and 2 after it"
    assert Grammar.from_type(price).describe("prose") == f"number ({said})"
    assert Grammar.from_type(pydantic.condecimal(max_digits=3)).describe("prose") == "number (at most 3 digits)"


def test_prose() -> None:
    assert (
        prose(NODE)
        == """\
node means object (a node):
- v: integer or null (at least 0; less than 9.5)
- next (optional): node
- "odd key" (optional): 1 or string (pattern: "^a+$")
- pair (optional): array:
  - item 1: boolean
  - item 2: "x" or null
- any other names: number (a multiple of 0.5)
array of node (at least 2 items; uniqueItems: true)"""
    )


@pytest.mark.parametrize(
    "schema, text",
    [
        (True, "anything"),
        (False, "nothing at all"),
        ({"type": "string", "minLength": 1}, "string (at least 1 character)"),
        ({"enum": ["a", 1, {"b": []}]}, '"a", 1 or {"b": []}'),
        ({"type": "object", "additionalProperties": False}, "object without members"),
        ({"type": "object", "patternProperties": {"^x": {}}}, 'object:\n- any names that match "^x": anything'),
        ({"allOf": [{"type": "string"}, {"minLength": 2}]}, "string and at once anything (at least 2 characters)"),
        (
            {"type": "array", "items": {"anyOf": [{"required": ["a"]}, {"type": "null"}]}},
            "array of one of:\n- object:\n  - a: anything\n- null",
        ),
        ({"type": "array", "prefixItems": [True]}, "array:\n- item 1: anything\n- all further items: anything"),
    ],
)
def test_prose_of_parts(schema: Any, text: str) -> None:
    assert prose(schema) == text


def test_a_description_counts_its_tokens(data_dir: Path) -> None:
    tokenizers = pytest.importorskip("tokenizers", reason="tokenizers is not installed")
    described = Grammar.from_json_schema(NODE).describe("prose")
    model = frisket.models.embedded()
    assert described.tokens(model) == len(model.encode(str(described))) - 1
    tokenizer = tokenizers.Tokenizer.from_file(str(data_dir / "tokenizers" / "llama3" / "tokenizer.json"))
    exact = described.tokens(tokenizer)
    assert exact == len(tokenizer.encode(str(described), add_special_tokens=False).ids)
    vocabulary = frisket.Vocabulary.from_huggingface(data_dir / "tokenizers" / "llama3")
    assert 0.9 * exact <= described.tokens(vocabulary) <= exact
    with pytest.raises(ValueError, match="do not spell"):
        described.tokens(frisket.Vocabulary.from_bytes([b"a", None], eos=[1]))


def test_styles_have_the_white_space_of_the_mask() -> None:
    schema = {"type": "object", "properties": {"b": {"type": "integer", "minimum": 3}, "a": {"type": "array",
        "items": {"enum": ["x"]}, "minItems": 2}}, "required": ["b", "a"], "additionalProperties": False}  # fmt: skip
    for options, expected in [
        (None, '{"b": 3, "a": ["x", "x"]}'),
        (JSONSchemaOptions(whitespace="compact"), '{"b":3,"a":["x","x"]}'),
        (JSONSchemaOptions(whitespace="pretty"), '{\n  "b": 3,\n  "a": [\n    "x",\n    "x"\n  ]\n}'),
    ]:
        grammar = Grammar.from_json_schema(schema, options)
        assert grammar.describe("example") == expected and grammar.accepts(expected)
        assert json.loads(grammar.describe("json_schema")) == schema
    assert Grammar.from_json_schema(schema, JSONSchemaOptions(whitespace="compact")).describe("json_schema")[7] == ":"


def test_a_type_is_described_too() -> None:
    pytest.importorskip("pydantic", reason="pydantic is not installed")

    @dataclass
    class Person:
        name: str
        age: int

    assert Grammar.from_type(Person).describe().endswith("{name: string, age: integer}")


def test_what_cannot_be_described_says_so() -> None:
    with pytest.raises(FrisketError, match="only the grammar of a JSON Schema") as caught:
        Grammar.from_regex("a").describe()
    assert caught.value.code == "no-schema"
    with pytest.raises(ValueError, match="a style is one of"):
        Grammar.from_json_schema(True).describe("yaml")  # type: ignore[arg-type]


def test_a_hard_example_is_still_a_document() -> None:
    schema = {"type": "string", "pattern": "^[A-Z]{3}-[0-9]{4}$"}
    grammar = Grammar.from_json_schema(schema)
    assert grammar.accepts(grammar.describe("example"))


def test_generate_tells_the_model(monkeypatch: pytest.MonkeyPatch) -> None:
    model = frisket.models.embedded()
    told: list[tuple[str, Any]] = []
    original = type(model).prompt

    def prompt(self: Any, text: str, keys: Any = None) -> str:
        told.append((text, keys))
        return original(self, text, keys)

    monkeypatch.setattr(type(model), "prompt", prompt)
    schema = {"type": "object", "properties": {"n": {"enum": [1, 2]}}, "required": ["n"], "additionalProperties": False}
    for describe in (False, True, "example"):
        frisket.generate(model, "hi", schema, describe=describe)
    assert told == [
        ("hi", ["n"]),
        ("hi\n\nAnswer with one JSON value of this type:\n{n: 1 | 2}", None),
        ('hi\n\nAnswer with one JSON value of this form:\n{"n": 1}', None),
    ]


# -- real schemas ----------------------------------------------------------------------------------------------------


def schemas(data_dir: Path, every: int) -> Iterator[dict[str, Any]]:
    with gzip.open(data_dir / "maskbench" / "dev.jsonl.gz", "rt", encoding="utf-8") as lines:
        for number, line in enumerate(lines):
            if number % every == 0:
                yield json.loads(line)["schema"]


def said(node: Any, root: Any, seen: set[int]) -> Iterator[str]:
    """The names, values and bounds of a schema, wherever a document may meet them."""
    if not isinstance(node, dict) or id(node) in seen:
        return
    seen.add(id(node))
    if isinstance(node.get("$ref"), str):
        yield from said(resolve(root, node["$ref"]), root, seen)
    for name, value in (node.get("properties") or {}).items():
        yield name
        yield from said(value, root, seen)
    values = node.get("enum", []) if "const" not in node else [node["const"]]
    for value in values:
        yield json.dumps(value, ensure_ascii=False)
    for keyword in ("minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems", "pattern", "format"):
        if keyword in node:
            yield json.dumps(node[keyword], ensure_ascii=False)
    for keyword in ("items", "additionalProperties", "not", "if", "then", "else"):
        yield from said(node.get(keyword), root, seen)
    for keyword in ("anyOf", "oneOf", "allOf", "prefixItems"):
        for one in node.get(keyword) or ():
            yield from said(one, root, seen)


def test_what_nests_too_deep_is_refused_by_a_limit() -> None:
    schema: dict[str, Any] = {"type": "integer"}
    for _ in range(400):
        schema = {"type": "array", "items": schema}
    with pytest.raises(LimitExceededError, match="nests too deep"):
        Grammar.from_json_schema(schema).describe("typescript")


def test_nothing_of_real_schemas_is_lost(data_dir: Path) -> None:
    shares = []
    for schema in schemas(data_dir, 20):
        text = typescript(schema)
        for told in (text, prose(schema)):
            missing = [one for one in said(schema, schema, set()) if one not in told.replace("*\\/", "*/")]
            assert not missing, (missing[:3], told)
        shares.append(len(text) / len(json.dumps(schema)))
    assert len(shares) > 100 and statistics.median(shares) < 0.6


def test_examples_of_real_schemas_are_their_documents(data_dir: Path) -> None:
    count = 0
    for schema in schemas(data_dir, 60):
        try:
            grammar = Grammar.from_json_schema(schema)
        except (SchemaError, LimitExceededError):
            continue
        assert grammar.accepts(grammar.describe("example"))
        count += 1
    assert count > 30
