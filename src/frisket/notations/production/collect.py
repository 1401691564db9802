"""Productions → native productions, made node by node, and the leaves whose nodes Python must make."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, TypeAlias

from frisket._core import front_end
from frisket.errors import GrammarSyntaxError, LimitExceededError
from frisket.notations.production.ast import (
    Alt,
    Both,
    Chars,
    Complement,
    Embedded,
    Except,
    Octets,
    Pattern,
    Productions,
    Reference,
    Repeat,
    Seq,
    Shortest,
    Text,
    Token,
)
from frisket.notations.regex.ast import Dialect

#: Rule → its patterns and its parts in other notations, each with its native number.
Leaves: TypeAlias = dict[str, list[tuple[int, Pattern | Embedded]]]


def collect(productions: Productions) -> tuple[front_end.Productions, Leaves]:
    """(the native productions, the leaves that Python lowers, by rule)."""
    made = front_end.Productions()
    leaves: Leaves = {}
    for name, production in productions.items():
        for node in production.nodes:
            kind = type(node)
            if kind is Pattern or kind is Embedded:
                leaves.setdefault(name, []).append((_leaf(made, node), node))  # type: ignore[arg-type]
            else:
                _ADDS[kind](made, node)
        made.define(name, production.name)
    return made, leaves


def _leaf(made: front_end.Productions, node: Pattern | Embedded) -> int:
    if isinstance(node, Embedded):
        return made.leaf(node.is_regular, True)
    return made.leaf(True, may_match_nothing(node.pattern, node.flags, node.dialect))


_ADDS: dict[type, Callable[[front_end.Productions, Any], None]] = {
    Text: lambda made, node: made.text(node.text),
    Chars: lambda made, node: made.chars(node.ranges),
    Octets: lambda made, node: made.octets(node.ranges),
    Token: lambda made, node: made.token(node.name),
    Reference: lambda made, node: made.call(node.name, node.at),
    Seq: lambda made, node: made.seq(len(node.items)),
    Alt: lambda made, node: made.alt(len(node.items)),
    Repeat: lambda made, node: made.repeat(node.low, node.high),
    Except: lambda made, node: made.exclude(node.at),
    Both: lambda made, node: made.both(len(node.items), node.at),
    Complement: lambda made, node: made.complement(node.at),
    Shortest: lambda made, node: made.shortest(node.at),
}


@lru_cache(maxsize=4096)
def may_match_nothing(pattern: str, flags: str, dialect: Dialect) -> bool:
    """Whether a pattern may match the empty text."""
    try:
        return front_end.Regex(pattern, dialect=dialect, flags=flags).may_be_empty()
    except (GrammarSyntaxError, LimitExceededError):
        return False  # the pattern is wrong; lowering it will raise the error
