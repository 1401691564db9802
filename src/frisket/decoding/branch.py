"""Search for an answer → Branch: a beginning or an answer that a strategy held, and what became of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

if TYPE_CHECKING:
    from frisket.decoding.answer import Generation

Fate = Literal["answer", "cut", "pruned", "resampled", "rejected", "outside"]
"""`answer`: the text is whole, and may be chosen; `cut`: the tokens ran out; `pruned`: others were likelier (beams);
`resampled`: it gave way to copies of others, `rejected`: a test refused it, so that it has no weight (particles);
`outside`: a draw left the grammar, and is thrown away (exact)."""


@dataclass(frozen=True, slots=True)
class Branch:
    """One path through the tree of answers. Of a path that is no answer, `answer` is the beginning that it came to."""

    answer: Generation[Any]
    fate: Fate
    log_weight: float = 0.0
    """The weight that the strategy gave it, as a natural logarithm; weights compare within one run."""


#: Hears of each branch as soon as its fate is known; an exception that it raises ends the search.
Observer: TypeAlias = Callable[[Branch], object]
