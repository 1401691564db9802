"""Random Lark grammars = what the package `lark` parses, whose Earley parser tries every division into terminals."""

from __future__ import annotations

import itertools
import random
import re
from pathlib import Path

import pytest

from frisket import Grammar
from frisket._core import Vocabulary
from frisket.errors import GrammarError, VocabularyError
from tests.spec.cases import Case, cases

lark = pytest.importorskip("lark", reason="the package lark is not installed")

LETTERS = "ab "
TEXTS = ["".join(chars) for size in range(6) for chars in itertools.product(LETTERS, repeat=size)]


def random_grammar(rng: random.Random) -> str:
    """Rules, terminals, templates and ignored text; every rule has a text that ends."""

    def terminal(depth: int) -> str:
        kind = rng.randrange(6 if depth else 3)
        match kind:
            case 0 | 1:
                return rng.choice(('"a"', '"b"', '"ab"', '"ba"', '"B"i'))
            case 2:
                return rng.choice(("/[ab]/", "/a+/", "/ab?/", '"a".."b"', "/(?:ab|b)+/", "/A/i"))
            case 3:
                return f"({terminal(depth - 1)} | {terminal(depth - 1)})"
            case 4:
                return f"({terminal(depth - 1)}){rng.choice(('+', '~2', '~1..2'))}"
        return f"{terminal(depth - 1)} {terminal(depth - 1)}"

    def rule(depth: int, names: list[str]) -> str:
        kind = rng.randrange(8 if depth else 3)
        match kind:
            case 0:
                return rng.choice(('"a"', '"b"', "A", "B"))
            case 1:
                return rng.choice(names)
            case 2:
                return rng.choice(("A", "B", "_pair{A, B}", '_pair{"a", A}'))
            case 3 | 4:
                return f"({rule(depth - 1, names)} {rule(depth - 1, names)})"
            case 5:
                return f"({rule(depth - 1, names)} | {rule(depth - 1, names)})"
            case 6:
                return f"[{rule(depth - 1, names)}]"
        return f"({rule(depth - 1, names)}){rng.choice('*+?')}"

    names = ["one", "two", "three"]
    lines = [f"{name}: {rule(2, names)} | {rng.choice(('A', 'B', chr(34) + 'a' + chr(34)))}" for name in names]
    lines += [f"A: {terminal(2)}", f"B.{rng.randrange(3)}: {terminal(1)}", "_pair{x, y}: x y x?"]
    if rng.random() < 0.6:
        lines.append(rng.choice(('%ignore " "', "%ignore / +/", '%ignore "  "\n%ignore /b /')))
    return "\n".join(["start: one", *lines])


@pytest.mark.parametrize("block", range(6))
def test_the_same_texts_as_lark(block: int) -> None:
    accepted = 0
    for seed in range(10 * block, 10 * block + 10):
        text = random_grammar(random.Random(f"lark {seed}"))
        parser = lark.Lark(text, parser="earley", lexer="dynamic_complete", ambiguity="resolve")
        grammar = Grammar.from_lark(text, dialect="lark")
        for sample in TEXTS:
            try:
                parser.parse(sample)
                expected = True
            except lark.exceptions.LarkError:
                expected = False
            assert grammar.accepts(sample) == expected, f"{text}\n{sample!r}: lark says {expected}"
            accepted += expected
    assert accepted > 100, "the grammars have become too small to say anything"


def test_every_terminal_of_the_common_library() -> None:
    """Our table against the package's own, on the texts that its lexer can make of each terminal."""
    library = (Path(lark.__file__).parent / "grammars" / "common.lark").read_text(encoding="utf-8")
    names_there = re.findall(r"^(_?[A-Z]\w*):", library, re.MULTILINE)
    assert len(names_there) > 20
    numbers = ["0", "12", "-1", "+.5", "1.", "1.5e-3", "e1", "E+2", "aF"]
    names = ["é", "abc", "_a1", "1a", " ", "\t ", " \n", "\r", "\n", "\r\n\n"]
    strings = ['""', '"a"', '"a"b"', '"\\""', '"\\"', '"a\n"']
    comments = ["# a", "#\n", "// a", "/* a */", "/* a */ */", "/**/", "/***/", "/*", "-- a", "--\n"]
    samples = numbers + names + strings + comments
    # Lark takes no terminal that may match nothing by itself, as the insides of strings do.
    for name in (name for name in names_there if "_INNER" not in name):
        text = f"start: {name}\n%import common.{name}"
        grammar = Grammar.from_lark(text, dialect="lark")
        parser = lark.Lark(text, parser="earley", lexer="dynamic_complete")
        for sample in samples:
            try:
                parser.parse(sample)
                expected = True
            except lark.exceptions.LarkError:
                expected = False
            assert grammar.accepts(sample) == expected, f"{name}: {sample!r}, lark says {expected}"


def test_what_lark_refuses_is_refused() -> None:
    for text in (
        "start: a",
        'start: "a',
        "start: A\nA: A",
        'start: "a" ~ 2..1',
        "start: x{A}\nA: /a/",
        'start: "a"\nstart: "b"',
    ):
        with pytest.raises(lark.exceptions.LarkError):
            lark.Lark(text)
        with pytest.raises(GrammarError):
            Grammar.from_lark(text, dialect="lark")


LAZY = [
    case
    for case in cases()
    if case.lark is not None and case.accepts and "<|" not in case.lark and "</think>" not in case.lark
]


@pytest.mark.parametrize("case", [pytest.param(case, id=case.name) for case in LAZY])
def test_masks_of_the_spec_cases(case: Case) -> None:
    """Intersections, complements and lazy rules too: each mask holds the tokens with which some text goes on."""
    assert case.lark is not None
    grammar = Grammar.from_lark(case.lark, **case.options)
    rng = random.Random(case.name)
    texts = [text.encode() for text in (*case.accepts, *case.rejects)]
    pieces = {text[at : at + size] for text in texts for at in range(len(text)) for size in (1, 2, 3, 5)} - {b""}
    tokens = (*rng.sample(sorted(pieces), min(40, len(pieces))), b"!")
    compiled = grammar.compile(Vocabulary([*tokens, None], eos=[len(tokens)]))
    for _ in range(6):
        matcher, taken = compiled.matcher(), b""
        for _ in range(20):
            expected = [number for number, token in enumerate(tokens) if grammar.accepts_prefix(taken + token)]
            expected += [len(tokens)] if grammar.accepts(taken) else []
            if not expected:  # the tokens lack a character that must come
                with pytest.raises(VocabularyError):
                    matcher.allowed()
                break
            assert matcher.allowed() == expected, taken
            token = rng.choice(expected)
            if token == len(tokens):
                break
            matcher.advance(token)
            taken += tokens[token]
