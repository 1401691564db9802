"""Random schemas, schemas in odd shapes, conjunctions of real ones: two validators say the same of every document."""

from __future__ import annotations

import json
import random
from itertools import pairwise
from typing import Any

import jsonschema
import pytest

from frisket import Grammar
from frisket.errors import UnsatisfiableSchemaError
from frisket.json_schema import JSONSchemaOptions, compile_json_schema
from tests.conformance.sweep import Tally

pytest.importorskip("jsonschema_rs", reason="jsonschema-rs is not installed")

from tests.conformance import invented
from tests.conformance.random_schemas import SOURCES

pytestmark = pytest.mark.slow

DEFAULT, ANY = JSONSchemaOptions(), JSONSchemaOptions(property_order="any")
#: Schemas of each source; those of some have more documents, or longer ones.
CASES = dict.fromkeys(SOURCES, 100) | {"odd": 400, "bounds": 200}


def assert_right(tally: Tally) -> None:
    assert [line for line in tally.examples if line.startswith(invented.FAILURES)] == []


def assert_judged_right(schema: Any) -> Tally:
    """Validators and the grammar say the same of random documents, those of the schema among them."""
    tally = invented.judged(schema, random.Random(1), "")
    assert_right(tally)
    return tally


@pytest.mark.parametrize("source", SOURCES)
def test_random_schemas(source: str) -> None:
    total = Tally()
    for number in range(CASES[source]):
        total.add(invented.check(source, number))
        assert_right(total)
    # Most of the members that several schemas ask for can have no value at all.
    assert total.counts["valid accepted"] > (400 if source == "members" else 1_000)
    assert total.counts["invalid refused"] > 1_000


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
                assert_judged_right(schema)
                assert_judged_right({**schema, "id": "http://[", "$id": "http://["})


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
                    assert_judged_right(schema)
                    assert_judged_right({"oneOf": [schema, other]})


def test_chains_of_keys_that_ask_for_keys() -> None:
    """Found in the same order from either end, and no more work for a long one than it has keys."""
    rng = random.Random(5)
    for length in (2, 9, 40, 1_500):
        keys = [f"k{place}" for place in range(length)]
        first, middle = (keys[place] for place in (0, length // 2))
        for turn in range(3):
            links = list(pairwise(keys))
            if turn:
                links.reverse() if turn == 1 else rng.shuffle(links)
            grammar = Grammar.from_json_schema(
                {
                    "properties": {key: {} for key in keys[::2]},
                    "required": [first, middle],
                    "dependentRequired": {key: [needs] for key, needs in links},
                    "type": "object",
                },
                ANY,
            )
            assert grammar.accepts(json.dumps(dict.fromkeys(keys, 0)))
            for missing in {first, middle, keys[-1], rng.choice(keys)}:
                assert not grammar.accepts(json.dumps(dict.fromkeys([key for key in keys if key != missing], 0)))


def test_places_that_take_turns() -> None:
    """A circle gets one rule, wherever it is entered."""
    plain = {"type": "object", "properties": {"next": {"$ref": "#/definitions/either"}}}
    either = {"anyOf": [{"type": "null"}, {"$ref": "#/definitions/plain"}]}
    for root in ("plain", "either"):
        schema = {"$ref": f"#/definitions/{root}", "definitions": {"plain": plain, "either": either}}
        assert_judged_right(schema)
        grammar = compile_json_schema(schema, DEFAULT)[0]
        assert grammar.accepts(b'{"next":{"next":null}}') and not grammar.accepts(b'{"next":{"next":1}}')


@pytest.mark.parametrize("levels", [10, 39, 40, 41, 63, 64, 200])
@pytest.mark.parametrize("keyword", ["items", "properties"])
def test_deep_schemas(levels: int, keyword: str) -> None:
    schema: Any = {"type": "string"}
    for _ in range(levels):
        below = {"a": schema} if keyword == "properties" else schema
        schema = {"type": "object" if keyword == "properties" else "array", keyword: below}
    assert_judged_right(schema)


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
            grammar = compile_json_schema(json.loads(text), DEFAULT)[0]
            assert grammar.accepts(document.encode()), text
            schema = json.loads(text)
            judge = jsonschema.Draft4Validator if "$schema" in schema else jsonschema.Draft202012Validator
            for other in accepted.values():
                assert grammar.accepts(other.encode()) == judge(schema).is_valid(json.loads(other)), (text, other)


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
    assert_judged_right(schema)
    grammar = compile_json_schema(schema, ANY)[0]
    assert [grammar.accepts(json.dumps(document).encode()) for document in accepted] == [True] * len(accepted)
    assert [grammar.accepts(json.dumps(document).encode()) for document in refused] == [False] * len(refused)


def test_alternatives_of_alternatives_end() -> None:
    """Ten schemas that each apply the next one ten times: nobody looks at all of it."""
    for keyword in ("allOf", "anyOf", "oneOf"):
        definitions: dict[str, Any] = {"9": {"type": "object", "required": ["a"]}}
        for level in range(9):
            definitions[str(level)] = {keyword: [{"$ref": f"#/definitions/{level + 1}"} for _ in range(10)]}
        schema = {"$ref": "#/definitions/0", "definitions": definitions}
        if keyword == "oneOf":
            with pytest.raises(UnsatisfiableSchemaError):
                Grammar.from_json_schema(schema)
        else:
            grammar = Grammar.from_json_schema(schema)
            assert grammar.accepts('{"a": 1}') and not grammar.accepts("{}") and not grammar.accepts("1")


@pytest.mark.parametrize("levels", [31, 32, 33, 70, 400])
def test_deep_values(levels: int) -> None:
    value: Any = "x"
    for level in range(levels):
        value = [value] if level % 3 else {"a": value}
    texts = [json.dumps(value), json.dumps(value).replace("x", "y")]
    grammar, _ = compile_json_schema({"const": value}, JSONSchemaOptions(max_fraction_digits=levels % 40))
    assert [grammar.accepts(text.encode()) for text in texts] == [True, False]
