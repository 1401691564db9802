"""What the native front end reads in each subschema beside what Python's reader does.

Both sides number subschemas in their own way, since the native one merges more that say the same. So the two are walked
together from the root: facts must be equal, and what they say of members, items and alternatives is compared in turn.
"""

from __future__ import annotations

import json
import random
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from frisket import _core
from frisket._core import front_end
from frisket.errors import FrisketError
from frisket.json_schema.options import JSONSchemaOptions
from frisket.json_schema.report import Report
from frisket.lint.resolve import Documents
from tests.conformance import suite
from tests.data import maskbench
from tests.oracle.json_schema import array, interval, object, string
from tests.oracle.json_schema.algebra import Algebra
from tests.oracle.json_schema.place import NeedsScopes
from tests.oracle.json_schema.value import ANYTHING, NOTHING, Case, Goal
from tests.unit.json_schema.native_registry import fetched

OPTIONS = JSONSchemaOptions(formats="annotate", relaxed=True)


@pytest.fixture(autouse=True)
def patterns_by_text(monkeypatch: pytest.MonkeyPatch) -> None:
    """Patterns are the literals of their own texts: they are not what is compared here."""

    def lower_regex(builder: Any, pattern: str, **_: Any) -> int:
        node: int = builder.literal(pattern.encode())
        return node

    monkeypatch.setattr("frisket.notations.regex.lower_regex", lower_regex)


class PythonReader:
    """Python's reading of each place, in the shape of `schema_facts`; goals are wrapped by `Goal`."""

    def __init__(self, schema: Any, registry: Any, options: JSONSchemaOptions, *, scoped: bool) -> None:
        self.algebra = Algebra(_core.GrammarBuilder(), Documents(schema, registry), options, Report(), scoped=scoped)
        self.root = self.algebra.root()
        number = 0
        while number < len(self.algebra.sites):
            self.algebra.reading_of(self.algebra.sites[number])
            number += 1

    def facts(self, number: int) -> dict[str, Any]:
        site = self.algebra.sites[number]
        reading = self.algebra.reading_of(site)
        seen = reading.evaluated()
        return {
            "keywords": None if self.algebra.is_invented(site) else reading.keywords,
            "conjunct": self.case(reading.case),
            "alternatives": [[self.case(case) for case in cases] for cases in reading.alternatives],
            "applicators": [[kind, self.goals(goals)] for kind, goals in reading.parts],
            "unevaluated": [
                None if goal is None else self.goal(goal)
                for goal in (reading.unevaluated_properties, reading.unevaluated_items)
            ],
            "evaluated": [
                sorted(seen.names),
                sorted(self.pattern(node) for node in seen.patterns),
                seen.all_members,
                seen.prefix,
                seen.all_items,
                len(seen.contained),
            ],
        }

    def pattern(self, node: int) -> str:
        return next(pattern for pattern, known in self.algebra.patterns.items() if known == node)

    def goal(self, goal: Goal) -> Any:
        if goal == ANYTHING:
            return True
        if goal == NOTHING:
            return False
        (literal,) = goal
        assert literal % 2 == 0
        return ("goal", literal // 2)

    def goals(self, goals: Any) -> list[Any]:
        return [self.goal(goal) for goal in goals]

    def case(self, case: Case) -> list[Any]:
        return [
            case.mask,
            [self.number(atom) for atom in case.numbers],
            [self.string(atom) for atom in case.strings],
            [self.array(atom) for atom in case.arrays],
            [self.object(atom) for atom in case.objects],
        ]

    def number(self, atom: Any) -> list[Any]:
        name = type(atom).__name__
        if isinstance(atom, interval.Among):
            whole = sorted(number for number in atom.pointed if number.denominator == 1)
            return [name, sorted(map(Fraction, atom.values)), whole, atom.positive]
        if isinstance(atom, interval.AtLeast | interval.AtMost):
            return [name, atom.bound, atom.strict]
        return [name, atom.of, atom.positive] if isinstance(atom, interval.Multiple) else [name, atom.positive]

    def string(self, atom: Any) -> list[Any]:
        if isinstance(atom, string.Length):
            return ["Length", atom.least, atom.most]
        if isinstance(atom, string.Matches):
            return ["Matches", self.pattern(atom.node), atom.positive]
        return ["Among", sorted(text for text in atom.values if is_text(text)), atom.positive]

    def array(self, atom: Any) -> list[Any]:
        if isinstance(atom, array.Items):
            return ["Items", self.goals(atom.prefix), self.goal(atom.rest)]
        if isinstance(atom, array.Count):
            return ["Count", atom.least, atom.most]
        if isinstance(atom, array.Unique):
            return ["Unique", atom.positive]
        return ["Contains", atom.start, self.goal(atom.goal), atom.least, atom.most]

    def object(self, atom: Any) -> list[Any]:
        if isinstance(atom, object.Fields):
            names = [[name, self.goal(goal)] for name, goal in atom.names.items()]
            patterns = [[self.pattern(node), self.goal(goal)] for node, goal in atom.patterns]
            return ["Members", names, patterns, self.goal(atom.rest), atom.lists, atom.opens]
        if isinstance(atom, object.Required):
            return ["Required", list(atom.keys)]
        if isinstance(atom, object.Count):
            return ["Count", atom.least, atom.most]
        return ["Names", self.goal(atom.goal)] if isinstance(atom, object.Names) else ["Implies", atom.key, atom.needs]


def is_text(text: str) -> bool:
    return not any("\ud800" <= letter <= "\udfff" for letter in text)


def schema_facts(found: dict[str, Any]) -> dict[str, Any]:
    """Facts of the native reader in the shape of Python's."""

    def goal(found: Any) -> Any:
        return found if isinstance(found, bool) else ("goal", found)

    def number(atom: list[Any]) -> list[Any]:
        if atom[0] == "Among":
            return ["Among", sorted(map(Fraction, atom[1])), sorted(map(Fraction, atom[2])), atom[3]]
        return [atom[0], Fraction(atom[1]), *atom[2:]] if len(atom) == 3 else atom

    def items(atom: list[Any]) -> list[Any]:
        if atom[0] == "Items":
            return ["Items", [goal(item) for item in atom[1]], goal(atom[2])]
        return [*atom[:2], goal(atom[2]), *atom[3:]] if atom[0] == "Contains" else atom

    def members(atom: list[Any]) -> list[Any]:
        if atom[0] == "Members":
            names, patterns = ([[name, goal(below)] for name, below in some] for some in atom[1:3])
            return ["Members", names, patterns, goal(atom[3]), *atom[4:]]
        return ["Names", goal(atom[1])] if atom[0] == "Names" else atom

    def case(found: list[Any]) -> list[Any]:
        mask, numbers, strings, arrays, objects = found
        strings = [["Among", sorted(atom[1]), atom[2]] if atom[0] == "Among" else atom for atom in strings]
        return [mask, [*map(number, numbers)], strings, [*map(items, arrays)], [*map(members, objects)]]

    names, patterns, *seen, contained = found["evaluated"]
    return {
        "keywords": found["keywords"],
        "conjunct": case(found["conjunct"]),
        "alternatives": [[*map(case, cases)] for cases in found["alternatives"]],
        "applicators": [[kind, [*map(goal, goals)]] for kind, goals in found["applicators"]],
        "unevaluated": [None if one is None else goal(one) for one in found["unevaluated"]],
        "evaluated": [sorted(names), sorted(patterns), *seen, len(contained)],
    }


def assert_alike(python: Any, native: Any, pairs: list[tuple[int, int]], place: Any) -> None:
    """Equal but for the numbers of goals, which are added to `pairs`."""
    if isinstance(python, tuple) and isinstance(native, tuple):
        pairs.append((python[1], native[1]))
    elif isinstance(python, list) and isinstance(native, list):
        assert len(python) == len(native), (place, python, native)
        for one, other in zip(python, native, strict=True):
            assert_alike(one, other, pairs, place)
    else:
        assert type(python) is type(native) or isinstance(python, Fraction), (place, python, native)
        assert python == native, (place, python, native)


def read_by_python(schema: Any, registry: Any, options: JSONSchemaOptions) -> PythonReader | tuple[str, str | None]:
    try:
        try:
            return PythonReader(schema, registry, options, scoped=False)
        except NeedsScopes:
            return PythonReader(schema, registry, options, scoped=True)
    except FrisketError as error:
        return error.code, error.where


def compare(schema: Any, registry: Any = None, options: JSONSchemaOptions = OPTIONS) -> int:
    """How many subschemas were compared; 0 if both sides refuse the schema with one code at one place."""
    python = read_by_python(schema, registry, options)
    try:
        native = json.loads(
            front_end.schema_facts(
                schema,
                fetched(schema, registry),
                is_nullable=options.nullable,
                has_closed_objects=options.closed_objects,
                has_scopes=isinstance(python, PythonReader) and python.algebra.scoped,
            )
        )
    except FrisketError as error:
        assert (error.code, error.where) == python, (schema, error)
        return 0
    assert isinstance(python, PythonReader), (schema, python)
    root, facts, omissions = native
    assert {slips for _, slips in omissions} == {slips for _, slips in python.algebra.places}
    pairs: list[tuple[int, int]] = []
    assert_alike(python.goal(python.root), root if isinstance(root, bool) else ("goal", root), pairs, schema)
    met: set[tuple[int, int]] = set()
    while pairs:
        pair = pairs.pop()
        if pair in met:
            continue
        met.add(pair)
        said, found = python.facts(pair[0]), schema_facts(facts[pair[1]])
        for name, fact in said.items():
            assert_alike(fact, found[name], pairs, (facts[pair[1]]["pointer"], name))
    return len(met)


@pytest.mark.parametrize("draft", suite.DRAFTS)
def test_the_suite_is_read_alike(draft: str, data_dir: Path) -> None:
    documents = suite.registry(data_dir, draft)
    counts = [compare(case.schema, documents) for case in suite.cases(data_dir, draft)]
    assert sum(counts) > 300


@pytest.mark.parametrize("part", range(4))
def test_real_schemas_are_read_alike(part: int, data_dir: Path) -> None:
    counts = [compare(line["schema"]) for number, line in enumerate(maskbench(data_dir)) if number % 4 == part]
    assert sum(counts) > 5_000


#: Keywords with values of which some are wrong.
VALUES: dict[str, tuple[Any, ...]] = {
    "type": ("string", "integer", ["null", "array"], ["integer", "number"], "int", 1, []),
    "enum": ([1, 1.0, 2.5, -0.0], ["a", None, True, False], [[1, "x"], {"a": [1]}, 3], [], "a", [10**400], [1e999]),
    "const": (1, "a", {"a": {"b": 1}, "c": []}, [[], {}], 1e300, "\ud800", {"\ud800": 1}, {"a": {1}}),
    "minimum": (0, 1.5, -1e-7, "1", True, float("nan")),
    "maximum": (10, 1e400, 2.0, None),
    "exclusiveMinimum": (True, False, 0.1, 5, "x"),
    "exclusiveMaximum": (True, False, 9, 2.25),
    "multipleOf": (2, 0.01, 0, -1, "x"),
    "minLength": (0, 1, 2.0, -1, 1.5, 10**30, True),
    "maxLength": (0, 5, 1e10, "5"),
    "pattern": ("a", "^b$", 1),
    "items": ({"type": "string"}, True, False, {}, [{}, {"const": 1}], [], 1),
    "prefixItems": ([{"type": "null"}, True], [{}], [], {}),
    "additionalItems": (False, True, {"type": "number"}),
    "unevaluatedItems": (False, True, {"type": "boolean"}),
    "minItems": (0, 1, 3), "maxItems": (0, 4, 2.5),
    "uniqueItems": (True, False, 1),
    "contains": ({"const": 1}, {}, False), "minContains": (0, 2, -1), "maxContains": (0, 3, None),
    "properties": ({"a": {"type": "string"}, "b": True, "c": False}, {}, {"a": 1}, [], {"a": {"title": "t"}}),
    "patternProperties": ({"^x": {"type": "integer"}}, {"y": False, "z": {}}, {}, 1),
    "additionalProperties": (False, True, {}, {"type": "null"}, 0),
    "unevaluatedProperties": (False, True, {"minimum": 1}),
    "required": (["a"], ["a", "b", "a"], [], "a", [1], ["\ud800"]),
    "minProperties": (0, 1), "maxProperties": (0, 2, "2"),
    "propertyNames": ({"maxLength": 3}, True, False, {}),
    "dependentRequired": ({"a": ["b", "a"]}, {}, {"a": "b"}),
    "dependentSchemas": ({"a": False, "b": True, "c": {"required": ["d"]}}, {"a": 1}),
    "dependencies": ({"a": ["b"], "b": "c", "c": {"minProperties": 2}, "d": False, "e": True}, {"a": 7}),
    "$ref": ("#", "#/$defs/a", "#/$defs/none", "#/$defs/b", "other.json", 5),
    "allOf": ([{"type": "string"}, {"minLength": 1}], [{}], [], [True, False]),
    "anyOf": ([{"type": "string"}, {"type": "null"}], [{"$ref": "#/$defs/a"}], {}),
    "oneOf": ([{"const": 1}], [{"const": 1}, {"const": 2}, {"const": 1}]),
    "not": ({}, {"type": "string"}, True, 3),
    "if": ({"type": "string"}, True), "then": ({"minLength": 2}, False), "else": ({"minimum": 3}, True),
    "$defs": ({"a": {"type": "string"}, "b": {"$ref": "#/$defs/c"}, "c": {"$ref": "#/$defs/b"}},),
    "nullable": (True, False), "title": ("t", 1), "format": ("date", 1),
    "$schema": tuple(uri for _, uri in suite.DRAFTS.values()),
}  # fmt: skip


def test_made_up_schemas_are_read_alike() -> None:
    chance = random.Random(7)
    counts = []
    for _ in range(20_000):
        keywords = chance.sample(list(VALUES), chance.randint(1, 5))
        schema = {keyword: chance.choice(VALUES[keyword][: chance.choice((2, 9))]) for keyword in keywords}
        if chance.random() < 0.3:
            schema = {"properties": {"x": schema, "y": dict(schema)}}
        options = JSONSchemaOptions(
            formats="annotate", relaxed=True, nullable=chance.random() < 0.3, closed_objects=chance.random() < 0.3
        )
        counts.append(compare(schema, options=options))
    assert sum(map(bool, counts)) > 8_000 and counts.count(0) > 2_000
