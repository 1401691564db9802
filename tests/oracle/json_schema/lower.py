"""Goals → nodes of the builder: one node for each goal, a rule where it recurses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from frisket.errors import UnsatisfiableSchemaError, UnsupportedSchemaError
from tests.oracle.json_schema import array, interval, member, multiple, number, object
from tests.oracle.json_schema.layout import PRETTY_LEVELS, Layout, with_margins
from tests.oracle.json_schema.order import is_sorted
from tests.oracle.json_schema.place import CHECKED, STEPS
from tests.oracle.json_schema.quoted import quoted, quoted_union
from tests.oracle.json_schema.room import HOP, LEVELS, elsewhere, too_deep
from tests.oracle.json_schema.value import ARRAY, FALSE, NULL, NUMBER, OBJECT, STRING, TRUE, Case, Goal

if TYPE_CHECKING:
    from types import TracebackType

    from frisket._core import GrammarBuilder
    from frisket.json_schema.options import JSONSchemaOptions
    from frisket.json_schema.report import Report
    from tests.oracle.json_schema.algebra import Algebra
    from tests.oracle.json_schema.string import StringAtom

WORDS = NULL | FALSE | TRUE
#: Levels that are one expression at most: the engine bounds how deep an expression nests, rules may go deeper.
SHALLOW = 64
#: What the report says where the schema states no order.
SORTED = "properties come in any order: all names are in alphabetical order, so a tool sorted them"
#: What the report says where objects are closed that the schema leaves open.
CLOSED = "objects have the members that the schema lists, unless it says what others may be: closed_objects"


def forbidding(options: JSONSchemaOptions) -> str:
    """What the report says where strings may not hold all texts."""
    return f"no string holds {', '.join(map(repr, options.forbidden_texts))}: forbidden_texts"


def nothing_written(report: Report) -> UnsupportedSchemaError:
    """The error of a schema of which nothing is left once its formats are narrowed."""
    narrowed = [(f"{entry.pointer}/{entry.keyword}", entry.slips) for entry in report.narrowed]
    return UnsupportedSchemaError(
        f"none of the values that could be valid can be written: {'; '.join(slips for _, slips in narrowed[:5])}",
        places=narrowed,
        where=narrowed[0][0],
        hint="leave the format out, or list the values with enum",
    )


class Lowering:
    """The nodes of one schema; `structural` are those that no regular operation may touch."""

    def __init__(
        self,
        builder: GrammarBuilder,
        options: JSONSchemaOptions,
        algebra: Algebra,
        before: Lowering | None = None,
    ) -> None:
        """`before` is a lowering without a schema, under the same options, whose builder this one is a fork of."""
        self.builder = builder
        self.options = options
        self.algebra = algebra
        self.structural: set[int] = set() if before is None else before.structural.copy()
        #: Whether a rule calls itself, or a regular language or a set of keys might be too small: only then emptiness
        #: needs a search.
        self.recursive = False
        #: Whether no order of properties is asked for, or the schema states none.
        self.any_order = options.property_order == "any"
        stated = options.property_order == "schema"
        if stated and is_sorted(algebra.documents.root.contents):
            self.any_order = True
            algebra.report.notes.append(SORTED)
        if options.closed_objects:
            algebra.report.notes.append(CLOSED)
        if options.forbidden_texts:
            algebra.report.notes.append(forbidding(options))
        self._pretty = options.whitespace == "pretty"
        self.depth = 0
        self._layouts: list[Layout] = [] if before is None else before._layouts.copy()
        self._nodes: dict[tuple[Goal, int], int | None] = {} if before is None else before._nodes.copy()
        self._parts: dict[tuple[Any, ...], int | None] = {} if before is None else before._parts.copy()
        self._numerals: number.Known = {} if before is None else before._numerals.copy()
        self._active: dict[tuple[Goal, int], int | None] = {}
        #: What `mark.with_marks` found.
        self.marked: dict[tuple[Goal, tuple[Goal, ...], int, int], list[tuple[int, int]]] = {}
        self._level = _Level(self)

    def document(self, goal: Goal) -> int:
        """The node of a whole document. Raises UnsatisfiableSchemaError."""
        node = self.lower(goal)
        if node is None or (self.recursive and self.builder.is_empty(node)):
            if self.algebra.report.narrowed and not self.algebra.emptiness.is_void(goal):
                raise nothing_written(self.algebra.report)
            raise UnsatisfiableSchemaError(
                "no value can ever be valid here",
                where=self.blame(goal, set()),
                hint="`frisket check` shows what it demands",
            )
        return with_margins(self.builder, self.options, node)

    def lower(self, goal: Goal) -> int | None:
        """The node of a goal, or None if nothing can meet it."""
        key = (goal, self.depth)
        nodes = self._nodes
        if key in nodes:
            return nodes[key]
        if key in self._active:
            rule = self._active[key]
            if rule is None:
                rule = self._active[key] = self.builder.rule(self.algebra.where(goal) or "document")
                self.structural.add(rule)
                self.recursive = True
            return rule
        return self._expanded(goal, key)

    def _expanded(self, goal: Goal, key: tuple[Goal, int]) -> int | None:
        """The node of a goal that the algebra reads, kept under its key."""
        nodes = self._nodes
        if self._levels() > LEVELS:
            raise too_deep(self.algebra.where(goal))
        self._active[key] = None
        algebra = self.algebra
        algebra.depth += 1
        try:
            if algebra.depth % HOP:
                node = self.union(algebra.expand(goal))
            else:
                node = elsewhere(lambda: self.union(algebra.expand(goal)))
        except BaseException:
            rule = self._active.pop(key)
            if rule is not None:
                # Another attempt with the same builder may follow, and no grammar is built with a rule left open.
                self.builder.define(rule, self.builder.empty())
            raise
        finally:
            algebra.depth -= 1
        rule = self._active.pop(key)
        if rule is None and node in self.structural and self._levels() % SHALLOW == SHALLOW - 1:
            rule = self.builder.rule("a level of many")
            self.structural.add(rule)
        if rule is not None:
            self.builder.define(rule, self.builder.empty() if node is None else node)
            node = None if node is None else rule
        nodes[key] = node
        if not len(nodes) % CHECKED:
            self.builder.check(CHECKED * STEPS)
        return node

    def _levels(self) -> int:
        return len(self._active)

    def at_root(self) -> bool:
        """Whether the document itself is being lowered, in the order that its schema states."""
        return self._levels() == 1 and self.options.property_order == "schema" and not self.any_order

    def deeper(self) -> _Level:
        """A context one level down; gives the layout of the level that it enters."""
        return self._level

    def layout(self) -> Layout:
        while len(self._layouts) <= self.depth:
            self._layouts.append(Layout(self.builder, self.options, len(self._layouts)))
        return self._layouts[self.depth]

    def unsupported(self, pointer: str, keyword: str, slips: str) -> None:
        self.algebra.unsupported(pointer, keyword, slips)

    def where(self) -> str:
        """The place being lowered."""
        active = list(self._active)
        return self.algebra.where(active[-1][0]) if active else ""

    def blame(self, goal: Goal, seen: set[Goal]) -> str:
        """The deepest place that makes a goal impossible."""
        if goal in seen:
            return self.algebra.where(goal)
        seen.add(goal)
        cases = self.algebra.expand(goal)
        if len(cases) == 1:
            case = cases[0]
            if case.mask == OBJECT:
                shape = object.Shape(case.objects)
                for key in shape.required:
                    needed = shape.at(self.algebra, key)
                    if self._impossible(needed):
                        return self.blame(needed, seen) or self.algebra.where(goal)
            if case.mask == ARRAY:
                items = array.Shape(self.algebra, case.arrays)
                for position in range(min(items.least, len(items.prefix) + 1)):
                    if self._impossible(items.at(position)):
                        return self.blame(items.at(position), seen) or self.algebra.where(goal)
        return self.algebra.where(goal)

    def _impossible(self, goal: Goal) -> bool:
        node = self.lower(goal)
        return node is None or self.builder.is_empty(node)

    def union(self, cases: list[Case]) -> int | None:
        """One node for a union: type by type, what an unconditional case covers is not said twice."""
        nodes = self._case(cases[0]) if len(cases) == 1 else self._cases(cases)
        if not nodes:
            return None
        if len(nodes) == 1:
            return nodes[0]
        node = self.builder.alt(nodes)
        if not self.structural.isdisjoint(nodes):
            self.structural.add(node)
        return node

    def _case(self, case: Case) -> list[int]:
        mask = case.mask
        found: list[int | None] = []
        if mask & WORDS:
            found.append(self._words(mask))
        if mask & NUMBER:
            found.append(self.part("number", mask & NUMBER, case.numbers))
        if mask & STRING:
            found.append(self.part("string", STRING, case.strings))
        if mask & ARRAY:
            found.append(self.part("array", ARRAY, case.arrays))
        if mask & OBJECT:
            found.append(self.part("object", OBJECT, case.objects))
        return [node for node in found if node is not None]

    def _cases(self, cases: list[Case]) -> list[int]:
        words = 0
        groups: dict[tuple[str, int], dict[tuple[Any, ...], None]] = {}
        for case in cases:
            words |= case.mask
            if case.mask & NUMBER:
                groups.setdefault(("number", case.mask & NUMBER), {})[case.numbers] = None
            if case.mask & STRING:
                groups.setdefault(("string", STRING), {})[case.strings] = None
            if case.mask & ARRAY:
                groups.setdefault(("array", ARRAY), {})[case.arrays] = None
            if case.mask & OBJECT:
                groups.setdefault(("object", OBJECT), {})[case.objects] = None
        found: list[int | None] = []
        if words & WORDS:
            found.append(self._words(words))
        for (kind, mask), alternatives in groups.items():
            if () in alternatives:
                alternatives = {(): None}
            if kind == "string" and len(alternatives) > 1:
                found += quoted_union(self, tuple(alternatives))
            else:
                found += [self.part(kind, mask, atoms) for atoms in alternatives]
        return [node for node in dict.fromkeys(found) if node is not None]

    def _words(self, mask: int) -> int:
        key = ("words", mask & WORDS)
        node = self._parts.get(key)
        if node is None:
            words = ((NULL, b"null"), (FALSE, b"false"), (TRUE, b"true"))
            node = self._parts[key] = self.builder.words([word for bit, word in words if mask & bit])
        return node

    def string(self, atoms: tuple[StringAtom, ...]) -> int | None:
        """The node of the strings that meet the conditions."""
        return quoted(self, atoms)

    def part(self, kind: str, mask: int, atoms: tuple[Any, ...]) -> int | None:
        """The node of one type's conjunction, made once."""
        key = (kind, mask, self.depth, atoms, kind == "object" and self.at_root())
        if key in self._parts:
            return self._parts[key]
        node: int | None
        if kind == "number":
            try:
                node = number.lower(self.builder, self.options, mask, atoms, self._numerals)
            except multiple.TooManyRemainders as error:
                self.unsupported(
                    f"{self.where()}/multipleOf",
                    "multipleOf",
                    f"divisibility by {error.args[0]:,} takes a state for each remainder, more than "
                    f"{error.args[1]:,}, unless bounds leave at most {interval.LISTED:,} multiples; "
                    "numbers that are no multiples could slip through",
                )
                kept = tuple(atom for atom in atoms if not isinstance(atom, interval.Multiple))
                node = number.lower(self.builder, self.options, mask, kept, self._numerals)
        elif kind == "string":
            node = self.string(atoms)
        elif kind == "array":
            node = array.lower(self, atoms)
        else:
            node = member.lower(self, atoms)
        self._parts[key] = node
        return node


class _Level:
    """Enters the level below while members or items are lowered; only `pretty` tells levels apart."""

    __slots__ = ("depths", "lowering")

    def __init__(self, lowering: Lowering) -> None:
        self.lowering = lowering
        self.depths: list[int] = []

    def __enter__(self) -> Layout:
        lowering = self.lowering
        layout = lowering.layout()
        if lowering._pretty:
            self.depths.append(lowering.depth)
            lowering.depth = min(lowering.depth + 1, PRETTY_LEVELS)
        return layout

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        lowering = self.lowering
        if lowering._pretty:
            lowering.depth = self.depths.pop()
