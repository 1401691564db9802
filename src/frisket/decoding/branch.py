"""One path that a strategy followed → `Branch`: its answer, or beginning of one, and what became of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

if TYPE_CHECKING:
    from frisket.decoding.answer import Generation

Fate = Literal["answer", "cut", "pruned", "resampled", "rejected", "outside"]
"""The outcome of a path:

`answer`: the text is whole and may be chosen; `cut`: the tokens ran out; `pruned`: a beam search kept likelier paths;
`resampled`: particles replaced it by copies of others; `rejected`: a particle's test refused it, so its weight is 0;
`outside`: `Exact` drew a token that the grammar forbids, and threw the path away."""


@dataclass(frozen=True, slots=True)
class Branch:
    """One path through the tree of answers; `answer` is unfinished where the path ended before the text was whole."""

    answer: Generation[Any]
    fate: Fate
    log_weight: float = 0.0
    """The natural logarithm of the weight that the strategy gave the path; comparable within one run only."""


#: Called with each branch as soon as its fate is known; an exception that it raises ends the search.
Observer: TypeAlias = Callable[[Branch], object]
