"""Part → whether one automaton can read it, and the notation of its text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from frisket.notations.combination.part import (
    AnyTokens,
    Capture,
    Choice,
    FreeText,
    Label,
    Lit,
    Part,
    Repeat,
    Rules,
    Seq,
    Special,
    Until,
    Whole,
)
from frisket.notations.rules import NOTATIONS

if TYPE_CHECKING:
    from frisket.grammar import Grammar

#: Notations of a text; `record` and `parts` consist of named parts.
Reads: TypeAlias = Literal["json", "python", "text", "record", "parts"] | None


def opened(part: Part) -> Part:
    """The tree of parts of a combined grammar; any other part unchanged."""
    while isinstance(part, Whole):
        inner = part.grammar._outline
        if isinstance(inner, Whole):
            return inner
        part = inner
    return part


def is_rules(part: Part) -> bool:
    """Whether the part is a grammar whose rules have names."""
    return isinstance(part, Whole) and part.grammar._call()[0] in NOTATIONS


def reads(part: Part, *, is_named: bool) -> Reads:
    """The notation of a leaf's text; None for a text without a value."""
    if isinstance(part, Whole) and part.grammar.schema is not None:
        return "json"
    if not is_named:
        return None
    return part.reads if isinstance(part, Rules) else "text"


def ends(part: Part) -> tuple[str, ...]:
    """The markers that can end a leaf's text and are not part of its value."""
    if isinstance(part, Until):
        return tuple(trigger.text for trigger in part.triggers if isinstance(trigger, Lit))
    return part.ends if isinstance(part, Rules) else ()


def is_plain(part: Part) -> bool:
    """Whether one automaton can read the part: it has no special tokens and no parts that places name."""
    match part:
        case Lit() | FreeText() | AnyTokens() | Rules():
            return True
        case Whole():
            whole = opened(part)
            return isinstance(whole, Whole) and whole.grammar.schema is None and not is_rules(whole)
        case Until(triggers, name=name):
            return name is None and not any(isinstance(trigger, Special) for trigger in triggers)
        case Seq(items) | Choice(items) if items:
            return all(map(is_plain, items))
        case Repeat():
            return all(map(is_plain, part.parts()))
    return False


def schemas(grammar: Grammar) -> Iterator[tuple[tuple[str, ...], Any]]:
    """For each value with a schema: the names around it, and the schema."""
    agenda: list[tuple[tuple[str, ...], Part]] = [((), Whole(grammar))]
    seen: set[tuple[tuple[str, ...], int]] = set()
    kept: list[Part] = []
    while agenda:
        names, part = agenda.pop()
        part = opened(part)
        if (names, id(part)) in seen:
            continue
        seen.add((names, id(part)))
        kept.append(part)
        if isinstance(part, (Label, Capture)):
            names = (*names, part.name)
        schema = part.grammar.schema if isinstance(part, Whole) else part.schema if isinstance(part, Rules) else None
        if schema is not None:
            yield names, schema
        agenda += ((names, inner) for inner in reversed(part.parts()))
