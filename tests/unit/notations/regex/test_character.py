"""Escapes and classes of a pattern → code points, with Python's `re` and the grammar of ECMA-262 as the judges."""

from __future__ import annotations

import itertools
import re
import string

import pytest

from frisket._core import GrammarBuilder
from frisket.errors import GrammarSyntaxError
from frisket.notations.regex import lower_regex

TEXTS = [chr(point) for point in range(0x250)] + ["\u2028", "\u3000", "\ufeff", "\U0001f600", "ab", "a-b", "\\"]


def found(pattern: str, dialect: str = "python") -> set[str] | None:
    """The texts that a pattern matches as a whole; None if it is refused."""
    builder = GrammarBuilder()
    try:
        node = lower_regex(builder, pattern, dialect=dialect)
    except GrammarSyntaxError:
        return None
    return {text for text in TEXTS if builder.accepts(node, text.encode())}


def expected(pattern: str) -> set[str] | None:
    try:
        match = re.compile(pattern).fullmatch
    except re.error:
        return None
    return {text for text in TEXTS if match(text)}


TAILS = ("", "0", "1", "7", "8", "9", "41", "4g", "ff", "0041", "00e9", "08", "012", "0128", "000000e9", "00110000")
TAILS += ("{e}", "{DIGIT ONE}", "{no such}", "{DIGIT ONE", "-z", "]", "\u0660")


@pytest.mark.parametrize("letter", sorted({*string.printable, "é"} - {"z"}))
def test_escapes_of_python(letter: str) -> None:
    # Without \z, which Python knows since 3.14.
    for tail, (before, after) in itertools.product(TAILS, (("", ""), ("[", "]"), ("[^", "]"), ("[a", "]"))):
        pattern = f"{before}\\{letter}{tail}{after}"
        made, wanted = found(pattern), expected(pattern)
        if made is None and wanted is not None:
            # Octal escapes that begin with another digit than 0 are refused, and so is an anchor that no text holds.
            assert letter in "1234567" or (letter in "bBAZ" and not before) or "{" in tail or "[" in pattern[1:], (
                pattern
            )
        else:
            assert made == wanted, pattern


ECMA = {
    **{rf"\{letter}": point for letter, point in (("t", 9), ("n", 10), ("v", 11), ("f", 12), ("r", 13), ("0", 0))},
    **{rf"\c{letter}": ord(letter) % 32 for letter in string.ascii_letters},
    **{rf"\{mark}": ord(mark) for mark in "^$\\.*+?()[]{}|/"},
    **{r"\x41": 0x41, r"\xe9": 0xE9, r"\u00E9": 0xE9, r"\u{e9}": 0xE9, r"\u{1F600}": 0x1F600},
    **{r"\ud83d\ude00": 0x1F600, r"[\b]": 8, r"[\-]": 0x2D, r"\u2028": 0x2028, r"[\u{41}]": 0x41},
}


@pytest.mark.parametrize("pattern", ECMA)
def test_escapes_of_ecma(pattern: str) -> None:
    assert found(pattern, "ecma") == {chr(ECMA[pattern])}


@pytest.mark.parametrize(
    "pattern",
    [
        *(r"\00", r"\01", r"\09", r"\c", r"\c1", r"\cé", r"\x4", r"\x4g", r"\u004", r"\u{}", r"\u{110000}", r"\u{41"),
        *(r"\U00000041", r"\N{DIGIT ONE}", r"\1", r"[\1]", r"[\9]", "[a\\", "[\\", r"\p{^L}", r"\p{L", r"\pé{"),
    ],
)
def test_no_escapes_of_ecma(pattern: str) -> None:
    assert found(pattern, "ecma") is None


def test_classes_of_ecma() -> None:
    everything = {text for text in TEXTS if len(text) == 1}
    assert found("[]", "ecma") in (None, set()) and found("[^]", "ecma") == everything
    assert found("[a-c]", "ecma") == set("abc") and found("[ac-]", "ecma") == found("[-ac]", "ecma") == set("ac-")
    assert found(r"[\d-z]", "ecma") == found(r"[z\d-]", "ecma") == {*string.digits, "-", "z"}
    assert found(r"[+-\d]", "ecma") == {*string.digits, "+", "-"}
    assert found("[c-a]", "ecma") is None and found("[a-a]", "ecma") == {"a"} and found("[a", "ecma") is None
    assert found(r"\D", "ecma") == everything - set(string.digits)
    assert found(r"\W", "ecma") == everything - set(string.digits + string.ascii_letters + "_")
    assert found(r"[^\S]", "ecma") == {*string.whitespace, "\xa0", "\u2028", "\u3000", "\ufeff"}
    assert found(".", "ecma") == everything - {"\n", "\r", "\u2028"}


@pytest.mark.parametrize("pattern", ["[]a]", "[^]a]", "[a-]", "[-a]", "[a\\-z]", "[]-a]", "[a-\\x63]", "(?i)[k-l]"])
def test_classes_of_python(pattern: str) -> None:
    assert found(pattern) == expected(pattern) is not None


@pytest.mark.parametrize("pattern", ["[]", "[^]", "[", "[a", "[a-", "[z-a]", "[\\d-z]", "[a-\\d]", "[\\"])
def test_no_classes_of_python(pattern: str) -> None:
    assert found(pattern) is expected(pattern) is None


def test_classes_of_ascii() -> None:
    for pattern in (r"\d", r"\w", r"\s", r"\D", r"\W", r"\S"):
        for flags in ("", "(?a)"):
            assert found(flags + pattern) == expected(flags + pattern)
