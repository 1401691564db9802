"""Calls of a GrammarBuilder → nodes, or parts if there is a name inside: the same rules as a tree with names.

The code that lowers messages and parameters to nodes makes their outline, too, so the two cannot differ.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast

from frisket.errors import EmptyGrammarError
from frisket.notations.combination.part import Choice, Label, Part, Repeat, Rules, Seq, Special, Whole

if TYPE_CHECKING:
    from frisket._core import GrammarBuilder
    from frisket.grammar import Grammar

#: Argument and result of the builder's calls: the number of a node, or a part with a name inside.
Node: TypeAlias = int | Part


class OutlineBuilder:
    """A builder that keeps names; calls without a name inside go to its GrammarBuilder."""

    def __init__(self, rules: GrammarBuilder) -> None:
        self.rules = rules

    def __getattr__(self, name: str) -> Any:
        return getattr(self.rules, name)

    def seq(self, nodes: Sequence[Node]) -> Node:
        return Seq(self._parts(nodes)) if _holds_part(nodes) else self.rules.seq(cast("Sequence[int]", nodes))

    def alt(self, nodes: Sequence[Node]) -> Node:
        return Choice(self._parts(nodes)) if _holds_part(nodes) else self.rules.alt(cast("Sequence[int]", nodes))

    def repeat(self, node: Node, low: int, high: int | None = None) -> Node:
        return Repeat(node, low, high) if isinstance(node, Part) else self.rules.repeat(node, low, high)

    def special(self, name: str) -> Node:
        """A part, so that a reader finds the token both as a token and written as its name."""
        return Special(name)

    def part(self, node: Node) -> Part:
        """The part of a node."""
        return node if isinstance(node, Part) else self._rules_of(node)

    def named(
        self,
        name: str,
        node: Node,
        reads: Literal["text", "json", "python", "record"],
        ends: tuple[str, ...],
        schema: Any,
    ) -> Part:
        if reads == "record":
            return Label(name, self.part(node), is_record=not isinstance(node, Whole))
        return Label(name, node if isinstance(node, Part) else self._rules_of(node, reads, ends, schema))

    def _parts(self, nodes: Sequence[Node]) -> tuple[Part, ...]:
        return tuple(self.part(node) for node in nodes)

    def _rules_of(self, node: int, *how: Any) -> Part:
        try:
            return Rules(self.rules.fork().build(node), *how)
        except EmptyGrammarError:
            return Choice(())


def named(
    builder: GrammarBuilder,
    name: str,
    node: int,
    reads: Literal["text", "json", "python", "record"] = "text",
    *,
    ends: tuple[str, ...] = (),
    schema: Any = None,
) -> int:
    """The node, with a name if an outline is built: see `Rules`. A `record` is a value whose members have names, or a
    grammar that reads its own texts."""
    if isinstance(builder, OutlineBuilder):
        return cast("int", builder.named(name, node, reads, ends, schema))
    return node


def unnamed(builder: GrammarBuilder) -> GrammarBuilder:
    """The plain GrammarBuilder, for rules that need no names."""
    return builder.rules if isinstance(builder, OutlineBuilder) else builder


def embedded(builder: GrammarBuilder, grammar: Grammar) -> int:
    """The node of a grammar's texts; in an outline, the grammar itself with its own names."""
    return cast("int", Whole(grammar)) if isinstance(builder, OutlineBuilder) else builder.embed(grammar.core)


def _holds_part(nodes: Sequence[Node]) -> bool:
    return any(isinstance(node, Part) for node in nodes)
