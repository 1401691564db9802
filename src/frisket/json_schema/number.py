"""Conditions on a number's value → the JSON numerals that spell such values.

How a value may be spelled is decided last, here.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise
from math import gcd
from typing import TYPE_CHECKING

from frisket.json_schema.interval import LISTED, AtLeast, AtMost, Interval, NumberAtom
from frisket.json_schema.value import FRACTION, INTEGER

if TYPE_CHECKING:
    from frisket._core import GrammarBuilder
    from frisket.json_schema.options import JSONSchemaOptions

#: The largest divisor prime to ten: every state of the numeral is searched for a way to end.
RESIDUES = 4000
#: Longer runs of integers are described, not listed.
RUN = 64
#: Under free numerals the mantissa may have any shape for exponents up to this one; beyond, one digit before the point.
SMALL_EXPONENT = 4


#: From an unsigned range (low, whether open, high, whether open) to a node.
Magnitude = Callable[[Fraction, bool, "Fraction | None", bool], "int | None"]


class TooManyResidues(Exception):
    """multipleOf needs more states than anybody should pay for."""


def lower(builder: GrammarBuilder, options: JSONSchemaOptions, mask: int, atoms: tuple[NumberAtom, ...]) -> int | None:
    """A regular node of the numerals, or None if there are none."""
    interval = Interval(mask, atoms)
    free = options.numbers == "free" and not interval.plain
    numerals = Numerals(builder, options, free)
    node = None if interval.is_void() else numerals.lower(interval)
    return node if node is None or not interval.marked else numerals.marked(node)


class Numerals:
    """Builds the nodes of one set of numerals."""

    def __init__(self, builder: GrammarBuilder, options: JSONSchemaOptions, free: bool) -> None:
        self.builder = builder
        self.options = options
        self.free = free
        self.whole = options.max_integer_digits
        self.part = options.max_fraction_digits
        self.digit = builder.byte_class([(0x30, 0x39)])
        self.exponents = 10**options.max_exponent_digits - 1

    # -- the whole set --------------------------------------------------------------------------------------------
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
                node = b.and_([node, self.signed(self.multiples(step, point=False))])
            if node is not None and interval.without:
                others = [b.not_(self.signed(self.multiples(step, point=False))) for step in interval.without]
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
            conditions.append(self.signed(self.multiples(interval.multiple * scale, point=True)))
        conditions += [b.not_(self.signed(self.multiples(step * scale, point=True))) for step in interval.without]
        return b.and_(conditions) if len(conditions) > 1 else node

    def scientific(self, interval: Interval, beyond: int) -> int | None:
        """Numerals d.ddde±x with |x| > beyond and a non-zero digit d; of multiples, those with x > beyond."""
        far = None
        if interval.multiple is not None:
            far = self.far_multiples(interval.multiple, beyond) if beyond >= 0 else None
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

    def far_multiples(self, step: Fraction, beyond: int) -> int | None:
        """Numerals d.ddde+x with x > beyond and so few decimals that every one is a multiple of `step`."""
        places = part_length(step)
        rest, twos = strip(int(step * 10**places), 2)
        rest, fives = strip(rest, 5)
        if rest != 1:
            return None
        b = self.builder
        nodes: list[int] = []
        first = beyond + 1
        while first <= self.exponents:
            decimals = first - max(twos, fives) + places
            last = self.exponents if decimals >= self.part else first
            if decimals >= 0:
                nodes.append(b.cat([self.digits(1, 9), self.padded_part(decimals), self.exponent(first, last)]))
            first = last + 1
        return self.signed(b.alt(nodes)) if nodes else None

    def padded_part(self, decimals: int) -> int:
        """At most so many decimals, and zeros after them; or none at all."""
        if decimals >= self.part:
            return self.any_part()
        if decimals <= 0:
            return self.zero_part()
        b = self.builder
        zeros = b.repeat(b.literal(b"0"), 0, self.part - decimals)
        return self.optional(b.cat([b.literal(b"."), b.repeat(self.digit, 1, decimals), zeros]))

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
        return self.builder.alt(nodes) if len(nodes) > 1 else nodes[0]

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
        return b.alt(nodes) if len(nodes) > 1 else nodes[0]

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
        node = b.alt(nodes) if len(nodes) > 1 else nodes[0]
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
        return b.alt(nodes) if len(nodes) > 1 else nodes[0]

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

    def any_whole(self) -> int:
        b = self.builder
        tail = b.repeat(self.digit, 0, self.whole - 1)
        return b.alt([b.literal(b"0"), b.cat([b.byte_class([(0x31, 0x39)]), tail])])

    def any_part(self) -> int:
        b = self.builder
        return self.optional(b.cat([b.literal(b"."), b.repeat(self.digit, 1, self.part)]))

    def zero_part(self) -> int:
        b = self.builder
        return self.optional(b.cat([b.literal(b"."), b.repeat(b.literal(b"0"), 1, self.part)]))

    def any_exponent(self) -> int:
        b = self.builder
        if not self.options.max_exponent_digits:
            return b.epsilon()
        sign = self.optional(b.byte_class([(0x2B, 0x2B), (0x2D, 0x2D)]))
        digits = b.repeat(self.digit, 1, self.options.max_exponent_digits)
        return self.optional(b.cat([b.byte_class([(0x45, 0x45), (0x65, 0x65)]), sign, digits]))

    def exponent(self, first: int, last: int) -> int:
        """Exponents first..last (one sign only, or from a negative to a positive), leading zeros allowed."""
        b = self.builder
        nodes: list[int] = []
        zeros = b.repeat(b.literal(b"0"), 0, max(self.options.max_exponent_digits - 1, 1))
        if last >= 0:
            node = self.whole_range(max(first, 0), last)
            if node is not None:
                nodes.append(b.cat([self.optional(b.literal(b"+")), zeros, node]))
        if first <= 0:
            node = self.whole_range(max(-last, 0), -first)
            if node is not None:
                nodes.append(b.cat([b.literal(b"-"), zeros, node]))
        return b.cat([b.byte_class([(0x45, 0x45), (0x65, 0x65)]), b.alt(nodes) if len(nodes) > 1 else nodes[0]])

    # -- multiples ------------------------------------------------------------------------------------------------
    def multiples(self, step: Fraction, *, point: bool) -> int:
        """Unsigned numerals that are multiples of `step`; with a fractional part if `point`.

        step = c · 2^a · 5^b / 10^k with c prime to ten. The twos and fives look only at the last max(a, b) digits
        before place k behind the point; c looks at all digits and, ten being invertible, does not mind the point.
        """
        b = self.builder
        places = part_length(step)
        if not point:
            places, step = 0, Fraction(step.numerator)
        scaled = int(step * 10**places)
        rest, twos = strip(scaled, 2)
        rest, fives = strip(rest, 5)
        node = self.by_ending(scaled // rest, max(twos, fives), places, point)
        if rest == 1:
            return node
        if rest > RESIDUES:
            raise TooManyResidues
        # A multiple of coprime numbers is a multiple of each: their states add up instead of multiplying.
        return b.and_([node, *(self.by_residue(factor, point) for factor in prime_powers(rest))])

    def by_ending(self, step: int, watched: int, places: int, point: bool) -> int:
        b = self.builder
        zeros = b.repeat(b.literal(b"0"), 0, self.part)
        if step == 1:
            if not point:
                return self.any_whole()
            if not places:
                return b.cat([self.any_whole(), self.zero_part()])
            part = b.cat([b.literal(b"."), b.repeat(self.digit, 1, places), zeros])
            return b.cat([self.any_whole(), self.optional(part)])
        if 10**watched // step > 5000:
            raise TooManyResidues
        length = max(watched, places)
        padding = 10 ** (length - watched)
        if padding > 1 and 10**watched // step * padding > 5000:
            return self.by_long_ending(step, watched, places)
        endings: dict[str, list[str]] = {}
        for ending in range(0, 10**length, step):
            text = str(ending).zfill(length)
            head_text, figures = text[: length - places], text[length - places :]
            endings.setdefault(head_text, []).append(figures.rstrip("0"))
        nodes: list[int] = []
        groups: dict[tuple[str, ...], list[str]] = {}
        for head_text, parts in endings.items():
            groups.setdefault(tuple(sorted(set(parts))), []).append(head_text)
        for parts_key, wholes in groups.items():
            head = self.whole_ending(wholes)
            alternatives: list[int] = []
            pointed = [p.encode() for p in parts_key if p]
            if pointed:
                alternatives.append(b.cat([b.literal(b"."), b.words(pointed), zeros]))
            if "" in parts_key:
                alternatives.append(self.zero_part() if point else b.epsilon())
            nodes.append(b.cat([head, b.alt(alternatives) if len(alternatives) > 1 else alternatives[0]]))
        return b.alt(nodes) if len(nodes) > 1 else nodes[0]

    def by_long_ending(self, step: int, watched: int, places: int) -> int:
        """Many places, few of them watched: free digits, then a watched group, then zeros; shorter parts are padded."""
        b = self.builder
        zeros = b.repeat(b.literal(b"0"), 0, self.part)
        groups = [str(n).zfill(watched).rstrip("0").encode() for n in range(0, 10**watched, step)]
        lead = b.repeat(self.digit, places - watched, places - watched)
        exact_part = b.cat([lead, b.words(groups), zeros])
        short_part = b.cat([b.repeat(self.digit, 1, places - watched), zeros])
        part = b.cat([b.literal(b"."), b.alt([exact_part, short_part])])
        return b.cat([self.any_whole(), self.optional(part)])

    def whole_ending(self, endings: list[str]) -> int:
        """Integers without leading zeros whose last digits (padded with zeros) are among these."""
        b = self.builder
        length = len(endings[0])
        if length == 0:
            return self.any_whole()
        short = sorted({str(int(text)).encode() for text in endings})
        full = [text.encode() for text in endings]
        lead = b.cat([self.digits(1, 9), b.repeat(self.digit, 0, max(self.whole - length - 1, 0))])
        return b.alt([b.words(short), b.cat([lead, b.words(full)])])

    def by_residue(self, modulus: int, point: bool) -> int:
        """Texts of digits (and points) whose digits, read as one number, are a multiple of `modulus`."""
        b = self.builder
        longest = self.whole + (self.part + 1 if point else 0)
        if modulus * longest > 40_000:
            raise TooManyResidues
        end, dot = b.epsilon(), b.literal(b".")
        figures = [b.literal(b"%d" % figure) for figure in range(10)]
        level = [end if r == 0 else b.empty() for r in range(modulus)]
        for _ in range(longest):
            above: list[int] = []
            for r in range(modulus):
                nodes = [b.cat([figures[f], level[(10 * r + f) % modulus]]) for f in range(10)]
                if point:
                    nodes.append(b.cat([dot, level[r]]))
                if r == 0:
                    nodes.append(end)
                above.append(b.alt(nodes))
            level = above
        return level[0]

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


def prime_powers(value: int) -> list[int]:
    """The powers of different primes whose product is `value`, or `value` itself where its primes are large."""
    found: list[int] = []
    rest, prime = value, 3
    while prime * prime <= rest and prime < 10_000:
        rest, count = strip(rest, prime)
        if count:
            found.append(prime**count)
        prime += 2
    return [*found, rest] if rest > 1 else found


def strip(value: int, prime: int) -> tuple[int, int]:
    count = 0
    while value % prime == 0:
        value //= prime
        count += 1
    return value, count
