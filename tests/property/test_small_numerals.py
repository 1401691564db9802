"""Conditions on numbers × every small numeral: the value decides, and the options say which spellings there are.

The spellings are those that `JSONSchemaOptions` documents under `numbers` and the three limits of digits.
"""

from __future__ import annotations

import itertools
import re
from fractions import Fraction
from typing import Any

import pytest

from frisket import Grammar, JSONSchemaOptions
from frisket.errors import UnsatisfiableSchemaError

WHOLES = [
    *map(str, (*range(13), 19, 20, 21, 49, 50, 89, 90, 99, 100, 101, 109, 110, 119, 120, 125, 199, 200, 201, 999))
]
PARTS = ["", *(f".{digit}" for digit in range(10)), ".00", ".01", ".05", ".09", ".10", ".25", ".50", ".75", ".99"]
MANTISSAS = list(itertools.product(["0", "1", "5", "9", "10", "12", "99", "100"], ["", ".0", ".5", ".05", ".25", ".9"]))
EXPONENTS = ["e0", "e1", "e+1", "e-1", "e2", "E-2", "e3", "e-3", "E+4", "e-4", "e5", "e-5", "e6", "e9"]
TEXTS = [
    *("-" * minus + whole + part for whole in WHOLES for part in PARTS for minus in (0, 1)),
    *("-" * minus + "".join(mantissa) + exp for mantissa in MANTISSAS for exp in EXPONENTS for minus in (0, 1)),
]
ILL = ["", "-", "00", "01", "-01", "1.", ".5", "+1", "1e", "1e+", "1.e1", "--1", "1e1.0", "0x1", "1 ", "e1", "1..2"]

#: A value is counted in this unit, so that all are integers.
UNIT, FAR = 10**8, 10**30
SHAPE = re.compile(r"-?(\d+)(?:\.(\d+))?(?:[eE]([-+]?\d+))?")
PLAIN: dict[str, Any] = {"max_integer_digits": 3, "max_fraction_digits": 2, "max_exponent_digits": 1}
FREE: dict[str, Any] = {**PLAIN, "numbers": "free"}


def units(text: str) -> int:
    value = Fraction(text) * UNIT
    assert value.denominator == 1
    return int(value)


def _shape(text: str) -> tuple[str, int, str | None]:
    found = SHAPE.fullmatch(text)
    assert found is not None
    return found[1], len(found[2] or ""), found[3]


#: Each numeral with its value, its whole part, its decimals and its exponent.
NUMERALS = [(text, units(text), *_shape(text)) for text in TEXTS]


class Asked:
    """A schema of numbers, as the specification and the documented options read it."""

    def __init__(self, kind: str, keywords: dict[str, str], options: dict[str, Any], without: str = "") -> None:
        self.kind = kind
        self.free = options.get("numbers") == "free"
        self.options = JSONSchemaOptions(**options)
        said = "".join(f', "{name}": {text}' for name, text in keywords.items())
        said += f', "not": {{"multipleOf": {without}}}' if without else ""
        self.said = f'{{"type": "{kind}"{said}}}'
        self.without = units(without) if without else 0
        bound = {name: units(text) for name, text in keywords.items()}
        self.step = bound.pop("multipleOf", 0)
        self.bounded = bool(bound)
        above, below = bound.get("exclusiveMinimum", -FAR), bound.get("exclusiveMaximum", FAR)
        self.low, self.high = max(bound.get("minimum", -FAR), above + 1), min(bound.get("maximum", FAR), below - 1)

    def holds(self, value: int) -> bool:
        if not self.low <= value <= self.high or (self.kind == "integer" and value % UNIT):
            return False
        return not (self.step and value % self.step) and not (self.without and value % self.without == 0)

    def is_spelled(self, whole: str, decimals: int, exponent: str | None) -> bool:
        """Whether the options document this spelling."""
        if self.kind == "integer" and not self.free:
            return not decimals and exponent is None
        if exponent is None or not (self.step or self.without or self.bounded or self.kind == "integer"):
            return True
        listed = self.step or self.without or self.low == self.high
        one_digit = len(whole) == 1 and whole != "0"
        if not self.free:
            return one_digit and not listed
        # How far exponents of multiples and of single values go is not documented.
        return abs(int(exponent)) <= 4 or (one_digit and not listed and self.kind == "number")

    def wrong(self) -> list[str]:
        """The numerals of which the grammar says something else."""
        try:
            accepts = Grammar.from_json_schema(self.said, self.options).accepts
        except UnsatisfiableSchemaError:
            return [text for text, value, *_ in NUMERALS if self.holds(value)]
        found = []
        for text, value, *shape in NUMERALS:
            if accepts(text) != self.holds(value) and (not self.holds(value) or self.is_spelled(*shape)):
                found.append(text)
        return found + [text for text in ILL if accepts(text)]


BOUNDS = ["0", "1", "-1", "0.5", "-0.5", "9.5", "10", "12", "-12", "19", "99", "100", "-100", "125", "0.05"]
LEAST, MOST = ("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")
HALF = [{name: text} for name in (*LEAST, *MOST) for text in BOUNDS]
BOTH = [
    {least: low, most: high}
    for low, high in itertools.product(BOUNDS, repeat=2)
    for least, most in itertools.product(LEAST, MOST)
    if Fraction(low) <= Fraction(high)
]
STEPS = [*map(str, (1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 15, 25, 40, 100, 0.1, 0.5, 0.25, 0.05, 0.3, 1.5, 2.5, 0.75, 0.02))]


@pytest.mark.parametrize("kind", ["number", "integer"])
@pytest.mark.parametrize(("options", "every"), [(PLAIN, 3), (FREE, 13)], ids=["plain", "free"])
def test_bounds(kind: str, options: dict[str, Any], every: int) -> None:
    for keywords in [{}, *HALF[:: every // 2], *BOTH[::every]]:
        assert Asked(kind, keywords, options).wrong() == [], keywords


@pytest.mark.parametrize("kind", ["number", "integer"])
@pytest.mark.parametrize("options", [PLAIN, FREE], ids=["plain", "free"])
def test_multiples(kind: str, options: dict[str, Any]) -> None:
    for number, step in enumerate(STEPS):
        for beside in ({}, HALF[number], BOTH[number * 11]):
            keywords = {"multipleOf": step, **beside}
            assert Asked(kind, keywords, options).wrong() == [], keywords


@pytest.mark.parametrize("kind", ["number", "integer"])
@pytest.mark.parametrize("options", [PLAIN, FREE], ids=["plain", "free"])
def test_what_is_no_multiple(kind: str, options: dict[str, Any]) -> None:
    for number, (step, other) in enumerate(
        itertools.product(["", "1", "2", "3", "0.5", "6"], ["2", "3", "0.5", "6", "1"])
    ):
        beside = [{}, HALF[number], {}, BOTH[number * 7]][number % 4]
        keywords = {**({"multipleOf": step} if step else {}), **beside}
        assert Asked(kind, keywords, options, other).wrong() == [], (keywords, other)
