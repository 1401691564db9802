"""Styles of structural tags whose objects and arrays are elements again, and texts that no value may hold."""

from __future__ import annotations

from typing import Any

import pytest

from frisket import Grammar
from frisket.errors import GrammarSyntaxError

MARK = "]<]minimax[>["
TREE: dict[str, Any] = {
    "type": "object",
    "properties": {
        "node": {"$ref": "#/$defs/node"},
        "list": {
            "type": "array",
            "items": {"type": ["object", "string"], "properties": {"x": {"type": "integer"}}},
            "maxItems": 2,
        },
        "either": {
            "anyOf": [
                {
                    "type": "object",
                    "properties": {"q": {"const": "A"}},
                    "required": ["q"],
                    "additionalProperties": False,
                },
                {"enum": ["z", None]},
            ]
        },
        "any": {},
    },
    "$defs": {
        "node": {
            "type": "object",
            "properties": {"v": {"type": "integer"}, "next": {"anyOf": [{"$ref": "#/$defs/node"}, {"type": "null"}]}},
            "required": ["v"],
        }
    },
}


def written(of: Any, style: str, **more: Any) -> Grammar:
    content = {"type": "json_schema", "json_schema": of, "style": style, **more}
    return Grammar.from_structural_tag({"type": "structural_tag", "format": content})


def minimax(key: str, value: str) -> str:
    return f"{MARK}<{key}>{value}{MARK}</{key}>"


def cohere(key: str | None, kind: str, value: str) -> str:
    name = "" if key is None else f' name="{key}"'
    return f'<cofl:value{name} type="{kind}">{value}</cofl:value>'


ONE = minimax("v", "1")
NESTED: list[tuple[str, list[str], list[str]]] = [
    (
        "minimax_m3_xml",
        [
            "",
            minimax("node", ONE),
            minimax("node", ONE + minimax("next", ONE + minimax("next", "null"))) + "\n" + minimax("any", "<x>"),
            minimax("list", minimax("item", "a") + "\n" + minimax("item", minimax("x", "4"))),
            minimax("list", ""),
            minimax("either", minimax("q", "A")),
            minimax("either", "z"),
            minimax("either", "null"),
        ],
        [
            minimax("node", minimax("next", "null")),
            minimax("node", "1"),
            minimax("list", minimax("item", "a") * 3),
            minimax("list", minimax("x", "a")),
            minimax("either", ""),
            minimax("any", MARK),
            minimax("other", "1"),
            f"{MARK}<any>x{MARK}</node>",
        ],
    ),
    (
        "cohere_xml",
        [
            "",
            cohere("node", "dict", cohere("v", "json", "1") + cohere("next", "json", "null")),
            cohere("node", "dict", cohere("v", "json", "1") + cohere("next", "dict", cohere("v", "json", "2"))),
            cohere("list", "list", cohere(None, "raw", "a") + cohere(None, "dict", cohere("x", "json", "4"))),
            cohere("either", "dict", cohere("q", "raw", "A")),
            cohere("any", "raw", "x") + "\n",
            cohere("any", "json", "1"),
            cohere("any", "dict", cohere("x-&quot;", "list", cohere(None, "json", "1") + cohere(None, "list", ""))),
        ],
        [
            cohere("node", "json", "1"),
            cohere("node", "dict", cohere("next", "json", "null")),
            cohere("list", "list", cohere("a", "raw", "a")),
            cohere("list", "list", cohere(None, "raw", "a") * 3),
            cohere("either", "dict", cohere("q", "raw", "B")),
            cohere("any", "dict", cohere("x<", "json", "1")),
            cohere("any", "dict", cohere(None, "json", "1")),
        ],
    ),
]


@pytest.mark.parametrize(("style", "accepted", "rejected"), NESTED)
def test_objects_and_arrays_are_elements(style: str, accepted: list[str], rejected: list[str]) -> None:
    grammar = written(TREE, style)
    assert [text for text in accepted if not grammar.accepts(text)] == []
    assert [text for text in rejected if grammar.accepts(text)] == []


def test_a_reference_to_the_whole_schema_nests_it() -> None:
    grammar = written({"type": "object", "properties": {"a": {"$ref": "#"}}}, "minimax_m3_xml")
    assert grammar.accepts(minimax("a", minimax("a", "")))
    assert not grammar.accepts(minimax("a", "x"))


@pytest.mark.parametrize("style", ["minimax_m3_xml", "cohere_xml"])
@pytest.mark.parametrize(
    ("value", "where", "said"),
    [
        ({"enum": [[1], "a"]}, "/enum", "enum is not held"),
        ({"type": "object", "minProperties": 1}, "/minProperties", "minProperties is not held"),
        ({"type": "array", "uniqueItems": True}, "/uniqueItems", "uniqueItems is not held"),
        ({"type": "object", "id": "other.json"}, "", "an id of its own"),
        ({"allOf": [{"type": "object"}, {"minProperties": 1}]}, "/allOf/1/minProperties", "minProperties is not held"),
        (
            {"oneOf": [{"type": "object", "properties": {key: {}}, "required": [key]} for key in "bc"]},
            "/oneOf",
            "oneOf is not held",
        ),
        ({"type": "object", "required": ["b"]}, "/required", "nothing is said of the required member b"),
    ],
)
def test_what_elements_cannot_hold(style: str, value: Any, where: str, said: str) -> None:
    with pytest.raises(GrammarSyntaxError, match=said) as caught:
        written({"properties": {"a": value}}, style)
    assert caught.value.where == f"/format/json_schema/properties/a{where}"


@pytest.mark.parametrize("style", ["qwen_xml", "cohere_xml"])
def test_words_that_are_no_keyword_say_nothing(style: str) -> None:
    named = {"type": "object", "version": 2, "minLength": 3, "properties": {"a": {"type": "integer"}}}
    grammar = written({**named, "id": "here", "properties": {"a": {"type": "object", "javaType": "A"}}}, style)
    assert grammar.accepts("")
    assert written({"properties": {"a": named}}, style).accepts("")


def test_what_holds_a_schema_is_none() -> None:
    with pytest.raises(GrammarSyntaxError, match="name relates members"):
        written({"name": "now", "schema": {"type": "object"}}, "qwen_xml")


@pytest.mark.parametrize("name", ["a>", "/a", ""])
def test_names_that_are_no_element(name: str) -> None:
    with pytest.raises(GrammarSyntaxError, match="no element of this style"):
        written({"properties": {name: {"type": "string"}}}, "minimax_m3_xml")


def test_parameters_of_deepseek_v4_1() -> None:
    grammar = written({"properties": {"a": {"type": ["string", "integer"]}}}, "deepseek_v4_1_xml")
    assert grammar.accepts('<｜DSML｜ parameter name="a" string="true">x</｜DSML｜ parameter>')
    assert grammar.accepts('<｜DSML｜ parameter name="a" string="false">7</｜DSML｜ parameter>')
    assert not grammar.accepts('<｜DSML｜parameter name="a" string="true">x</｜DSML｜parameter>')


def test_excluded_strings_within_objects_and_arrays() -> None:
    members = {"s": {"type": "string"}, "o": {"type": "object"}, "l": {"type": "array"}}
    grammar = written({"type": "object", "properties": members}, "kimi_k3_xml", excludes=["<|open|>"])

    def argument(key: str, kind: str, value: str) -> str:
        return f'<|open|>argument key="{key}" type="{kind}"<|sep|>{value}<|close|>argument<|sep|>'

    for text, is_fine in [("x", True), ("<|ope", True), ("a<|open|>", False)]:
        assert grammar.accepts(argument("s", "string", text)) is is_fine
        assert grammar.accepts(argument("o", "object", f'{{"k": "{text}"}}')) is is_fine
        assert grammar.accepts(argument("o", "object", f'{{"{text}": 1}}')) is is_fine
        assert grammar.accepts(argument("l", "array", f'["{text}"]')) is is_fine


def test_excluded_strings_in_json() -> None:
    grammar = written({"type": "object"}, "json", excludes=["no"])
    assert grammar.accepts('{"a": ["n", "o"]}')
    assert not grammar.accepts('{"a": ["no"]}')
    assert not grammar.accepts('{"no": 1}')
