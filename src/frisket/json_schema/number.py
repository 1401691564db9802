"""Conditions on a number's value → the JSON numerals that spell such values.

How a value may be spelled is decided last, here.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING

from frisket.json_schema.digits import Digits, part_digits, part_length
from frisket.json_schema.interval import LISTED, AtLeast, AtMost, Interval, NumberAtom
from frisket.json_schema.multiple import far_multiples, multiples
from frisket.json_schema.value import FRACTION, INTEGER

if TYPE_CHECKING:
    from frisket._core import GrammarBuilder
    from frisket.json_schema.options import JSONSchemaOptions

#: Longer runs of integers are described, not listed.
RUN = 64
#: Under free numerals the mantissa may have any shape for exponents up to this one; beyond, one digit before the point.
SMALL_EXPONENT = 4


def lower(builder: GrammarBuilder, options: JSONSchemaOptions, mask: int, atoms: tuple[NumberAtom, ...]) -> int | None:
    """A regular node of the numerals, or None if there are none."""
    interval = Interval(mask, atoms)
    free = options.numbers == "free" and not interval.plain
    numerals = Numerals(builder, options, free)
    node = None if interval.is_void() else numerals.lower(interval)
    return node if node is None or not interval.marked else numerals.marked(node)


class Numerals(Digits):
    """Builds the nodes of one set of numerals."""

    def __init__(self, builder: GrammarBuilder, options: JSONSchemaOptions, free: bool) -> None:
        super().__init__(builder, options)
        self.free = free

    def lower(self, interval: Interval) -> int | None:
        run = (
            interval.mask == INTEGER
            and interval.multiple == 1
            and not (self.free or interval.marked or interval.excluded or interval.without)
        )
        listed = interval.listed(RUN if run else LISTED)
        if listed is not None:
            return self.listed(listed, interval) if listed else None
        b = self.builder
        self.make_room(interval)
        plain_integer = interval.mask == INTEGER and not (self.free or interval.marked)
        unbounded = interval.low is None and interval.high is None
        if plain_integer:
            node = self.integers(interval.low, interval.low_open, interval.high, interval.high_open)
            step = interval.multiple
            if node is not None and step is not None and step != 1:
                node = b.and_([node, self.signed(multiples(self, step, point=False))])
            if node is not None and interval.without:
                others = [b.not_(self.signed(multiples(self, step, point=False))) for step in interval.without]
                node = b.and_([node, *others])
            return self.subtract(node, interval)
        if unbounded and interval.multiple is None and not interval.without:
            node = b.cat([self.optional(b.literal(b"-")), self.any_whole(), self.any_part(), self.any_exponent()])
            return self.subtract(node, interval)
        nodes = [self.decimals(interval, 0)]
        if self.options.max_exponent_digits:
            if self.free:
                for exponent in range(-SMALL_EXPONENT, SMALL_EXPONENT + 1):
                    mantissa = self.decimals(interval, exponent)
                    if mantissa is not None:
                        nodes.append(b.cat([mantissa, self.exponent(exponent, exponent)]))
                if interval.holds(Fraction(0)):
                    nodes.append(self.zero())
                beyond = self.scientific(interval, SMALL_EXPONENT)
            else:
                beyond = self.scientific(interval, -1)
            if beyond is not None:
                nodes.append(beyond)
        alive = [node for node in nodes if node is not None]
        return self.subtract(b.alt(alive) if len(alive) > 1 else alive[0], interval) if alive else None

    def make_room(self, interval: Interval) -> None:
        """Bounds and multiples with more digits than the options give raise the limits."""
        for value in (interval.low, interval.high, interval.multiple):
            if value is not None:
                self.whole = max(self.whole, len(str(abs(value) // 1)))
                self.part = max(self.part, part_length(value))

    def subtract(self, node: int | None, interval: Interval) -> int | None:
        """Take out single values; without exponents there are few ways to spell each."""
        if node is None or not interval.excluded:
            return node
        out = [v for v in sorted(interval.excluded) if v.denominator == 1 or interval.mask & FRACTION]
        if not out:
            return node
        return self.builder.and_([node, *(self.builder.not_(self.every_spelling(value)) for value in out)])

    def every_spelling(self, value: Fraction) -> int:
        """All decimals and small exponents that mean `value` (more than `lower` ever admits for it)."""
        b = self.builder
        value = Fraction(value)
        point = Interval(INTEGER | FRACTION, (AtLeast(value, False), AtMost(value, False)))
        nodes = [self.decimals(point, 0)]
        for exponent in range(-SMALL_EXPONENT, SMALL_EXPONENT + 1):
            mantissa = self.decimals(point, exponent)
            if mantissa is not None:
                nodes.append(b.cat([mantissa, self.exponent(exponent, exponent)]))
        nodes.append(self.scientific(point, -1))
        if value == 0:
            nodes.append(
                b.cat([self.optional(b.literal(b"-")), b.literal(b"0"), self.zero_part(), self.any_exponent()])
            )
        return b.alt([node for node in nodes if node is not None])

    def zero(self) -> int:
        """Every spelling of zero."""
        return self.signed(self.builder.cat([self.builder.literal(b"0"), self.zero_part(), self.any_exponent()]))

    def listed(self, values: list[Fraction], interval: Interval) -> int | None:
        b = self.builder
        if self.free:
            return b.alt([self.every_spelling(value) for value in values])
        words: list[bytes] = []
        for value in values:
            text = decimal_text(value)
            words.append(text)
            if value == 0:
                words.append(b"-0")
            if value.denominator == 1 and self.may_have_point(value, interval):
                words += [text + b".0", b"-0.0"] if value == 0 else [text + b".0"]
        return b.words(words)

    def may_have_point(self, value: Fraction, interval: Interval) -> bool:
        """Whether a whole value may be written as `1.0`."""
        return bool(interval.mask & FRACTION or interval.marked or value in interval.pointed) and not interval.plain

    def marked(self, node: int) -> int:
        """Those numerals that have a point or an exponent."""
        digits_only = self.signed(self.builder.repeat(self.digit, 1, None))
        return self.builder.and_([node, self.builder.not_(digits_only)])

    def decimals(self, interval: Interval, exponent: int) -> int | None:
        """Numerals without exponent whose value times 10^exponent is in the interval."""
        b = self.builder
        scale = Fraction(10) ** -exponent
        low = None if interval.low is None else interval.low * scale
        high = None if interval.high is None else interval.high * scale
        node = self.both_signs(low, interval.low_open, high, interval.high_open, self.magnitude)
        if node is None:
            return None
        conditions = [node]
        if interval.multiple is not None:
            conditions.append(self.signed(multiples(self, interval.multiple * scale, point=True)))
        conditions += [b.not_(self.signed(multiples(self, step * scale, point=True))) for step in interval.without]
        return b.and_(conditions) if len(conditions) > 1 else node

    def scientific(self, interval: Interval, beyond: int) -> int | None:
        """Numerals d.ddde±x with |x| > beyond and a non-zero digit d; of multiples, those with x > beyond."""
        far = None
        if interval.multiple is not None:
            far = far_multiples(self, interval.multiple, beyond) if beyond >= 0 else None
            if far is None or interval.unbounded():
                return far
        only_small = bool(interval.without)
        if only_small and any(step.denominator != 1 for step in interval.without):
            return None

        def magnitude(low: Fraction, low_open: bool, high: Fraction | None, high_open: bool) -> int | None:
            b = self.builder
            least = -self.exponents if low == 0 else max(magnitude_of(low), -self.exponents)
            most = self.exponents if high is None else min(magnitude_of(high), self.exponents)
            if only_small:
                most = min(most, -1)
            tight = {least} if low > 0 else set()
            if high is not None and magnitude_of(high) == most:
                tight.add(most)
            runs: list[tuple[int, int]] = []
            nodes: list[int] = []
            for first, last in split_range(least, most, sorted(tight), beyond):
                if first == last and first in tight:
                    scale = Fraction(10) ** -first
                    floor = max(low * scale, Fraction(1))
                    floor_open = low_open and low * scale >= 1
                    ceiling, ceiling_open = Fraction(10), True
                    if high is not None and high * scale < 10:
                        ceiling, ceiling_open = high * scale, high_open
                    mantissa = self.magnitude(floor, floor_open, ceiling, ceiling_open)
                    if mantissa is not None:
                        nodes.append(b.cat([mantissa, self.exponent(first, last)]))
                else:
                    runs.append((first, last))
            for first, last in runs:
                nodes.append(b.cat([b.byte_class([(0x31, 0x39)]), self.any_part(), self.exponent(first, last)]))
            return b.alt(nodes) if nodes else None

        node = self.both_signs(interval.low, interval.low_open, interval.high, interval.high_open, magnitude)
        return node if node is None or far is None else self.builder.and_([node, far])


def decimal_text(value: Fraction) -> bytes:
    if value.denominator == 1:
        return b"%d" % value.numerator
    sign = b"-" if value < 0 else b""
    value = abs(value)
    part = part_digits(value)
    return sign + b"%d" % int(value // 1) + (b"." + part.encode() if part else b"")


def magnitude_of(value: Fraction) -> int:
    """The exponent of a positive value written with one digit before the point."""
    if value <= 0:
        return -(10**9)
    exponent = len(str(value.numerator)) - len(str(value.denominator))
    while Fraction(10) ** exponent > value:
        exponent -= 1
    while Fraction(10) ** (exponent + 1) <= value:
        exponent += 1
    return exponent


def split_range(first: int, last: int, single: list[int], beyond: int) -> list[tuple[int, int]]:
    """first..last cut at the single values, without those of magnitude up to `beyond`, and cut at zero."""
    cuts = sorted({first, last + 1, 0, -beyond, beyond + 1, *(s for s in single), *(s + 1 for s in single)})
    runs = []
    for start, stop in pairwise(cuts):
        if start >= first and stop - 1 <= last and abs(start) > beyond and abs(stop - 1) > beyond:
            runs.append((start, stop - 1))
    return runs
