"""Host name → whether IDNA 2008 takes it (RFC 5890 to 5893); code point properties as RFC 5892 derives them."""

from __future__ import annotations

import re
import unicodedata
from functools import cache

from frisket.notations.regex import unicode

_LABEL = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?")
_DOTS = re.compile("[.\u3002\uff0e\uff61]")


def is_hostname(text: str) -> bool:
    """Whether the text is a host name of RFC 1123, its A-labels (xn--…) sound.

    >>> is_hostname("xn--bcher-kva.example"), is_hostname("xn--X")
    (True, False)
    """
    labels = text.split(".")
    if len(text) > 253 or not all(_LABEL.fullmatch(label) for label in labels):
        return False
    return all(_a_label(label) for label in labels if label[2:4] == "--" and label[:2].lower() == "xn")


def is_idn_hostname(text: str) -> bool:
    """Whether the text is an internationalized host name.

    >>> is_idn_hostname("bücher.example"), is_idn_hostname("l·a")
    (True, False)
    """
    labels = _DOTS.split(text)
    decoded: list[str] = []
    length = len(labels) - 1
    for label in labels:
        ascii_label = _ascii_form(label)
        if ascii_label is None:
            return False
        length += len(ascii_label)
        decoded.append(_decoded(label) or label)
    return length <= 253 and _bidi(decoded)


def _ascii_form(label: str) -> str | None:
    """The label in ASCII, None if it is not valid."""
    if label.isascii():
        if not _LABEL.fullmatch(label):
            return None
        if label[2:4] == "--":
            return label if label[:2].lower() == "xn" and _a_label(label) else None
        return label
    if not _u_label(label):
        return None
    encoded = "xn--" + label.encode("punycode").decode()
    return encoded if len(encoded) <= 63 else None


def _decoded(label: str) -> str | None:
    """The U-label of an A-label, whose letters may be capitals (RFC 5890, 2.3.2.1)."""
    label = label.lower()
    if label[:4] != "xn--":
        return None
    try:
        return label[4:].encode().decode("punycode")
    except (UnicodeError, IndexError, OverflowError, ValueError):
        return None


def _a_label(label: str) -> bool:
    decoded = _decoded(label)
    if not decoded or decoded.isascii() or not _u_label(decoded):
        return False
    try:
        return decoded.encode("punycode").decode().lower() == label[4:].lower() and _bidi([decoded])
    except UnicodeError:
        return False


def _u_label(label: str) -> bool:
    if label[0] == "-" or label[-1] == "-" or label[2:4] == "--" or unicodedata.category(label[0])[0] == "M":
        return False
    if unicodedata.normalize("NFC", label) != label:
        return False
    return all(_allowed(label, place) for place in range(len(label)))


def _allowed(label: str, place: int) -> bool:
    char = label[place]
    before = label[place - 1] if place else ""
    after = label[place + 1 : place + 2]
    if char in "\u200c\u200d":
        virama = bool(before) and unicodedata.combining(before) == 9
        return virama or (char == "\u200c" and _joins(label, place))
    if char == "·":
        return before == "l" and after == "l"
    if char == "\u0375":
        return bool(after) and _in_script(after, "greek")
    if char in "\u05f3\u05f4":
        return bool(before) and _in_script(before, "hebrew")
    if char == "\u30fb":
        return any(_in_script(other, name) for other in label for name in ("hiragana", "katakana", "han"))
    if "\u0660" <= char <= "\u0669":
        return not any("\u06f0" <= other <= "\u06f9" for other in label)
    if "\u06f0" <= char <= "\u06f9":
        return True  # beside digits of the other kind it is those that are refused
    return _valid(char)


def _joins(label: str, place: int) -> bool:
    """(L|D) T* ZWNJ T* (R|D), where joining types are read off scripts that join: Arabic and its kin."""
    return _letter_beside(label[:place][::-1]) and _letter_beside(label[place + 1 :])


def _letter_beside(chars: str) -> bool:
    for char in chars:
        if unicodedata.category(char) in ("Mn", "Me", "Cf"):
            continue
        return unicodedata.bidirectional(char) == "AL"
    return False


def _in_script(char: str, name: str) -> bool:
    ranges = unicode.property_set("script", name)
    return ranges is not None and unicode.includes(ranges, ord(char))


_EXCEPTIONS_VALID = "\u00df\u03c2\u06fd\u06fe\u0f0b\u3007"
#: Conjoining Hangul Jamo (RFC 5892, 2.9), and combining marks for symbols and musical ones (2.5).
_DISALLOWED_BLOCKS = (
    (0x1100, 0x11FF), (0x20D0, 0x20FF), (0xA960, 0xA97F), (0xD7B0, 0xD7FF), (0x1D100, 0x1D1FF), (0x1D200, 0x1D24F),
)  # fmt: skip
_EXCEPTIONS_INVALID = "\u0640\u07fa\u302e\u302f\u3031\u3032\u3033\u3034\u3035\u303b"


@cache
def _valid(char: str) -> bool:
    """PVALID of RFC 5892."""
    if char in _EXCEPTIONS_VALID:
        return True
    if char in _EXCEPTIONS_INVALID:
        return False
    if char.isascii():
        return char.islower() or char.isdigit() or char == "-"
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", char).casefold())
    point = ord(char)
    if folded != char or unicode.includes(_DISALLOWED_BLOCKS, point) or unicode.includes(_ignorable(), point):
        return False
    return unicodedata.category(char) in ("Ll", "Lu", "Lo", "Lm", "Mn", "Mc", "Nd")


@cache
def _ignorable() -> unicode.CharSet:
    """IgnorableProperties of RFC 5892 (2.3)."""
    sets = [unicode.property_set(name) for name in ("DI", "White_Space", "NChar")]
    return unicode.normalize(pair for found in sets if found is not None for pair in found)


def is_letter(char: str) -> bool:
    """Whether a label may hold the letter whatever stands beside it, in a name that is written from left to right."""
    if char in _EXCEPTIONS_VALID or not _valid(char):
        return False
    return unicodedata.category(char) in ("Ll", "Lo") and unicodedata.bidirectional(char) == "L"


def _bidi(labels: list[str]) -> bool:
    """The rule of RFC 5893, which holds for all labels as soon as one is written from right to left."""
    classes = [[unicodedata.bidirectional(char) for char in label] for label in labels]
    if not any(kind in ("R", "AL", "AN") for label in classes for kind in label):
        return True
    return all(map(_bidi_label, classes))


def _bidi_label(kinds: list[str]) -> bool:
    spoken = [kind for kind in kinds if kind != "NSM"]
    if not spoken:
        return False
    if kinds[0] in ("R", "AL"):
        allowed = {"R", "AL", "AN", "EN", "ES", "CS", "ET", "ON", "BN", "NSM"}
        ends = spoken[-1] in ("R", "AL", "EN", "AN")
        return ends and set(kinds) <= allowed and not {"EN", "AN"} <= set(kinds)
    if kinds[0] == "L":
        return spoken[-1] in ("L", "EN") and set(kinds) <= {"L", "EN", "ES", "CS", "ET", "ON", "BN", "NSM"}
    return False
