"""Random conditions on strings, arrays, objects → crates/schema/tests/oracle/composite.tsv: what Python makes of each.

    python -m tests.oracle.composite > crates/schema/tests/oracle/composite.tsv

What members and items must meet is a set of types here, as the number that the bits of `value` make. A row is the kind,
the options, the conditions, and a hash of the grammar's dump, which numbers its parts in the order of their mention.
The crate's test `composite` reads the table.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from frisket._core import GrammarBuilder
from frisket.errors import LimitExceededError
from frisket.json_schema import JSONSchemaOptions
from frisket.json_schema.report import Report
from frisket.lint.resolve import Documents
from tests.oracle.json_schema import array, member, object, quoted, string
from tests.oracle.json_schema.algebra import Algebra, TooManyAlternatives
from tests.oracle.json_schema.lower import Lowering
from tests.oracle.json_schema.value import ANYTHING, NOTHING, TYPES, Goal

ROWS = 2_400
KEYS = ["a", "b", "xa", "y", "xay", "$schema", "é"]
NAMES = {"A": {"maxLength": 2}, "B": {"enum": ["a", "b", "xa"]}, "C": {"minLength": 2}}
OPTIONS: list[dict[str, Any]] = [
    {},
    {"property_order": "any"},
    {"whitespace": "compact", "closed_objects": True},
    {"escapes": "free", "max_items": 3},
    {"property_order": "declared", "whitespace": "compact", "escape_letters": 'nt"\\'},
]


class Maker:
    """The parts of one row, and their names."""

    def __init__(self, chance: random.Random, kind: str, options: JSONSchemaOptions) -> None:
        self.chance = chance
        self.builder = b = GrammarBuilder()
        self.algebra = Algebra(b, Documents({"type": "null"}, None), options, Report())
        self.algebra.root()
        self.lowering = Lowering(b, options, self.algebra)
        #: Of a complement, Python lists integers and numbers as two alternatives, which is the algebra's concern.
        self.names = [name for name in TYPES if name != "integer" or kind == "array"]
        any_text, letter = b.any_text(), b.byte_class([(0x61, 0x7A)])
        self.patterns = [
            b.cat([b.literal(b"x"), any_text]),
            b.cat([any_text, b.literal(b"y")]),
            b.words([b"a", b"xa"]),
            b.repeat(letter, 0),
        ]

    def types(self) -> tuple[Goal, str]:
        kind = self.chance.random()
        if kind < 0.15:
            return ANYTHING, "255"
        if kind < 0.25:
            return NOTHING, "0"
        names = self.chance.sample(self.names, self.chance.choice([1, 1, 2, 3]))
        mask = 0
        for name in names:
            mask |= TYPES[name]
        return self.algebra.below(self.algebra.sites[0], {"type": sorted(names)}, "+".join(sorted(names))), str(mask)

    def range(self, most: int) -> tuple[int, int | None, str]:
        least, top = self.chance.choice([0, 0, 1, 2]), self.chance.choice([None, None, *range(most)])
        return least, top, f"{least}-{'' if top is None else top}"

    def keys(self, most: int) -> list[str]:
        return self.chance.sample(KEYS, self.chance.randint(1, most))

    # -- strings ------------------------------------------------------------------------------------------------------
    def of_string(self) -> tuple[string.StringAtom, str]:
        kind, positive = self.chance.randrange(3), self.chance.random() < 0.6
        if kind == 0:
            least, most, said = self.range(5)
            return string.Length(least, most), f"length:{said}"
        if kind == 1:
            number = self.chance.randrange(len(self.patterns))
            return string.Matches(self.patterns[number], positive), f"{'in' if positive else 'out'}:{number}"
        texts = self.keys(4)
        return string.Among(frozenset(texts), positive), f"{'among' if positive else 'except'}:{','.join(texts)}"

    # -- arrays -------------------------------------------------------------------------------------------------------
    def of_array(self) -> tuple[array.ArrayAtom, str]:
        kind = self.chance.choice(["items", "items", "count", "unique", "contains", "contains"])
        if kind == "items":
            prefix = [self.types() for _ in range(self.chance.choice([0, 0, 1, 2, 3]))]
            rest, said = self.types()
            return array.Items(tuple(one for one, _ in prefix), rest), f"items:{','.join(n for _, n in prefix)}|{said}"
        if kind == "count":
            least, most, said = self.range(5)
            return array.Count(least, most), f"count:{said}"
        if kind == "unique":
            positive = self.chance.random() < 0.8
            return array.Unique(positive, ""), "unique" if positive else "repeated"
        start, (item, name), (least, most, said) = self.chance.choice([0, 0, 0, 1, 2]), self.types(), self.range(4)
        return array.Has(start, item, least, most, ""), f"contains:{start},{name},{said}"

    # -- objects ------------------------------------------------------------------------------------------------------
    def fields(self, *, exact: bool = False) -> tuple[object.Fields, str]:
        """`exact`: no pattern asks for nothing, which Python's regions tell apart from nothing and something."""
        names = [(key, *self.types()) for key in (self.keys(4) if self.chance.random() < 0.9 else [])]
        numbers = self.chance.sample(range(len(self.patterns)), self.chance.choice([0, 0, 0, 1, 2]))
        patterns = [(number, *self.types()) for number in numbers]
        patterns = [part for part in patterns if not (exact and part[1] == NOTHING)]
        rest, said = self.types() if self.chance.random() < 0.4 else (ANYTHING, "255")
        lists, opens = bool(names) and self.chance.random() < 0.7, self.chance.random() < 0.3
        made = object.Fields(
            {key: goal for key, goal, _ in names},
            tuple((self.patterns[number], goal) for number, goal, _ in patterns),
            rest,
            lists=lists,
            opens=opens,
        )
        parts = [
            ",".join(f"{key}={name}" for key, _, name in names),
            ",".join(f"{n}={name}" for n, _, name in patterns),
        ]
        return made, "|".join([*parts, said, ("l" if lists else "") + ("o" if opens else "")])

    def several(self) -> tuple[tuple[object.Fields, ...], str]:
        made = [self.fields(exact=True) for _ in range(self.chance.choice([0, 1, 1, 2]))]
        return tuple(one for one, _ in made), "&".join(said for _, said in made)

    def of_object(self) -> tuple[object.ObjectAtom, str]:
        kind = self.chance.choice(["members"] * 4 + ["required", "required", "unstated", "count", "names"])
        kind = self.chance.choice([kind, kind, kind, "breaks", "implies", "clause"])
        if kind in ("members", "breaks"):
            made, said = self.fields(exact=kind == "breaks")
            return made if kind == "members" else object.Breaks(made), f"{kind}:{said}"
        if kind in ("required", "unstated"):
            keys = self.keys(3)
            return object.Required(tuple(keys), kind == "required"), f"{kind}:{','.join(keys)}"
        if kind == "count":
            least, most, said = self.range(6)
            return object.Count(least, most), f"count:{said}"
        if kind == "names":
            name = self.chance.choice(list(NAMES))
            return object.Names(self.algebra.below(self.algebra.sites[0], NAMES[name], name)), f"names:{name}"
        if kind == "implies":
            key, needs = self.chance.sample(KEYS, 2)
            return object.Implies(key, needs), f"implies:{key},{needs}"
        (premises, before), (conclusions, after) = self.several(), self.several()
        return object.Clause(premises, conclusions), f"clause:{before}=>{after}"


#: By kind: what makes a condition, and what lowers them all.
KINDS: dict[str, tuple[Callable[[Maker], tuple[Any, str]], Callable[[Lowering, tuple[Any, ...]], int | None]]] = {
    "string": (Maker.of_string, quoted.quoted),
    "array": (Maker.of_array, array.lower),
    "object": (Maker.of_object, member.lower),
}


def digest(text: str) -> str:
    """FNV-1a of 64 bits of all lines but the names of rules: a hash of few lines, since both sides write it."""
    found = 0xCBF29CE484222325
    for byte in "".join(line for line in text.splitlines() if not line.startswith("# ")).encode():
        found = (found ^ byte) * 0x100000001B3 % (1 << 64)
    return f"{found:016x}"


def main() -> None:
    chance = random.Random(7)
    for row in range(ROWS):
        kind = chance.choice(["string", "array", "array", "object", "object", "object"])
        number = chance.randrange(len(OPTIONS))
        make, lower = KINDS[kind]
        maker = Maker(chance, kind, JSONSchemaOptions(**OPTIONS[number]))
        made = [make(maker) for _ in range(chance.choice([0, 1, 2, 2, 3, 4, 5]) if row > 20 else 0)]
        is_root = kind == "object" and chance.random() < 0.3
        if is_root:
            maker.lowering._active[frozenset((-2,)), 0] = None
        atoms = tuple(dict.fromkeys(atom for atom, _ in made))
        try:
            node = lower(maker.lowering, atoms)
        except (LimitExceededError, TooManyAlternatives):
            found = "error"
        else:
            is_none = node is None or maker.builder.is_empty(node)
            found = "none" if is_none or node is None else digest(maker.builder.build(node).dump())
        print(kind + ("!" if is_root else ""), number, " ".join(said for _, said in made), found, sep="\t")


if __name__ == "__main__":
    main()
