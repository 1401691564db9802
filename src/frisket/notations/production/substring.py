"""Chunks of a text × GrammarBuilder → the regular node of all runs of adjacent chunks."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from frisket._core import GrammarBuilder


def lower_substring(builder: GrammarBuilder, chunks: tuple[str, ...]) -> int:
    """The node of all runs of chunks that follow each other, the empty one too.

    A run is a beginning of a rest of the chunks. Each rest is a chunk and the next rest, which shares its node.
    """
    rest = builder.epsilon()
    nodes = [rest]
    for chunk in reversed(chunks):
        rest = builder.repeat(builder.cat([builder.literal(chunk.encode()), rest]), 0, 1)
        nodes.append(rest)
    return builder.alt(nodes)
