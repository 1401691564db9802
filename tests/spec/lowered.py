"""Spec cases → what the front ends tell the builder, call by call: `lowered.jsonl`, which the core's own tests replay.

    python -m tests.spec.lowered        writes the file anew

A line is a case (its name, its texts, its root) or a call of the case above it. A node is known by the number of the
call that first returned it, so the file changes where a front end says something else, not where the core numbers its
nodes otherwise. A question is recorded with its answer, which the core must give again. The first line is the version
of Unicode, since the running Python says what `\\w` holds.

Patterns, schemas and Lark are read by crates that make their nodes without a call. Cases with one keep the calls that
readers in Python recorded until November 2026; such a case that is added later stands in no line. A case is known by
its number in its file, so new ones go to the end.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NoReturn, cast
from unittest import mock

from frisket import json_schema
from frisket._core import GrammarBuilder, front_end
from frisket._core.front_end import Productions
from frisket.errors import EmptyGrammarError, UnsatisfiableSchemaError
from frisket.notations.abnf import lower_abnf
from frisket.notations.choices import lower_choices
from frisket.notations.ebnf import lower_ebnf
from frisket.notations.gbnf import lower_gbnf
from tests.spec.cases import Case, cases

LOWER: dict[str, Callable[..., int]] = {
    "gbnf": lower_gbnf,
    "abnf": lower_abnf,
    "ebnf": lower_ebnf,
}

FILE = Path(__file__).with_name("lowered.jsonl")


class MadeWithoutCalls(Exception):
    """A crate makes the nodes of this part."""


class RecordingBuilder:
    """A builder that writes down what it is told, with every default filled in."""

    def __init__(self) -> None:
        self.builder = GrammarBuilder()
        self.calls: list[list[Any]] = []
        self._numbers: dict[int, int] = {}

    def _made(self, node: int, *call: Any) -> int:
        if self._numbers.setdefault(node, len(self.calls)) == len(self.calls) or list(call) not in self.calls:
            self.calls.append(list(call))
        return node

    def _of_several(self, node: int, call: str, nodes: Any) -> int:
        """A node of several; of one, it is that one, and nothing is told."""
        return node if len(nodes) == 1 else self._made(node, call, self._each(nodes))

    def number(self, node: int) -> int:
        """The call that first returned the node."""
        return self._numbers[node]

    def _each(self, nodes: Any) -> list[int]:
        return [self.number(node) for node in nodes]

    def _pairs(self, values: Any) -> list[list[int]]:
        return [[self.number(node), other] for node, other in values]

    def check(self, steps: int = 0, memory_bytes: int = 0) -> None:
        self.builder.check(steps, memory_bytes)

    def regex(self, pattern: str, **_: Any) -> int:
        raise MadeWithoutCalls

    regex_part = regex

    def gbnf(self, text: str, root: str) -> None:
        """Nothing: nor does the core read notations for it."""

    def empty(self) -> int:
        return self._made(self.builder.empty(), "empty")

    def epsilon(self) -> int:
        return self._made(self.builder.epsilon(), "epsilon")

    def literal(self, data: bytes) -> int:
        return self._made(self.builder.literal(data), "literal", spelled(data))

    def words(self, words: Any) -> int:
        return self._made(self.builder.words(words), "words", [spelled(word) for word in sorted(words)])

    def byte_class(self, ranges: Any) -> int:
        return self._made(self.builder.byte_class(ranges), "byte_class", ranges)

    def char_class(self, ranges: Any) -> int:
        return self._made(self.builder.char_class(ranges), "char_class", ranges)

    def any_text(self) -> int:
        return self._made(self.builder.any_text(), "any_text")

    def cat(self, nodes: Any) -> int:
        return self._of_several(self.builder.cat(nodes), "cat", nodes)

    def seq(self, nodes: Any) -> int:
        return self._of_several(self.builder.seq(nodes), "seq", nodes)

    def alt(self, nodes: Any) -> int:
        return self._of_several(self.builder.alt(nodes), "alt", nodes)

    def and_(self, nodes: Any) -> int:
        return self._of_several(self.builder.and_(nodes), "and", nodes)

    def not_(self, node: int) -> int:
        return self._made(self.builder.not_(node), "not", self.number(node))

    def repeat(self, node: int, min: int, max: int | None = None) -> int:
        return self._made(self.builder.repeat(node, min, max), "repeat", self.number(node), min, max)

    def bounded(self, node: int, min: int, max: int | None) -> int:
        return self._made(self.builder.bounded(node, min, max), "bounded", self.number(node), min, max)

    def multiple(self, of: int, *, point: bool) -> int:
        return self._made(self.builder.multiple(of, point=point), "multiple", of, point)

    def quoted(self, node: int, escapes: str = "raw") -> int:
        return self._made(self.builder.quoted(node, escapes), "quoted", self.number(node), escapes)

    def rule(self, name: str) -> int:
        return self._made(self.builder.rule(name), "rule", name)

    def define(self, rule: int, body: int) -> None:
        self.builder.define(rule, body)
        self.calls.append(["define", self.number(rule), self.number(body)])

    def special(self, name: str) -> int:
        return self._made(self.builder.special(name), "special", name)

    def object(
        self,
        properties: Any,
        extras: Any,
        *,
        min_properties: int = 0,
        max_properties: int | None = None,
        required_marks: int = 0,
        clauses: Any = (),
        implies: Any = (),
        any_order: bool = False,
        extras_last: bool = True,
        orders: Any = (),
        escapes: str = "raw",
        **punctuation: int,
    ) -> int:
        rules: dict[str, Any] = {
            "min_properties": min_properties,
            "max_properties": max_properties,
            "required_marks": required_marks,
            "implies": list(implies),
            "any_order": any_order,
            "extras_last": extras_last,
            "orders": list(map(list, orders)),
            "escapes": escapes,
        }
        node = self.builder.object(properties, extras, clauses=clauses, **punctuation, **rules)
        if clauses:
            rules["clauses"] = list(map(list, clauses))
        named = [[key, required, self._pairs(values)] for key, required, values in properties]
        others = [[self.number(keys), self._pairs(values)] for keys, values in extras]
        return self._made(node, "object", named, others, {**self._punctuation(punctuation), **rules})

    def array(
        self,
        prefix: Any,
        rest: int | None,
        *,
        min_items: int = 0,
        max_items: int | None = None,
        unique: bool = False,
        **punctuation: int,
    ) -> int:
        rules: dict[str, Any] = {"min_items": min_items, "max_items": max_items, "unique": unique}
        node = self.builder.array(prefix, rest, **punctuation, **rules)
        last = None if rest is None else self.number(rest)
        return self._made(node, "array", self._each(prefix), last, {**self._punctuation(punctuation), **rules})

    def unique_array(self, states: Any, *, min_items: int = 0, max_items: int | None = None, **punctuation: int) -> int:
        rules: dict[str, Any] = {"min_items": min_items, "max_items": max_items}
        node = self.builder.unique_array(states, **punctuation, **rules)
        read = [[accepting, self._pairs(items)] for accepting, items in states]
        return self._made(node, "unique_array", read, {**self._punctuation(punctuation), **rules})

    def _punctuation(self, nodes: dict[str, int]) -> dict[str, int]:
        return {name: self.number(node) for name, node in sorted(nodes.items())}

    def is_empty(self, node: int) -> bool:
        return self._answered(self.builder.is_empty(node), "is_empty", self.number(node))

    def accepts(self, node: int, data: bytes) -> bool:
        return self._answered(self.builder.accepts(node, data), "accepts", self.number(node), spelled(data))

    def _answered(self, answer: Any, *call: Any) -> Any:
        self.calls.append([*call, answer])
        return answer


class RecordingProductions:
    """Rules that write down what they are told; how they are lowered is one call of the builder."""

    def __init__(self) -> None:
        self.productions = Productions()
        self.calls: list[list[Any]] = []

    def __getattr__(self, name: str) -> Callable[..., Any]:
        def call(*arguments: Any) -> Any:
            self.calls.append([name, *arguments])
            return getattr(self.productions, name)(*arguments)

        return call

    def give(self, builder: Any, leaf: int, node: int, ends_in_name: bool) -> None:
        if not isinstance(builder, RecordingBuilder):  # one that only decides about languages
            self.productions.give(builder, leaf, node, ends_in_name)
            return
        self.calls.append(["give", leaf, builder.number(node), ends_in_name])
        self.productions.give(builder.builder, leaf, node, ends_in_name)

    def lower(self, builder: Any) -> int:
        if not isinstance(builder, RecordingBuilder):
            return int(self.productions.lower(builder))
        return builder._made(self.productions.lower(builder.builder), "productions", self.calls)


def spelled(data: bytes) -> str | list[int]:
    """Bytes as text where they are one."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        return list(data)


def made_without_calls(*_: Any, **__: Any) -> NoReturn:
    raise MadeWithoutCalls


def lowered(case: Case) -> list[Any]:
    """The lines of a case; its root is None where nothing can be written.

    Raises MadeWithoutCalls for a case with a pattern, a schema or a grammar in Lark.
    """
    if case.pattern is not None or case.schema is not None or case.lark is not None:
        raise MadeWithoutCalls
    recording = RecordingBuilder()
    builder = cast("GrammarBuilder", recording)
    root: int | None
    try:
        if case.rules is not None:
            notation, text = case.rules
            with (
                mock.patch.object(front_end, "Productions", RecordingProductions),
                mock.patch.object(json_schema, "lower_json_schema", made_without_calls),
            ):
                root = LOWER[notation](builder, text, **case.options)
        else:
            root = lower_choices(builder, case.choices)
        number = recording.number(root)
    except (EmptyGrammarError, UnsatisfiableSchemaError):
        number = None
    return [head(case, number), *recording.calls]


def head(case: Case, root: int | None) -> dict[str, Any]:
    """A case's first line."""
    return {"case": case.name, "accepts": case.accepts, "rejects": case.rejects, "root": root}


def kept() -> dict[str, list[Any]]:
    """The lines of each case as they are in the file."""
    found: dict[str, list[Any]] = {}
    name = ""
    for line in map(json.loads, FILE.read_text(encoding="utf-8").split("\n")[1:-1]):
        name = line["case"] if isinstance(line, dict) else name
        found.setdefault(name, []).append(line)
    return found


def written() -> Iterator[str]:
    """The file's lines."""
    before = kept()
    yield _line({"unicode": unicodedata.unidata_version})
    for case in cases():
        if case.refused is not None:  # there is nothing to replay
            continue
        try:
            lines = lowered(case)
        except MadeWithoutCalls:
            if case.name not in before:
                continue
            first, *calls = before[case.name]
            lines = [head(case, first["root"]), *calls]
        yield from map(_line, lines)


def _line(said: Any) -> str:
    return json.dumps(said, ensure_ascii=False, separators=(",", ":")) + "\n"


if __name__ == "__main__":
    FILE.write_text("".join(written()), encoding="utf-8")
