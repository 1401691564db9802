"""Goals → nodes of the builder: one node for each goal, a rule where it recurses."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from frisket import _core
from frisket._core import front_end
from frisket.errors import LimitExceededError, UnsatisfiableSchemaError, UnsupportedSchemaError
from frisket.json_schema import array, interval, member, multiple, number, object
from frisket.json_schema.layout import PRETTY_LEVELS, Layout, with_margins
from frisket.json_schema.order import is_sorted
from frisket.json_schema.place import CHECKED, STEPS
from frisket.json_schema.quoted import quoted, quoted_union
from frisket.json_schema.resolve import UNNUMBERED, Site
from frisket.json_schema.room import HOP, LEVELS, elsewhere, too_deep
from frisket.json_schema.value import ANYTHING, ARRAY, FALSE, NULL, NUMBER, OBJECT, STRING, TRUE, Case, Goal

if TYPE_CHECKING:
    from types import TracebackType

    from frisket._core import GrammarBuilder
    from frisket.json_schema.algebra import Algebra
    from frisket.json_schema.options import JSONSchemaOptions
    from frisket.json_schema.report import Report
    from frisket.json_schema.string import StringAtom

#: Whether parts of constants are lowered by the engine. Tests turn it off and compare.
CONSTANTS = True
#: The values that it reads.
READ = {list, dict, str, int, bool, type(None)}
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
        plain: front_end.Plain | None = None,
    ) -> None:
        """`before` is a lowering without a schema, under the same options, whose builder this one is a fork of.

        `plain` lowers the places that are.
        """
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
        if stated and (is_sorted(algebra.documents.root.contents) if plain is None else plain.is_sorted):
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
        #: Levels being lowered by the engine, above and between those in `_active`.
        self._plain_levels = 0
        self._plain = plain
        #: Not where lines are indented, nor where each call is recorded.
        self._reads_constants = CONSTANTS and not self._pretty and type(builder) is _core.GrammarBuilder
        self._constants: front_end.Constants | None = None

    def _made_constants(self) -> front_end.Constants:
        """The engine's side for constants."""
        layout, options = self.layout(), self.options
        objects = (layout.open_object, layout.close_object, layout.colon, layout.comma, layout.empty_object)
        return front_end.Constants(
            self.builder,
            (*objects, layout.open_array, layout.close_array, layout.empty_array),
            free=options.escapes == "free",
            any_order=self.any_order,
            digits=options.max_integer_digits if options.numbers == "plain" else None,
        )

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
        site = self.algebra.constant_at(goal) if self._reads_constants else None
        if site is not None and type(site.schema["const"]) in READ:
            done, node = self._constant(site)
            if done:
                nodes[key] = node
                return node
        if self._plain is not None and len(goal) == 1:
            plain, node = self._plainly(self._plain, goal)
            if plain:
                nodes[key] = node
                return node
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

    def _constant(self, site: Site) -> tuple[bool, int | None]:
        """(whether the engine lowered the value that a place asks for, its node)"""
        value = site.schema["const"]
        if self._constants is None:
            self._constants = self._made_constants()
        try:
            done, node = self._constants.lower(value, partial(self._scalar, site))
        except LimitExceededError as error:
            if error.where is not None or error.code != LimitExceededError.code:
                raise
            raise LimitExceededError(
                f"a value of const or enum: {error.message}", where=site.pointer, hint=error.hint
            ) from error
        if node is not None and type(value) in (list, dict):
            self.structural.add(node)
        return done, node

    def _scalar(self, site: Site, value: Any) -> int | None:
        """The node of a part of a place's value: a number that has several spellings, a text that has none."""
        goal = self.algebra.constant(site, value)
        key = (goal, self.depth)
        return self._nodes[key] if key in self._nodes else self._expanded(goal, key)

    def _plainly(self, plain: front_end.Plain, goal: Goal) -> tuple[bool, int | None]:
        """(whether the goal is that of a plain place, its node)"""
        (literal,) = goal
        if literal < 0 or literal & 1:
            return False, None
        site = self.algebra.sites[literal >> 1]
        if site.resource is not self.algebra.documents.root or type(site.schema) is not dict:
            return False, None
        done, node = plain.lower(self, site.schema, site.pointer, self._levels())
        if node is not None:
            self.structural.add(node)
        return done, node

    def from_plain(self, schema: Any, pointer: str, levels: int) -> tuple[int | None, bool]:
        """(the node of a place that is not plain, whether the report has nothing to say), asked for by the engine."""
        around = Site(UNNUMBERED, None, self.algebra.documents.root, (), pointer, ())
        node = self._below_plain(self.algebra.below(around, schema), levels)
        report = self.algebra.report
        return node, not report.loosened and not report.narrowed

    def from_plain_several(self, places: list[tuple[Any, str, str, str | None]], levels: int) -> int | None:
        """The node of what meets several schemas: (schema, the pointer of the place around it, keyword, key)."""
        algebra = self.algebra
        goal = ANYTHING
        for schema, pointer, *tokens in places:
            around = Site(UNNUMBERED, None, algebra.documents.root, (), pointer, ())
            goal = algebra.both(goal, algebra.below(around, schema, *(token for token in tokens if token is not None)))
        return self._below_plain(goal, levels)

    def _below_plain(self, goal: Goal, levels: int) -> int | None:
        before = self._plain_levels
        self._plain_levels = levels - len(self._active)
        try:
            return self.lower(goal)
        finally:
            self._plain_levels = before

    def _levels(self) -> int:
        return len(self._active) + self._plain_levels

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
