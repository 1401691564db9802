"""Conditions on a number's value → the JSON numerals that spell such values.

How a value may be spelled is decided last, here.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING

from tests.oracle.json_schema.digits import LARGEST, SMALLEST, Digits, part_digits, part_length
from tests.oracle.json_schema.interval import LISTED, AtLeast, AtMost, Interval, NumberAtom
from tests.oracle.json_schema.multiple import far_multiples, multiples
from tests.oracle.json_schema.value import FRACTION, INTEGER

if TYPE_CHECKING:
    from frisket._core import GrammarBuilder
    from frisket.json_schema.options import JSONSchemaOptions

#: Longer runs of integers are described, not listed.
RUN = 64
#: Under free numerals the mantissa may have any shape for exponents up to this one; beyond, one digit before the point.
SMALL_EXPONENT = 4


#: Parts of numerals by what they were made for: a range of exponents, the top of the doubles.
Known = dict[object, int]


def lower(
    builder: GrammarBuilder,
    options: JSONSchemaOptions,
    mask: int,
    atoms: tuple[NumberAtom, ...],
    known: Known | None = None,
) -> int | None:
    """A regular node of the numerals, or None if there are none. `known` are the builder's parts so far."""
    interval = Interval(mask, atoms)
    free = options.numbers == "free" and not interval.plain
    numerals = Numerals(builder, options, free, {} if known is None else known)
    node = None if interval.is_void() else numerals.lower(interval)
    return node if node is None or not interval.marked else numerals.marked(node)


class Numerals(Digits):
    """Builds the nodes of one set of numerals."""

    def __init__(self, builder: GrammarBuilder, options: JSONSchemaOptions, free: bool, known: Known) -> None:
        super().__init__(builder, options)
        self.free = free
        self.known = known

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
            return self.subtract(self.signed(self.any_magnitude()), interval, any_shape=True)
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
        return self.subtract(b.alt(alive), interval) if alive else None

    def any_magnitude(self) -> int:
        """Every unsigned number; a whole part of one digit may have a longer exponent.

        (Told apart by the whole part, so that no position has two ways to go on.)
        """
        b = self.builder
        if not self.doubles:
            return b.cat([self.any_whole(), self.any_part(), self.any_exponent()])
        several = b.cat([self.digits(1, 9), b.repeat(self.digit, 1, self.whole - 1)])
        short = b.cat([b.alt([b.literal(b"0"), several]), self.any_part(), self.any_exponent()])
        first, last = self.exponents
        one = b.cat([self.digits(1, 9), self.any_part(), self.optional(self.exponent(first, last - 1))])
        return b.alt([short, one, self.top()])

    def top(self) -> int:
        """The numbers that share their exponent with the largest double, up to it; made once."""
        node = self.known.get("top")
        if node is None:
            last = self.exponents[1]
            mantissa = self.magnitude(Fraction(1), False, LARGEST / 10**last, False)
            assert mantissa is not None
            node = self.known["top"] = self.builder.cat([mantissa, self.exponent(last, last)])
        return node

    def exponent(self, first: int, last: int) -> int:
        """The same as `Digits.exponent`, made once."""
        node = self.known.get((first, last))
        if node is None:
            node = self.known[first, last] = super().exponent(first, last)
        return node

    def make_room(self, interval: Interval) -> None:
        """Bounds and multiples with more digits than the options give raise the limits."""
        for value in (interval.low, interval.high, interval.multiple):
            if value is not None:
                self.whole = max(self.whole, len(str(abs(value) // 1)))
                self.part = max(self.part, part_length(value))

    def subtract(self, node: int | None, interval: Interval, *, any_shape: bool = False) -> int | None:
        """Take out single values; `any_shape`: exponents go with digits of any number before the point."""
        if node is None or not interval.excluded:
            return node
        out = [v for v in sorted(interval.excluded) if v.denominator == 1 or interval.mask & FRACTION]
        if not out:
            return node
        spellings = [self.every_spelling(value) for value in out]
        if any_shape:
            spellings += [self.shifted(Fraction(value)) for value in out if value]
        return self.builder.and_([node, *(self.builder.not_(spelling) for spelling in spellings)])

    def shifted(self, value: Fraction) -> int:
        """All numerals that mean `value` (not zero) and have an exponent of any size beside a mantissa of any shape."""
        b = self.builder
        widest = 99 if self.doubles else self.exponents[1]
        top = magnitude_of(abs(value))
        # The place of the last digit that is not zero.
        bottom = -part_length(value) or len(str(value.numerator)) - len(str(value.numerator).rstrip("0"))
        nodes: list[int] = []
        for exponent in range(max(top - self.whole + 1, -widest), min(bottom + self.part, widest) + 1):
            text = decimal_text(value / Fraction(10) ** exponent)
            zeros = b.repeat(b.literal(b"0"), 0, self.part) if b"." in text else self.zero_part()
            nodes.append(b.cat([b.literal(text), zeros, self.exponent(exponent, exponent)]))
        return b.alt(nodes) if nodes else b.empty()

    def every_spelling(self, value: Fraction) -> int:
        """All decimals and small exponents that mean `value`, and all with one digit before the point."""
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
        pointed: list[bytes] = []
        for value in values:
            text = decimal_text(value)
            words.append(text)
            if value == 0:
                words.append(b"-0")
            if value.denominator != 1:
                pointed.append(text)
            elif self.may_have_point(value, interval):
                pointed += [text + b".0", b"-0.0"] if value == 0 else [text + b".0"]
        if not pointed or interval.values is not None:
            return b.words(words + pointed)
        # No schema wrote these values: as everywhere, zeros may follow a fractional part.
        zeros = b.repeat(b.literal(b"0"), 0, self.part)
        return b.alt([b.words(words), b.cat([b.words(pointed), zeros])])

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
        return b.and_(conditions)

    def scientific(self, interval: Interval, beyond: int) -> int | None:
        """Numerals d.ddde±x with |x| > beyond and a non-zero digit d; of multiples, those with x > beyond."""
        far = None
        if interval.multiple is not None:
            far = far_multiples(self, interval.multiple, beyond) if beyond >= 0 else None
            if far is None or (interval.unbounded() and not self.doubles):
                return far
        only_small = bool(interval.without)
        if only_small and any(step.denominator != 1 for step in interval.without):
            return None

        def magnitude(low: Fraction, low_open: bool, high: Fraction | None, high_open: bool) -> int | None:
            b = self.builder
            first_exponent, last_exponent = self.exponents
            if self.doubles and low == 0 and low_open:
                # Whoever reads a smaller one as a double reads zero.
                low, low_open = SMALLEST, False
            least = first_exponent if low == 0 else max(magnitude_of(low), first_exponent)
            nodes: list[int] = []
            if self.doubles and (high is None or high > LARGEST):
                high, high_open = LARGEST, False
                if least < last_exponent and not only_small:
                    nodes.append(self.top())
                    last_exponent, high = last_exponent - 1, None
            most = last_exponent if high is None else min(magnitude_of(high), last_exponent)
            if only_small:
                most = min(most, -1)
            tight = {least} if low > 0 else set()
            if high is not None and magnitude_of(high) == most:
                tight.add(most)
            exponents: list[int] = []
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
                    exponents.append(self.exponent(first, last))
            if exponents:
                node = b.alt(exponents)
                nodes.append(b.cat([self.digits(1, 9), self.any_part(), node]))
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


@lru_cache(maxsize=256)
def magnitude_of(value: Fraction) -> int:
    """The exponent of a positive value written with one digit before the point."""
    if value <= 0:
        return -(10**9)
    # A quotient of numbers of m and n digits lies between 10^(m-n-1) and 10^(m-n+1).
    exponent = len(str(value.numerator)) - len(str(value.denominator))
    return exponent - 1 if Fraction(10) ** exponent > value else exponent


def split_range(first: int, last: int, single: list[int], beyond: int) -> list[tuple[int, int]]:
    """first..last cut at the single values, without those of magnitude up to `beyond`, and cut at zero."""
    cuts = sorted({first, last + 1, 0, -beyond, beyond + 1, *(s for s in single), *(s + 1 for s in single)})
    runs = []
    for start, stop in pairwise(cuts):
        if start >= first and stop - 1 <= last and abs(start) > beyond and abs(stop - 1) > beyond:
            runs.append((start, stop - 1))
    return runs
