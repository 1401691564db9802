"""Line of generated tokens → the matcher after it, derived from the matcher of a known line.

An engine shows a processor only ids: between two calls, lines grow, are cut and change places.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from frisket._core import CompiledGrammar, Matcher

Ids: TypeAlias = NDArray[np.int64]


class NotGenerated(Exception):
    """A line continues with tokens that no mask allowed: it belongs to another call of the engine."""


@dataclass(frozen=True)
class Path:
    """A line of generated tokens, and the matcher after it.

    `dead`: no text begins with the line, and the matcher stands before the first token that it rejects. After the end
    of a text a line may have padding, which the matcher does not read.
    """

    ids: Ids
    matcher: Matcher
    dead: bool

    @property
    def is_open(self) -> bool:
        """Whether more text may follow."""
        return not (self.dead or self.matcher.ended)

    def advance(self, line: Ids) -> Path:
        """The path of another line; this path stays. NotGenerated if the line has tokens that no mask allowed."""
        shared, taken = common(self.ids, line), self.matcher.steps
        if self.dead and shared > taken:
            return Path(line, self.matcher, dead=True)
        matcher = self.matcher.fork()
        if shared < taken:
            matcher.rollback(taken - shared)
        for place in range(matcher.steps, len(line)):
            if matcher.ended:
                break
            if not matcher.try_advance(int(line[place])):
                # A draft or a beam adds one token to a known line, which may be a wrong one; more wrong tokens are
                # another call.
                if place < len(line) - 1:
                    raise NotGenerated("the rows go on with tokens that were not generated")
                return Path(line, matcher, dead=True)
        return Path(line, matcher, dead=False)


def start(grammar: CompiledGrammar) -> Path:
    """The path of the empty line."""
    return Path(np.empty(0, dtype=np.int64), grammar.matcher(), dead=False)


def common(left: Ids, right: Ids) -> int:
    """How many leading tokens two lines share."""
    shorter = min(len(left), len(right))
    different = np.flatnonzero(left[:shorter] != right[:shorter])
    return int(different[0]) if len(different) else shorter
