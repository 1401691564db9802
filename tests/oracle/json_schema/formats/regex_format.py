"""regex (ECMA-262, Unicode mode): parentheses nest, so its language is a grammar, not a regular node.

What counts names and numbers beyond any grammar is left out: back-references, named groups, and ranges and counts whose
two sides would have to be compared digit by digit. Every text of the grammar is a regular expression to ECMA-262.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from frisket.notations.regex import is_ecma_regex
from tests.oracle.json_schema.formats.format import Format
from tests.oracle.json_schema.formats.spelling import LAST, Spelling

if TYPE_CHECKING:
    from frisket._core import GrammarBuilder

_SYNTAX = "^$\\.*+?()[]{}|/"
_CATEGORIES = (
    *("L", "Lu", "Ll", "Lt", "Lm", "Lo", "M", "Mn", "Mc", "Me", "N", "Nd", "Nl", "No", "P", "Pc", "Pd", "Ps", "Pe"),
    *("Pi", "Pf", "Po", "S", "Sm", "Sc", "Sk", "So", "Z", "Zs", "Zl", "Zp", "C", "Cc", "Cf", "Co", "Cn"),
)
_ALPHANUMERIC = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


def regex_node(builder: GrammarBuilder, escapes: str, nonempty: bool = False) -> int:
    """A structural node: the regular expressions as JSON strings, quotes included."""
    pieces = _Pieces(builder, escapes)
    b, s = builder, pieces.spelling
    quantifier = pieces.quantifier()
    term = pieces.term(quantifier)
    run = b.repeat(term, 0)
    body = b.rule("regular expression")
    group = b.seq([b.alt([s.text("("), s.text("(?:")]), body, b.cat([s.text(")"), quantifier])])
    look = b.seq([b.alt([s.text(mark) for mark in ("(?=", "(?!", "(?<=", "(?<!")]), body, s.text(")")])
    further = b.seq([b.alt([group, look]), run])
    b.define(body, b.seq([run, b.repeat(further, 0)]))
    first = b.alt([b.seq([b.repeat(term, 1), b.repeat(further, 0)]), b.repeat(further, 1)]) if nonempty else body
    quote = b.literal(b'"')
    return b.seq([quote, first, quote])


class _Pieces:
    """The regular parts of the grammar."""

    def __init__(self, builder: GrammarBuilder, escapes: str) -> None:
        self.builder = builder
        self.spelling = Spelling(builder, escapes)

    def term(self, quantifier: int) -> int:
        """One character, class, escape or assertion with what repeats it, or a bar."""
        b, s = self.builder, self.spelling
        plain = s.chars(_without(_SYNTAX.replace("/", "")))
        atom = b.alt([plain, s.text("."), b.cat([s.text("\\"), self.escape(_SYNTAX)]), self.char_class()])
        boundary = b.cat([s.text("\\"), s.any_of("bB")])
        return b.alt([b.cat([atom, quantifier]), s.any_of("|^$"), boundary])

    def quantifier(self) -> int:
        """Nothing, or a quantifier, greedy or lazy."""
        b, s = self.builder, self.spelling
        number = b.alt([s.text("0"), b.cat([self.digits(1, 9), b.repeat(self.digits(0, 9), 0, 3)])])
        counts = b.alt([number, b.cat([number, s.text(",")]), self.rising_counts()])
        kinds = b.alt([s.any_of("*+?"), b.cat([s.text("{"), counts, s.text("}")])])
        return b.repeat(b.cat([kinds, b.repeat(s.text("?"), 0, 1)]), 0, 1)

    def rising_counts(self) -> int:
        """`n,m` with n ≤ m: of different lengths up to four digits, or of the same length where that is easy to see."""
        b, s = self.builder, self.spelling
        comma, digit = s.text(","), self.digits(0, 9)

        def longer(length: int) -> int:
            return b.cat([self.digits(1, 9), b.repeat(digit, length - 1, 3)])

        nodes = [b.cat([self.digits(0, 9), comma, longer(2)])]
        nodes += [b.cat([self.digits(1, 9), b.repeat(digit, n - 1, n - 1), comma, longer(n + 1)]) for n in (2, 3)]
        nodes += [b.cat([self.digits(n, n), comma, self.digits(n, 9)]) for n in range(10)]
        for length in (1, 2, 3):
            rest = b.repeat(digit, length, length)
            nodes += [b.cat([self.digits(n, n), rest, comma, self.digits(n + 1, 9), rest]) for n in range(1, 9)]
        return b.alt(nodes)

    def escape(self, identity: str) -> int:
        """What may follow a backslash in an atom and in a class."""
        b, s = self.builder, self.spelling
        unit = self.hexadecimal(0, 15)
        names = b.alt([s.text(name) for name in _CATEGORIES])
        points = b.alt(
            [
                b.cat([b.repeat(s.text("0"), 0, 2), b.repeat(unit, 1, 5)]),
                b.cat([s.text("10"), b.repeat(unit, 4, 4)]),
            ]
        )
        return b.alt(
            [
                s.any_of("dDwWsSfnrtv" + identity),
                b.cat([s.any_of("pP"), s.text("{"), names, s.text("}")]),
                b.cat([s.text("c"), s.chars([(0x41, 0x5A), (0x61, 0x7A)])]),
                b.cat([s.text("x"), b.repeat(unit, 2, 2)]),
                b.cat([s.text("u"), b.repeat(unit, 4, 4)]),
                b.cat([s.text("u{"), points, s.text("}")]),
            ]
        )

    def char_class(self) -> int:
        """`[…]`; a hyphen that is no range stands first or last, or is escaped."""
        b, s = self.builder, self.spelling
        single = b.alt([s.chars(_without("\\]-")), b.cat([s.text("\\"), self.escape(_SYNTAX + "-b")])])
        hyphen = s.text("-")
        ranges = [b.cat([s.text(low), hyphen, s.any_of(_ALPHANUMERIC[at:])]) for at, low in enumerate(_ALPHANUMERIC)]
        unit = self.hexadecimal(0, 15)
        # \xhh, \uhhhh and \u00hh whose first digits tell which is lower.
        for lead, length in (("\\x", 2), ("\\u", 4), ("\\u00", 2)):
            mark, rest = s.text(lead), b.repeat(unit, length - 1, length - 1)
            ranges += [
                b.cat([mark, self.hexadecimal(n, n), rest, hyphen, mark, self.hexadecimal(n + 1, 15), rest])
                for n in range(15)
            ]
        optional = b.repeat(hyphen, 0, 1)
        members = b.repeat(b.alt([single, *ranges]), 0)
        return b.cat([s.text("["), b.repeat(s.text("^"), 0, 1), optional, members, optional, s.text("]")])

    def digits(self, low: int, high: int) -> int:
        return self.spelling.chars([(0x30 + low, 0x30 + high)])

    def hexadecimal(self, low: int, high: int) -> int:
        ranges = [(0x30 + low, 0x30 + min(high, 9))] if low <= 9 else []
        if high >= 10:
            ranges += [(base + max(low, 10) - 10, base + high - 10) for base in (0x41, 0x61)]
        return self.spelling.chars(ranges)


def _without(chars: str) -> list[tuple[int, int]]:
    """All characters but these."""
    found, start = [], 0
    for point in sorted(map(ord, chars)):
        if start < point:
            found.append((start, point - 1))
        start = point + 1
    return [*found, (start, 0xD7FF), (0xE000, LAST)]


FORMATS = (
    Format(
        "regex",
        None,
        exact=False,
        reason="back-references, named groups and ranges of escapes that only differ late are left out",
        check=is_ecma_regex,
        nested=regex_node,
    ),
)
