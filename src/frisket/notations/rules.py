"""Text in GBNF, EBNF, ABNF or Lark's notation → structural node; its rules in another notation; those that are open.

The engine reads the text. This module shows the place of what is wrong.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from frisket._core import GrammarBuilder, front_end
from frisket.errors import EmptyGrammarError, GrammarError, GrammarSyntaxError, LimitExceededError, SchemaError
from frisket.json_fault import json_fault
from frisket.notations.source import Source

if TYPE_CHECKING:
    from frisket.limit import Limits

_T = TypeVar("_T")

#: Constructors whose grammars are production rules → their option that says how the text is read, and its usual value.
NOTATIONS = {
    "from_gbnf": (None, None),
    "from_ebnf": ("dialect", "w3c"),
    "from_abnf": ("values", "characters"),
    "from_lark": ("dialect", "llguidance"),
}


def lower_rules(builder: GrammarBuilder, constructor: str, text: str, **keywords: Any) -> int:
    """The node of a grammar, given as the call of its constructor.

    GrammarSyntaxError, with line and column, for text that is not in the notation or not exact.
    """
    return _read(constructor, text, keywords, lambda asked: front_end.lower_rules(builder, text, asked))


def to_gbnf(constructor: str, text: Any, keywords: dict[str, Any], limits: Limits | None) -> str:
    """The rules of a grammar, given as the call of its constructor, in GBNF."""
    return _printed(constructor, text, keywords, limits, is_gbnf=True)


def to_ebnf(constructor: str, text: Any, keywords: dict[str, Any], limits: Limits | None) -> str:
    """The rules of a grammar, given as the call of its constructor, in the W3C's EBNF."""
    return _printed(constructor, text, keywords, limits, is_gbnf=False)


def _printed(constructor: str, text: Any, keywords: dict[str, Any], limits: Limits | None, *, is_gbnf: bool) -> str:
    if constructor not in NOTATIONS:
        hint = "`dump` shows what others become"
        raise GrammarError("only rules can be written in another notation", where=constructor, hint=hint)
    builder = GrammarBuilder(limits=limits)
    return _read(constructor, text, keywords, lambda asked: front_end.print_rules(builder, text, asked, is_gbnf))


def open_rules(
    constructor: str, text: Any, keywords: dict[str, Any], begin: bytes, limits: Limits | None
) -> tuple[str, ...]:
    """The rules that are open at the end of a beginning, from the root inwards; none if the grammar has no rules."""
    if constructor not in NOTATIONS:
        return ()
    return tuple(_read(constructor, text, keywords, lambda asked: front_end.open_rules(text, asked, begin, limits)))


def _read(constructor: str, text: str, keywords: dict[str, Any], read: Callable[[Any], _T]) -> _T:
    """The result of a function of the engine for a text."""
    source = Source(text)
    option, usual = NOTATIONS[constructor]
    root = keywords.get("start" if constructor == "from_lark" else "root")
    chosen = None if option is None else keywords.get(option, usual)
    try:
        return read((constructor, chosen, root, partial(_schema, source)))
    except front_end.Fault as fault:
        _raise(source, fault)


def _raise(source: Source, fault: front_end.Fault) -> NoReturn:
    """Raise what the engine finds wrong with the text as an error that shows the place."""
    message, at, hint, kind = fault.args
    if kind == "unsaid":
        raise GrammarError(message, where=f"rule {at}") from None
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
