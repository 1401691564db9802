"""Line of generated tokens → the matcher after it, from a line that is known.

Engines show a processor the ids so far, and no state: lines go on, are cut and change places between two calls.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from frisket._core import CompiledGrammar, Matcher

Ids: TypeAlias = NDArray[np.int64]


class NotGenerated(Exception):
    """A line goes on with tokens that no mask let pass: it belongs to another call of the engine."""


@dataclass(frozen=True)
class Path:
    """A line of generated tokens and the matcher after it.

    `dead`: no text begins so; the matcher stands before the first token that it rejects. After the end of a text the
    line goes on with padding, which the matcher does not take.
    """

    ids: Ids
    matcher: Matcher
    dead: bool

    @property
    def is_open(self) -> bool:
        """Whether the text can go on."""
        return not (self.dead or self.matcher.ended)

    def advance(self, line: Ids) -> Path:
        """The path of another line; this one stays as it is. NotGenerated if it goes on with foreign tokens."""
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
                # A draft or a beam adds one token to a line that is known; more than that is another call.
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
