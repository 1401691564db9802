"""Schemas at random and in odd shapes: the front end and the oracle make the same of them, errors included."""

from __future__ import annotations

import json
import random
from itertools import islice, pairwise
from typing import Any

import pytest

from frisket import Grammar
from frisket.json_schema import JSONSchemaOptions, compile_json_schema
from tests.data import data_dir, maskbench
from tests.oracle import json_schema as oracle
from tests.oracle.native import difference

OPTIONS = {
    "default": JSONSchemaOptions(),
    "free": JSONSchemaOptions.free(),
    "any": JSONSchemaOptions(property_order="any"),
    "declared": JSONSchemaOptions(property_order="declared"),
    "compact": JSONSchemaOptions(whitespace="compact", formats="openapi"),
    "annotate": JSONSchemaOptions(formats="annotate"),
    "closed": JSONSchemaOptions(closed_objects=True),
}
KEYS = ["a", "b", "id", "$schema", "$id", "~/", "é", "type"]


def some_schema(rng: random.Random, depth: int) -> Any:
    """A schema, mostly plain; some of it invalid, impossible, recursive or for Python."""
    if depth == 0 or rng.random() < 0.1:
        return rng.choice([True, {}, {"title": "t"}, {"type": "string"}, {"type": ["null", "integer"]}, False])
    schema: dict[str, Any] = {}
    for keyword in rng.sample(list(KEYWORDS), rng.randint(1, 5)):
        schema[keyword] = KEYWORDS[keyword](rng, depth - 1)
    if rng.random() < 0.7:
        schema["type"] = (
            "object" if "properties" in schema else "array" if "items" in schema else schema.get("type", "string")
        )
    return schema


def _members(rng: random.Random, depth: int) -> Any:
    return {key: some_schema(rng, depth) for key in rng.sample(KEYS, rng.randint(0, 4))}


KEYWORDS: dict[str, Any] = {
    "type": lambda rng, _: rng.choice(["string", "integer", "number", "boolean", ["object", "null"], ["array"], "odd"]),
    "properties": _members,
    "required": lambda rng, _: [rng.choice(KEYS) for _ in range(rng.randint(0, 3))],
    "additionalProperties": lambda rng, depth: rng.choice([True, False, some_schema(rng, depth)]),
    "items": lambda rng, depth: rng.choice([some_schema(rng, depth), some_schema(rng, depth), [some_schema(rng, 0)]]),
    "enum": lambda rng, _: rng.choice([["x", "y", "x"], ["x", None, True], [], [1, 2.5], [["x"]], "x"]),
    "const": lambda rng, _: rng.choice(["x", None, False, 3, {"a": 1}]),
    "minLength": lambda rng, _: rng.choice([0, 1, 4, 2.0, -1]),
    "maxLength": lambda rng, _: rng.choice([0, 3, 5000]),
    "minItems": lambda rng, _: rng.choice([0, 1, 3]),
    "maxItems": lambda rng, _: rng.choice([0, 1, 2, 1 << 70]),
    "uniqueItems": lambda rng, _: rng.choice([True, False, 1]),
    "minProperties": lambda rng, _: rng.choice([0, 1, 3]),
    "maxProperties": lambda rng, _: rng.choice([0, 1, 2]),
    "minimum": lambda rng, _: rng.choice([0, -3, 1.5]),
    "pattern": lambda rng, _: rng.choice(["^a+$", "b", "(?=a)b\\1"]),
    "format": lambda rng, _: rng.choice(["date", "uuid", "unknown", "date-time", "time", "int32", "uint64"]),
    "anyOf": lambda rng, depth: [some_schema(rng, depth), some_schema(rng, depth)],
    "allOf": lambda rng, depth: [some_schema(rng, depth)],
    "patternProperties": lambda rng, depth: {"^a": some_schema(rng, depth)},
    "$ref": lambda rng, _: rng.choice(
        ["#", "#/definitions/one", "#/definitions/two", "#/properties/a", "#/no", "#name"]
    ),
    "dependencies": lambda rng, depth: {
        rng.choice(KEYS): rng.choice(
            [[rng.choice(KEYS), rng.choice(KEYS)], ["b"], ["a", "b", 1], "b", some_schema(rng, depth)]
        )
        for _ in range(2)
    },
    "dependentRequired": lambda rng, _: {rng.choice(KEYS): [rng.choice(KEYS), rng.choice(KEYS)]},
    "description": lambda rng, _: "d",
    "requried": lambda rng, _: ["a"],
    "$id": lambda rng, _: rng.choice(["http://x.test/y", "#name", "other"]),
    "id": lambda rng, _: rng.choice(["http://x.test/y", "#name", "http://[", 1]),
}


def random_schema(seed: int) -> Any:
    rng = random.Random(seed)
    schema = some_schema(rng, 4)
    if isinstance(schema, dict):
        if rng.random() < 0.3:
            draft = rng.choice(["http://json-schema.org/draft-04/schema#", "http://json-schema.org/draft-07/schema#"])
            schema["$schema"] = rng.choice([draft, draft, "http://x.test/draft"])
        schema["definitions"] = {"one": some_schema(rng, 3), "two": some_schema(rng, 2)}
        if rng.random() < 0.3:
            schema["properties"] = {**{chr(97 + i): {"type": "string"} for i in range(12)}, "z": some_schema(rng, 2)}
    return schema


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
def test_random_schemas(options: JSONSchemaOptions) -> None:
    for seed in range(400):
        schema = random_schema(seed)
        assert difference(schema, options) is None, (seed, schema)


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
def test_real_schemas(options: JSONSchemaOptions) -> None:
    for entry in islice(maskbench(data_dir()), 0, None, 47):
        assert difference(entry["schema"], options) is None, entry["id"]


def test_places_with_names() -> None:
    """A name is a base for references: without one it changes nothing, unless it is no reference itself."""
    for draft in ("4", "6", "7"):
        for name in ("http://x.test/y", "y", "#y", "", "http://[", "http://\u2488x.test", 3):
            for member in ({"type": "string"}, {"$ref": "#/properties/b"}, {"$ref": "y"}, {"not": {"type": "string"}}):
                inner = {"id": name, "$id": name, "properties": {"b": member, "c": {"minLength": 2}}}
                schema = {
                    "$schema": f"http://json-schema.org/draft-0{draft}/schema#",
                    "properties": {"a": inner, "b": {}},
                }
                assert difference(schema, OPTIONS["default"]) is None, schema
                assert difference({**schema, "id": "http://[", "$id": "http://["}, OPTIONS["default"]) is None, schema


def test_keys_that_ask_for_keys() -> None:
    """Alone, in chains and circles, beside others that are required, and in alternatives that they tell apart."""
    tables = [{"a": ["b"]}, {"a": ["b", "c", "b", "a"], "c": ["d"]}, {"a": ["b"], "b": ["a"]}, {"x": ["y"]}, {"a": "b"}]
    own: list[dict[str, Any]] = [{}, {"required": ["a"]}, {"required": ["b"], "additionalProperties": False}]
    own += [{"required": ["c", "a"], "maxProperties": 2}, {"properties": {"b": False, "a": {}}, "maxProperties": 1}]
    for table in tables:
        for keyword in ("dependencies", "dependentRequired"):
            for conditions in own:
                one = {"type": "object", "properties": {"a": {}, "b": {"type": "null"}}, **conditions, keyword: table}
                other = {"type": "object", "required": ["a"], "properties": {"b": {"type": "string"}}}
                for whole in (one, {"anyOf": [one, one, other]}, {"allOf": [one, {keyword: {"a": ["b"]}}, other]}):
                    schema = json.loads(json.dumps(whole))
                    assert difference(schema, OPTIONS["default"]) is None, schema
                    assert difference({"oneOf": [schema, other]}, OPTIONS["default"]) is None, schema


def test_chains_of_keys_that_ask_for_keys() -> None:
    """Found in the same order from either end, and no more work for a long one than it has keys."""
    rng = random.Random(5)
    for length in (2, 9, 40, 1_500):
        keys = [f"k{place}" for place in range(length)]
        for turn in range(3):
            links = list(pairwise(keys))
            if turn:
                links.reverse() if turn == 1 else rng.shuffle(links)
            schema = {
                "properties": {key: {} for key in keys[::2]},
                "required": [keys[0], keys[length // 2]],
                "dependentRequired": {key: [needs] for key, needs in links},
            }
            assert difference(schema, OPTIONS["default"]) is None, (length, turn)


def test_places_that_take_turns() -> None:
    """A circle gets one rule, wherever it is entered."""
    plain = {"type": "object", "properties": {"next": {"$ref": "#/definitions/either"}}}
    either = {"anyOf": [{"type": "null"}, {"$ref": "#/definitions/plain"}]}
    for root in ("plain", "either"):
        schema = {"$ref": f"#/definitions/{root}", "definitions": {"plain": plain, "either": either}}
        assert difference(schema, OPTIONS["default"]) is None
        grammar = compile_json_schema(schema, OPTIONS["default"])[0]
        assert grammar.accepts(b'{"next":{"next":null}}') and not grammar.accepts(b'{"next":{"next":1}}')


@pytest.mark.parametrize("levels", [10, 39, 40, 41, 63, 64, 200])
@pytest.mark.parametrize("keyword", ["items", "properties"])
def test_deep_schemas(levels: int, keyword: str) -> None:
    schema: Any = {"type": "string"}
    for _ in range(levels):
        below = {"a": schema} if keyword == "properties" else schema
        schema = {"type": "object" if keyword == "properties" else "array", keyword: below}
    assert difference(schema, OPTIONS["default"]) is None


def test_the_report_is_of_the_schema_as_it_was() -> None:
    schema: dict[str, Any] = {"type": "object", "properties": {"a": {"type": "string"}}}
    report = Grammar.from_json_schema(schema).report
    schema["properties"]["b"] = 7
    assert report is not None
    assert [entry.pointer for entry in report.entries] == ["", "", "/properties/a"]


def test_leaves_are_told_apart() -> None:
    """Leaves that differ in little only, or in their draft."""
    accepted = {
        '{"type": "integer", "minimum": 1}': "1",
        '{"type": "integer", "minimum": 1.0}': "1",
        '{"type": "integer", "minimum": 2}': "2",
        '{"type": "integer", "enum": [1, 2]}': "2",
        '{"type": "integer", "enum": [1]}': "1",
        '{"enum": [1, true]}': "true",
        '{"enum": [1, 1]}': "1",
        '{"$schema": "http://json-schema.org/draft-04/schema#", "minimum": 1, "exclusiveMinimum": true}': "2",
    }
    for _ in range(2):
        for text, document in accepted.items():
            grammar = compile_json_schema(json.loads(text), OPTIONS["default"])[0]
            assert grammar.accepts(document.encode()), text
            for other in accepted.values():
                careful = oracle.compile_json_schema(json.loads(text), OPTIONS["default"])[0]
                assert grammar.accepts(other.encode()) == careful.accepts(other.encode()), (text, other)


def kind_of(texts: list[str], **others: Any) -> dict[str, Any]:
    """An object that says of which kind it is."""
    return {"type": "object", "properties": {"kind": {"enum": texts}}, "required": ["kind"], **others}


@pytest.mark.parametrize(
    ("third", "accepted", "refused"),
    [
        (kind_of(["c"]), [{"kind": "a"}, {"kind": "c"}], [{"kind": "d"}, {}]),
        (kind_of(["c", "a"]), [{"kind": "b"}, {"kind": "c"}], [{"kind": "a"}]),
        (kind_of(["c"], required=["x"]), [{"kind": "c", "x": 0}, {"x": 0}, {"kind": "a", "x": 0}], [{"kind": "c"}]),
        ({"type": "object", "required": ["x"]}, [{"kind": "a"}, {"kind": "c", "x": 0}], [{"kind": "a", "x": 0}]),
        (kind_of(["c"], properties={"kind": {"type": "string"}}), [{"kind": "c"}], [{"kind": "a"}, {"kind": "b"}]),
        (kind_of(["c"], properties={}), [{"kind": "c"}, {"kind": 0}], [{"kind": "a"}, {"kind": "b"}]),
        (kind_of(["c"], type=["object", "string"]), ["c", {"kind": "c"}], [{"kind": "d"}]),
    ],
)
@pytest.mark.parametrize("beside", [{}, {"properties": {"y": {"type": "null"}}}])
def test_alternatives_are_told_apart_by_the_texts_of_a_member_that_all_require(
    third: dict[str, Any], accepted: list[Any], refused: list[Any], beside: dict[str, Any]
) -> None:
    schema = {"oneOf": [kind_of(["a"]), kind_of(["b"]), third], **beside}
    assert difference(schema, OPTIONS["any"]) is None
    grammar = compile_json_schema(schema, OPTIONS["any"])[0]
    assert [grammar.accepts(json.dumps(document).encode()) for document in accepted] == [True] * len(accepted)
    assert [grammar.accepts(json.dumps(document).encode()) for document in refused] == [False] * len(refused)
