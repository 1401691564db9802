"""Conditions on a number's value → one interval with its exceptions.

All arithmetic is on fractions: a bound of 0.1 means one tenth. A set of numbers is a set of values, so `1.0` is the
integer 1 wherever the draft says so.
"""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from fractions import Fraction
from math import gcd
from typing import NamedTuple

from tests.oracle.json_schema.value import FRACTION, INTEGER

#: Above so many values a bounded set of multiples is described, not listed.
LISTED = 2000


class AtLeast(NamedTuple):
    bound: Fraction
    strict: bool
    kind: str = "interval AtLeast"


class AtMost(NamedTuple):
    bound: Fraction
    strict: bool
    kind: str = "interval AtMost"


class Multiple(NamedTuple):
    of: Fraction
    positive: bool
    kind: str = "interval Multiple"


class Among(NamedTuple):
    """`pointed` are the integers that the schema wrote with a point: they may be spelled so.

    Whole values may be ints, which hash and compare as fractions do, ten times as fast.
    """

    values: frozenset[Fraction]
    positive: bool
    pointed: frozenset[Fraction] = frozenset()
    kind: str = "interval Among"


class Plain(NamedTuple):
    """Written as digits only, or with a point or an exponent: a demand on spelling, not on the value."""

    positive: bool = True
    kind: str = "interval Plain"


NumberAtom = AtLeast | AtMost | Multiple | Among | Plain


def exact(value: int | float | Decimal) -> Fraction:
    """The number that the schema's text says: a float stands for its shortest decimal spelling."""
    if isinstance(value, float):
        return Fraction(Decimal(float.__repr__(value)))
    return Fraction(value)


def negate(atom: NumberAtom) -> NumberAtom:
    if isinstance(atom, AtLeast):
        return AtMost(atom.bound, not atom.strict)
    if isinstance(atom, AtMost):
        return AtLeast(atom.bound, not atom.strict)
    if isinstance(atom, Multiple):
        return Multiple(atom.of, not atom.positive)
    if isinstance(atom, Plain):
        return Plain(not atom.positive)
    return Among(atom.values, not atom.positive)


class Interval:
    """The conjunction of number atoms, and whether integers and fractions are meant."""

    __slots__ = (
        "excluded",
        "high",
        "high_open",
        "low",
        "low_open",
        "marked",
        "mask",
        "multiple",
        "plain",
        "pointed",
        "values",
        "without",
    )

    def __init__(self, mask: int, atoms: Iterable[NumberAtom]) -> None:
        self.mask = mask
        self.low: Fraction | None = None
        self.low_open = False
        self.high: Fraction | None = None
        self.high_open = False
        self.multiple: Fraction | None = None
        self.without: list[Fraction] = []
        self.values: frozenset[Fraction] | None = None
        self.excluded: set[Fraction] = set()
        self.plain = False
        self.marked = False
        self.pointed: frozenset[Fraction] = frozenset()
        for atom in atoms:
            if isinstance(atom, AtLeast):
                if self.low is None or (atom.bound, atom.strict) > (self.low, self.low_open):
                    self.low, self.low_open = atom.bound, atom.strict
            elif isinstance(atom, AtMost):
                if self.high is None or (-atom.bound, atom.strict) > (-self.high, self.high_open):
                    self.high, self.high_open = atom.bound, atom.strict
            elif isinstance(atom, Multiple):
                if not atom.positive:
                    self.without.append(atom.of)
                elif self.multiple is None:
                    self.multiple = atom.of
                else:
                    self.multiple = common_multiple(self.multiple, atom.of)
            elif isinstance(atom, Plain):
                if atom.positive:
                    self.plain = True
                else:
                    self.marked = True
            elif atom.positive:
                self.pointed |= atom.pointed
                self.values = atom.values if self.values is None else self.values & atom.values
            else:
                self.excluded |= atom.values
        if self.plain:
            mask = self.mask = mask & INTEGER
        if mask == INTEGER:
            self.multiple = Fraction(1) if self.multiple is None else common_multiple(self.multiple, Fraction(1))
        elif mask == FRACTION:
            self.without.append(Fraction(1))

    def holds(self, value: Fraction) -> bool:
        if self.low is not None and (value < self.low or (self.low_open and value == self.low)):
            return False
        if self.high is not None and (value > self.high or (self.high_open and value == self.high)):
            return False
        if self.multiple is not None and (value / self.multiple).denominator != 1:
            return False
        if any((value / step).denominator == 1 for step in self.without) or value in self.excluded:
            return False
        return self.values is None or value in self.values

    def kept(self, values: Iterable[Fraction]) -> Iterable[Fraction]:
        """Those of the values that hold."""
        if self.low is None and self.high is None and not self.excluded:
            if self.multiple == 1 and not self.without:
                return [value for value in values if value.denominator == 1]
            if self.multiple is None and not self.without:
                return values
        return filter(self.holds, values)

    def listed(self, most: int = LISTED) -> list[Fraction] | None:
        """All its values, ascending, or None if they are many or endless."""
        if self.values is not None:
            return sorted(self.kept(self.values))
        if self.multiple is None or self.low is None or self.high is None:
            if self.low is not None and self.low == self.high:
                return [self.low] if self.holds(self.low) else []
            return [] if self.crossed() else None
        first = -((-self.low) // self.multiple)
        last = self.high // self.multiple
        if last - first >= most:
            return None
        if self.multiple == 1 and not self.without and not self.excluded:
            first += self.low_open and first == self.low
            last -= self.high_open and last == self.high
            return list(range(int(first), int(last) + 1))  # type: ignore[arg-type]  # whole values, as in Among
        return [v for i in range(int(first), int(last) + 1) if self.holds(v := i * self.multiple)]

    def unbounded(self) -> bool:
        return self.low is None and self.high is None and not self.without

    def crossed(self) -> bool:
        if self.low is None or self.high is None:
            return False
        return self.low > self.high or (self.low == self.high and (self.low_open or self.high_open))

    def is_void(self) -> bool:
        """Whether certainly no value is left."""
        if self.crossed() or (self.plain and self.marked):
            return True
        if self.multiple is not None and any((self.multiple / step).denominator == 1 for step in self.without):
            return True
        if self.values is not None:
            return not any(map(self.holds, self.values))
        return self.listed(64) == []


def common_multiple(left: Fraction, right: Fraction) -> Fraction:
    """The least positive number that is a multiple of both."""
    numerator = left.numerator * right.numerator // gcd(left.numerator, right.numerator)
    return Fraction(numerator, gcd(left.denominator, right.denominator))
