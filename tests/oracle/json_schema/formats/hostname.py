"""hostname (RFC 1123), idn-hostname (RFC 5890)."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from frisket.notations.regex import lower_regex
from tests.oracle.json_schema.formats.format import Format
from tests.oracle.json_schema.formats.idna import is_hostname, is_idn_hostname, is_letter

if TYPE_CHECKING:
    from frisket._core import GrammarBuilder

# A label of letters, digits and inner hyphens, 63 at most.
LABEL = "[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"

# The same without hyphens in both third and fourth place.
PLAIN_LABEL = (
    "[A-Za-z0-9](?:[A-Za-z0-9]|[A-Za-z0-9-][A-Za-z0-9](?:[A-Za-z0-9-]{0,59}[A-Za-z0-9])?"
    "|[A-Za-z0-9-]-[A-Za-z0-9](?:[A-Za-z0-9-]{0,58}[A-Za-z0-9])?)?"
)

LONGEST_NAME = 253


def name_node(builder: GrammarBuilder, label: str) -> int:
    """Labels with dots between them, within the length of a whole name."""
    return builder.bounded(lower_regex(builder, rf"{label}(?:\.{label})*", dialect="ecma"), 1, LONGEST_NAME)


#: Letters beyond ASCII that need no look at their neighbours: written from left to right, in lower case, the same in
#: every normal form. Blocks with others are sifted by `is_letter`.
_WHOLE_BLOCKS = ((0x3041, 0x3096), (0x30A1, 0x30FA), (0x4E00, 0x9FA5), (0xAC00, 0xD7A3))
_SIFTED_BLOCKS = ((0xE0, 0x24F), (0x371, 0x3CF), (0x430, 0x52F))

#: No letter of these blocks takes more digits of Punycode, whatever stands before it in a label.
_DIGITS = 7


def international_node(builder: GrammarBuilder) -> int:
    """Internationalized names that surely are valid, ASCII names among them."""
    # The name fits in 253 octets whatever its labels are: three of the longest, or six of middling length.
    names = []
    for labels, longest in ((3, 63), (6, 40)):
        label = _international_label(builder, longest)
        more = builder.cat([builder.literal(b"."), label])
        names.append(builder.cat([label, builder.repeat(more, 0, labels - 1)]))
    return builder.alt([name_node(builder, PLAIN_LABEL), *names])


def _international_label(builder: GrammarBuilder, longest: int) -> int:
    b = builder
    letter = b.char_class(letters())
    ascii_char = b.byte_class([(0x30, 0x39), (0x61, 0x7A)])
    hyphen = b.literal(b"-")
    inner = b.repeat(b.alt([letter, ascii_char, hyphen]), 0)
    end = b.alt([letter, ascii_char])
    shape = b.alt([end, b.cat([end, inner, end])])
    any_char = b.char_class([(0, 0xD7FF), (0xE000, 0x10FFFF)])
    tagged = b.cat([any_char, any_char, b.literal(b"--"), b.any_text()])
    shape = b.and_([shape, b.not_(tagged)])
    other = b.repeat(b.alt([ascii_char, hyphen]), 0)
    ways = [b.and_([b.bounded(shape, 1, longest), lower_regex(b, PLAIN_LABEL, dialect="ecma")])]
    # `xn--`, the ASCII characters, a hyphen, and the digits of each letter: few letters leave room for many characters.
    for count in (1, 2, 3, 5, 8):
        room = longest - 5 - (_DIGITS - 1) * count
        if room >= count:
            few = b.cat([other, b.repeat(b.cat([letter, other]), 1, count)])
            ways.append(b.and_([b.bounded(shape, 1, room), few]))
    return b.alt(ways)


@cache
def letters() -> tuple[tuple[int, int], ...]:
    """The letters beyond ASCII that a generated name may hold."""
    sifted = [(point, point) for low, high in _SIFTED_BLOCKS for point in range(low, high + 1) if is_letter(chr(point))]
    return (*sifted, *_WHOLE_BLOCKS)


def international_outer(builder: GrammarBuilder) -> int:
    """Every valid internationalized name, among others: no name in ASCII is shorter than its label's characters."""
    char = r"A-Za-z0-9\u0080-\u3001\u3003-\uff0d\uff0f-\uff60\uff62-\u{10FFFF}"
    label = f"[{char}](?:[{char}-]{{0,61}}[{char}])?"
    name = rf"{label}(?:[.\u3002\uff0e\uff61]{label})*"
    return builder.bounded(lower_regex(builder, name, dialect="ecma"), 1, LONGEST_NAME)


def _hostname(builder: GrammarBuilder, python: bool) -> int:
    return name_node(builder, PLAIN_LABEL)


FORMATS = (
    Format(
        "hostname",
        _hostname,
        exact=False,
        sound=True,
        reason="names with a label like xn--… are left out: which of those are valid is Punycode arithmetic",
        check=is_hostname,
        outer=lambda builder: name_node(builder, LABEL),
    ),
    Format(
        "idn-hostname",
        lambda builder, python: international_node(builder),
        exact=False,
        reason="letters beyond Latin, Greek, Cyrillic, kana, Han and Hangul are left out, and long names: their length "
        "is counted in Punycode, which is no regular property",
        check=is_idn_hostname,
        outer=international_outer,
    ),
)

# Drafts before 7 know nothing of IDNA: RFC 1034 and 1123 alone.
LEGACY_HOSTNAME = Format("hostname", lambda builder, python: name_node(builder, LABEL))
