"""Sets of code points that the engine reads from patterns, held against what Python itself says.

The engine's tables are those of Unicode 16: of a character that another version knows otherwise, nothing is asked.
"""

from __future__ import annotations

import re
import string
import sys
import unicodedata

import pytest

from frisket.errors import GrammarSyntaxError
from frisket.notations.regex import ast, is_ecma_regex

POINTS = range(sys.maxunicode + 1)
CATEGORIES = [unicodedata.category(chr(point)) for point in POINTS]
#: Characters that a Python of another Unicode may know otherwise are few.
YOUNGER = 20 if unicodedata.unidata_version.startswith("16") else 12_000


def members(pattern: str, dialect: ast.Dialect = "python", flags: str = "") -> set[int]:
    """The code points of a pattern that is one set."""
    node = ast.parse(pattern, dialect, flags)
    if isinstance(node, ast.Text):
        return {ord(node.text)}
    assert isinstance(node, ast.Chars)
    return {point for low, high in node.ranges for point in range(low, high + 1)}


def of_property(name: str, value: str | None = None) -> set[int]:
    return members(rf"\p{{{name}}}" if value is None else rf"\p{{{name}={value}}}", "ecma")


@pytest.mark.parametrize("pattern", [r"\w", r"\s", r"\d", r"\W", r"[^\W\d]", r"[\d_]", r"[^\s]"])
def test_classes_of_python_are_those_of_the_running_python(pattern: str) -> None:
    match = re.compile(pattern).match
    assert members(pattern) == {point for point in POINTS if match(chr(point))}


@pytest.mark.parametrize("pattern", ["[^\\W]", "[\\w]", "[a-z]", "[\x80-\U0010ffff]", "[^a]", "[k\u017f]", "[^İ]", "ß"])
def test_sets_without_case_are_those_of_the_running_python(pattern: str) -> None:
    match = re.compile(pattern, re.IGNORECASE).match
    assert members(pattern, flags="i") == {point for point in POINTS if match(chr(point))}


def test_case_is_folded_as_re_folds_it() -> None:
    every = "".join(map(chr, [*range(0xD800), *range(0xE000, 0x1F000)]))
    for letter in "kKsSiIaZßẞſİıµμΣσςΐΰǅéÉЖжﬅﬆdž1":
        expected = {ord(mate) for mate in re.findall(re.escape(letter), every, re.IGNORECASE)}
        assert members(letter, flags="i") == expected, letter
        assert members(f"[{letter}{letter}]", flags="i") == expected, letter


def test_letters_of_ascii_alone_have_cases() -> None:
    for point in (*range(0x41, 0x5B), *range(0x61, 0x7B), 0xE9, 0x130, 0x17F, 0x212A):
        expected = {point, ord(chr(point).upper()), ord(chr(point).lower()[0])} if point < 0x80 else {point}
        assert members(chr(point), flags="ia") == expected


def test_classes_of_ecma_are_those_of_its_grammar() -> None:
    # ECMA-262: WhiteSpace is TAB, VT, FF, ZWNBSP and the category Zs; LineTerminator is LF, CR, LS and PS.
    ends = {0x0A, 0x0D, 0x2028, 0x2029}
    spaces = {point for point in POINTS if CATEGORIES[point] == "Zs"}
    assert members(".", "ecma") == set(POINTS) - ends
    assert members(r"\s", "ecma") == {0x09, 0x0B, 0x0C, 0xFEFF} | spaces | ends
    assert members(r"\d", "ecma") == set(map(ord, string.digits))
    assert members(r"\w", "ecma") == set(map(ord, string.digits + string.ascii_letters + "_"))
    assert members(r"\s", flags="a") == set(map(ord, string.whitespace))


def test_categories_part_all_code_points() -> None:
    expected: dict[str, set[int]] = {}
    for point, category in enumerate(CATEGORIES):
        expected.setdefault(category, set()).add(point)
    assert len(expected) == 30
    found = {name: of_property(name) for name in expected}
    assert sum(map(len, found.values())) == len(POINTS) == len(set().union(*found.values()))
    for name, points in expected.items():
        assert len(found[name] ^ points) < YOUNGER, name
    for name in "CLMNPSZ":
        assert of_property(name) == set().union(*(points for other, points in found.items() if other[0] == name))


def test_binary_properties() -> None:
    # PropList.txt: White_Space is the separators and six controls.
    assert of_property("White_Space") == of_property("Z") | {*range(0x09, 0x0E), 0x85}
    assert of_property("AHex") == set(map(ord, string.hexdigits))
    assert (of_property("ASCII"), of_property("Any")) == (set(range(0x80)), set(POINTS))
    assert of_property("Assigned") == set(POINTS) - of_property("Cn")
    for name, test in (("Uppercase", str.isupper), ("Lowercase", str.islower), ("XID_Start", str.isidentifier)):
        assert len(of_property(name) ^ ({point for point in POINTS if test(chr(point))} - {ord("_")})) < YOUNGER, name
    tails = {point for point in POINTS if ("a" + chr(point)).isidentifier()}
    assert len(of_property("XID_Continue") ^ tails) < YOUNGER


def test_properties_have_long_and_short_names() -> None:
    assert of_property("Letter") == of_property("L") == of_property("gc", "L") == of_property("letter")
    assert of_property("Script", "Greek") == of_property("sc", "Grek") == of_property("Greek") == of_property("Greek_")
    assert of_property("white space") == of_property("White_Space")
    for name in ("Klingon", "Block=Arrows", "any=L"):
        with pytest.raises(GrammarSyntaxError, match="no exact data for the property"):
            members(rf"\p{{{name}}}")


def test_names_of_properties_are_spelled_exactly_in_ecma() -> None:
    assert all(map(is_ecma_regex, [r"\p{L}", r"\p{Letter}", r"\p{Script=Greek}", r"\p{scx=Grek}", r"\p{White_Space}"]))
    wrong = [r"\p{l}", r"\p{letter}", r"\p{Greek}", r"\p{script=Greek}", r"\p{White Space}", r"\p{L&}"]
    assert not any(map(is_ecma_regex, wrong))
