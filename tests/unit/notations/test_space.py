"""White space and comments between the parts of a grammar change nothing, wherever they may stand."""

from __future__ import annotations

import pytest

from frisket import Grammar

#: Parts of grammars of EBNF as xgrammar reads it: between two of them lines may break.
XGRAMMAR = {
    "regex": ["Regex(", '"A+"', ",", 'flags="i"', ",", "json_string=true", ")"],
    "substring": ["Substring(", '"to be"', ",", '" or"', ",", '" not"', ")"],
    "dispatch": [
        *("TagDispatch(", "(", '"<a>"', ",", "one", ")", ",", "(", '"<b>"', ",", "two", ")", ","),
        *("loop_after_dispatch=false", ",", "excludes=(", '"no"', ",", '"never"', ")", ")"),
    ],
    "group": ["(", '"a"', "|", "one", " two", ")"],
}


def xgrammar(body: str) -> str:
    text = f'root ::= "#" {body} "!"\none ::= "1"\ntwo ::= "2"\n'
    return Grammar.from_ebnf(text, dialect="xgrammar").dump()


@pytest.mark.parametrize("name", XGRAMMAR)
@pytest.mark.parametrize("space", [" ", "\n", " # )\n\t"], ids=["space", "line", "comment"])
def test_lines_break_between_all_parts(name: str, space: str) -> None:
    parts = XGRAMMAR[name]
    whole = xgrammar("".join(parts))
    for place in range(1, len(parts)):
        assert xgrammar("".join(parts[:place]) + space + "".join(parts[place:])) == whole, parts[place]
