"""Internationalized host names against the package `idna`, which reads RFC 5890 to 5893 on its own."""

from __future__ import annotations

import itertools
import json
import sys
import unicodedata
from collections.abc import Iterable

import pytest

from frisket import Grammar

idna = pytest.importorskip("idna", reason="jsonschema[format] brings it")

#: Letters of scripts that join, of both directions, with what may stand in some contexts only (RFC 5892, appendix A),
#: what has another normal form, capitals, digits of three kinds, marks, and what no label may hold.
SIGNS = "ab-1AßüςЖא״׳ב·lα͵あー・漢\u200c\u200d\u0915\u094d\u0660\u06f0ع١\u0301\u0640\u1100\ud7b0_ 〇\u302eﬁ"


#: Names in one schema.
MANY = 5_000


def accepted(names: Iterable[str], name: str = "idn-hostname") -> set[str]:
    """Those that the format takes: of listed texts it judges each by itself."""
    found: set[str] = set()
    every = list(dict.fromkeys(names))
    for first in range(0, len(every), MANY):
        some = every[first : first + MANY]
        grammar = Grammar.from_json_schema({"format": name, "enum": [None, *some]})
        found.update(one for one in some if grammar.accepts(json.dumps(one, ensure_ascii=False)))
    return found


def wrong(names: Iterable[str], name: str = "idn-hostname") -> list[str]:
    """The names of which the format says something else than `idna`."""
    every = list(names)
    found = accepted(every, name)
    return [one for one in every if (one in found) != is_valid(one)]


def is_valid(name: str) -> bool:
    """What `idna` says; of a name with a label from right to left, RFC 5893 asks something of all labels."""
    try:
        labels = [idna.ulabel(label) for label in idna.encode(name).decode().split(".")]
        if any(map(_is_right_to_left, labels)):
            for label in labels:
                idna.check_bidi(label, check_ltr=True)
    except idna.IDNAError:
        return False
    return True


def _is_right_to_left(label: str) -> bool:
    return any(ord(char) > 0x58F and idna.core.unicodedata.bidirectional(char) in ("R", "AL", "AN") for char in label)


@pytest.mark.parametrize("length", [1, 2, 3])
def test_every_short_label(length: int) -> None:
    assert wrong(map("".join, itertools.product(SIGNS, repeat=length))) == []


@pytest.mark.slow
def test_every_character() -> None:
    # Each package has a Unicode of its own: compared are the characters that both know, but for those of private use.
    # Digits of two kinds are decided by their neighbours, and no label begins with a mark.
    chars = [
        char
        for char in map(chr, range(sys.maxunicode + 1))
        if unicodedata.category(char) not in ("Cn", "Cs", "Co") and char not in "٠١٢٣٤٥٦٧٨٩۰۱۲۳۴۵۶۷۸۹"
    ]
    left, right = accepted("a" + char for char in chars), accepted("א" + char for char in chars)
    found = [char for char in chars if "a" + char in left or "א" + char in right]
    assert found == [char for char in chars if is_valid("a" + char) or is_valid("א" + char)]


def test_digits_of_two_kinds_do_not_meet() -> None:
    # RFC 5892, appendix A.8 and A.9: Arabic-Indic digits and extended ones, with their neighbours.
    signs = "a\u0628\u065f\u0660\u0664\u0669\u066a\u06ef\u06f0\u06f5\u06f9\u06fa\u06fd\u05f3\u05f4\u05d0\u0375\u03b1"
    labels = ["".join(label) for length in (1, 2, 3) for label in itertools.product(signs, repeat=length)]
    assert wrong(labels) == []


def test_every_short_name_of_labels_in_both_directions() -> None:
    names = ["".join(signs) for length in (4, 5) for signs in itertools.product("a1אب١.", repeat=length)]
    assert wrong(name for name in names if name[-1] != ".") == []


def test_every_short_label_in_punycode() -> None:
    names = []
    for length in (1, 2, 3):
        for signs in itertools.product("ab1-Aüα漢אبßّ", repeat=length):
            digits = "".join(signs).encode("punycode").decode()
            names += [f"xn--{digits}", f"XN--{digits.upper()}", f"xn--{digits}a", f"xn--{digits[:-1]}"]
    assert wrong(names) == wrong(names, "hostname") == []


def test_the_longest_labels_and_names() -> None:
    names = [f"{lead}{'a' * size}" for lead in ("a", "ü", "a.", "אא") for size in range(50, 66)]
    names += [lead * size for lead in "üあ漢" for size in range(10, 66)]
    for label, dot in itertools.product(("a" * 49, "ü" * 20), ".。"):
        names += [dot.join([label] * count + ["a" * rest]) for count in range(3, 12) for rest in (1, 2, 3, 40, 50, 60)]
        names += [dot.join(["a" * 49] * 4 + [label[:10], "b" * rest]) for rest in range(38, 46)]
    assert wrong(names) == []
    assert {is_valid(name) for name in names} == {True, False}
