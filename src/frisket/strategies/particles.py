"""Task → weighted answers by sequential Monte Carlo: many grow at once, and are resampled by weight."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from frisket import Sampler
from frisket.extension import check_integer, explain_fields
from frisket.strategies.place import Place
from frisket.strategies.row import Row
from frisket.strategies.strategy import Answers, Strategy, drawing_sampler, refuse_stops
from frisket.strategies.weighted import Samples, Weighted, log_sum

if TYPE_CHECKING:
    from frisket.extension import Fate, Task

#: (the text so far, whether it is whole) → whether the particle may stay.
Where: TypeAlias = Callable[[str, bool], bool]
#: (the text so far, whether it is whole) → the logarithm of how good it is.
Critic: TypeAlias = Callable[[str, bool], float]


#: Fields as other libraries name them → what to write instead.
_SLIPS = {
    **dict.fromkeys(("particles", "n_particles", "num_particles", "k", "samples"), "write n={value}"),
    **dict.fromkeys(
        ("constraint", "check", "predicate", "filter", "condition"), "write where=…, a test of (text, whole)"
    ),
    **dict.fromkeys(("potential", "score", "reward", "twist"), "write critic=…, a logarithm by (text, whole)"),
}


@explain_fields(_SLIPS)
@dataclass(frozen=True)
class Particles(Strategy):
    """`n` answers that grow together, weighted by the probability that masks take from them (Lew et al. 2023, Loula et
    al. 2025). The weighted answers approximate the model's own distribution given the grammar; a larger `n` is better.
    `log_evidence` estimates how much probability the model gives to all texts of the grammar, without bias.

    Each token is drawn among the allowed ones, and the weight is multiplied by α, the probability of all of them. When
    the effective number of particles falls below half of `n`, they are resampled by weight (systematic resampling;
    Carpenter et al. 1999).

    `where(text, whole)`: a test that no grammar can express, for every beginning of the text and for the whole. It is
    called only for tokens that the mask allows, and only for as many as are needed to draw one, and to estimate the
    probability of all that pass (AWRS, Lipkin et al. 2025).

    `critic(text, whole)`: the logarithm of a preference, 0 for none. The answers then follow the model's probability
    times the preference for the whole text; preferences for beginnings only guide the search.
    """

    n: int
    where: Where | None = None
    critic: Critic | None = None

    def __post_init__(self) -> None:
        check_integer("n", self.n)
        for name in ("where", "critic"):
            if getattr(self, name) is not None and not callable(getattr(self, name)):
                raise TypeError(f"{name} is a function of (text, whole), got {type(getattr(self, name)).__name__}")
        if self.n < 1:
            raise ValueError(f"there is at least 1 particle, not {self.n}")

    def search(self, task: Task, runs: int, rng: np.random.Generator) -> list[Answers]:
        sampler = drawing_sampler(task, "Particles")
        refuse_stops(task, "Particles")
        return [self._run(task, sampler, rng) for _ in range(runs)]

    def _run(self, task: Task, sampler: Sampler, rng: np.random.Generator) -> Answers:
        first = Place.first(task, task.beginning)
        places = [first] * self.n
        weights = np.full(self.n, self._opinion(first))
        alive = np.isfinite(weights)
        while any(place.reason is None for place, lives in zip(places, alive, strict=True) if lives):
            self._extend(places, weights, alive, sampler, rng)
            for index, place in enumerate(places):
                if alive[index] and (place.reason == "length" or not math.isfinite(weights[index])):
                    fate: Fate = "cut" if place.reason == "length" else "rejected"
                    task.observe(place.generation, fate, float(weights[index]))
                    alive[index], weights[index] = False, -math.inf
            if alive.any() and effective(weights) < self.n / 2:
                kept = systematic(weights, rng)
                for index in np.flatnonzero(alive).tolist():
                    if index not in kept:
                        task.observe(places[index].generation, "resampled", float(weights[index]))
                places = [places[index] for index in kept]
                weights[:] = log_sum(weights) - math.log(self.n)
                alive[:] = True
        found = [Weighted(places[index].generation(), float(weights[index])) for index in np.flatnonzero(alive)]
        for one in found:
            task.observe(one.value, "answer", one.log_weight)
        return Samples(found, log_sum(weights) - math.log(self.n))

    def _extend(
        self,
        places: list[Place],
        weights: NDArray[np.float64],
        alive: NDArray[np.bool_],
        sampler: Sampler,
        rng: np.random.Generator,
    ) -> None:
        """Extend each particle that has not ended by one token. Particles at one place share a row of logits, and those
        that draw the same token there share a child: the network is called once for each different text."""
        groups: dict[int, list[int]] = {}
        for index, place in enumerate(places):
            if alive[index] and place.reason is None:
                groups.setdefault(id(place), []).append(index)
        for group in groups.values():
            place = places[group[0]]
            row = place.row(sampler)
            if not len(row.ids):
                weights[group] = -math.inf
                continue
            before = self._opinion(place)
            children: dict[int, Place] = {}
            for index in group:
                chosen, log_mass = self._choose(place, row, rng)
                if chosen is None:
                    weights[index] = -math.inf
                    continue
                if chosen not in children:
                    children[chosen] = place.child(row, chosen)
                places[index] = children[chosen]
                weights[index] += log_mass + self._opinion(children[chosen]) - before
            place.close()

    def _opinion(self, place: Place) -> float:
        return 0.0 if self.critic is None else float(self.critic(_text(place.data()), place.reason == "end"))

    def _choose(self, place: Place, row: Row, rng: np.random.Generator) -> tuple[int | None, float]:
        """(the index in `row.ids` of a drawn token, the logarithm of the factor for the weight)"""
        if self.where is None:
            return row.choose(rng), row.log_alpha
        where = self.where

        def passes(index: int) -> bool:
            child = place.child(row, index)
            place.close()  # the place served one test only, and needs no logits
            return where(_text(child.data()), child.reason == "end")

        chosen, mass = draw_passing(row.log_drawn - row.log_alpha, passes, rng)
        return chosen, row.log_alpha + (math.log(mass) if mass > 0 else -math.inf)


def draw_passing(
    log_probabilities: NDArray[np.float64], passes: Callable[[int], bool], rng: np.random.Generator
) -> tuple[int | None, float]:
    """An index drawn among those that pass, and an unbiased estimate of their probability; (None, 0.0) if none passes.

    The recursive estimator of Lipkin et al. 2025: indices come in the order of a draw without replacement (Gumbel
    noise) until one passes. The next one decides about the rest. With s as the share of the index that passed, the
    probability of the others is taken as 1 − s if the next one passes, too, and as 0 if not, which is right on average.
    """
    order = np.argsort(-(log_probabilities + rng.gumbel(size=log_probabilities.size)), kind="stable")
    mass, refused = 1.0, 0.0
    for place, index in enumerate(order.tolist()):
        probability = math.exp(log_probabilities[index])
        share = min(probability / (1.0 - refused), 1.0) if refused < 1.0 else 1.0
        if passes(index):
            following = order[place + 1 : place + 2].tolist()
            if following and not passes(following[0]):
                mass *= share
            return index, mass
        mass *= 1.0 - share
        refused += probability
    return None, 0.0


def effective(log_weights: NDArray[np.float64]) -> float:
    """The effective number of particles: (Σ w)² / Σ w²."""
    return math.exp(2 * log_sum(log_weights) - log_sum(2 * log_weights))


def systematic(log_weights: NDArray[np.float64], rng: np.random.Generator) -> list[int]:
    """Draw as many indices as there are weights: each as often as its share says, rounded up or down."""
    weights = np.exp(log_weights - log_weights.max())
    cumulative = np.cumsum(weights)
    points = (rng.random() + np.arange(len(weights))) / len(weights) * cumulative[-1]
    found: list[int] = np.searchsorted(cumulative[:-1], points, side="right").tolist()
    return found


def _text(data: bytes) -> str:
    """The whole characters of the bytes; an incomplete one at the end is left out."""
    return data.decode("utf-8", "ignore")
