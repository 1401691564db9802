"""Structural tags of the rarer kinds: which texts each accepts and rejects, as the format's definition says."""

from __future__ import annotations

from typing import Any

import pytest

from frisket import Grammar


def schema(said: Any) -> dict[str, Any]:
    return {"type": "json_schema", "json_schema": said}


def tag(begin: str, end: str | list[str], content: dict[str, Any] | None = None) -> dict[str, Any]:
    return {"type": "tag", "begin": begin, "content": content or {"type": "any_text"}, "end": end}


def fixed(text: str) -> dict[str, Any]:
    return {"type": "const_string", "value": text}


CASES: list[tuple[dict[str, Any], list[str], list[str]]] = [
    (tag("<a>", ["</a>", "</b>"]), ["<a>x</a>", "<a></b>", "<a><</b>"], ["<a>x", "<a>x</a>y", "<a>x</a></b>"]),
    (
        {"type": "sequence", "elements": [tag("<t>", "</t>"), {"type": "any_text"}]},
        ["<t>hm</t>", "<t></t>a</t>"],
        ["hm", "<t>"],
    ),
    (
        {"type": "sequence", "elements": [tag("<t>", "</t>"), {"type": "optional", "content": fixed("!")}, fixed(".")]},
        ["<t></t>.", "<t>x</t>!."],
        ["<t></t>!!."],
    ),
    (
        {"type": "or", "elements": [fixed("a"), fixed("ab"), {"type": "regex", "pattern": "b+"}]},
        ["a", "ab", "bbb"],
        ["", "aab"],
    ),
    ({"type": "plus", "content": {"type": "or", "elements": [fixed("x"), fixed("yz")]}}, ["x", "yzx"], ["", "xy"]),
    ({"type": "star", "content": tag("[", "]", {"type": "regex", "pattern": "[0-9]"})}, ["", "[1][2]"], ["[1", "[]"]),
    ({"type": "repeat", "min": 2, "max": 3, "content": fixed("ab")}, ["abab", "ababab"], ["ab", "abababab"]),
    ({"type": "repeat", "min": 1, "max": -1, "content": fixed("a")}, ["a", "aaaa"], [""]),
    (
        {
            "type": "triggered_tags",
            "triggers": ["<f="],
            "tags": [
                tag("<f=a>", "</f>", schema({"type": "integer"})),
                tag("<f=ab>", "</f>", schema({"type": "boolean"})),
            ],
        },
        ["", "hi", "<f=a>1</f>", "x<f=ab>true</f>y<f=a>-2</f>"],
        ["<f=a>true</f>", "<f=c>", "<f=a>1"],
    ),
    (
        {
            "type": "triggered_tags",
            "triggers": ["<f="],
            "tags": [tag("<f=a>", "</f>", schema({"type": "integer"}))],
            "at_least_one": True,
        },
        ["<f=a>1</f>", "<f=a>1</f>x<f=a>2</f>"],
        ["", "x<f=a>1</f>", "x"],
    ),
    (
        {
            "type": "triggered_tags",
            "triggers": ["<f="],
            "tags": [tag("<f=a>", "</f>", schema({"type": "integer"}))],
            "stop_after_first": True,
        },
        ["x<f=a>1</f>", "<f=a>1</f>", "plain"],
        ["<f=a>1</f>x"],
    ),
    (
        {
            "type": "triggered_tags",
            "triggers": ["<f="],
            "tags": [tag("<f=a>", "</f>", schema({"type": "integer"}))],
            "at_least_one": True,
            "stop_after_first": True,
        },
        ["<f=a>1</f>"],
        ["", "x<f=a>1</f>", "<f=a>1</f>x"],
    ),
    (
        {"type": "triggered_tags", "triggers": ["<"], "tags": [tag("<a", "/a"), tag("<b", "/b")], "excludes": ["bad"]},
        ["x <ay/a", "ba"],
        ["a bad b", "<c"],
    ),
    (
        {
            "type": "tags_with_separator",
            "tags": [tag("<a>", "</a>", fixed("1")), tag("<b>", "</b>", fixed("2"))],
            "separator": ", ",
        },
        ["", "<a>1</a>", "<a>1</a>, <b>2</b>, <a>1</a>"],
        ["<a>1</a>,", "<a>1</a><b>2</b>", "<a>1</a>, "],
    ),
    (
        {
            "type": "tags_with_separator",
            "tags": [tag("<a>", "</a>", fixed("1"))],
            "separator": "",
            "at_least_one": True,
        },
        ["<a>1</a>", "<a>1</a><a>1</a>"],
        [""],
    ),
    (
        {
            "type": "tags_with_separator",
            "tags": [tag("<a>", "</a>", fixed("1"))],
            "separator": ",",
            "at_least_one": True,
            "stop_after_first": True,
        },
        ["<a>1</a>"],
        ["", "<a>1</a>,<a>1</a>"],
    ),
    (
        tag(
            "<a>",
            "</a>",
            {"type": "sequence", "elements": [{"type": "any_text"}, tag("<b>", "</b>"), {"type": "any_text"}]},
        ),
        ["<a>x<b>y</b>z</a>", "<a><b></b></a>"],
        ["<a>x</a>", "<a><b>y</b>"],
    ),
    (
        tag("<a>", "</a>", {"type": "triggered_tags", "triggers": ["<b"], "tags": [tag("<b>", "</b>", fixed("1"))]}),
        ["<a>x<b>1</b>y</a>", "<a></a>"],
        ["<a><b>2</b></a>", "<a>"],
    ),
    (tag("<a>", "", fixed("x")), ["<a>x"], ["<a>", "<a>xx"]),
    (tag("", "</a>", {"type": "any_text"}), ["</a>", "x</a>"], ["x", "x</a>y"]),
    ({"type": "any_text", "excludes": ["no", "nn"]}, ["", "n o", "nxo"], ["no", "ann"]),
    ({"type": "grammar", "grammar": 'root ::= "a" b*\nb ::= [0-9]'}, ["a", "a12"], ["", "ab"]),
    ({"type": "regex", "pattern": "^[a-c]+$"}, ["abc"], ["", "d"]),
    ({"type": "regex", "pattern": "\\d{2,3}(?:x|y)?"}, ["12", "123y"], ["1", "12z"]),
    (
        {"type": "dispatch", "rules": [["go", fixed("!")], ["stop", fixed("?")]]},
        ["", "x go!y stop?"],
        ["go", "go?", "stop!"],
    ),
    ({"type": "dispatch", "rules": [["go", fixed("!")]], "loop": False}, ["x go!", "x"], ["go!x", "go"]),
    (
        {
            "type": "qwen_xml_parameter",
            "json_schema": {
                "type": "object",
                "properties": {"c": {"type": "string"}, "n": {"type": "integer"}},
                "required": ["c"],
            },
        },
        ["<parameter=c>Rome</parameter>", "<parameter=c>R\n</parameter><parameter=n>3</parameter>"],
        ["<parameter=n>3</parameter>", "<parameter=c>R</parameter><parameter=n>x</parameter>"],
    ),
    (schema(True), ["1", "{}", '{"a":[null]}'], ["", "x"]),
    ({"type": "sequence", "elements": []}, [""], ["x"]),
    (
        {"type": "or", "elements": [tag("<x>", "</x>", fixed("1")), {"type": "any_text"}]},
        ["<x>1</x>", "anything <x>"],
        [],
    ),
    (tag("<t>", "\n</t>\n"), ["<t>a\n</t>\n", "<t>\n\n</t>\n"], ["<t>a</t>", "<t>a\n</t>"]),
]


@pytest.mark.parametrize(("form", "accepted", "rejected"), CASES)
def test_texts(form: dict[str, Any], accepted: list[str], rejected: list[str]) -> None:
    grammar = Grammar.from_structural_tag({"type": "structural_tag", "format": form})
    assert [text for text in accepted if not grammar.accepts(text)] == []
    assert [text for text in rejected if grammar.accepts(text)] == []
