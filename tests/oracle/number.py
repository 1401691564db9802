"""Random conditions on numbers → crates/schema/tests/oracle/number.tsv: what the Python front end makes of each.

    python -m tests.oracle.number > crates/schema/tests/oracle/number.tsv

A row is the types, the notation, the conditions, and the fingerprint of the grammar: equal grammars have equal ones, so
that a row decides about every numeral at once. The crate's test `number` reads the table.
"""

from __future__ import annotations

import random
from fractions import Fraction

from frisket._core import GrammarBuilder
from frisket.errors import LimitExceededError
from frisket.json_schema import JSONSchemaOptions
from tests.oracle.json_schema import number
from tests.oracle.json_schema.interval import Among, AtLeast, AtMost, Multiple, NumberAtom, Plain
from tests.oracle.json_schema.multiple import TooManyRemainders
from tests.oracle.json_schema.number import decimal_text
from tests.oracle.json_schema.value import FRACTION, INTEGER

ROWS = 2_000
TYPES = {INTEGER: "integer", FRACTION: "fraction", INTEGER | FRACTION: "number"}
NOTATIONS = [
    (free, *digits) for free in (0, 1) for digits in ((40, 40, 3), (40, 40, 3), (6, 5, 2), (4, 3, 0), (5, 4, 1))
]
NOTATIONS += [(0, 40, 40, 5), (1, 3, 3, 4), (1, 1, 1, 3), (0, 1, 0, 3)]
STEPS = ["1", "2", "3", "5", "7", "10", "12", "0.5", "0.1", "0.01", "0.25", "1.5", "0.3", "0.7", "100", "1000", "1e20"]
STEPS += ["64", "1024", "0.001", "1e-9", "6250", "997", "0.0125", "3.75", "65536", "99991", "100003", "4e-7", "1.1e-3"]
ENDS = ["0", "1", "-1", "10", "0.1", "-0.1", "1e5", "99.99", "-99.99", "9.5", "1e-5", "1e39", "1e45", "12345", "-0.005"]
ENDS += ["1.7976931348623157e308", "5e-324", "1e-400", "1e400", "-1e300", "2e308", "9007199254740991", "1e10", "1e100"]


def decimal(chance: random.Random) -> Fraction:
    if chance.random() < 0.4:
        return Fraction(chance.choice(ENDS))
    return Fraction(chance.randint(-3000, 3000), 10 ** chance.choice([0, 0, 0, 1, 2, 3]))


def condition(chance: random.Random) -> NumberAtom:
    kind = chance.choices(["least", "most", "multiple", "among", "plain"], [5, 5, 4, 3, 1])[0]
    if kind == "least":
        return AtLeast(decimal(chance), chance.random() < 0.4)
    if kind == "most":
        return AtMost(decimal(chance), chance.random() < 0.4)
    if kind == "multiple":
        return Multiple(Fraction(chance.choice(STEPS)), chance.random() < 0.75)
    if kind == "plain":
        return Plain(chance.random() < 0.6)
    values = frozenset(decimal(chance) for _ in range(chance.choice([1, 1, 2, 4])))
    positive = chance.random() < 0.4
    pointed = frozenset(value for value in values if value.denominator == 1 and chance.random() < 0.5)
    return Among(values, positive, pointed if positive else frozenset())


def text(value: Fraction) -> str:
    return decimal_text(value).decode()


def said(atom: NumberAtom) -> str:
    if isinstance(atom, AtLeast):
        return (">" if atom.strict else ">=") + text(atom.bound)
    if isinstance(atom, AtMost):
        return ("<" if atom.strict else "<=") + text(atom.bound)
    if isinstance(atom, Multiple):
        return ("*" if atom.positive else "!*") + text(atom.of)
    if isinstance(atom, Plain):
        return "plain" if atom.positive else "marked"
    values, pointed = (",".join(map(text, sorted(some))) for some in (atom.values, atom.pointed))
    return ("=" if atom.positive else "!=") + values + (f";{pointed}" if pointed else "")


def result(mask: int, notation: tuple[int, int, int, int], atoms: tuple[NumberAtom, ...]) -> str | None:
    free, whole, part, exponent = notation
    options = JSONSchemaOptions(
        numbers="free" if free else "plain",
        max_integer_digits=whole,
        max_fraction_digits=part,
        max_exponent_digits=exponent,
    )
    builder = GrammarBuilder()
    try:
        node = number.lower(builder, options, mask, atoms)
    except TooManyRemainders as error:
        return f"remainders {error.args[0]} {error.args[1]}"
    except LimitExceededError:
        return None
    if node is None or node == builder.empty():
        return "none"
    return f"{builder.build(node).fingerprint:032x}"


def main() -> None:
    chance = random.Random(25)
    for row in range(ROWS):
        mask = chance.choice([INTEGER, INTEGER, INTEGER | FRACTION, INTEGER | FRACTION, FRACTION])
        atoms = tuple(condition(chance) for _ in range(chance.choice([0, 1, 1, 2, 2, 3, 4]) if row >= 30 else 0))
        if mask == FRACTION:
            atoms = tuple(atom for atom in atoms if not isinstance(atom, Plain))
        notation = NOTATIONS[row % len(NOTATIONS)]
        made = result(mask, notation, atoms)
        if made is not None:  # a limit takes its time to reach
            print(TYPES[mask], *notation, " ".join(map(said, atoms)), made, sep="\t")


if __name__ == "__main__":
    main()
