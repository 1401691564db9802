"""What schemas accept and reject, keyword by keyword, through the engine."""

from __future__ import annotations

import json
from typing import Any

import pytest
from typing_extensions import TypedDict

from frisket import Grammar
from frisket.errors import (
    InvalidSchemaError,
    LimitExceededError,
    UnsatisfiableSchemaError,
    UnsupportedSchemaError,
)
from frisket.json_schema import JSONSchemaOptions

NODE = {
    "type": "object",
    "properties": {"children": {"type": "array", "items": {"$ref": "#/$defs/node"}}, "value": {"type": "integer"}},
    "required": ["value"],
    "additionalProperties": False,
}


class Text(str):
    """An instance given as text, where `json.dumps` would not write it so."""


def grammar(schema: Any, **options: Any) -> Grammar:
    return Grammar.from_json_schema(schema, JSONSchemaOptions(**{"property_order": "any", **options}))


def accepts(made: Grammar, instance: Any) -> bool:
    return made.accepts(str(instance) if isinstance(instance, Text) else json.dumps(instance, ensure_ascii=False))


CASES: list[tuple[Any, list[Any], list[Any]]] = [
    (True, [1, "a", None, [], {}, [{"a": [None]}]], [Text("[1"), Text('{"a": 1, "a": 2}'), Text("01")]),
    ({}, [1, "a"], [Text("")]),
    ({"type": ["integer", "null"]}, [1, None], ["a", 1.5]),
    ({"type": "number"}, [1, -5.5, Text("1e5"), Text("-1.5E-7"), Text("-0")], [Text("01"), Text("1."), Text(".5")]),
    ({"type": "integer"}, [0, -12, Text("-0")], [Text("1.0"), Text("1e3"), 1.5]),
    ({"minimum": 1.5, "exclusiveMaximum": 3}, [1.5, 2, 2.999, "a"], [1.4, 3, -2]),
    ({"type": "integer", "exclusiveMinimum": -18, "maximum": 22}, [-17, -9, 0, 22], [-18, 23, 100]),
    ({"multipleOf": 0.01}, [0.01, 1.25, 3], [1.255, 0.001]),
    ({"type": "integer", "multipleOf": 7}, [0, 7, -21, 7000], [1, 8, 50]),
    (
        {"enum": ["a", 1, None, [1], True, {"k": [2]}]},
        ["a", 1, None, [1], True, {"k": [2]}],
        ["b", 2, [2], False, {}],
    ),
    ({"const": 2.0}, [2, 2.0], [1, "2"]),
    (
        {"const": {"a": [1, {"b": None}]}},
        [{"a": [1, {"b": None}]}],
        [{}, {"a": [1]}, {"a": [1, {"b": None}], "c": 1}],
    ),
    ({"enum": ["x", 1], "type": "string"}, ["x"], [1]),
    ({"type": "string", "minLength": 2, "maxLength": 3}, ["ab", "é💩é", "\n\t"], ["a", "abcd"]),
    ({"pattern": "b+", "minLength": 3}, ["abb", "bbb"], ["ab", "aaaa"]),
    ({"pattern": "^2", "format": "date"}, ["2024-02-29"], ["1999-01-01", "2023-02-29", "2x"]),
    ({"format": "no such format"}, ["anything", 3], []),
    ({"items": {"type": "integer"}}, [[], [1, 2], "a"], [["a"]]),
    ({"prefixItems": [{"type": "integer"}], "items": False}, [[], [1]], [["a"], [1, 2]]),
    ({"minItems": 1, "maxItems": 2, "type": "array"}, [[1], [1, 2]], [[], [1, 2, 3]]),
    ({"contains": {"minimum": 5}}, [[1, 5], [6]], [[], [1, 2]]),
    (
        {"contains": {"const": 1}, "minContains": 2, "maxContains": 3, "maxItems": 4},
        [[1, 2, 1]],
        [[1], [1, 1, 1, 1]],
    ),
    ({"contains": {"const": 1}, "minContains": 0, "maxContains": 1}, [[], [1, 2]], [[1, 1]]),
    ({"not": {"items": {"type": "integer"}, "type": "array"}}, [["a"], [1, "a"], 3], [[], [1]]),
    (
        {"properties": {"a": {"type": "integer"}}, "required": ["a"], "additionalProperties": {"type": "string"}},
        [{"a": 1}, {"x": "s", "a": 1}],
        [{}, {"a": "s"}, {"a": 1, "x": 2}, Text('{"a": 1, "\\u0061": "s"}')],
    ),
    (
        {"patternProperties": {"^x": {"type": "integer"}, "y": {"minimum": 5}}, "additionalProperties": False},
        [{}, {"x": 1}, {"xy": 7}, {"y": "s"}],
        [{"z": 1}, {"xy": 1}, {"x": "s"}],
    ),
    ({"propertyNames": {"pattern": "^a", "maxLength": 3}}, [{"abc": 1}, {}], [{"b": 1}, {"abcd": 1}]),
    ({"propertyNames": {"enum": ["a"]}, "minProperties": 1, "type": "object"}, [{"a": 1}], [{}, {"b": 1}]),
    ({"minProperties": 1, "maxProperties": 2}, [{"a": 1}, {"a": 1, "b": 2}], [{}, {"a": 1, "b": 2, "c": 3}]),
    ({"dependentRequired": {"a": ["b"]}}, [{}, {"b": 1}, {"b": 1, "a": 2}], [{"a": 1}]),
    ({"dependentSchemas": {"a": {"required": ["b"]}}}, [{}, {"b": 1}, {"a": 1, "b": 1}], [{"a": 1}]),
    ({"dependentSchemas": {"a": False}}, [{}, {"b": 1}], [{"a": 1}]),
    ({"allOf": [{"minimum": 3}, {"maximum": 5}], "type": "integer"}, [3, 5], [2, 6]),
    ({"allOf": [{"pattern": "^a"}, {"pattern": "x$"}]}, ["ax", "abx"], ["a", "x"]),
    ({"oneOf": [{"type": "integer"}, {"minimum": 2}]}, [1, 2.5, "a"], [3, 1.5]),
    (
        {"oneOf": [{"const": 1}, {"enum": [2, "a", None]}, {"const": 1.0}, {"enum": [2, 3]}, {"enum": [True, "b"]}]},
        ["a", None, 3, True, "b"],
        [1, 2, False, "c"],
    ),
    (
        {"oneOf": [{"const": "a"}, {"const": "b"}, {"enum": ["b", "c"]}, {"type": "string", "maxLength": 0}]},
        ["a", "c", ""],
        ["b", "d"],
    ),
    (
        {"oneOf": [{"required": ["a"]}, {"required": ["b"]}], "type": "object"},
        [{"a": 1}, {"b": 1}],
        [{}, {"a": 1, "b": 1}],
    ),
    ({"not": {"required": ["a"]}}, [{"b": 1}], [{"a": 1}, 1]),
    ({"not": {"const": {"a": 1}}}, [{}, {"a": 2}, {"a": 1, "b": 1}, 1], [{"a": 1}]),
    ({"not": {"enum": ["x", 1, None]}}, ["y", 2, True], ["x", 1, None, Text("1.0"), Text("1e0")]),
    ({"not": {"propertyNames": {"maxLength": 2}}}, [{"abc": 1}], [{"ab": 1}, {}]),
    ({"not": {"additionalProperties": {"type": "string"}}}, [{"a": 1}], [{"a": "s"}, {}]),
    ({"not": {"patternProperties": {"^a": {"type": "string"}}}}, [{"a": 1, "b": 2}], [{"a": "s"}, {"b": 1}]),
    (
        {
            "if": {"properties": {"a": {"const": 1}}, "required": ["a"]},
            "then": {"required": ["b"]},
            "else": {"required": ["c"]},
        },
        [{"a": 1, "b": 2}, {"c": 1}, {"a": 2, "c": 1}],
        [{"a": 1}, {}, {"a": 1, "c": 2}],
    ),
    ({"allOf": [{"properties": {"foo": True}}], "unevaluatedProperties": False}, [{}, {"foo": 1}], [{"bar": 1}]),
    (
        {
            "anyOf": [
                {"properties": {"bar": {"const": "bar"}}, "required": ["bar"]},
                {"properties": {"baz": {"const": "baz"}}, "required": ["baz"]},
            ],
            "unevaluatedProperties": False,
        },
        [{"bar": "bar"}, {"bar": "bar", "baz": "baz"}],
        [{"bar": "bar", "baz": "other"}],
    ),
    (
        {"prefixItems": [True], "contains": {"type": "string"}, "unevaluatedItems": False},
        [[1, "a"], ["a"]],
        [[1, 2], ["a", 2]],
    ),
    ({"$ref": "#/$defs/n", "minimum": 5, "$defs": {"n": {"type": "integer"}}}, [5], [4, "a"]),
    (
        {"$ref": "#/$defs/node", "$defs": {"node": NODE}},
        [{"value": 1}, {"children": [{"value": 1}, {"children": [], "value": 2}], "value": 3}],
        [{"children": [{}], "value": 1}],
    ),
    (
        {"properties": {"x": {"$ref": "#"}}, "additionalProperties": False, "allOf": [{"maxProperties": 1}]},
        [{}, {"x": {"x": {}}}, {"x": 3}],
        [{"y": 1}, {"x": {"y": 1}}],
    ),
    ({"$ref": "#/$defs/a%25b~1c", "$defs": {"a%b/c": {"const": 1}}}, [1], [2]),
    ({"$ref": "#foo", "$defs": {"x": {"$anchor": "foo", "const": 1}}}, [1], [2]),
    ({"$id": "http://x/y", "$ref": "z", "$defs": {"q": {"$id": "z", "const": 1}}}, [1], [2]),
    (
        {
            "$id": "http://x/y",
            "$defs": {"t": {"type": "integer"}},
            "not": {"$id": "z", "$ref": "#/$defs/t", "$defs": {"t": {"type": "string"}}},
        },
        [1, None],
        ["a"],
    ),
]


@pytest.mark.parametrize(("schema", "good", "bad"), CASES)
def test_keyword(schema: Any, good: list[Any], bad: list[Any]) -> None:
    made = grammar(schema)
    assert made.report is not None and made.report.exact
    assert [instance for instance in good if not accepts(made, instance)] == []
    assert [instance for instance in bad if accepts(made, instance)] == []


@pytest.mark.parametrize(
    ("draft", "schema", "good", "bad"),
    [
        ("04", {"minimum": 3, "exclusiveMinimum": True}, [4], [3]),
        ("04", {"items": [{"type": "integer"}], "additionalItems": False}, [[1]], [["a"], [1, 2]]),
        ("04", {"const": 1, "contains": {"const": 2}}, [5, [1]], []),
        ("07", {"$ref": "#/definitions/a", "minimum": 5, "definitions": {"a": {"type": "integer"}}}, [4], ["a"]),
        ("07", {"dependencies": {"a": ["b"], "c": {"required": ["d"]}}}, [{"b": 1, "a": 1}], [{"a": 1}, {"c": 1}]),
        ("07", {"$ref": "#foo", "definitions": {"a": {"$id": "#foo", "const": 1}}}, [1], [2]),
        ("06", {"if": {"const": 1}, "then": False}, [1], []),
    ],
)
def test_draft(draft: str, schema: dict[str, Any], good: list[Any], bad: list[Any]) -> None:
    made = grammar({"$schema": f"http://json-schema.org/draft-{draft}/schema#", **schema})
    assert [instance for instance in good if not accepts(made, instance)] == []
    assert [instance for instance in bad if accepts(made, instance)] == []


def test_dynamic_reference() -> None:
    tree = {
        "$id": "http://x/tree",
        "$dynamicAnchor": "node",
        "type": "object",
        "properties": {"data": True, "children": {"type": "array", "items": {"$dynamicRef": "#node"}}},
    }
    strict = {
        "$id": "http://x/strict",
        "$dynamicAnchor": "node",
        "$ref": "tree",
        "unevaluatedProperties": False,
        "$defs": {"tree": tree},
    }
    made = grammar(strict)
    assert accepts(made, {"children": [{"data": 1}]})
    assert not accepts(made, {"children": [{"daat": 1}]})
    assert accepts(grammar(tree), {"children": [{"daat": 1}]})


def test_registry() -> None:
    referencing = pytest.importorskip("referencing")
    resource = referencing.Resource.from_contents(
        {"$schema": "https://json-schema.org/draft/2020-12/schema", "const": 1}
    )
    registry = referencing.Registry().with_resource("http://x/remote", resource)
    schema = {"$ref": "http://x/remote"}
    assert Grammar.from_json_schema(schema, registry=registry).accepts("1")
    with pytest.raises(UnsupportedSchemaError) as caught:
        Grammar.from_json_schema(schema)
    assert caught.value.where == "/$ref"


@pytest.mark.parametrize(
    ("schema", "where"),
    [
        ({"type": "integer", "minimum": 5, "maximum": 3}, ""),
        (False, ""),
        ({"type": "object", "required": ["a"], "properties": {"a": {"type": "string", "enum": [1]}}}, "/properties/a"),
        ({"type": "object", "required": ["a"], "properties": {"a": False}}, ""),
        (
            {
                "$ref": "#/$defs/n",
                "$defs": {"n": {"type": "object", "required": ["n"], "properties": {"n": {"$ref": "#/$defs/n"}}}},
            },
            "/$defs/n",
        ),
        ({"type": "array", "minItems": 3, "maxItems": 2}, ""),
        ({"type": "null", "allOf": [{"type": "boolean"}], "anyOf": [{"type": "number"}, {"const": 1}]}, ""),
    ],
)
def test_unsatisfiable(schema: Any, where: str) -> None:
    with pytest.raises(UnsatisfiableSchemaError) as caught:
        Grammar.from_json_schema(schema)
    assert caught.value.where == where


@pytest.mark.parametrize(
    ("schema", "where"),
    [
        ({"type": "text"}, "/type"),
        ({"properties": {"a": {"minLength": -1}}}, "/properties/a/minLength"),
        ({"properties": {"a": 3}}, "/properties/a"),
        ({"pattern": "(a"}, "/pattern"),
        ({"required": "a"}, "/required"),
        ({"anyOf": []}, "/anyOf"),
        ({"$ref": "#/nowhere"}, "/$ref"),
        ({"$ref": "#"}, ""),
        ({"anyOf": [{"$ref": "#"}, {"type": "string"}]}, ""),
        ({"multipleOf": 0}, "/multipleOf"),
        ({"enum": 3}, "/enum"),
    ],
)
def test_invalid(schema: Any, where: str) -> None:
    with pytest.raises(InvalidSchemaError) as caught:
        Grammar.from_json_schema(schema)
    assert caught.value.where == where


def test_all_unsupported_places_at_once() -> None:
    schema = {
        "properties": {
            "a": {"pattern": "(a+)\\1"},
            "b/c": {"type": "integer", "multipleOf": 12345678901},
            "d": {"minimum": 1},
        }
    }
    with pytest.raises(UnsupportedSchemaError) as caught:
        Grammar.from_json_schema(schema)
    assert [pointer for pointer, _ in caught.value.places] == ["/properties/a/pattern", "/properties/b~1c/multipleOf"]
    made = grammar(schema, relaxed=True)
    assert made.report is not None and not made.report.exact
    assert [(e.pointer, e.keyword) for e in made.report.loosened] == [
        ("/properties/a", "pattern"),
        ("/properties/b~1c", "multipleOf"),
    ]
    assert accepts(made, {"a": "anything"}) and not accepts(made, {"d": 0})


def test_report_lists_every_keyword() -> None:
    report = grammar({"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}}}).report
    assert report is not None
    assert [(e.pointer, e.keyword, e.status) for e in report.entries] == [
        ("", "properties", "enforced"),
        ("", "type", "enforced"),
        ("/properties/a", "type", "enforced"),
        ("/properties/b", "type", "enforced"),
    ]
    assert report.to_json()["exact"] is True


def test_many_overlapping_alternatives_are_bounded() -> None:
    alternatives = [{"properties": {f"p{i}": {"multipleOf": i + 2}, f"q{i}": {"minimum": i}}} for i in range(30)]
    with pytest.raises(LimitExceededError):
        grammar({"oneOf": alternatives}, max_alternatives=100)


@pytest.mark.parametrize("keyword", ["oneOf", "anyOf"])
def test_constants_are_no_alternatives_that_count(keyword: str) -> None:
    texts = [{"const": f"word {i}", "title": f"Word {i}"} for i in range(5_000)]
    numbers = [{"const": i / 2} for i in range(5_000)]
    made = grammar({keyword: [*texts, *numbers, {"type": "null"}]})
    assert made.report is not None and made.report.exact
    assert [made.accepts(text) for text in ('"word 4999"', "2499.5", "null", '"word 5000"', "2500", "0.25")] == [
        *(True, True, True),
        *(False, False, False),
    ]


ORDERED = {"properties": {"b": {"type": "integer"}, "a": {"type": "integer"}}, "required": ["a"]}


def test_key_patterns_that_ask_the_same_may_overlap_in_any_number() -> None:
    patterns = {letter: {"type": "integer"} for letter in "abcdefghijkl"} | {"^x": {"minimum": 5}}
    made = grammar({"patternProperties": patterns, "additionalProperties": False})
    assert accepts(made, {"ab": 1, "xl": 7, "x": 5.5}) and not accepts(made, {"xl": 3}) and not accepts(made, {"z": 1})
    different = {letter: {"maxLength": place} for place, letter in enumerate("abcdefghijkl")}
    made = grammar({"patternProperties": different})
    assert accepts(made, {"b": "x", "lk": "0123456789"}) and accepts(made, {"xab": ""})
    assert not accepts(made, {"b": "xy"}) and not accepts(made, {"xab": "x"})


def test_property_order() -> None:
    made = grammar(ORDERED, property_order="schema")
    assert made.accepts('{"b":1,"a":2}') and made.accepts('{"a":2,"z":0}')
    assert not made.accepts('{"a":2,"b":1}')
    assert grammar(ORDERED).accepts('{"a":2,"b":1}')


def test_members_that_tell_alternatives_apart_stay_where_they_are_named() -> None:
    kinds = [
        {"properties": {"path": {"type": "string"}, "kind": {"const": f"k{place}"}}, "required": ["path", "kind"]}
        for place in range(5)
    ]
    made = grammar({"anyOf": [kind | {"additionalProperties": False} for kind in kinds]}, property_order="schema")
    assert made.accepts('{"path":"a","kind":"k3"}') and not made.accepts('{"kind":"k3","path":"a"}')


def test_each_properties_orders_its_own_names() -> None:
    schema = {
        "allOf": [{"properties": {"a": {}, "b": {}}}, {"properties": {"x": {}, "y": {}}}],
        "anyOf": [{"required": ["n"]}, {"required": ["x"]}],
    }
    made = grammar(schema, property_order="schema")
    for good in ('{"x":0,"a":0,"y":0,"b":0}', '{"a":0,"n":0,"b":0,"x":0}', '{"x":0,"y":0,"z":0}', '{"n":0}'):
        assert made.accepts(good), good
    for bad in ('{"b":0,"x":0,"a":0}', '{"y":0,"x":0}', '{"z":0,"x":0}', '{"a":0,"b":0}'):
        assert not made.accepts(bad), bad


def test_a_document_may_begin_with_its_schema() -> None:
    schema = {"properties": {"a": {}, "b": {"properties": {"c": {}}}}, "required": ["a"]}
    for text, default, declared in (
        ('{"$schema":"x","$id":1,"a":0,"z":0}', True, False),
        ('{"a":0,"$schema":"x"}', True, True),
        ('{"a":0,"z":0,"$schema":"x"}', False, True),
        ('{"a":0,"b":{"$schema":0,"c":1}}', False, False),
    ):
        assert grammar(schema, property_order="schema").accepts(text) == default, text
        assert grammar(schema, property_order="declared").accepts(text) == declared, text
    closed = grammar({**schema, "additionalProperties": False}, property_order="schema")
    assert not closed.accepts('{"$schema":"x","a":0}')
    typed = grammar({**schema, "additionalProperties": {"type": "integer"}}, property_order="schema")
    assert typed.accepts('{"$schema":1,"a":0}') and not typed.accepts('{"$schema":"x","a":0}')


def test_required_may_contradict_properties() -> None:
    schema = {"properties": {"a": {}, "b": {}, "c": {}}, "required": ["b", "a"]}
    made = grammar(schema, property_order="schema")
    assert made.accepts('{"a":0,"b":0,"c":0}') and made.accepts('{"c":0,"b":0,"a":0,"z":0}')
    assert not made.accepts('{"z":0,"a":0,"b":0}') and not made.accepts('{"c":0,"b":0}')
    agreeing = grammar({**schema, "required": ["a", "c"]}, property_order="schema")
    assert agreeing.accepts('{"a":0,"c":0}') and not agreeing.accepts('{"c":0,"a":0}')


def test_branches_that_contradict_each_other() -> None:
    made = grammar(
        {"allOf": [{"properties": {"a": {}, "b": {}}}, {"properties": {"b": {}, "a": {}, "c": {}}}]},
        property_order="schema",
    )
    assert made.accepts('{"a":0,"b":0,"c":0}') and made.accepts('{"c":0,"a":0,"b":0}')
    assert not made.accepts('{"b":0,"a":0}')


def test_names_that_a_tool_sorted_state_no_order() -> None:
    names = {key: {"type": "integer"} for key in "abcdefghij"}
    swapped = '{"b":1,"a":2}'
    made = grammar({"properties": names}, property_order="schema")
    assert made.accepts(swapped) and made.report is not None and "any order" in made.report.to_json()["notes"][0]
    assert not grammar({"properties": names}, property_order="declared").accepts(swapped)
    few = dict(list(names.items())[:8])
    assert not grammar({"properties": few}, property_order="schema").accepts(swapped)
    assert grammar({"properties": few, "$defs": {"x": {"properties": few}}}, property_order="schema").accepts(swapped)
    unsorted = {"properties": {"z": {}, "y": {}}}
    assert not grammar({"properties": names, "$defs": {"x": unsorted}}, property_order="schema").accepts(swapped)


def test_the_fields_of_a_class_keep_their_order() -> None:
    made = Grammar.from_type(TypedDict("Sorted", dict.fromkeys("abcdefghij", int), total=False))
    assert made.accepts('{"a":2,"b":1}') and not made.accepts('{"b":1,"a":2}')


@pytest.mark.parametrize(
    ("whitespace", "good", "bad"),
    [
        ("bounded", ['{"b":1,"a":2}', '{ "b" : 1 ,\n\t"a": 2\n}'], ['{"b":   1,"a":2}', ' {"a":2}', '{"a":2}\n']),
        ("compact", ['{"b":1,"a":2}'], ['{"b": 1,"a":2}']),
        ("pretty", ['{\n  "b": 1,\n  "a": 2\n}'], ['{"b":1,"a":2}', '{\n "a": 2\n}']),
        ("free", [' {"a":2}\r\n', '{"b":\t\t\t1    ,"a":2}'], ['{"a":\v2}']),
    ],
)
def test_whitespace(whitespace: str, good: list[str], bad: list[str]) -> None:
    made = grammar(ORDERED, whitespace=whitespace)
    assert [text for text in good if not made.accepts(text)] == []
    assert [text for text in bad if made.accepts(text)] == []


def test_pretty_is_what_python_writes() -> None:
    made = grammar(True, whitespace="pretty")
    document = {"a": [1, {"b": []}, {}], "c": {"d": [[2]]}}
    assert made.accepts(json.dumps(document, indent=2))
    assert not made.accepts(json.dumps(document))


def test_free_spellings() -> None:
    schema = {"type": "object", "properties": {"a": {"const": "é"}}, "additionalProperties": {"type": "integer"}}
    made = Grammar.from_json_schema(schema, JSONSchemaOptions.free())
    assert made.accepts('{"\\u0061" : "\\u00E9", "x":1.0, "y": 10e-1, "z": 1E2}')
    assert not made.accepts('{"a": "é", "\\u0061": "é"}')
    assert not made.accepts('{"x": 1.5}')


def test_nullable_is_an_option() -> None:
    schema = {"type": "string", "nullable": True}
    assert not grammar(schema).accepts("null")
    assert grammar(schema, nullable=True).accepts("null")


def test_what_every_key_matches_leaves_no_region_for_the_others() -> None:
    grammar = Grammar.from_json_schema({"not": {"contains": {"const": 1}, "propertyNames": {"type": "string"}}})
    assert [grammar.accepts(text) for text in ("{}", '{"a": 1}', "1", "[1]", "[]", "[2]")] == [False] * 4 + [True] * 2


def test_a_schema_that_holds_itself_is_refused() -> None:
    schema: dict[str, Any] = {"type": "array"}
    schema["items"] = schema
    with pytest.raises(InvalidSchemaError, match="holds itself") as caught:
        Grammar.from_json_schema(schema)
    assert "$ref" in str(caught.value.hint)


def test_arrays_in_arrays_are_read_to_the_bottom() -> None:
    """Whether one alternative excludes the other is decided four levels down, where the search for it gives up."""
    has_one: Any = {"type": "array", "contains": {"type": "array", "contains": {"const": 1}}}
    all_one: Any = {"type": "array", "contains": {"type": "array", "items": {"const": 1}}}
    ways = [
        {"allOf": [{"items": here}, {"contains": there}]} for here, there in ((has_one, all_one), (all_one, has_one))
    ]
    grammar = Grammar.from_json_schema({"type": "array", "oneOf": ways})
    texts = ["[]", "[[[]]]", "[[[1]]]", "[[[2]]]", "[[[1]],[[2]]]", "[[[1,2]]]", "[[[1]],[[]]]", "[[[1]],[[1,2]]]"]
    assert [text for text in texts if grammar.accepts(text)] == ["[[[1]],[[]]]", "[[[1]],[[1,2]]]"]
