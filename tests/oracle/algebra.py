"""Schemas → crates/schema/tests/oracle/algebra.tsv: the unions of conjuncts that Python's algebra makes of each.

    python -m tests.oracle.algebra > crates/schema/tests/oracle/algebra.tsv

A row is the way to split, the most alternatives, the schema, and a hash of what the root expands to, members and items
included, with all that was left out and the number of alternatives that it took. The crate's test `algebra` reads the
table. With a file of schemas as argument, a row has the whole text in place of its hash, to see what differs.

The crate merges subschemas and conditions of equal content, where Python merges some of them, and knows the union of
all values however it was made. Python does so here, too: what is compared is the algebra.
"""

from __future__ import annotations

import json
import random
import sys
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

from frisket._core import GrammarBuilder
from frisket.errors import FrisketError
from frisket.json_schema import JSONSchemaOptions
from frisket.json_schema.report import Report
from frisket.lint.resolve import Documents, Site
from tests.oracle.json_schema import array, interval, object, string
from tests.oracle.json_schema.algebra import Algebra, Splitting, TooManyAlternatives
from tests.oracle.json_schema.place import NeedsScopes
from tests.oracle.json_schema.said import said
from tests.oracle.json_schema.value import ANY, ANYTHING, NOTHING, WHOLE, Case, Goal

ROWS = 1_500
#: How many levels of members and items a row shows.
LEVELS = 3
#: Texts that tell patterns apart.
TEXTS = ["", "a", "b", "ab", "x", "xa", "1", "1a"]
SPLITTINGS: list[Splitting] = ["together", "together", "apart", "clauses", "loosened"]
KEYS = ["a", "b", "c", "xa"]
PATTERNS = ["^x", "a$", "^[0-9]"]

Fields = object.Fields


def _content(fields: object.Fields) -> tuple[Any, ...]:
    return (tuple(fields.names.items()), fields.patterns, fields.rest, fields.lists, fields.opens)


def merge_by_content() -> None:
    """Let constraints of equal content be equal, and all values be one case."""

    def new(cls: type[Case], mask: int, *conditions: Any, **named: Any) -> Case:
        is_whole = mask == ANY and not any(conditions) and not any(named.values())
        return WHOLE if is_whole else object_new(cls)

    object_new = Case.__new__
    Case.__new__ = new  # type: ignore
    Fields.__eq__ = lambda self, other: isinstance(other, Fields) and _content(self) == _content(other)  # type: ignore
    Fields.__hash__ = lambda self: hash(_content(self))  # type: ignore


class Merging(Algebra):
    """The algebra in which subschemas of equal content are one, and so are conjunctions that nothing meets."""

    def both(self, left: Goal, right: Goal) -> Goal:
        found = super().both(left, right)
        return NOTHING if is_nothing(found) else found

    def _same_as(self, schema: Any, resource: Any, scope: Any, origin: Any, tokens: Any) -> Goal | None:
        found = super()._same_as(schema, resource, scope, origin, tokens)
        content = said(schema) if found is None else None
        if content is None:
            return found
        key = content, resource, *scope
        goal = self._by_content.get(key)
        if goal is None:
            site = Site(len(self.sites), schema, resource, scope, origin, tokens)
            self.sites.append(site)
            goal = self._by_content[key] = frozenset((2 * site.number,))
        return goal

    def constant(self, origin: Site, value: Any) -> Goal:
        key: Any = json.dumps(value)
        if key not in self._by_value:
            home = origin.origin if self.is_invented(origin) and isinstance(origin.origin, Site) else origin
            self._by_value[key] = self.invented(home, {"const": value})
        return self._by_value[key]


class Dump:
    """What a schema's root expands to, as text."""

    def __init__(self, schema: Any, splitting: Splitting, most: int) -> None:
        options = JSONSchemaOptions(formats="annotate", relaxed=True, max_alternatives=most)
        documents = Documents(schema, None)
        self.algebra = Merging(GrammarBuilder(), documents, options, Report(), splitting=splitting)

    def text(self) -> str:
        try:
            root = self.algebra.root()
            found = self.goal(root, LEVELS)
            empty = self.algebra.emptiness.is_void(root)
        except TooManyAlternatives as error:
            return f"too many: {error.error.message} at {error.error.where}"
        except FrisketError as error:
            return f"error: {error.message} at {error.where}"
        omitted = ";".join(f"{pointer} {slips}" for pointer, slips in self.algebra.places)
        # Of clauses, Python reads all, where the crate stops at the first that decides.
        count = "" if self.algebra.splitting == "clauses" else self.algebra._steps
        return f"{found} {'empty' if empty else 'open'} {count} {omitted}"

    def goal(self, goal: Goal, levels: int) -> str:
        if goal == ANYTHING:
            return "any"
        if is_nothing(goal):
            return "none"
        return (
            "?" if not levels else f"[{' | '.join(self.case(case, levels - 1) for case in self.algebra.expand(goal))}]"
        )

    def case(self, case: Case, levels: int) -> str:
        parts = [str(case.mask), *map(self.number, case.numbers), *map(self.string, case.strings)]
        parts += [self.array(atom, levels) for atom in case.arrays]
        return " ".join([*parts, *[self.object(atom, levels) for atom in case.objects]])

    def number(self, atom: interval.NumberAtom) -> str:
        if isinstance(atom, interval.AtLeast | interval.AtMost):
            sign = ">" if isinstance(atom, interval.AtLeast) else "<"
            return f"{sign}{'' if atom.strict else '='}{plain(atom.bound)}"
        if isinstance(atom, interval.Multiple):
            return f"{'' if atom.positive else '!'}multiple:{plain(atom.of)}"
        if isinstance(atom, interval.Among):
            return f"{'' if atom.positive else '!'}among:{','.join(map(plain, sorted(atom.values)))}"
        return f"{'' if atom.positive else '!'}plain"

    def string(self, atom: string.StringAtom) -> str:
        if isinstance(atom, string.Length):
            return f"length:{range_of(atom.least, atom.most)}"
        if isinstance(atom, string.Matches):
            return f"{'' if atom.positive else '!'}matches:{self.node(atom.node)}"
        if isinstance(atom, string.Among):
            return f"{'' if atom.positive else '!'}among:{','.join(sorted(atom.values))}"
        return f"{'' if atom.positive else '!'}nested:{atom.name}"

    def node(self, node: int) -> str:
        return "".join("01"[self.algebra.builder.accepts(node, text.encode())] for text in TEXTS)

    def array(self, atom: array.ArrayAtom, levels: int) -> str:
        if isinstance(atom, array.Items):
            prefix = ",".join(self.goal(goal, levels) for goal in atom.prefix)
            return f"items:({prefix})({self.goal(atom.rest, levels)})"
        if isinstance(atom, array.Count):
            return f"items:{range_of(atom.least, atom.most)}"
        if isinstance(atom, array.Unique):
            return "unique" if atom.positive else "repeated"
        return f"contains:{atom.start}+{range_of(atom.least, atom.most)}({self.goal(atom.goal, levels)})"

    def object(self, atom: object.ObjectAtom, levels: int) -> str:
        if isinstance(atom, object.Fields):
            return f"members:{self.fields(atom, levels)}"
        if isinstance(atom, object.Required):
            return f"{'' if atom.stated else 'un'}stated:{','.join(atom.keys)}"
        if isinstance(atom, object.Count):
            return f"members:{range_of(atom.least, atom.most)}"
        if isinstance(atom, object.Names):
            return f"names:{self.goal(atom.goal, levels)}"
        if isinstance(atom, object.Breaks):
            return f"breaks:{self.fields(atom.fields, levels)}"
        if isinstance(atom, object.Implies):
            return f"{atom.key}=>{atom.needs}"
        premises = "&".join(self.fields(fields, levels) for fields in atom.premises)
        return f"clause:{premises}=>{'/'.join(self.fields(fields, levels) for fields in atom.conclusions)}"

    def fields(self, fields: object.Fields, levels: int) -> str:
        names = ",".join(f"{key}:{self.goal(goal, levels)}" for key, goal in fields.names.items())
        patterns = ",".join(f"{self.node(node)}:{self.goal(goal, levels)}" for node, goal in fields.patterns)
        return f"({names})({patterns})({self.goal(fields.rest, levels)})"


def is_nothing(goal: Goal) -> bool:
    return -1 in goal or any(literal ^ 1 in goal for literal in goal)


def range_of(least: int, most: int | None) -> str:
    return f"{least}-{'' if most is None else most}"


def plain(value: Fraction | int) -> str:
    """The decimal spelling without an exponent."""
    value = Fraction(value)
    exact = Decimal(value.numerator) / Decimal(value.denominator)
    return f"{exact.normalize():f}"


class Maker:
    """Random schemas of a few keywords."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance

    def schema(self, levels: int, *, inner: bool = True) -> Any:
        chance = self.chance
        if inner and chance.random() < 0.1:
            return chance.choice([True, False, {}, {"$ref": "#/$defs/d"}, {"$ref": "#"}])
        makers = [self.type, self.type, self.scalar, self.scalar, self.constant]
        if levels:
            makers += [self.properties, self.properties, self.members, self.items, self.logic, self.logic, self.choice]
            makers += [self.unevaluated] if chance.random() < 0.3 else []
        found: dict[str, Any] = {}
        for _ in range(chance.choice([1, 1, 2, 2, 3])):
            for key, value in chance.choice(makers)(levels - 1).items():
                found.setdefault(key, value)
        return found

    def some(self, levels: int, most: int = 3) -> list[Any]:
        return [self.schema(levels) for _ in range(self.chance.randint(1, most))]

    def type(self, _: int) -> dict[str, Any]:
        names = ["null", "boolean", "integer", "number", "string", "array", "object", "object", "object"]
        some = list(dict.fromkeys(self.chance.choices(names, k=self.chance.choice([1, 1, 2]))))
        return {"type": some[0] if len(some) == 1 else some}

    def scalar(self, _: int) -> dict[str, Any]:
        chance = self.chance
        return chance.choice(
            [
                {"minimum": chance.choice([0, 1, 2.5])},
                {"exclusiveMaximum": chance.choice([2, 3])},
                {"multipleOf": chance.choice([2, 0.5])},
                {"minLength": chance.choice([0, 1, 2])},
                {"maxLength": chance.choice([0, 1, 3])},
                {"pattern": chance.choice(PATTERNS)},
            ]
        )

    def constant(self, _: int) -> dict[str, Any]:
        values = [None, True, 1, 2.5, "a", "b", "x", [1], {"a": 1}, {"a": "a", "b": [True]}]
        if self.chance.random() < 0.5:
            return {"const": self.chance.choice(values)}
        return {"enum": self.chance.sample(values, self.chance.randint(1, 4))}

    def properties(self, levels: int) -> dict[str, Any]:
        chance = self.chance
        found: dict[str, Any] = {
            "properties": {key: self.schema(levels) for key in chance.sample(KEYS, chance.randint(1, 3))}
        }
        if chance.random() < 0.7:
            found["required"] = chance.sample(KEYS, chance.randint(1, 2))
        if chance.random() < 0.3:
            found["additionalProperties"] = self.schema(levels) if chance.random() < 0.5 else False
        return found

    def members(self, levels: int) -> dict[str, Any]:
        chance = self.chance
        one, other = chance.sample(KEYS, 2)
        return chance.choice(
            [
                {"required": chance.sample(KEYS, chance.randint(1, 2))},
                {"minProperties": chance.choice([0, 1, 2])},
                {"maxProperties": chance.choice([0, 1, 3])},
                {"patternProperties": {chance.choice(PATTERNS): self.schema(levels)}},
                {"propertyNames": self.schema(0)},
                {"dependentRequired": {one: [other]}},
                {"dependentSchemas": {one: self.schema(levels)}},
            ]
        )

    def items(self, levels: int) -> dict[str, Any]:
        chance = self.chance
        return chance.choice(
            [
                {"items": self.schema(levels)},
                {"prefixItems": self.some(levels)},
                {"contains": self.schema(levels), "minContains": chance.choice([0, 1, 2])},
                {"contains": self.schema(levels), "maxContains": chance.choice([0, 1, 2])},
                {"minItems": chance.choice([0, 1, 2])},
                {"maxItems": chance.choice([0, 1, 3])},
                {"uniqueItems": True},
            ]
        )

    def logic(self, levels: int) -> dict[str, Any]:
        chance = self.chance
        return chance.choice(
            [
                {"allOf": self.some(levels)},
                {"anyOf": self.some(levels)},
                {"oneOf": self.some(levels, 4)},
                {"not": self.schema(levels)},
                {"if": self.schema(levels), "then": self.schema(levels), "else": self.schema(levels)},
                {"if": self.schema(levels), chance.choice(["then", "else"]): self.schema(levels)},
                {"$ref": "#/$defs/d"},
            ]
        )

    def choice(self, levels: int) -> dict[str, Any]:
        """Alternatives that one member tells apart, or seems to."""
        tags = self.chance.choice([["a", "b", "x"], ["a", "b", "b"], ["a", "b", "x", "y"]])
        required = self.chance.random() < 0.7
        alternatives = []
        for tag in tags:
            one: dict[str, Any] = {"properties": {"a": {"const": tag}, "b": self.schema(max(0, levels - 1))}}
            alternatives.append(one | ({"required": ["a"]} if required else {}))
        return {"type": "object", "oneOf": alternatives} | ({} if required else {"required": ["a"]})

    def unevaluated(self, levels: int) -> dict[str, Any]:
        keyword = self.chance.choice(["unevaluatedProperties", "unevaluatedProperties", "unevaluatedItems"])
        return {keyword: self.schema(levels) if self.chance.random() < 0.4 else False}

    def document(self) -> Any:
        found = self.schema(self.chance.choice([1, 2, 2, 3]), inner=False)
        if isinstance(found, dict):
            found["$defs"] = {"d": self.schema(self.chance.choice([0, 1, 2]))}
        return found


#: Circles, with and without a member between.
CHOSEN: list[Any] = [
    {"allOf": [{"$ref": "#"}]},
    {"anyOf": [{"type": "null"}, {"$ref": "#"}]},
    {"not": {"$ref": "#"}},
    {"properties": {"a": {"$ref": "#"}}, "required": ["a"]},
    {"properties": {"a": {"$ref": "#"}}, "required": ["a"], "not": {"properties": {"a": {"$ref": "#"}}}},
    {"properties": {"a": {"not": {"$ref": "#"}}}, "oneOf": [{"required": ["a"]}, {"type": "object"}, {"type": "null"}]},
    {
        "propertyNames": {"$ref": "#"},
        "type": ["string", "object"],
        "not": {"maxLength": 3, "propertyNames": {"$ref": "#"}},
    },
    {"unevaluatedProperties": {"$ref": "#"}, "anyOf": [{"properties": {"a": True}}, {"properties": {"b": True}}]},
    {"unevaluatedProperties": False, "allOf": [{"$ref": "#/$defs/d"}], "$defs": {"d": {"$ref": "#", "title": "d"}}},
    {
        "$ref": "#/$defs/d",
        "$defs": {"d": {"oneOf": [{"items": {"$ref": "#/$defs/d"}}, {"contains": {"$ref": "#/$defs/d"}}]}},
    },
]


def row(schema: Any, splitting: Splitting, most: int, *, whole: bool) -> str | None:
    try:
        text = Dump(schema, splitting, most).text()
    except NeedsScopes:
        return None
    return "\t".join([splitting, str(most), json.dumps(schema), escaped(text) if whole else digest(text)])


def escaped(text: str) -> str:
    """The text without characters that end a cell or a row."""
    return text.translate({0x09: "_", 0x0A: "_", 0x0D: "_"})


def digest(text: str) -> str:
    """FNV-1a of 64 bits."""
    found = 0xCBF29CE484222325
    for byte in text.encode():
        found = (found ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return f"{found:016x}"


def main() -> None:
    merge_by_content()
    given = sys.argv[1:]
    if given:
        rows = [line.rstrip("\n").split("\t") for line in Path(given[0]).read_text(encoding="utf-8").splitlines()]
        made = [row(json.loads(schema), splitting, int(most), whole=True) for splitting, most, schema in rows]
    else:
        chance = random.Random(25)
        made = [row(schema, splitting, 4000, whole=False) for schema in CHOSEN for splitting in SPLITTINGS[1:]]
        while len(made) < ROWS:
            schema = Maker(chance).document()
            made.append(row(schema, chance.choice(SPLITTINGS), chance.choice([8, 40, 4000, 4000]), whole=False))
    sys.stdout.write("".join(f"{line}\n" for line in made if line is not None))


if __name__ == "__main__":
    main()
