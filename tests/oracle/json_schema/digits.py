"""Ranges → the digits that spell the numbers in them, piece by piece: signs, integers, decimals, exponents."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import gcd
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from frisket._core import GrammarBuilder
    from frisket.json_schema.options import JSONSchemaOptions

#: The largest double, and the smallest that is not zero, as they are written.
LARGEST = Fraction("1.7976931348623157e308")
SMALLEST = Fraction("5e-324")

#: From an unsigned range (low, whether open, high, whether open) to a node.
Magnitude = Callable[[Fraction, bool, "Fraction | None", bool], "int | None"]


class Digits:
    """Pieces of numerals; a numeral has at most so many digits before and behind the point."""

    def __init__(self, builder: GrammarBuilder, options: JSONSchemaOptions) -> None:
        self.builder = builder
        self.options = options
        self.whole = options.max_integer_digits
        self.part = options.max_fraction_digits
        self.digit = builder.byte_class([(0x30, 0x39)])
        #: Exponents of three digits go with one digit before the point, and as far as a double reaches.
        self.doubles = options.max_exponent_digits == 3
        most = 10**options.max_exponent_digits - 1
        self.exponents = (-324, 308) if self.doubles else (-most, most)

    # -- signs ----------------------------------------------------------------------------------------------------
    def both_signs(
        self, low: Fraction | None, low_open: bool, high: Fraction | None, high_open: bool, magnitude: Magnitude
    ) -> int | None:
        zero = Fraction(0)
        nodes: list[int] = []
        if high is None or high >= 0:
            node = magnitude(*((low, low_open) if low is not None and low >= 0 else (zero, False)), high, high_open)
            if node is not None:
                nodes.append(node)
        if low is None or low <= 0:
            floor, floor_open = (-high, high_open) if high is not None and high <= 0 else (zero, False)
            node = magnitude(floor, floor_open, None if low is None else -low, low_open)
            if node is not None:
                nodes.append(self.builder.cat([self.builder.literal(b"-"), node]))
        if not nodes:
            return None
        return self.builder.alt(nodes)

    def signed(self, node: int) -> int:
        return self.builder.cat([self.optional(self.builder.literal(b"-")), node])

    # -- integers -------------------------------------------------------------------------------------------------
    def integers(self, low: Fraction | None, low_open: bool, high: Fraction | None, high_open: bool) -> int | None:
        def magnitude(floor: Fraction, floor_open: bool, ceiling: Fraction | None, ceiling_open: bool) -> int | None:
            first = -(-floor // 1) + (1 if floor_open and floor.denominator == 1 else 0)
            last = None if ceiling is None else ceiling // 1 - (1 if ceiling_open and ceiling.denominator == 1 else 0)
            return self.whole_range(int(first), None if last is None else int(last))

        return self.both_signs(low, low_open, high, high_open, magnitude)

    def whole_range(self, first: int, last: int | None) -> int | None:
        """The integers first..last without leading zeros."""
        b = self.builder
        if last is not None and last < first:
            return None
        if first == last:
            return b.literal(b"%d" % first)
        longest = max(self.whole, len(str(first)) + 1) if last is None else len(str(last))
        if first == 0 and last is None:
            return self.any_whole()
        nodes: list[int] = []
        if first == 0:
            nodes.append(b.literal(b"0"))
            first = 1
        length = len(str(first))
        last = 10**longest - 1 if last is None else last
        full: list[int] = []
        while length <= longest:
            floor, ceiling = max(first, 10 ** (length - 1)), min(last, 10**length - 1)
            if floor == 10 ** (length - 1) and ceiling == 10**length - 1:
                full.append(length)
            else:
                nodes.append(self.same_length(str(floor), str(ceiling)))
            length += 1
        if full:
            tail = b.repeat(self.digit, full[0] - 1, full[-1] - 1)
            nodes.append(b.cat([b.byte_class([(0x31, 0x39)]), tail]))
        return b.alt(nodes)

    def same_length(self, low: str, high: str) -> int:
        """Digit strings between two of equal length."""
        b = self.builder
        shared = 0
        while shared < len(low) and low[shared] == high[shared]:
            shared += 1
        head = low[:shared].encode()
        if shared == len(low):
            return b.literal(head)
        rest = len(low) - shared - 1
        first, last = int(low[shared]), int(high[shared])
        nodes: list[int] = []
        if low[shared + 1 :].strip("0"):
            nodes.append(b.cat([b.literal(low[shared].encode()), self.at_least(low[shared + 1 :])]))
            first += 1
        if high[shared + 1 :].strip("9"):
            nodes.append(b.cat([b.literal(high[shared].encode()), self.at_most(high[shared + 1 :])]))
            last -= 1
        if first <= last:
            nodes.append(b.cat([self.digits(first, last), b.repeat(self.digit, rest, rest)]))
        node = b.alt(nodes)
        return b.cat([b.literal(head), node]) if head else node

    def at_least(self, low: str) -> int:
        """Digit strings of this length that are not below it, built from the last digit."""
        b = self.builder
        node = b.epsilon()
        for place in range(len(low) - 1, -1, -1):
            figure, rest = int(low[place]), len(low) - place - 1
            node = b.cat([b.literal(b"%d" % figure), node])
            if figure < 9:
                node = b.alt([node, b.cat([self.digits(figure + 1, 9), b.repeat(self.digit, rest, rest)])])
        return node

    def at_most(self, high: str) -> int:
        b = self.builder
        node = b.epsilon()
        for place in range(len(high) - 1, -1, -1):
            figure, rest = int(high[place]), len(high) - place - 1
            node = b.cat([b.literal(b"%d" % figure), node])
            if figure > 0:
                node = b.alt([node, b.cat([self.digits(0, figure - 1), b.repeat(self.digit, rest, rest)])])
        return node

    def any_whole(self) -> int:
        b = self.builder
        tail = b.repeat(self.digit, 0, self.whole - 1)
        return b.alt([b.literal(b"0"), b.cat([b.byte_class([(0x31, 0x39)]), tail])])

    # -- decimals -------------------------------------------------------------------------------------------------
    def magnitude(self, low: Fraction, low_open: bool, high: Fraction | None, high_open: bool) -> int | None:
        """Unsigned decimals in a range; `low` is not negative."""
        b = self.builder
        if high is not None and (high < low or (high == low and (low_open or high_open))):
            return None
        floor, low_part = int(low // 1), part_digits(low)
        nodes: list[int] = []
        if high is None:
            if low == 0 and not low_open:
                return b.cat([self.any_whole(), self.any_part()])
            above = self.whole_range(floor + 1, None)
            ceiling = None
        else:
            ceiling = int(high // 1)
            above = self.whole_range(floor + 1, ceiling - 1)
        head = b.literal(b"%d" % floor)
        tail = self.part_at_least(low_part, low_open)
        if ceiling == floor and high is not None:
            upper = self.part_at_most(part_digits(high), high_open)
            if upper is None:
                return None
            return b.cat([head, b.and_([tail, upper])])
        nodes.append(b.cat([head, tail]))
        if above is not None:
            nodes.append(b.cat([above, self.any_part()]))
        if high is not None and ceiling is not None:
            upper = self.part_at_most(part_digits(high), high_open)
            if upper is not None:
                nodes.append(b.cat([b.literal(b"%d" % ceiling), upper]))
        return b.alt(nodes)

    def part_at_least(self, figures: str, strict: bool) -> int:
        """Fractional parts (the empty one too) not below 0.figures; figures end in a non-zero digit."""
        b = self.builder
        if not figures and not strict:
            return self.any_part()
        more = b.repeat(self.digit, 0, self.part)
        node = more
        if strict:
            node = b.cat([b.repeat(b.literal(b"0"), 0, self.part), self.digits(1, 9), more])
        for figure in map(int, reversed(figures)):
            node = b.cat([b.literal(b"%d" % figure), node])
            if figure < 9:
                node = b.alt([node, b.cat([self.digits(figure + 1, 9), more])])
        return b.cat([b.literal(b"."), node])

    def part_at_most(self, figures: str, strict: bool) -> int | None:
        b = self.builder
        if not figures:
            return None if strict else self.zero_part()
        more = b.repeat(self.digit, 0, self.part)
        node = b.empty() if strict else b.repeat(b.literal(b"0"), 0, self.part)
        for place in range(len(figures) - 1, -1, -1):
            figure = int(figures[place])
            nodes = [b.cat([b.literal(b"%d" % figure), node])]
            if figure > 0:
                nodes.append(b.cat([self.digits(0, figure - 1), more]))
            if place > 0:
                nodes.append(b.epsilon())
            node = b.alt(nodes)
        return self.optional(b.cat([b.literal(b"."), node]))

    def any_part(self) -> int:
        b = self.builder
        return self.optional(b.cat([b.literal(b"."), b.repeat(self.digit, 1, self.part)]))

    def zero_part(self) -> int:
        b = self.builder
        return self.optional(b.cat([b.literal(b"."), b.repeat(b.literal(b"0"), 1, self.part)]))

    def padded_part(self, decimals: int) -> int:
        """At most so many decimals, and zeros after them; or none at all."""
        if decimals >= self.part:
            return self.any_part()
        if decimals <= 0:
            return self.zero_part()
        b = self.builder
        zeros = b.repeat(b.literal(b"0"), 0, self.part - decimals)
        return self.optional(b.cat([b.literal(b"."), b.repeat(self.digit, 1, decimals), zeros]))

    # -- exponents ------------------------------------------------------------------------------------------------
    def any_exponent(self) -> int:
        b = self.builder
        if not self.options.max_exponent_digits:
            return b.epsilon()
        sign = self.optional(b.byte_class([(0x2B, 0x2B), (0x2D, 0x2D)]))
        digits = b.repeat(self.digit, 1, 2 if self.doubles else self.options.max_exponent_digits)
        return self.optional(b.cat([b.byte_class([(0x45, 0x45), (0x65, 0x65)]), sign, digits]))

    def exponent(self, first: int, last: int) -> int:
        """Exponents first..last (one sign only, or from a negative to a positive), leading zeros allowed."""
        b = self.builder
        nodes: list[int] = []
        zeros = b.repeat(b.literal(b"0"), 0, 1 if self.doubles else max(self.options.max_exponent_digits - 1, 1))
        if last >= 0:
            node = self.whole_range(max(first, 0), last)
            if node is not None:
                nodes.append(b.cat([self.optional(b.literal(b"+")), zeros, node]))
        if first <= 0:
            node = self.whole_range(max(-last, 0), -first)
            if node is not None:
                nodes.append(b.cat([b.literal(b"-"), zeros, node]))
        return b.cat([b.byte_class([(0x45, 0x45), (0x65, 0x65)]), b.alt(nodes)])

    # -- small pieces ---------------------------------------------------------------------------------------------
    def digits(self, first: int, last: int) -> int:
        return self.builder.byte_class([(0x30 + first, 0x30 + last)])

    def optional(self, node: int) -> int:
        return self.builder.alt([self.builder.epsilon(), node])


def part_length(value: Fraction) -> int:
    """How many decimals `value` needs; JSON numbers always end."""
    places, denominator = 0, value.denominator
    while denominator != 1:
        places += 1
        denominator //= gcd(denominator, 10)
    return places


def part_digits(value: Fraction) -> str:
    """The digits of the fractional part, without trailing zeros."""
    part = value % 1
    places = part_length(part)
    return str(int(part * 10**places)).zfill(places) if places else ""
