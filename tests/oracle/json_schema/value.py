"""JSON values → sets of values: by type, and for each type what must hold.

A `Case` is a conjunction: the value has one of the types in `mask`, and if it is a string all of `strings` hold, if a
number all of `numbers`, and so on. A set of values is a union of cases. Two bits for integers and fractions, and two
for the booleans, make complements of `type`, `enum` and `const` plain arithmetic on the mask. Conditions are named
tuples, since cases hash and compare them again and again; their `kind` tells apart those that hold the same values.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.oracle.json_schema.array import ArrayAtom
    from tests.oracle.json_schema.interval import NumberAtom
    from tests.oracle.json_schema.object import ObjectAtom
    from tests.oracle.json_schema.string import StringAtom

NULL, FALSE, TRUE, INTEGER, FRACTION, STRING, ARRAY, OBJECT = (1 << i for i in range(8))
BOOLEAN = FALSE | TRUE
NUMBER = INTEGER | FRACTION
ANY = 255

TYPES = {
    "null": NULL,
    "boolean": BOOLEAN,
    "integer": INTEGER,
    "number": NUMBER,
    "string": STRING,
    "array": ARRAY,
    "object": OBJECT,
}

#: A demand on one value: literals that must all hold. A literal is twice a place's number, plus one if negated.
Goal = frozenset[int]
#: No demand at all.
ANYTHING: Goal = frozenset()
#: The demand that nothing meets.
NOTHING: Goal = frozenset((-1,))


class Case:
    """One conjunction; immutable."""

    __slots__ = ("arrays", "mask", "numbers", "objects", "strings")

    def __init__(
        self,
        mask: int,
        numbers: tuple[NumberAtom, ...] = (),
        strings: tuple[StringAtom, ...] = (),
        arrays: tuple[ArrayAtom, ...] = (),
        objects: tuple[ObjectAtom, ...] = (),
    ) -> None:
        self.mask = mask
        self.numbers = numbers
        self.strings = strings
        self.arrays = arrays
        self.objects = objects

    def key(self) -> tuple[object, ...]:
        return (self.mask, self.numbers, self.strings, self.arrays, self.objects)

    def among(self, types: int) -> Case:
        """The values that have one of the types."""
        mask = self.mask & types
        if mask == self.mask:
            return self
        return Case(
            mask,
            self.numbers if mask & NUMBER else (),
            self.strings if mask & STRING else (),
            self.arrays if mask & ARRAY else (),
            self.objects if mask & OBJECT else (),
        )

    def __repr__(self) -> str:
        return f"Case{self.key()}"


WHOLE = Case(ANY)


def meet(left: Case, right: Case) -> Case | None:
    """The intersection, or None if no type is left."""
    if left is WHOLE:
        return right
    if right is WHOLE:
        return left
    mask = left.mask & right.mask
    if not mask:
        return None
    return Case(
        mask,
        joined(left.numbers, right.numbers) if mask & NUMBER else (),
        joined(left.strings, right.strings) if mask & STRING else (),
        joined(left.arrays, right.arrays) if mask & ARRAY else (),
        joined(left.objects, right.objects) if mask & OBJECT else (),
    )


def joined(left: tuple[object, ...], right: tuple[object, ...]) -> tuple:  # type: ignore[type-arg]
    if not left:
        return right
    if not right:
        return left
    return (*dict.fromkeys(left + right),)
