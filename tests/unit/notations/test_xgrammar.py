"""EBNF as xgrammar reads it: where lines may break, and which characters a JSON string holds as they are."""

from __future__ import annotations

import json

import pytest

from frisket import Grammar

#: Parts of bodies: lines may break between any two of them.
PARTS = {
    "regex": ["Regex(", '"A+"', ",", 'flags="i"', ",", "json_string=true", ")"],
    "substring": ["Substring(", '"to be"', ",", '" or"', ",", '" not"', ")"],
    "dispatch": [
        *("TagDispatch(", "(", '"<a>"', ",", "one", ")", ",", "(", '"<b>"', ",", "two", ")", ","),
        *("loop_after_dispatch=false", ",", "excludes=(", '"no"', ",", '"never"', ")", ")"),
    ],
    "group": ["(", '"a"', "|", "one", " two", ")"],
}


def rules(body: str) -> str:
    text = f'root ::= "#" {body} "!"\none ::= "1"\ntwo ::= "2"\n'
    return Grammar.from_ebnf(text, dialect="xgrammar").dump()


@pytest.mark.parametrize("name", PARTS)
@pytest.mark.parametrize("space", [" ", "\n", " # )\n\t"], ids=["space", "line", "comment"])
def test_lines_break_between_all_parts(name: str, space: str) -> None:
    parts = PARTS[name]
    whole = rules("".join(parts))
    for place in range(1, len(parts)):
        assert rules("".join(parts[:place]) + space + "".join(parts[place:])) == whole, parts[place]


def is_plain(character: str) -> bool:
    try:
        return bool(json.loads(f'"{character}"') == character)
    except ValueError:
        return False


def test_a_pattern_in_a_json_string_matches_what_stands_there_unescaped() -> None:
    grammar = Grammar.from_ebnf('root ::= Regex(".", json_string=true)', dialect="xgrammar")
    characters = [*map(chr, range(0x180)), "\u2028", "\uffff", "\U0010ffff"]
    assert [grammar.accepts(one) for one in characters] == [is_plain(one) for one in characters]


def test_patterns_are_those_of_xgrammar_and_not_of_ecmascript() -> None:
    grammar = Grammar.from_ebnf(r'root ::= Regex(".", flags="") Regex("\\a(?P<n>c)")', dialect="xgrammar")
    assert [text for text in ("x\ac", "\r\ac", "\u2028\ac", "\n\ac", "xac") if grammar.accepts(text)] == [
        "x\ac",
        "\r\ac",
        "\u2028\ac",
    ]
