"""The classes of Rust's patterns, held against what Python knows of the same properties."""

from __future__ import annotations

import unicodedata

import pytest

from frisket import Grammar
from tests.unit.notations.regex.test_unicode import POINTS, members

#: Symbols that count as letters (Other_Alphabetic), and the joiners.
_MORE = ((0x200C, 0x200D), (0x24B6, 0x24E9), (0x1F130, 0x1F149), (0x1F150, 0x1F169), (0x1F170, 0x1F189))


def _is_word(point: int) -> bool:
    category = unicodedata.category(chr(point))
    return category[0] in "LM" or category in ("Nl", "Nd", "Pc") or any(low <= point <= high for low, high in _MORE)


def test_the_classes_are_those_of_unicode() -> None:
    # What the table says of characters that are younger than this Python cannot be told.
    known = [point for point in POINTS if unicodedata.ucd_3_2_0.category(chr(point)) != "Cn"]
    found = {name: members(rf"\{name}", "rust") for name in "dsw"}
    assert [point for point in known if (point in found["w"]) != _is_word(point)] == []
    assert [point for point in known if (point in found["d"]) != (unicodedata.category(chr(point)) == "Nd")] == []
    python = {point for point in known if chr(point).isspace()}
    assert python - found["s"] == set(range(0x1C, 0x20)) and found["s"] <= python


@pytest.mark.parametrize(
    ("pattern", "accepted", "refused"),
    [
        (r"\w", "éⓐ٣‿", "½"),
        (r"\W", "½ ", "é"),
        (r"[\w.]", ".é", "½"),
        (r"[^\W\d]", "é_", "3½"),
        (r"\s", "\u3000\x85", "\x1c"),
        (r"\S", "\x1c", " "),
        (r"\d", "٣", "²"),
        (r"(?i)\w", "éÉ", "-"),
    ],
)
def test_a_pattern_of_llguidance_has_the_classes_of_rust(pattern: str, accepted: str, refused: str) -> None:
    grammar = Grammar.from_lark(f"start: /{pattern}/")
    assert [grammar.accepts(char) for char in accepted] == [True] * len(accepted)
    assert [grammar.accepts(char) for char in refused] == [False] * len(refused)


def test_a_flag_of_rust_is_no_flag_of_a_pattern() -> None:
    with pytest.raises(Exception, match="unknown kind of group"):
        Grammar.from_lark("start: /(?r:a)/")
