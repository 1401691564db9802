"""Lark's notation → structural node, or → productions for other notations. The engine reads it."""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, NoReturn, TypeAlias

from frisket._core import GrammarBuilder, front_end
from frisket.errors import EmptyGrammarError, GrammarSyntaxError, LimitExceededError, SchemaError
from frisket.json_fault import json_fault
from frisket.notations.production import ast
from frisket.notations.production.source import Source
from frisket.notations.production.substring import lower_substring

if TYPE_CHECKING:
    from frisket.limit import Limits

#: The implementation whose reading of Lark's notation applies where implementations differ.
LarkDialect: TypeAlias = Literal["llguidance", "lark", "xgrammar"]

#: Limit steps per character of a grammar.
_STEPS_PER_CHARACTER = 5


def lower_lark(builder: GrammarBuilder, text: str, *, start: str = "start", dialect: LarkDialect = "llguidance") -> int:
    """The node of the rule `start`; GrammarSyntaxError, with line and column, for what is not Lark or not exact."""
    source = Source(text, builder.check)
    source.check(_STEPS_PER_CHARACTER * source.end)
    try:
        return front_end.lower_lark(builder, text, start, dialect, partial(_schema, source))
    except front_end.Fault as fault:
        _raise(source, fault)


def parse_lark(
    source: Source, *, start: str = "start", dialect: LarkDialect = "llguidance", limits: Limits | None = None
) -> tuple[ast.Productions, str]:
    """The productions by name, and the name of the one whose texts are the grammar's."""
    builder = GrammarBuilder(limits=limits)
    try:
        rules, root = front_end.read_lark(builder, source.text, start, dialect, partial(_schema, source))
    except front_end.Fault as fault:
        _raise(source, fault)
    return {name: ast.Production(title, _body(nodes, source, dialect), at) for name, title, at, nodes in rules}, root


def _raise(source: Source, fault: front_end.Fault) -> NoReturn:
    """Raise what the engine finds wrong with the text as an error that shows the place."""
    message, at, hint, kind = fault.args
    where = None if at is None else source.where(at)
    if kind == "limit":
        raise LimitExceededError(message, where=where, hint=hint) from None
    error = EmptyGrammarError if kind == "empty" else GrammarSyntaxError
    raise error(message, where=where, excerpt=None if at is None else source.excerpt(at), hint=hint) from None


def _schema(source: Source, builder: GrammarBuilder, schema: str, at: int) -> int:
    """The node of the documents of a JSON Schema that stands at an offset."""
    from frisket.json_schema import lower_json_schema

    try:
        value = json.loads(schema)
    except (ValueError, RecursionError) as error:
        fault = json_fault(error)
        raise LimitExceededError(f"this JSON {fault.message}", where=source.where(at), hint=fault.hint) from None
    if not isinstance(value, (dict, bool)):
        source.fail("a JSON Schema is an object, true or false", at)
    try:
        return lower_json_schema(builder, value)[0]
    except SchemaError as error:
        place = f", at {error.where} of the schema" if error.where else ""
        where, excerpt = source.where(at), source.excerpt(at)
        raise GrammarSyntaxError(f"{error.message}{place}", where=where, excerpt=excerpt, hint=error.hint) from error


def _body(nodes: list[tuple[Any, ...]], source: Source, dialect: LarkDialect) -> ast.Node:
    """The tree of nodes that stand in postorder."""
    made: list[ast.Node] = []

    def below(count: int) -> tuple[ast.Node, ...]:
        taken = tuple(made[len(made) - count :])
        del made[len(made) - count :]
        return taken

    for kind, *fields in nodes:
        match kind, fields:
            case (("Seq" | "Alt" | "Both"), (count, *place)):
                made.append(getattr(ast, kind)(below(count), *place))
            case (("Repeat" | "Complement" | "Shortest"), _):
                made.append(getattr(ast, kind)(made.pop(), *fields))
            case "Substring", (chunks, at):
                made.append(ast.Embedded(partial(lower_substring, chunks=tuple(chunks)), True, at))
            case "Schema", (schema, at):
                made.append(ast.Embedded(partial(_schema, source, schema=schema, at=at), False, at))
            case "Nested", (text, at):
                made.append(ast.Embedded(partial(lower_lark, text=text, dialect=dialect), False, at))
            case _:
                made.append(getattr(ast, kind)(*fields))
    return made[0]
