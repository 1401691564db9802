"""Patterns read by the engine = the same patterns read by the oracle in Python: the same texts, or the same refusal."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from itertools import islice, product
from typing import Any, Literal

import pytest

from frisket import _core
from frisket._core import front_end
from frisket.errors import FrisketError
from frisket.notations.regex import ast as engine
from frisket.notations.regex import is_ecma_regex, lower_part, lower_regex
from tests.data import data_dir, maskbench
from tests.oracle import regex as oracle
from tests.oracle.regex import unicode

#: Atoms, quantifiers and what only looks like one; some of it wrong. Properties have a test of their own.
PARTS = [
    *("a", "b", "é", "-", "_", ".", "^", "$", "|", "]", "}", "{", ",", "/", '"', " ", "\U0001f600", "İ", "ß", "\n"),
    *("[a-z]", "[^a-z]", "[a\\-z]", "[]", "[^]", "[\\d.-]", "[\\w-x]", "[+-]", "[a-]", "[\\s\\S]", "[b]", "[z-a]"),
    *("\\d", "\\D", "\\w", "\\W", "\\s", "\\S", "\\.", "\\-", "\\/", "\\n", "\\t", "\\0", "\\x41", "\\u00e9", "[^]a]"),
    *("\\1", "\\b", "\\B", "\\ud83d\\ude00", "\\ud800", "\\cA", "\\q", "\\_", "\\01", "[[:alpha:]]", "[\\1]", "\\"),
    *("*", "+", "?", "{2}", "{1,3}", "{2,}", "{,2}", "{3,1}", "{a}", "{0}", "{99999999999}", "*?", "+?", "??", "++"),
    *("(", ")", "(a|b)", "(?:ab|cd)", "(?:^a|b)", "(a*)", "(a*)*", "(?:a|b|[cd])", "(?<n>a)", "()", "(?P<x>a)", "(?"),
    *("(^)", "[\\b]", "\\u{41}", "(?=a)", "(?!b)", "(?<=a)", "(?<!b)", "(?:a(?=b)|b)", "(?:(?!a)b)*", "\\A", "\\Z"),
    *("(?i:k)", "(?m:^a$)", "(?>a)", "(?#c)", "\\N{DIGIT ONE}", "\\07", "\\141", "(?x: a b)", "(?s:.)", "\\U0001f600"),
    *("(?-i:a)", "\\ ", "\ud800", "(?P", "(?<"),
]  # fmt: skip

Dialect = Literal["python", "ecma"]


def outcome(lower: Callable[..., int], *given: Any, **options: Any) -> int | tuple[Any, ...]:
    """The node, or all that the refusal says."""
    try:
        return lower(*given, **options)
    except FrisketError as error:
        return type(error), error.code, error.message, error.where, error.hint


def assert_equal(builder: _core.GrammarBuilder, found: Any, expected: Any, said: object) -> None:
    if found == expected:
        return
    assert isinstance(found, int) and isinstance(expected, int), (said, found, expected)
    for one, other in ((found, expected), (expected, found)):
        assert builder.is_empty(builder.and_([one, builder.not_(other)])), said


def compare(pattern: str, dialect: Dialect, search: bool, flags: str = "") -> bool:
    """Asserts that both ways are the same; whether there is a node."""
    builder, said = _core.GrammarBuilder(), (pattern, dialect, search, flags)
    options = {"dialect": dialect, "search": search, "flags": flags}
    found = outcome(lower_regex, builder, pattern, **options)
    expected = outcome(oracle.lower_regex, builder, pattern, **options)
    if isinstance(expected, tuple) and "back-reference" in expected[2]:
        return isinstance(found, int)  # which the oracle does not know; test_references asks Python
    assert_equal(builder, found, expected, said)
    if dialect == "python" and not search:
        part = outcome(lower_part, builder, pattern, flags=flags)
        assert_equal(builder, part, outcome(oracle.lower_part, builder, pattern, flags=flags), said)
    if dialect == "ecma":
        assert outcome(is_ecma_regex, pattern) == outcome(oracle.is_ecma_regex, pattern), pattern
    return isinstance(found, int)


@pytest.mark.parametrize("dialect", ["python", "ecma"])
@pytest.mark.parametrize("search", [True, False])
def test_random_patterns(dialect: Dialect, search: bool) -> None:
    chance = random.Random(5)
    read = 0
    for _ in range(2_500):
        middle = "".join(chance.choice(PARTS) for _ in range(chance.randint(0, 6)))
        flags = "".join(letter for letter in "imsxar" if chance.random() < 0.08)
        pattern = chance.choice(["", "^"]) + middle + chance.choice(["", "$"])
        read += compare(pattern, dialect, search, flags)
    assert 500 < read < 2_400


REFERENCES = [
    *("(a|b)", "(a?)", "(b|ab)", "(?P<n>a|bb)", "((?:a|b)b?)", "(a{1,2})", "((a)|b)", "(a|b)?", "(a*)", "(?:(a)|b)"),
    *(r"\1", r"\1", r"\2", r"\1*", r"(?:\1|b)", r"(?!\1)", r"(?=\2)", r"(?:a\2)?", "(?P=n)", r"(?:(b|a)\1)"),
    *("a", "b", "|", "b?", "[ab]", "$"),
]  # fmt: skip


def test_references() -> None:
    """Patterns with back-references match what Python's own engine says, where they are no refusal."""
    chance = random.Random(11)
    texts = ["".join(letters) for length in range(7) for letters in product("ab", repeat=length)]
    read = 0
    for _ in range(3_000):
        pattern = "".join(chance.choice(REFERENCES) for _ in range(chance.randint(2, 5)))
        builder = _core.GrammarBuilder()
        node = outcome(lower_regex, builder, pattern, dialect="python", search=False, flags="")
        if not isinstance(node, int) or not re.search(r"\\\d|P=", pattern) or pattern.count("<n>") > 1:
            continue
        read += 1
        matches = re.compile(pattern).fullmatch
        assert [text for text in texts if builder.accepts(node, text.encode())] == list(filter(matches, texts)), pattern
    assert read > 300


def _patterns(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for keyword, inner in value.items():
            if keyword == "pattern" and isinstance(inner, str):
                yield inner
            elif keyword == "patternProperties" and isinstance(inner, dict):
                yield from inner
            yield from _patterns(inner)
    elif isinstance(value, list):
        for item in value:
            yield from _patterns(item)


def test_real_patterns() -> None:
    found = {pattern for entry in islice(maskbench(data_dir()), 0, None, 3) for pattern in _patterns(entry["schema"])}
    for pattern in sorted(found):
        if r"\p" not in pattern.lower():
            compare(pattern, "ecma", True)
            compare(pattern, "python", False)


def chars(pattern: str, flags: str = "") -> unicode.CharSet:
    node = engine.parse(pattern, "python", flags)
    return node.ranges if isinstance(node, engine.Chars) else ((ord(node.text), ord(node.text)),)  # type: ignore[union-attr]


def test_sets_of_python_are_those_of_the_running_python() -> None:
    assert chars(r"\w") == unicode.python_word()
    assert chars(r"\d") == unicode.python_digit()
    assert chars(r"\s") == unicode.python_space()
    for letters in ("[^\\W]", "[\\w]", "[a-z]", "[\x80-\U0010ffff]", "[^a]"):
        plain = chars(letters.replace("^", "") if letters == "[^a]" else letters)
        if letters == "[^a]":
            expected = unicode.complement(unicode.fold(plain, ecma=False))
        elif letters == "[^\\W]":
            expected = unicode.complement(unicode.fold(unicode.complement(unicode.python_word()), ecma=False))
        else:
            expected = unicode.fold(plain, ecma=False)
        assert chars(letters, "i") == expected, letters


def test_properties_are_those_of_python_but_for_younger_characters() -> None:
    # The engine's tables are those of Unicode 16, which gave a few older characters other properties.
    names = ["C", "L", "M", "N", "P", "S", "Z", "Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc", "Me", "Nd", "Nl", "No", "Cs"]
    for name in [*names, "Upper", "Lower", "XID_Start", "XID_Continue", "White_Space", "AHex", "ASCII"]:
        expected = unicode.property_set(name)
        assert expected is not None
        found = chars(rf"\p{{{name}}}")
        other = unicode.union(unicode.difference(found, expected), unicode.difference(expected, found))
        assert sum(high - low + 1 for low, high in other) < 20, name


def test_names_of_properties_are_spelled_exactly_in_ecma() -> None:
    assert all(map(is_ecma_regex, [r"\p{L}", r"\p{Letter}", r"\p{Script=Greek}", r"\p{scx=Grek}", r"\p{White_Space}"]))
    wrong = [r"\p{l}", r"\p{letter}", r"\p{Greek}", r"\p{script=Greek}", r"\p{White Space}", r"\p{L&}"]
    assert not any(map(is_ecma_regex, wrong))
    assert front_end.property_set("white space") == unicode.property_set("white space")
