"""Tree × GrammarBuilder → a regular node by way of a deterministic automaton: slow, general, bounded."""

from __future__ import annotations

from typing import TYPE_CHECKING

from frisket.notations.regex.ast import Node

if TYPE_CHECKING:
    from frisket._core import GrammarBuilder


class TooManyStates(Exception):
    """The automaton would be too large, or the tree is beyond it."""


def lower_automaton(builder: GrammarBuilder, tree: Node, search: bool) -> int:
    """A regular node of the texts that match the tree, as a whole or somewhere inside."""
    raise TooManyStates
