"""Sets of code points, held against what Python itself says."""

from __future__ import annotations

import re
import unicodedata

import pytest

from frisket.notations.regex import unicode


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
    members = {point for low, high in ranges for point in range(low, high + 1)}
    assert members == {point for point in range(unicode.LAST + 1) if match(chr(point))}


def test_categories_part_all_code_points() -> None:
    for name in ("Lu", "Nd", "Cn", "Co", "Cs", "Zs"):
        ranges = unicode.category(name)
        assert ranges is not None
        members = {point for low, high in ranges for point in range(low, high + 1)}
        assert members == {point for point in range(unicode.LAST + 1) if unicodedata.category(chr(point)) == name}
    whole = unicode.union(*(unicode.category(name) or () for name in "CLMNPSZ"))
    assert whole == unicode.ALL


def test_case_is_folded_as_re_folds_it() -> None:
    letters = "kKsSiIaZßẞſİıµμΣσςΐΰǅéÉЖжﬅﬆdž1"
    every = "".join(map(chr, [*range(0xD800), *range(0xE000, 0x1F000)]))
    for letter in letters:
        expected = {ord(mate) for mate in re.findall(re.escape(letter), every, re.IGNORECASE)}
        found = unicode.fold(((ord(letter), ord(letter)),), ecma=False)
        assert {point for low, high in found for point in range(low, high + 1)} == expected, letter


def test_properties_have_long_and_short_names() -> None:
    assert unicode.property_set("Letter") == unicode.property_set("L") == unicode.property_set("gc", "L")
    assert (
        unicode.property_set("Script", "Greek") == unicode.property_set("sc", "Grek") == unicode.property_set("Greek")
    )
    assert unicode.property_set("Klingon") is None
    assert unicode.property_set("Block", "Arrows") is None
