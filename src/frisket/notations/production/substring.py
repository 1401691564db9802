"""Chunks of a text × GrammarBuilder → the regular node of all runs of consecutive chunks."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from frisket._core import GrammarBuilder


def lower_substring(builder: GrammarBuilder, chunks: tuple[str, ...]) -> int:
    """The node of all runs of consecutive chunks, including the empty run.

    A run is a prefix of a suffix of the chunks. Each suffix is a chunk and the next suffix, whose node is shared.
    """
    rest = builder.epsilon()
    nodes = [rest]
    for chunk in reversed(chunks):
        rest = builder.repeat(builder.cat([builder.literal(chunk.encode()), rest]), 0, 1)
        nodes.append(rest)
    return builder.alt(nodes)
