"""Task → the likeliest answers by beam search."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from frisket import Generation, Sampler
from frisket.errors import StrategyError
from frisket.extension import check_integer, explain_fields
from frisket.strategies.place import Place
from frisket.strategies.strategy import Answers, Strategy, nothing_found, refuse_stops
from frisket.strategies.weighted import Samples, Weighted

if TYPE_CHECKING:
    from frisket.extension import Task


#: Fields as other libraries name them → what to write instead.
_SLIPS = dict.fromkeys(("beams", "num_beams", "beam_width", "width", "beam_size", "k"), "write n={value}")


@explain_fields(_SLIPS)
@dataclass(frozen=True)
class Beams(Strategy):
    """The likeliest answer that `n` beams find: of all beginnings of one length, the `n` likeliest are continued.

    Beams compare log-probabilities of the model itself, before the mask. Masked probabilities would favour beginnings
    whose continuations the model finds unlikely: the grammar leaves few of these, and scales their probabilities up.

    The search ends when no beginning can become likelier than the best answer. Nothing is random.
    """

    n: int

    def __post_init__(self) -> None:
        check_integer("n", self.n)
        if self.n < 1:
            raise ValueError(f"there is at least 1 beam, not {self.n}")

    def choose(self, found: Answers, rng: np.random.Generator) -> Generation[Any]:
        return found[0].value

    def search(self, task: Task, runs: int, rng: np.random.Generator) -> list[Answers]:
        refuse_stops(task, "Beams")
        if runs > 1:
            raise StrategyError(
                "beams find the same answers in every run",
                where="strategy",
                hint="run them once: Best has nothing to choose from, unless something is drawn before, as a Draft is",
            )
        found: list[tuple[float, Place]] = []
        live = [(0.0, Place.first(task, task.beginning))]
        while live := [(score, place) for score, place in live if not _keep(task, score, place, found)]:
            if found and max(score for score, _ in found) >= live[0][0]:
                for score, place in live:
                    task.observe(place.generation, "pruned", score)
                break
            live = self._extend(task, live)
        if not found:
            raise nothing_found()
        found.sort(key=lambda item: -item[0])
        return [Samples([Weighted(place.generation(), score) for score, place in found[: self.n]])]

    def _extend(self, task: Task, live: list[tuple[float, Place]]) -> list[tuple[float, Place]]:
        """The likeliest places one token later, best first: `n` that go on, and the ends among as many more.

        So an answer that ends takes no beam from a beginning that goes on."""
        rows = [place.row(_AS_IT_IS) for _, place in live]
        scores = np.concatenate([score + row.log_model for (score, _), row in zip(live, rows, strict=True)])
        beams = np.concatenate([np.full(len(row.ids), number) for number, row in enumerate(rows)])
        indices = np.concatenate([np.arange(len(row.ids)) for row in rows])
        best = np.argsort(-scores, kind="stable")[: 2 * self.n]
        children, going, kept = [], 0, set[int]()
        for candidate in best.tolist():
            beam = int(beams[candidate])
            score = float(scores[candidate])
            if going == self.n or not math.isfinite(score):
                break
            child = live[beam][1].child(rows[beam], int(indices[candidate]))
            going += child.reason is None
            kept.add(beam)
            children.append((score, child))
        for number, (score, place) in enumerate(live):
            if number not in kept:
                task.observe(place.generation, "pruned", score)
            place.close()
        return children


def _keep(task: Task, score: float, place: Place, found: list[tuple[float, Place]]) -> bool:
    """Whether the place is an end; if it is a whole answer, add it to those found."""
    if place.reason is not None:
        task.observe(place.generation, "answer" if place.reason == "end" else "cut", score)
    if place.reason == "end":
        found.append((score, place))
    return place.reason is not None


_AS_IT_IS = Sampler()
