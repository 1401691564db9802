"""Custom tools whose rules call themselves: a call of JSON holds the string of each of their texts, and no other."""

from __future__ import annotations

import itertools
import random
import re
from typing import Any

import pytest

from frisket import Grammar, JSONSchemaOptions, Vocabulary
from frisket.errors import RefusedToolsError
from frisket.tools import Tools, families, family

from .test_custom import custom, quoted
from .test_walks import vocabulary_of, walk

ARITHMETIC = r"""
start: sum
sum: product (("+" | "-") product)*
product: atom (("*" | "<") atom)*
atom: NUMBER | NAME | STRING | "(" sum ")"
NUMBER: /[0-9]+(\.[0-9]+)?/
NAME: /[a-zé😀_]+/
STRING: /"[^"\n]*"/
%ignore /[ \t]+/
"""
PATCH = r"""
start: "*** Begin Patch" LF file+ "*** End Patch" LF?
file: "*** File: " /.+/ LF block
block: "{" LF (line | block)* "}" LF
line: ("+" | "-" | " ") /.*/ LF
%import common.LF
"""
GREEDY = r"""
start: "[" (start | TEXT)* "]"
TEXT: /[^\[\]]{1,4}/
"""
GRAMMARS = {"arithmetic": ARITHMETIC, "patch": PATCH, "greedy": GREEDY}
#: What random texts are made of: pieces of the grammars, and what a JSON string escapes or must not hold.
PIECES = ("(", ")", "+", "<", "12", "é", "😀", '"', "\\", " ", "\t", "\n", "[", "]", "{\n", "}\n", "a", "\x00", "\x7f",
          "tool_call>", "<tool_call>", "</tool_call>", "*** ", "u003c")  # fmt: skip


def tools_of(definition: str, name: str = "hermes") -> Grammar:
    return Grammar.from_tools([custom(syntax="lark", definition=definition)], name, choice="required")


def call_of(string: str) -> str:
    return f'<tool_call>\n{{"name": "patch", "arguments": {{"input": {string}}}}}\n</tool_call>'


def spellings(text: str) -> list[str]:
    """The JSON string of a text, with each `<` as it stands and as an escape."""
    parts = quoted(text).split("<")
    between = itertools.product(("<", "\\u003c"), repeat=len(parts) - 1)
    return ["".join(itertools.chain(*zip(parts, (*signs, ""), strict=True))) for signs in between]


def random_texts(definition: str, rng: random.Random, count: int) -> list[str]:
    """Texts of a grammar, changed ones, and pieces in any order."""
    grammar, names = Grammar.from_lark(definition), ["<end>"]
    tokens = [*(bytes([value]) for value in range(256)), *(piece.encode() for piece in PIECES), None]
    vocabulary = Vocabulary.from_bytes(tokens, special={names[0]: len(tokens) - 1}, eos=names[0])
    found = []
    for _ in range(count):
        text = walk(grammar, vocabulary, rng)
        if text is not None and text.count("<") < 6:
            place = rng.randrange(len(text) + 1)
            found += [text, text[:place] + rng.choice(PIECES) + text[place:], text[:place] + text[place + 1 :]]
        found.append("".join(rng.choice(PIECES) for _ in range(rng.randrange(8))))
    return [text for text in found if text.count("<") < 8]


@pytest.mark.parametrize("name", GRAMMARS)
def test_a_text_has_a_spelling_if_and_only_if_it_is_one_of_the_grammar(name: str) -> None:
    plain, grammar = Grammar.from_lark(GRAMMARS[name]), tools_of(GRAMMARS[name])
    seen = set()
    for text in random_texts(GRAMMARS[name], random.Random(name), 40):
        accepted = [string for string in spellings(text) if grammar.accepts(call_of(string))]
        assert bool(accepted) == plain.accepts(text), text
        assert not any(re.search("</?tool_call>", string) for string in accepted), accepted
        if accepted:
            (call,) = grammar.value(call_of(accepted[0])).calls
            assert call.value == text
        seen.add(bool(accepted))
    assert seen == {True, False}


@pytest.mark.parametrize("name", GRAMMARS)
def test_what_the_masks_let_end_decodes_to_a_text_of_the_grammar(name: str) -> None:
    plain, grammar, rng = Grammar.from_lark(GRAMMARS[name]), tools_of(GRAMMARS[name]), random.Random(name)
    vocabulary = vocabulary_of(family("hermes"))
    found = [text for _ in range(30) if (text := walk(grammar, vocabulary, rng)) is not None]
    assert len(found) > 5
    for text in found:
        calls = grammar.value(text).calls
        assert all(plain.accepts(call.value) for call in calls), text
        assert text.count("<tool_call>") == text.count("</tool_call>") == len(calls)


@pytest.mark.parametrize("name", GRAMMARS)
def test_a_token_is_allowed_if_and_only_if_some_call_goes_on_with_it(name: str) -> None:
    grammar, rng = tools_of(GRAMMARS[name]), random.Random(name)
    vocabulary = vocabulary_of(family("hermes"))
    compiled = grammar.compile(vocabulary)
    tokens = [(token, data) for token in range(len(vocabulary)) if (data := vocabulary.token(token))]
    for _ in range(2):
        matcher, text = compiled.matcher(), b""
        for _ in range(60):
            allowed = set(matcher.allowed()) - set(vocabulary.special.values())
            assert allowed == {token for token, data in tokens if grammar.core.accepts_prefix(text + data)}, text
            if not allowed:
                break
            chosen = rng.choice(sorted(allowed))
            matcher.advance(chosen)
            text += dict(tokens)[chosen]


def test_a_tag_is_escaped_where_a_text_holds_one_or_what_follows_may_complete_it() -> None:
    patch, arithmetic = tools_of(PATCH), tools_of(ARITHMETIC)
    begun = '"*** Begin Patch\\n*** File: a\\n{\\n'
    for line, is_written in (
        ("+<tool_call>", False), (r"+\u003ctool_call>", True), ("+if a <", True), (r"+if a \u003c", False),
        ("+<tool", True), (r"+\u003c/tool_call>\u003c/tool_call>", True),
    ):  # fmt: skip
        assert patch.accepts(call_of(f'{begun}{line}\\n}}\\n*** End Patch"')) == is_written, line
    assert arithmetic.accepts(call_of(r'"(a\u003ctool)"')) and not arithmetic.accepts(call_of('"(a<tool)"'))
    # Without a letter that goes on with a tag, the sign stands as it is.
    digits = tools_of(ARITHMETIC.replace("[a-zé😀_]", "[a-s]"))
    assert digits.accepts(call_of('"(a<b)"')) and not digits.accepts(call_of(r'"(a\u003cb)"'))


@pytest.mark.parametrize("name", families())
def test_families_whose_calls_are_json_take_rules_that_call_themselves(name: str) -> None:
    (report,) = Tools([custom(syntax="lark", definition=PATCH)], policy="reject").report(name)
    is_exact = family(name).arguments in ("json", "python")
    assert report.status == ("exact" if is_exact else "refused")


def test_python_calls_hold_the_strings_too() -> None:
    grammar = tools_of(ARITHMETIC, "llama4_pythonic")
    text = '(1 + "é\\")'
    (call,) = grammar.value(f"[patch(input={quoted(text)})]").calls
    assert call.value == text
    assert not grammar.accepts(f"[patch(input={quoted('(1')})]")


@pytest.mark.parametrize(
    ("options", "said"),
    [({"escapes": "free"}, "escapes are raw"), ({"forbidden_texts": ("é!",)}, "must not hold some texts")],
)
def test_options_under_which_rules_have_no_strings(options: dict[str, Any], said: str) -> None:
    with pytest.raises(RefusedToolsError, match=said) as caught:
        Grammar.from_tools(
            Tools([custom(syntax="lark", definition=PATCH)], options=JSONSchemaOptions(**options)), "hermes"
        )
    assert (caught.value.where or "").endswith("/format/definition") and caught.value.hint
