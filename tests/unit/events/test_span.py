"""Captures: where the parts of a text stand, in bytes and tokens."""

from __future__ import annotations

import pytest

from frisket import Grammar, Vocabulary
from frisket.errors import GrammarError, LimitExceededError
from frisket.events import Span
from frisket.parts import capture, choice, json, optional, regex, repeat, seq, special, tags, text, until

WORD = regex("[a-z]+")


def texts(grammar: Grammar, whole: str) -> dict[str, list[str]]:
    return {name: [span.text for span in spans] for name, spans in grammar.captures(whole).items()}


@pytest.mark.parametrize(
    ("grammar", "whole", "found"),
    [
        (capture("a", "x"), "x", {"a": ["x"]}),
        (seq("x", "y"), "xy", {}),
        (WORD, "abc", {}),
        (seq(capture("a", WORD), "-", capture("b", WORD)), "ab-c", {"a": ["ab"], "b": ["c"]}),
        (seq(capture("a", WORD), capture("b", WORD)), "abc", {"a": ["ab"], "b": ["c"]}),  # the first part is longest
        (seq(capture("a", optional("x")), capture("b", repeat("x"))), "xx", {"a": ["x"], "b": ["x"]}),
        (choice(capture("a", "x"), capture("b", "x")), "x", {"a": ["x"]}),  # the first option that fits
        (seq(choice(capture("a", "x"), capture("b", "xy")), optional("y")), "xy", {"b": ["xy"]}),
        (repeat(capture("n", regex("[0-9]+")), 0, None, ","), "1,22,3", {"n": ["1", "22", "3"]}),
        (repeat("x", 1, None, capture("by", regex("[,;]"))), "x,x;x", {"by": [",", ";"]}),
        (repeat(capture("n", regex("[0-9]+")), 2, 2), "123", {"n": ["12", "3"]}),
        (repeat(capture("n", optional("a")), 2, 3), "a", {"n": ["a", ""]}),
        (seq(repeat(capture("a", "x"), 0, 2), repeat(capture("b", "x"))), "xxx", {"a": ["x", "x"], "b": ["x"]}),
        (capture("o", seq("(", capture("i", WORD), ")")), "(a)", {"o": ["(a)"], "i": ["a"]}),
        (seq(until("</t>", name="t"), capture("r", text())), "a<b</t>c</t>", {"t": ["a<b"], "r": ["c</t>"]}),
        (until("aa", "b", name="t"), "cab", {"t": ["ca"]}),
        (until("ab", "b", name="t"), "cab", {"t": ["c"]}),  # of triggers that end together the longest
        (
            tags({"<f>": seq(capture("n", regex("[0-9]+")), "</f>"), "<g>": capture("g", optional("!"))}),
            "a<f>1</f>b<g>!c<f>22</f>",
            {"n": ["1", "22"], "g": ["!"]},
        ),
        (tags([("<f", capture("a", "x")), ("<f", capture("b", "x"))]), "<fx", {"a": ["x"]}),
        (tags({"<f": seq(capture("a", WORD), text())}, at_least=2), "<fab<fc", {"a": ["ab", "c"]}),
        (
            seq(capture("j", json({"type": "object"})), capture("rest", text())),
            '{"a": 1} b',
            {"j": ['{"a": 1}'], "rest": [" b"]},
        ),
        (capture("e", ""), "", {"e": [""]}),
    ],
)
def test_captures(grammar: Grammar, whole: str, found: dict[str, list[str]]) -> None:
    assert texts(grammar, whole) == found


def test_spans_are_of_bytes() -> None:
    assert seq("é", capture("a", "ü")).captures("éü") == {"a": [Span(2, 4, "ü")]}


def test_spans_of_tokens() -> None:
    vocabulary = Vocabulary.from_bytes(
        [b"na", b"me", b": ", b"A", b"da\n", None, None], special={"<e>": 5, "<end>": 6}, eos=[6]
    )
    grammar = seq("name: ", capture("who", regex("[A-Za-z]+")), "\n", special("<e>"), capture("rest", text()))
    ids = [0, 1, 2, 3, 4, 5, 0, 1, 6]
    assert grammar.captures(ids, vocabulary) == {
        "who": [Span(6, 9, "Ada", 3, 4)],
        "rest": [Span(10, 14, "name", 6, 7)],
    }
    assert grammar.captures(ids[:6], vocabulary)["rest"] == [Span(10, 10, "")]
    assert seq("n", capture("a", "a"), "me").captures([0, 1], vocabulary) == {"a": [Span(1, 2, "a", 0, 0)]}
    assert capture("e", special("<e>")).captures([5], vocabulary) == {"e": [Span(0, 0, "", 0, 0)]}
    assert until(special("<e>"), "!", name="t").captures([0, 5], vocabulary)["t"][0].text == "na"
    assert tags([(special("<e>"), capture("m", "me"))]).captures([0, 5, 1, 0], vocabulary)["m"][0].first_token == 2
    with pytest.raises(TypeError, match="need the vocabulary"):
        grammar.captures(ids)  # type: ignore[arg-type]


def test_each_special_token_begins_its_own_tag() -> None:
    vocabulary = Vocabulary.from_bytes([b"a", b"f", b"<", b"g>", None, None], special={"<e>": 4, "<f>": 5}, eos=())
    parts = [(special("<e>"), "e"), (special("<f>"), "f"), ("<g>", "g"), ("<a", "h")]
    grammar = tags([(begin, capture(name, "a")) for begin, name in parts])

    def found(*ids: int) -> dict[str, list[int | None]]:
        return {name: [span.first_token for span in spans] for name, spans in grammar.captures(ids, vocabulary).items()}

    assert found(4, 0, 5, 0) == {"e": [1], "f": [3]}
    assert found(0, 5, 0, 4, 0, 4, 0) == {"e": [4, 6], "f": [2]}
    assert found(2, 3, 0, 5, 0, 2, 0, 0) == {"g": [2], "f": [4], "h": [7]}
    assert found(0, 0) == {}


@pytest.mark.parametrize("name", ["<end>", "<[1]>"])
def test_a_token_is_found_by_its_name_and_by_its_number(name: str) -> None:
    vocabulary = Vocabulary.from_bytes([b"a", None, b"b"], eos=(), special={"<end>": 1})
    for grammar in (
        seq(capture("t", "a"), capture("e", special(name)), "b"),
        seq(until(special(name), name="t"), capture("e", "b")),
        seq("a", tags([(special(name), capture("e", "b"))], text_after=False)),
    ):
        found = grammar.captures([0, 1, 2], vocabulary)
        assert [(span.first_token, span.last_token) for span in found["e"]] in ([(1, 1)], [(2, 2)])
    unnamed = Vocabulary.from_bytes([b"a", None], eos=())
    assert capture("e", special("<[1]>")).captures([1], unnamed)["e"][0].first_token == 0


def test_a_matcher_has_captures_by_its_steps() -> None:
    vocabulary = Vocabulary.from_bytes([b"a", b"bc", None, None], {"<x>": 2, "<end>": 3}, eos="<end>")
    grammar = seq(capture("t", "aab"), "c", capture("x", special("<x>")))
    matcher = grammar.compile(vocabulary).matcher()
    matcher.advance_bytes(b"aa")
    matcher.advance(1)
    with pytest.raises(GrammarError, match="does not match"):
        matcher.captures()
    matcher.advance(2)
    wanted = {"t": [Span(0, 3, "aab", 0, 1)], "x": [Span(4, 4, "", 2, 2)]}
    assert matcher.captures() == wanted
    matcher.advance(3)
    assert matcher.captures() == wanted
    whole = Grammar.from_regex("a").compile(vocabulary).matcher()
    whole.advance(0)
    assert whole.captures() == {}


def test_another_text_is_refused() -> None:
    with pytest.raises(GrammarError) as caught:
        capture("a", "x").captures("y")
    assert caught.value.code == "text-rejected" and "Matcher.explain(text)" in (caught.value.hint or "")
    with pytest.raises(GrammarError):
        text().captures(b"\xff")
    with pytest.raises(GrammarError, match="does not match"):
        text().captures([0, 1, 0], Vocabulary.from_bytes([b"a", None], eos=()))


def test_long_texts() -> None:
    row = repeat(capture("n", regex("[0-9]+")), 0, None, ",")
    assert len(row.captures(",".join(map(str, range(5_000))))["n"]) == 5_000
    calls = tags({f"<{number}>": capture("x", regex("[a-z]+")) for number in range(300)}, triggers=["<"])
    assert len(calls.captures("some text <7>abc. " * 300)["x"]) == 300
    with pytest.raises(LimitExceededError, match="steps"):
        seq(*[capture(f"t{number}", text()) for number in range(4)], "!").captures("x" * 5_000 + "!")
