"""Parts → Grammar: which texts, which tokens, and what is no part."""

from __future__ import annotations

import pickle
import re
from collections.abc import Callable
from typing import Any

import pytest

import frisket
from frisket import Grammar, Vocabulary
from frisket.errors import EmptyGrammarError, GrammarSyntaxError, InvalidSchemaError, VocabularyError
from frisket.parts import capture, choice, json, lit, optional, regex, repeat, seq, special, tags, text, until

DIGITS = regex("[0-9]+")

GRAMMARS: dict[str, tuple[Grammar, list[str], list[str]]] = {
    "lit": (lit("é"), ["é"], ["", "e"]),
    "seq": (seq("a", "b", DIGITS), ["ab1", "ab12"], ["ab", "a1"]),
    "seq of nothing": (seq(), [""], ["a"]),
    "choice": (choice("a", DIGITS, seq("a", "b")), ["a", "7", "ab"], ["", "b", "a7"]),
    "optional": (seq(optional("-"), DIGITS), ["-1", "1"], ["-", "--1"]),
    "repeat": (repeat("ab", 1, 2), ["ab", "abab"], ["", "aba", "ababab"]),
    "repeat with a separator": (repeat(DIGITS, 2, 3, ","), ["1,2", "1,2,34"], ["", "1", "1,", "1,2,3,4"]),
    "separated from none on": (repeat("a", 0, None, ","), ["", "a", "a,a,a,a"], ["a,", ",", ",a"]),
    "a separator of none": (repeat("a", 0, 0, ","), [""], ["a", ","]),
    "one at most": (repeat("a", 0, 1, ","), ["", "a"], ["a,a"]),
    "json": (json({"const": [1]}), ["[1]"], ["[2]"]),
    "json text": (json('{"const": [1]}'), ["[1]"], ["[2]"]),
    "json of a type": (json(bool), ["true"], ["1"]),
    "notations in notations": (
        seq(
            Grammar.from_gbnf('root ::= "(" root ")" | "x"'),
            Grammar.from_choices(["!", "?"]),
            Grammar.from_abnf('n = 1*"y"'),
            Grammar.from_ebnf('n ::= "z"'),
            json({"enum": [1, 2]}),
        ),
        ["((x))!yYz1", "x?yz2"],
        ["((x)!yz1", "x?yz3"],
    ),
    "recursive rules twice": (
        seq(Grammar.from_gbnf('root ::= "(" root ")" | "x"'), Grammar.from_gbnf('root ::= root "y" | "y"')),
        ["(x)yy", "xy"],
        ["(xy", "(x)"],
    ),
    "left recursion": (seq("=", Grammar.from_gbnf('root ::= root "+" root | "1"')), ["=1+1", "=1"], ["=", "=1+"]),
    "nested": (repeat(choice(seq("a", optional("b")), "c"), 1), ["abac", "c"], ["", "b"]),
    "capture": (capture("x", choice("a", "b")), ["a", "b"], ["", "ab"]),
}


@pytest.mark.parametrize("name", GRAMMARS)
def test_texts(name: str) -> None:
    grammar, accepted, rejected = GRAMMARS[name]
    assert [each for each in accepted if not grammar.accepts(each)] == []
    assert [each for each in rejected if grammar.accepts(each)] == []


@pytest.mark.parametrize("name", GRAMMARS)
def test_a_combination_is_a_value(name: str) -> None:
    grammar, accepted, _ = GRAMMARS[name]
    copy = pickle.loads(pickle.dumps(grammar))
    assert copy == grammar
    assert hash(copy) == hash(grammar)
    assert copy.accepts(accepted[0])
    assert copy != seq(grammar, "more")
    assert repr(copy) == repr(grammar)
    assert copy.dump() == grammar.dump()


def test_the_representation_is_the_call() -> None:
    grammar = seq(
        "a", choice("b", special("<e>")), optional(until("c", forbidden=["d"], max_chars=3, name="t")), text()
    )
    said = "seq('a', choice('b', special('<e>')), optional(until('c', forbidden=['d'], max_chars=3, name='t')), text())"
    assert repr(grammar) == f"<Grammar {said}>"
    assert repr(seq(repeat("x", 1, 2, ","), regex("y"))) == (
        "<Grammar seq(repeat('x', 1, 2, separator=','), Grammar.from_regex('y'))>"
    )
    assert len(repr(lit("x" * 1000))) < 300
    doubled = seq("a", "b")
    for _ in range(60):
        doubled = seq(doubled, doubled)
    assert repr(doubled) == "<Grammar seq(…)>"


@pytest.mark.parametrize(
    ("grammar", "accepted", "rejected"),
    [
        (
            until("</t>"),
            ["</t>", "a</t>", "<</t></t>"[:5], "<</t>", "</</t>", "é\n</t>"],
            ["", "a", "</t>a", "</t></t>"],
        ),
        (until("aa"), ["aa", "baa", "abaa"], ["aaa", "a", "aab"]),
        (until("aba"), ["aba", "aaba", "abbaba"], ["ababa", "abab"]),
        (until("ab", "b"), ["ab", "b", "aab", "cb"], ["", "bb", "abb"]),
        (until("abc", "bd"), ["abc", "abd", "bd", "xabc"], ["abcd", "bdabc"]),
        (until("x", forbidden=["ab"]), ["x", "ax", "bax"], ["abx", "aabx"]),
        (until("bx", forbidden=["ab"]), ["bx", "cbx"], ["abx", "aabx"]),
        (until("x", max_chars=2), ["x", "ax", "éüx"], ["abcx"]),
        (until("x", min_chars=2), ["abx"], ["x", "ax"]),
        (text(), ["", "a", "é\0"], []),
        (text(forbidden=["ab", "c"]), ["", "a", "ba"], ["ab", "xxabx", "c"]),
        (text(forbidden=["ab"], min_chars=1, max_chars=2), ["a", "ba"], ["", "aba", "ab"]),
    ],
)
def test_free_text(grammar: Grammar, accepted: list[str], rejected: list[str]) -> None:
    assert [each for each in accepted if not grammar.accepts(each)] == []
    assert [each for each in rejected if grammar.accepts(each)] == []


CALLS = {"<f>": seq(DIGITS, "</f>"), "<g>": ""}


@pytest.mark.parametrize(
    ("grammar", "accepted", "rejected"),
    [
        (tags(CALLS), ["", "a", "<f>1</f>", "a<f>1</f>b<g>c", "<", "<f", "<<f>1</f>"], ["<f>", "<f>a</f>", "<f>1"]),
        (tags(CALLS, triggers=["<"]), ["", "a<f>1</f><g>"], ["<", "<h>", "a<f>1</f><"]),
        (tags(CALLS, at_least=1), ["<g>", "a<g>b", "<g><g>"], ["", "a"]),
        (tags(CALLS, at_most=1), ["", "a<g>b"], ["<g><g>", "<g><f>1</f>"]),
        (tags(CALLS, at_least=2, at_most=2), ["a<g>b<g>c"], ["<g>", "<g><g><g>"]),
        (tags(CALLS, at_most=0), ["", "a"], ["<g>"]),
        (tags(CALLS, at_most=0, text_after=False), ["", "a"], ["<g>"]),
        (tags(CALLS, text_after=False), ["", "a", "a<g>", "a<g>b<f>2</f>"], ["<g>a"]),
        (tags(CALLS, text_after=False, at_least=1, at_most=1), ["<g>", "a<g>"], ["", "a", "<g><g>", "<g>a"]),
        (tags(CALLS, forbidden=["</f>", "no"]), ["<f>1</f>", "n<g>o"], ["</f>", "no", "<g>no", "<f>1</f></f>"]),
        (tags(CALLS, max_chars=2), ["ab<g>cd", "éé"], ["abc<g>", "<g>abc"]),
        # The shorter begin is the trigger of both, so that both can come.
        (tags({"<f": "!", "<fg": "?"}), ["<f!", "<fg?", "a<fg?"], ["<fg!", "<f"]),
        (tags([("<f", "!"), ("<f", "?")]), ["<f!<f?"], ["<f"]),
        # The trigger that ends first ends the text, though another one began before it; of two that end together, the
        # longer one.
        (tags({"abd": "1", "bc": "2"}), ["abd1", "abc2", "bc2"], ["abc1", "abc"]),
        (tags({"aab": "1", "ab": "2"}), ["aab1", "ab2", "xab2", "aaab1"], ["aab2", "aaab2"]),
        (tags({"é": "1"}), ["aé1", "è"], ["é"]),
    ],
)
def test_tags(grammar: Grammar, accepted: list[str], rejected: list[str]) -> None:
    assert [each for each in accepted if not grammar.accepts(each)] == []
    assert [each for each in rejected if grammar.accepts(each)] == []
    copy = pickle.loads(pickle.dumps(grammar))
    assert copy == grammar
    assert repr(copy) == repr(grammar)


def test_tags_of_special_tokens() -> None:
    vocabulary = Vocabulary.from_bytes([b"a", b"<", b"f>", b"1", None, None], special={"<e>": 4}, eos=[5])
    grammar = tags([(special("<e>"), "1"), ("<f>", "a")], at_most=2)
    matcher = grammar.compile(vocabulary).matcher()
    for token, allowed in (
        (0, [0, 1, 2, 3, 4, 5]),
        (4, [3]),
        (3, [0, 1, 2, 3, 4, 5]),
        (1, [0, 1, 2, 3, 4, 5]),
        (2, [0]),
    ):
        matcher.advance(token)
        assert matcher.allowed() == allowed
    matcher.advance(0)
    assert matcher.allowed() == [0, 1, 2, 3, 5]  # a third tag may not come: neither its token nor its last byte
    matcher.advance(1)
    assert matcher.allowed() == [0, 1, 3, 5]


def test_free_text_is_utf8() -> None:
    assert not text().accepts(b"\xff")
    assert text().accepts_prefix(b"\xc3")
    assert not text().accepts(b"\xc3")


def test_special_tokens_are_tokens_not_text() -> None:
    vocabulary = Vocabulary.from_bytes([b"a", b"<e>", b"!", None, None], special={"<e>": 3}, eos=[4])
    grammar = seq(until(special("<e>"), "!"), "a")
    matcher = grammar.compile(vocabulary).matcher()
    assert matcher.allowed() == [0, 1, 2, 3]
    for token in (1, 3, 0):
        matcher.advance(token)
    assert matcher.allowed() == [4]
    with pytest.raises(VocabularyError, match="<f>"):
        special("<f>").compile(vocabulary)


@pytest.mark.parametrize(
    ("make", "error", "said"),
    [
        (lambda: choice(), EmptyGrammarError, "nothing to choose from"),
        (lambda: until(), EmptyGrammarError, "no end"),
        (lambda: repeat("a", 3, 2), EmptyGrammarError, "at least 3 and at most 2"),
        (lambda: until("x", min_chars=3, max_chars=2), EmptyGrammarError, "at least 3 and at most 2"),
        (lambda: repeat("a", -1), ValueError, "at least 0"),
        (lambda: repeat("a", 1.0), TypeError, "a count is an int, got float"),  # type: ignore[arg-type]
        (lambda: seq("a", 5), TypeError, "part 1: a part is a str or a Grammar, got int: write the text '5'"),  # type: ignore[arg-type]
        (lambda: seq(["a", "b"]), TypeError, "write seq(*parts) for a list of them"),  # type: ignore[arg-type]
        (lambda: seq(re.compile("a")), TypeError, "got Pattern: write regex(pattern)"),  # type: ignore[arg-type]
        (lambda: seq({"type": "null"}), TypeError, "got dict: write json(…)"),  # type: ignore[arg-type]
        (lambda: seq(list[int]), TypeError, "write json(…)"),  # type: ignore[arg-type]
        (lambda: lit(b"a"), TypeError, "a literal is a str"),  # type: ignore[arg-type]
        (lambda: lit("\ud800"), GrammarSyntaxError, "lone surrogate"),
        (lambda: seq("a", "\ud800"), GrammarSyntaxError, "seq, part 1, offset 0"),
        (lambda: until("a", ""), GrammarSyntaxError, "a trigger is empty (at until, trigger 1)"),
        (lambda: until("\ud800"), GrammarSyntaxError, "lone surrogate"),
        (lambda: until("a", "bab"), GrammarSyntaxError, "'bab' never comes: 'a' ends the text before it"),
        (lambda: until("ab", forbidden=["b"]), GrammarSyntaxError, "'ab' never comes: 'b' is forbidden"),
        (lambda: until("ab", forbidden=["ab"]), GrammarSyntaxError, "'ab' never comes: 'ab' is forbidden"),
        (lambda: until(DIGITS), TypeError, "a trigger is a str or a special token"),
        (lambda: text(forbidden="abc"), TypeError, "write [text] for one"),
        (lambda: text(forbidden=[1]), TypeError, "a forbidden string is a str"),  # type: ignore[list-item]
        (lambda: tags({}), EmptyGrammarError, "there are no tags"),
        (lambda: tags({"": "a"}), GrammarSyntaxError, "the begin of a tag is empty (at tags, tag 0)"),
        (lambda: tags({"<f>": "a"}, triggers=["<g"]), GrammarSyntaxError, "'<f>' begins with none of the triggers"),
        (lambda: tags({"<f>": "a"}, triggers=["<", "x"]), GrammarSyntaxError, "no tag begins with the trigger 'x'"),
        (lambda: tags({"a": "1", "xab": "2"}), GrammarSyntaxError, "'xab' never comes: 'a' ends the text before it"),
        (lambda: tags({"<f>": "a"}, forbidden=["f"]), GrammarSyntaxError, "'<f>' never comes: 'f' is forbidden"),
        (lambda: tags(["<f>"]), TypeError, "a tag is a begin and a part"),  # type: ignore[list-item]
        (lambda: tags([(DIGITS, "a")]), TypeError, "a begin is a str or a special token"),
        (lambda: special(""), GrammarSyntaxError, "name of a special token is empty"),
        (lambda: special(3), TypeError, "got int"),  # type: ignore[arg-type]
        (lambda: capture("", "a"), GrammarSyntaxError, "name of a capture is empty"),
    ],
)
def test_errors(make: Callable[[], Any], error: type[Exception], said: str) -> None:
    with pytest.raises(error) as caught:
        make()
    assert said in str(caught.value)


def test_parts_that_nest_deep_are_refused() -> None:
    grammar = lit("a")
    for _ in range(100_000):
        grammar = seq(grammar, "b")
    with pytest.raises(frisket.errors.LimitExceededError, match="nest too deeply"):
        grammar.accepts("a")


def test_two_names_of_one_token_are_refused() -> None:
    vocabulary = Vocabulary.from_bytes([b"x", b"y", None, None], eos=[3], special={"<a>": 2, "<b>": 2})
    both = choice(seq(special("<a>"), "x"), seq(special("<b>"), "y"))
    with pytest.raises(VocabularyError, match='"<a>" and "<b>" are one token'):
        both.compile(vocabulary)
    matcher = choice(seq(special("<a>"), "x"), seq(special("<a>"), "y")).compile(vocabulary).matcher()
    matcher.advance(2)
    assert matcher.validate([0]) == matcher.validate([1]) == 1


def test_members_without_a_schema_around_them_are_no_part() -> None:
    with pytest.raises(InvalidSchemaError) as refused:
        json({"x": {"type": "string"}})
    assert refused.value.hint is not None and '"properties"' in refused.value.hint
    assert json({}).accepts("[1]")
