"""Random conditions on numbers × numerals near their bounds, multiples and constants: exact arithmetic decides.

The limits of digits vary, and both ways of spelling are tried. What is accepted must hold. What holds must be accepted
in its plain spelling, if that keeps to the limits.
"""

from __future__ import annotations

import json
import random
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest

from frisket import Grammar, JSONSchemaOptions
from frisket.errors import UnsatisfiableSchemaError, UnsupportedSchemaError

BOUNDS = ["0", "1", "-1", "0.1", "-0.005", "0.00001", "9.5", "10", "99.99", "12345", "9007199254740991", "10000000000"]
STEPS = ["1", "2", "3", "7", "12", "16", "25", "997", "1000", "65536", "99991", "0.5", "0.25", "0.7", "1.5", "0.001"]
STEPS += ["0.0125", "0.0011", "0.0000004", "100000000000000000000"]
#: Divisors whose multiples are few, or have many digits.
NOT_STEPS = [*STEPS[:16], "1024", "1048576"]
#: (digits before the point, after it, of the exponent)
DIGITS = [(40, 40, 3), (40, 40, 5), (6, 5, 2), (5, 4, 1), (4, 3, 0), (3, 3, 4), (1, 1, 3), (1, 0, 3)]


def plain(value: Fraction) -> str:
    """The numeral of a decimal fraction, without an exponent."""
    text = f"{Decimal(value.numerator) / Decimal(value.denominator):f}"
    return text.rstrip("0").removesuffix(".") if "." in text else text


@dataclass
class Asked:
    """A schema of numbers, with what it means."""

    keywords: dict[str, str] = field(default_factory=dict)
    listed: list[str] | None = None
    unlisted: list[str] = field(default_factory=list)
    without: str | None = None
    kind: str = "number"

    @classmethod
    def random(cls, draw: random.Random) -> Asked:
        asked = cls(kind=draw.choice(("number", "number", "integer", "integer", "fraction")))
        for _ in range(draw.choice((0, 1, 1, 2, 2, 3))):
            name = draw.choice(("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"))
            asked.keywords[name] = number(draw)
        if draw.random() < 0.35:
            asked.keywords["multipleOf"] = draw.choice(STEPS)
        if draw.random() < 0.25:
            asked.without = draw.choice(NOT_STEPS)
        if draw.random() < 0.2:
            asked.listed = [number(draw) for _ in range(draw.randint(1, 4))]
        if draw.random() < 0.25:
            asked.unlisted = [number(draw) for _ in range(draw.randint(1, 4))]
        return asked

    def text(self) -> str:
        """The schema as JSON, with every number as it is written here."""
        said = [f'"{name}": {value}' for name, value in self.keywords.items()]
        said.append('"type": "integer"' if self.kind == "integer" else '"type": "number"')
        said += [] if self.listed is None else [f'"enum": [{", ".join(self.listed)}]']
        nots = [f'{{"enum": [{", ".join(self.unlisted)}]}}'] if self.unlisted else []
        nots += [f'{{"multipleOf": {self.without}}}'] if self.without else []
        nots += ['{"type": "integer"}'] if self.kind == "fraction" else []
        said += [f'"not": {{"anyOf": [{", ".join(nots)}]}}'] if nots else []
        return f"{{{', '.join(said)}}}"

    def holds(self, value: Fraction) -> bool:
        tests = {
            "minimum": lambda bound: value >= bound,
            "maximum": lambda bound: value <= bound,
            "exclusiveMinimum": lambda bound: value > bound,
            "exclusiveMaximum": lambda bound: value < bound,
            "multipleOf": lambda step: (value / step).denominator == 1,
        }
        return (
            all(tests[name](Fraction(text)) for name, text in self.keywords.items())
            and (self.listed is None or value in map(Fraction, self.listed))
            and value not in map(Fraction, self.unlisted)
            and (self.without is None or (value / Fraction(self.without)).denominator != 1)
            and (self.kind == "number" or (self.kind == "integer") == (value.denominator == 1))
        )

    def near(self, draw: random.Random) -> set[Fraction]:
        """Values at which a condition may change."""
        steps = [Fraction(text) for text in (self.keywords.get("multipleOf"), self.without) if text]
        texts = [*self.keywords.values(), *(self.listed or ()), *self.unlisted, "0", "1", "-7", "0.5", "9999999999"]
        found = {Fraction(text) for text in texts}
        for value in list(found):
            found |= {value + sign * Fraction(by) for by in ("1", "0.1", "0.001") for sign in (1, -1)}
            found |= {(value // step + more) * step for step in steps for more in (-1, 0, 1)}
        found |= {step * draw.randint(-99, 99) for step in steps for _ in range(6)}
        return found | {Fraction(draw.randint(-3000, 3000), 10 ** draw.randint(0, 3)) for _ in range(12)}


def number(draw: random.Random) -> str:
    if draw.random() < 0.35:
        return draw.choice(BOUNDS)
    return plain(Fraction(draw.randint(-3000, 3000), 10 ** draw.choice((0, 0, 1, 2, 3))))


def spellings(value: Fraction) -> list[str]:
    text = plain(value)
    decimals = "." in text
    longer = [text + ("0" if decimals else ".0"), text + "e0", text + "E+0"]
    moved = [f"{plain(value / 10)}e1", f"{plain(value * 100)}e-2"]
    return [text, *longer, *moved, *(["-0"] if text == "0" else [])]


@pytest.mark.parametrize("block", range(20))
def test_accepted_numerals_are_those_that_hold(block: int) -> None:
    judged = 0
    for seed in range(20 * block, 20 * block + 20):
        draw = random.Random(f"numbers {seed}")
        asked, (whole, fraction, exponent) = Asked.random(draw), draw.choice(DIGITS)
        options: dict[str, Any] = {
            "numbers": draw.choice(("plain", "free")),
            "max_integer_digits": whole,
            "max_fraction_digits": fraction,
            "max_exponent_digits": exponent,
        }
        accepts = None
        try:
            accepts = Grammar.from_json_schema(asked.text(), JSONSchemaOptions(**options)).accepts
        except UnsatisfiableSchemaError:
            pass
        except UnsupportedSchemaError:  # too many remainders to count
            continue
        for value in asked.near(draw):
            holds = asked.holds(value)
            digits, _, decimals = plain(value).removeprefix("-").partition(".")
            fits = len(digits) <= whole and len(decimals) <= fraction
            for text in spellings(value):
                accepted = accepts is not None and accepts(text)
                assert holds or not accepted, f"{asked.text()} {options} accepts {text}"
            accepted = accepts is not None and accepts(plain(value))
            assert accepted or not (holds and fits), f"{asked.text()} {options} refuses {plain(value)}"
            judged += holds
    assert judged > 100


@pytest.mark.parametrize(
    ("schema", "accepted", "refused"),
    [
        ({"not": {"multipleOf": 1024}, "maximum": 10**200}, ["1", "1025", "-7"], ["0", "1024", "2048"]),
        ({"not": {"multipleOf": 1000}, "maximum": 99}, ["1", "99", "-999"], ["0", "-1000", "100"]),
        ({"multipleOf": 65536, "not": {"enum": [0, 65536]}}, ["131072", "-65536"], ["0", "65536", "1"]),
        ({"enum": [-193, 7], "minimum": -192.5}, ["7"], ["-193", "-192"]),
    ],
)
def test_integers(schema: dict[str, Any], accepted: list[str], refused: list[str]) -> None:
    accepts = Grammar.from_json_schema(json.dumps({"type": "integer", **schema})).accepts
    assert [text for text in [*accepted, *refused] if accepts(text)] == accepted
