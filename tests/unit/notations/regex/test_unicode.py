"""Sets of code points, held against what Python itself says."""

from __future__ import annotations

import itertools
import random
import re
import string
import unicodedata

import pytest

from tests.oracle.regex import unicode


def members(ranges: unicode.CharSet) -> set[int]:
    return {point for low, high in ranges for point in range(low, high + 1)}


def test_set_algebra() -> None:
    a, b = ((1, 5), (10, 20)), ((4, 12),)
    assert unicode.union(a, b) == ((1, 20),)
    assert unicode.intersection(a, b) == ((4, 5), (10, 12))
    assert unicode.difference(a, b) == ((1, 3), (13, 20))
    assert unicode.complement(unicode.complement(a)) == a
    assert unicode.normalize([(5, 6), (1, 2), (3, 3)]) == ((1, 3), (5, 6))


@pytest.mark.parametrize(
    ("ranges", "pattern"),
    [(unicode.python_word(), r"\w"), (unicode.python_space(), r"\s"), (unicode.python_digit(), r"\d")],
    ids=["word", "space", "digit"],
)
def test_python_classes(ranges: unicode.CharSet, pattern: str) -> None:
    match = re.compile(pattern).match
    assert members(ranges) == {point for point in range(unicode.LAST + 1) if match(chr(point))}


def test_categories_part_all_code_points() -> None:
    expected: dict[str, set[int]] = {}
    for point in range(unicode.LAST + 1):
        expected.setdefault(unicodedata.category(chr(point)), set()).add(point)
    assert len(expected) == 30
    for name, points in expected.items():
        ranges = unicode.category(name)
        assert ranges is not None and members(ranges) == points, name
    whole = unicode.union(*(unicode.category(name) or () for name in "CLMNPSZ"))
    assert whole == unicode.ALL


def test_case_is_folded_as_re_folds_it() -> None:
    letters = "kKsSiIaZßẞſİıµμΣσςΐΰǅéÉЖжﬅﬆdž1"
    every = "".join(map(chr, [*range(0xD800), *range(0xE000, 0x1F000)]))
    for letter in letters:
        expected = {ord(mate) for mate in re.findall(re.escape(letter), every, re.IGNORECASE)}
        found = unicode.fold(((ord(letter), ord(letter)),), ecma=False)
        assert members(found) == expected, letter


@pytest.mark.parametrize("ecma", [False, True])
@pytest.mark.parametrize("last", ["", "z"])
def test_letters_of_ascii_are_folded_as_all_are(ecma: bool, last: str) -> None:
    # Sets within ASCII take a shorter way: a character beyond it, without case, sends the same letters the longer one.
    beyond = ((0x4E00, 0x4E00),)
    for point in range(0x80):
        ranges = ((point, max(point, *map(ord, last), 0)),)
        expected = unicode.difference(unicode.fold((*ranges, *beyond), ecma=ecma), beyond)
        assert unicode.fold(ranges, ecma=ecma) == expected, chr(point)


def test_letters_of_ascii_alone_have_cases() -> None:
    for point in (*range(0x80), 0xE9, 0x130, 0x17F, 0x212A):
        expected = {point, ord(chr(point).upper()), ord(chr(point).lower()[0])} if point < 0x80 else {point}
        assert members(unicode.fold(((point, point),), ecma=False, ascii_only=True)) == expected
    assert unicode.fold((), ecma=True) == ()


def test_classes_of_ecma_are_those_of_its_grammar() -> None:
    # ECMA-262: WhiteSpace is TAB, VT, FF, ZWNBSP and the category Zs; LineTerminator is LF, CR, LS and PS.
    ends = {0x0A, 0x0D, 0x2028, 0x2029}
    spaces = {point for point in range(unicode.LAST + 1) if unicodedata.category(chr(point)) == "Zs"}
    assert members(unicode.ECMA_LINE_END) == ends
    assert members(unicode.ECMA_SPACE) == {0x09, 0x0B, 0x0C, 0xFEFF} | spaces | ends
    assert members(unicode.ASCII_SPACE) == set(map(ord, string.whitespace))
    assert members(unicode.DIGIT) == set(map(ord, string.digits))
    assert members(unicode.WORD) == set(map(ord, string.digits + string.ascii_letters + "_"))
    assert (unicode.NEWLINE, unicode.NONE, unicode.ALL) == (((10, 10),), (), ((0, 0x10FFFF),))


def test_binary_properties() -> None:
    found = {name: unicode.property_set(name) for name in ("White_Space", "AHex", "ASCII", "Any", "Assigned")}
    assert None not in found.values()
    # PropList.txt: White_Space is the separators and six controls.
    separators = unicode.category("Z") or ()
    assert found["White_Space"] == unicode.union(separators, ((0x09, 0x0D), (0x85, 0x85)))
    assert members(found["AHex"] or ()) == set(map(ord, string.hexdigits))
    assert (found["ASCII"], found["Any"]) == (((0, 0x7F),), unicode.ALL)
    assert found["Assigned"] == unicode.complement(unicode.category("Cn") or ())
    for name, test in (("Uppercase", str.isupper), ("Lowercase", str.islower), ("XID_Start", str.isidentifier)):
        ranges = unicode.property_set(name)
        expected = {point for point in range(unicode.LAST + 1) if test(chr(point))} - {ord("_")}
        assert ranges is not None and members(ranges) == expected, name
    tails = {point for point in range(unicode.LAST + 1) if ("a" + chr(point)).isidentifier()}
    assert members(unicode.property_set("XID_Continue") or ()) == tails
    assert unicode.property_set("Greek_") == unicode.property_set("greek") is not None
    assert unicode.property_set("any", "L") is None


def test_sets_are_those_of_python() -> None:
    chance, universe = random.Random(3), range(unicode.LAST - 7, unicode.LAST + 1)
    for offset in (0, universe[0]):
        for _ in range(300):
            one, other = ({offset + chance.randrange(8) for _ in range(chance.randrange(7))} for _ in range(2))
            left, right = (unicode.normalize((point, point) for point in points) for points in (one, other))
            assert all(high + 1 < low for (_, high), (low, _) in itertools.pairwise(left))
            assert members(left) == one and members(unicode.union(left, right)) == one | other
            assert members(unicode.intersection(left, right)) == one & other
            assert members(unicode.difference(left, right)) == one - other
            rest = unicode.complement(left)
            assert unicode.union(left, rest) == unicode.ALL and unicode.intersection(left, rest) == ()
            assert [unicode.includes(left, offset + at) for at in range(8)] == [offset + at in one for at in range(8)]


def test_properties_have_long_and_short_names() -> None:
    assert unicode.property_set("Letter") == unicode.property_set("L") == unicode.property_set("gc", "L")
    assert (
        unicode.property_set("Script", "Greek") == unicode.property_set("sc", "Grek") == unicode.property_set("Greek")
    )
    assert unicode.property_set("Klingon") is None
    assert unicode.property_set("Block", "Arrows") is None
