"""Descriptions of tools × policy → the tools that a grammar may call, and a report on each."""

from __future__ import annotations

import copy
import json
import marshal
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from frisket.errors import (
    FrisketError,
    LimitExceededError,
    MissingDependencyError,
    RefusedToolsError,
    UnsatisfiableSchemaError,
    UnsupportedSchemaError,
)
from frisket.grammar import Grammar
from frisket.json_pointer import find, follow, to_pointer, unescape
from frisket.json_schema import DEFAULT, JSONSchemaOptions
from frisket.json_schema.options import is_escapable
from frisket.limit import Limits, Meter
from frisket.recent import content
from frisket.tools.arguments import Arguments
from frisket.tools.family import Family, family
from frisket.tools.tool import Tool

if TYPE_CHECKING:
    from frisket.json_schema.report import Entry

__all__ = ["Policy", "ToolReport", "Tools"]

Policy: TypeAlias = Literal["strict", "relaxed", "reject"]
POLICIES = ("strict", "relaxed", "reject")
#: Limit steps per tool and per byte of its schema, and limit bytes per byte of its schema.
_STEPS_PER_TOOL, _STEPS_PER_BYTE, _BYTES_PER_BYTE = 5_000, 20, 20
#: Most keywords that a schema may lose before its tool is refused.
_LOSSES = 100


@dataclass(frozen=True)
class ToolReport:
    """Whether one tool can be called, and how exactly its schema is enforced.

    `status` is `exact`, `relaxed` (`places` says what is not enforced) or `refused`: the model cannot call the tool
    (`places` says why, `hint` what to change).
    """

    name: str
    status: Literal["exact", "relaxed", "refused"]
    places: tuple[tuple[str, str], ...] = ()
    """(JSON pointer into the schema of the arguments, what is not or cannot be enforced there)."""
    hint: str | None = None
    narrowed: tuple[tuple[str, str], ...] = ()
    """(JSON pointer into the schema of the arguments, the valid values that no call of the family can hold)."""
    _arguments: Arguments | None = field(default=None, repr=False, compare=False)

    @cached_property
    def misspelt(self) -> tuple[tuple[str, str], ...]:
        """(JSON pointer to a word that is no keyword, and so without effect; the keyword that it may mean)."""
        if self._arguments is None or self._arguments.tool.python is not None:  # Pydantic spells well
            return ()
        try:
            report = self._arguments.grammar().report
        except FrisketError:  # a schema that the family writes, and JSON cannot
            return ()
        entries = report.misspelt if report is not None else []
        return tuple((entry.pointer + to_pointer((entry.keyword,)), str(entry.meant)) for entry in entries)

    def __repr__(self) -> str:
        shown = [f"{one.name}={getattr(self, one.name)!r}" for one in fields(self) if one.repr]
        shown += [f"misspelt={self.misspelt!r}"] if self.misspelt else []
        return f"ToolReport({', '.join(shown)})"

    def to_json(self) -> dict[str, Any]:
        """The report as JSON values."""
        lists = {
            "places": [{"pointer": pointer, "reason": reason} for pointer, reason in self.places],
            "narrowed": [{"pointer": pointer, "reason": reason} for pointer, reason in self.narrowed],
            "misspelt": [{"pointer": pointer, "meant": meant} for pointer, meant in self.misspelt],
        }
        said = {"name": self.name, "status": self.status, "hint": self.hint}
        return said | {name: found for name, found in lists.items() if found or name == "places"}


@dataclass(frozen=True)
class Checked:
    """One tool compiled for one family; `arguments` is None if the tool is refused."""

    report: ToolReport
    arguments: Arguments | None
    refusal: FrisketError | None = None

    @property
    def is_certain(self) -> bool:
        """False if a limit decided: another limit may give another result."""
        return not isinstance(self.refusal, LimitExceededError)


class Tools:
    """Tools that a model may call. Each is compiled on its own, so a bad one does not harm the others.

    >>> tools = Tools([{"name": "now"}, {"name": "bad", "parameters": {"type": "objekt"}}], policy="reject")
    >>> [(report.name, report.status) for report in tools.report()]
    [('now', 'exact'), ('bad', 'refused')]

    A tool is a dict as OpenAI's, Anthropic's or MCP's interfaces have it, a Python function with annotations, or a
    Pydantic model (both need Pydantic). `policy` says what becomes of a tool that cannot be enforced exactly:

    * `strict`: a RefusedToolsError that lists every such tool;
    * `relaxed`: keywords that cannot be enforced are left out of the schema, and reported. A tool that cannot be
      called at all (it has no name, or no arguments are valid) is refused;
    * `reject`: the tool is refused: the model cannot call it, but can call all others.
    """

    def __init__(
        self, tools: Iterable[Any], *, policy: Policy = "strict", options: JSONSchemaOptions | None = None
    ) -> None:
        if isinstance(tools, (str, bytes, dict, type)) or not isinstance(tools, Iterable):
            raise TypeError("tools are a list of tools: write [tool] for one")
        if policy not in POLICIES:
            raise ValueError(f"policy is one of {', '.join(POLICIES)}")
        self.policy: Policy = policy
        self.options = options or DEFAULT
        self._sources = list(tools)
        self._checked: dict[Family, list[Checked]] = {}

    def __len__(self) -> int:
        return len(self._sources)

    def __repr__(self) -> str:
        names = ", ".join(_name(source, place) for place, source in enumerate(self._sources))
        return f"<Tools {names}>"

    def __eq__(self, other: object) -> bool:
        return self._said() == other._said() if isinstance(other, Tools) else NotImplemented

    def __hash__(self) -> int:
        return hash((len(self._sources), self.policy, self.options))

    def __reduce__(self) -> tuple[Any, ...]:
        return _sent, self._said()

    def _said(self) -> tuple[list[Any], Policy, JSONSchemaOptions]:
        return self._sources, self.policy, self.options

    def _kept(self) -> Tools:
        """A copy of the tools, which later changes to the original do not affect."""
        data = content(self._sources)
        sources = copy.deepcopy(self._sources) if data is None else marshal.loads(data)
        return Tools(sources, policy=self.policy, options=self.options)

    def report(self, family: str | Family | None = None, *, limits: Limits | None = None) -> list[ToolReport]:
        """The report of each tool; for a family, also the values that its format cannot write.

        A tool that alone exceeds the `limits` is refused. LimitExceededError if all tools together do."""
        return [checked.report for checked in self._results(_family(family), limits)]

    def _arguments(self, family: str | Family, *, limits: Limits | None = None) -> list[Arguments]:
        """The tools that can be called; RefusedToolsError under `strict` if one cannot."""
        checked = self._results(_family(family), limits)
        refused = [each.report for each in checked if each.report.status == "refused"]
        if refused and self.policy == "strict":
            first = next(each.refusal for each in checked if each.refusal is not None)
            # Only what a mask cannot enforce may be left out; a tool that cannot be read has to be mended.
            ways = [
                *([first.hint] if first.hint else []),
                *([_POLICY] if isinstance(first, UnsupportedSchemaError) else []),
            ]
            raise RefusedToolsError(
                f"{len(refused)} of {len(checked)} tools cannot be enforced: {refused[0].name}: {_first(refused[0])}",
                places=[(report.name, reason) for report in refused for _, reason in report.places],
                where=_place_of(refused[0]),
                hint="; or ".join(ways) or None,
            )
        return [each.arguments for each in checked if each.arguments is not None]

    def _results(self, family: Family, limits: Limits | None = None) -> list[Checked]:
        """The result for each tool, one after the other; nothing is compiled twice."""
        known = self._checked.get(family)
        if known is None:
            known = list(self._check(family, limits, Meter(limits)))
            if all(checked.is_certain for checked in known):
                self._checked[family] = known
        return known

    def _check(self, family: Family, limits: Limits | None, meter: Meter) -> Iterator[Checked]:
        names: set[str] = set()
        options = _with_tags_forbidden(self.options, family)
        for place, source in enumerate(self._sources):
            try:
                tool = Tool.of(source)
            except MissingDependencyError:
                raise
            except FrisketError as error:
                yield _refused(_name(source, place), error)
                continue
            problem = family.problem_of(tool.name) or (
                f"another tool is called {tool.name}, too" if tool.name in names else None
            )
            if problem is not None:
                yield _refused(tool.name, RefusedToolsError(problem, where="/name", hint="rename the tool"))
                continue
            names.add(tool.name)
            checked = self._checked_one(tool, _Compiler(family, options, limits, meter))
            # A tool that hits a limit is charged half of the call's steps, so the second such tool ends the call.
            meter.spend(0 if checked.is_certain else 1 + meter.limits.steps // 2)
            yield checked

    def _checked_one(self, tool: Tool, compiler: _Compiler) -> Checked:
        try:
            arguments = compiler.compiled(tool)
            compiler.raise_unwritable(tool)
            report = ToolReport(tool.name, "exact", narrowed=arguments.narrowed(), _arguments=arguments)
            return Checked(report, arguments)
        except FrisketError as error:
            if self.policy != "relaxed" or isinstance(error, UnsatisfiableSchemaError):
                return _refused(tool.name, error)
            return _relaxed(tool, compiler, error)


#: The two policies under which such a tool raises no error, as a hint names them.
_POLICY = "pass frisket.tools.Tools(tools, policy='relaxed'), or policy='reject'"


def _sent(sources: list[Any], policy: Policy, options: JSONSchemaOptions) -> Tools:
    """Tools from their pickled form."""
    return Tools(sources, policy=policy, options=options)


@dataclass(frozen=True)
class _Compiler:
    """Compiles the tools of one call, which share one meter."""

    family: Family
    options: JSONSchemaOptions
    limits: Limits | None
    meter: Meter

    def compiled(self, tool: Tool) -> Arguments:
        """The compiled arguments of a tool; raises the error for what cannot be enforced."""
        try:
            return self._compiled(tool)
        except UnsatisfiableSchemaError:
            is_json = self.family.arguments in ("json", "python")
            if (is_json and self._has_value(tool.schema, self.options)) or not self._has_value(
                tool.schema, self._tagless
            ):
                raise
        name = self.family.name
        asked = [("", f"every valid value holds a tag of {name}, and no text of its calls can")]
        pointer, reason = (self.unwritable(tool) or asked)[0]
        raise UnsatisfiableSchemaError(reason, where=pointer, hint="use a family that has no such tag")

    def _compiled(self, tool: Tool) -> Arguments:
        # Without limits of the caller, recently made rules come from the cache.
        arguments = Arguments(tool, self.family, self.options, None if self.limits is None else self.meter.limits)
        arguments.check()
        arguments.core()
        size = len(content(tool.schema) or b"")
        self.meter.spend(_STEPS_PER_TOOL + _STEPS_PER_BYTE * size, _BYTES_PER_BYTE * size)
        return arguments

    def raise_unwritable(self, tool: Tool) -> None:
        """UnsupportedSchemaError if the schema lists values that no call of the family can hold."""
        lost = self.unwritable(tool)
        if lost:
            raise UnsupportedSchemaError(
                lost[0][1], places=lost, where=lost[0][0], hint="leave it out, or use a family that has no such tag"
            )

    def unwritable(self, tool: Tool) -> list[tuple[str, str]]:
        """(pointer, reason) for each enum or const with values that no call can carry, since they contain a tag."""
        data = content(tool.schema)
        if data is not None and not any(tag.encode() in data for tag in self.family.tags):
            return []
        report = Grammar.from_json_schema(tool.schema, self._tagless, limits=self.limits).report
        found = []
        for entry in report.entries if report is not None else ():
            pointer = f"{entry.pointer}/{entry.keyword}"
            listed = find(tool.schema, pointer) if entry.keyword in ("enum", "const") else ()
            values = listed if entry.keyword == "enum" else [listed]
            lost = [value for value in values if self._is_lost(value, tool)] if listed else []
            if lost:
                shown = ", ".join(json.dumps(value, ensure_ascii=False, default=str) for value in lost)
                found.append((pointer, f"{self.family.name} cannot write {shown}: no text of its calls holds its tags"))
        return found

    def _is_lost(self, value: Any, tool: Tool) -> bool:
        """Whether a value of the schema contains a tag that the family cannot escape."""
        if self._has_value({"const": value}, replace(self._tagless, forbidden_texts=self.family.tags)):
            return False
        if self.family.arguments == "delimited" or not self._has_value({"const": value}, self.options):
            return True
        if self.family.arguments != "parameters" or not isinstance(value, str):
            return False
        return Arguments(tool, self.family, self._tagless, self.limits).has_text(value)

    @property
    def _tagless(self) -> JSONSchemaOptions:
        forbidden, escaped = self.options.forbidden_texts, self.options.escaped_texts
        return replace(
            self.options,
            forbidden_texts=tuple(text for text in forbidden if text not in self.family.tags),
            escaped_texts=tuple(text for text in escaped if text not in self.family.tags),
        )

    def _has_value(self, schema: Any, options: JSONSchemaOptions) -> bool:
        try:
            Grammar.from_json_schema(schema, options, limits=self.limits)
        except UnsatisfiableSchemaError:
            return False
        return True


def _relaxed(tool: Tool, compiler: _Compiler, error: FrisketError) -> Checked:
    """The tool without the keywords that cannot be enforced, which are removed one by one."""
    compiler = replace(compiler, options=replace(compiler.options, relaxed=True))
    schema = copy.deepcopy(tool.schema)
    left_out: list[tuple[str, str]] = []
    for _ in range(_LOSSES):
        smaller = replace(tool, schema=schema)
        try:
            arguments = compiler.compiled(smaller)
        except UnsatisfiableSchemaError as reason:
            return _refused(tool.name, reason)
        except MissingDependencyError:  # the validator, which checks what masks do not enforce, is not installed
            raise
        except FrisketError as reason:
            lost = [(pointer, why) for pointer, why in _places(reason) if _remove(schema, pointer)]
            if not lost:
                return _refused(tool.name, error)
            left_out += lost
            continue
        known = arguments.grammar().report
        slips: list[Entry] = known.loosened if known is not None else []
        left_out += [(f"{entry.pointer}/{entry.keyword}", entry.slips) for entry in slips]
        lost = compiler.unwritable(smaller)
        narrowed = tuple(dict([*arguments.narrowed(), *lost]).items())
        places = tuple(dict([*left_out, *lost]).items())
        report = ToolReport(tool.name, "relaxed", places, error.hint, narrowed, arguments)
        return Checked(report, arguments)
    return _refused(tool.name, error)


def _with_tags_forbidden(options: JSONSchemaOptions, family: Family) -> JSONSchemaOptions:
    """The options with all tags forbidden in strings, since many parsers look for tags before they parse JSON."""
    escaped = tuple(tag for tag in family.tags if is_escapable(tag))
    forbidden = tuple(tag for tag in family.tags if tag not in escaped)
    return replace(
        options,
        forbidden_texts=(*options.forbidden_texts, *forbidden),
        escaped_texts=(*options.escaped_texts, *escaped),
    )


def _remove(schema: Any, pointer: str) -> bool:
    """Remove the keyword at a pointer; a subschema that cannot be read becomes one that allows everything."""
    above, _, token = pointer.rpartition("/")
    key = unescape(token)
    try:
        part = follow(schema, above)
        if isinstance(part, list):
            part[int(key)] = True
        elif isinstance(part[key], dict) or key not in part:
            part[key] = True
        else:
            del part[key]
    except (LookupError, TypeError, ValueError):
        return False
    return True


def _places(error: FrisketError) -> list[tuple[str, str]]:
    if isinstance(error, UnsupportedSchemaError) and error.places:
        return error.places
    return [(error.where or "", error.message)]


def _refused(name: str, error: FrisketError) -> Checked:
    return Checked(ToolReport(name, "refused", tuple(_places(error)), error.hint), None, error)


def _place_of(report: ToolReport) -> str:
    """The name of a tool, and the first place in its description that is wrong."""
    place = report.places[0][0] if report.places else ""
    return f"{report.name}: {place}" if place else report.name


def _first(report: ToolReport) -> str:
    return report.places[0][1] if report.places else "no reason is known"


def _name(source: Any, place: int) -> str:
    """The name of a tool whose description cannot be read: the one it gives, or `tool` and its place."""
    inner = source.get("function", source) if isinstance(source, dict) else source
    name = inner.get("name") if isinstance(inner, dict) else getattr(inner, "__name__", None)
    return name if isinstance(name, str) and name not in ("", "<lambda>") else f"tool {place}"


def _family(wanted: str | Family | None) -> Family:
    if isinstance(wanted, Family):
        return wanted
    return family("hermes" if wanted is None else wanted)
