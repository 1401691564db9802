"""Grammars with ignored terminals × random texts, as Lark reads them: with its lexers, and without one.

`dynamic_complete` tries every text of a terminal, and the longest of an ignored one, as is meant here. What a lexer of
Lark's accepts, it accepts, too.
"""

from __future__ import annotations

import random
from functools import cache
from typing import Any

import pytest

from frisket import Grammar
from frisket.errors import GrammarSyntaxError

lark = pytest.importorskip("lark", reason="lark is not installed")

TEXTS = 400
#: Rules, ignored terminals, and the characters of texts.
GRAMMARS = {
    "a comment": ('start: "a" "b"', [r"/#[^\n]*/", '" "'], "ab# \nx"),
    "a comment and white space": ('start: "a" ("b" "a")*', [r"/#[^\n]*/", r"/[ \n]+/"], "ab# \n"),
    "a comment before a line's end": ('start: line+\nline: "a"+ NL\nNL: /\\n/', [r"/#[^\n]*/", '" "'], "a# \n"),
    "lines that go on": ('start: (W NL)* W?\nW: /[ab]+/\nNL: /(\\r?\\n[ ]*)+/', [r"/#[^\n]*/", r"/[ ]+/"], "ab#\r\n "),
    "two kinds of comments": ('start: "a" "/" "a"', [r"/\/\/[^\n]*/", r"/\/\*[^*]*\*\//", '" "'], "a/* \n"),
    "a terminal that begins with a blank": ('start: "a" " b" | "a" "c"', [r"/[ ]+/"], "abc "),
    "free text": ('start: "a"* TEXT\nTEXT: /[^a]+/', [r"/[ ]+/"], "ab "),
    "an optional line end": ('start: "a" "b"', [r"/#[^\n]*\n?/"], "ab#\n"),
    "an ignored text that may go on": ('start: "a" ("c" | "d")+', [r"/b(cd)?/"], "abcd"),
    "words": ('start: W+\nW: /[ab]+/', [r"/-+>?/"], "ab->"),
    "nothing": ('start: "a"*', [r"/#[^\n]*/"], "a#\n"),
    "deep": ('start: "(" start* ")" | "a"', [r"/;[^\n]*/", r"/\s+/"], "()a; \n"),
    "letters beyond ASCII": ('start: "é" "ü"?', [r"/«[^»é]*/"], "éü«»"),
}  # fmt: skip


def written(name: str) -> str:
    rules, ignored, _ = GRAMMARS[name]
    return "\n".join([rules, *(f"%ignore {one}" for one in ignored)])


@cache
def readers(name: str) -> dict[str, Any]:
    """Lark with each of its lexers that takes the grammar."""
    found = {}
    ways = [("earley", lexer) for lexer in ("dynamic_complete", "dynamic", "basic")]
    for parser, lexer in [*ways, ("lalr", "basic"), ("lalr", "contextual")]:
        try:
            found[f"{parser} {lexer}"] = lark.Lark(written(name), parser=parser, lexer=lexer)
        except lark.exceptions.LarkError:
            continue  # LALR does not take every grammar
    return found


def is_read(reader: Any, text: str) -> bool:
    try:
        reader.parse(text)
    except lark.exceptions.LarkError:
        return False
    return True


def texts(name: str) -> list[str]:
    """Random texts, and random changes of texts that are read."""
    rng = random.Random(name)
    characters = GRAMMARS[name][2]
    found: list[str] = [""]
    reader = readers(name)["earley dynamic_complete"]
    good: list[str] = []
    for _ in range(TEXTS):
        text = "".join(rng.choice(characters) for _ in range(rng.randint(0, 7)))
        if good and rng.random() < 0.6:
            base = rng.choice(good)
            at = rng.randint(0, len(base))
            text = base[:at] + rng.choice(characters) + base[at + rng.randint(0, 1) :]
        if is_read(reader, text):
            good.append(text)
        found.append(text)
    assert len(set(good)) > 5, "random texts find the grammar's"
    return list(dict.fromkeys(found))


@pytest.mark.parametrize("name", GRAMMARS)
def test_an_ignored_text_is_the_longest_as_in_lark(name: str) -> None:
    if name == "an ignored text that may go on":
        with pytest.raises(GrammarSyntaxError, match="more than one place"):
            Grammar.from_lark(written(name), dialect="lark")
        return
    grammar = Grammar.from_lark(written(name), dialect="lark")
    for text in texts(name):
        read = {way: is_read(reader, text) for way, reader in readers(name).items()}
        assert grammar.accepts(text) == read["earley dynamic_complete"], (text, read)
        assert grammar.accepts(text) or not any(read.values()), (text, read)


@pytest.mark.parametrize("name", GRAMMARS)
@pytest.mark.parametrize("dialect", ["llguidance", "xgrammar"])
def test_other_dialects_differ_at_the_beginning_alone(name: str, dialect: Any) -> None:
    """Before the first terminal, these ignore nothing."""
    if name == "an ignored text that may go on":
        return
    first = Grammar.from_lark(written(name), dialect=dialect)
    both = Grammar.from_lark(written(name), dialect="lark")
    for text in texts(name):
        if text[:1] not in ("#", ";", " ", "\n", "-", "/", "«"):
            assert first.accepts(text) == both.accepts(text), text
        else:
            assert not first.accepts(text) or both.accepts(text), text


def test_the_reported_comment_is_refused_in_all_dialects() -> None:
    for dialect in ("llguidance", "lark", "xgrammar"):
        grammar = Grammar.from_lark('start: "a" "b"\n%ignore /#[^\\n]*/\n%ignore /\\s+/', dialect=dialect)
        assert not grammar.accepts("a # x b") and grammar.accepts("a # x\nb # z")


def test_what_may_follow_decides_in_the_masks() -> None:
    from frisket._core import Vocabulary

    vocabulary = Vocabulary([bytes([byte]) for byte in range(256)])
    grammar = Grammar.from_lark('start: "a" "b"\n%ignore /#[^\\n]*/\n%ignore /[ \\n]+/')
    matcher = grammar.compile(vocabulary).matcher()
    matcher.advance_bytes(b"a # b")
    assert ord("b") in matcher.allowed() and not matcher.can_end
    matcher.advance_bytes(b"\n")
    assert set(matcher.allowed()) == {ord(" "), ord("\n"), ord("#"), ord("b")}
