"""Path of tokens → what is known of the texts that begin so: the trie of adaptive rejection sampling.

After Parys et al. 2025 (Constrained Adaptive Rejection Sampling, arXiv 2510.01902). A place keeps one number for all of
its forbidden tokens and an entry for each token that was visited: memory goes with what was drawn, not with the size
of the vocabulary.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from frisket.extension import FinishReason
from frisket.strategies.row import Row


@dataclass(slots=True)
class Cone:
    """All texts that begin with one path of tokens."""

    probability: float = 1.0
    """That the last token of the path is drawn after those before it, among all tokens."""
    logprob: float = 0.0
    """The same as a logarithm, under the model as it is."""
    left: float = 1.0
    """The share of the cone that is not known to be forbidden: θ."""
    alpha: float | None = None
    """The mass of the tokens that are allowed next; None before the first visit."""
    reason: FinishReason | None = None
    """Why the text ends here, where it does."""
    log_feasible: float = 0.0
    allowed: int = 0
    favourite: int = 0
    overruled: bool = False
    children: dict[int, Cone] = field(default_factory=dict)
    visited: float = 0.0
    """The sum of the probabilities of the children."""

    def visit(self, row: Row | None) -> None:
        """Take note of the mask at this place; None where nothing may follow."""
        self.alpha = 0.0
        if row is not None:
            self.alpha = float(np.exp(row.log_alpha))
            self.log_feasible, self.allowed = row.log_feasible, len(row.ids)
            self.favourite, self.overruled = row.favourite, row.overruled

    @property
    def fresh(self) -> float:
        """The mass of the allowed tokens that were never drawn."""
        if self.alpha is None:
            return 1.0
        return 0.0 if len(self.children) == self.allowed else max(self.alpha - self.visited, 0.0)

    def learn(self) -> None:
        """Take over what the children have learned."""
        if self.alpha is not None:
            kept = sum(child.probability * child.left for child in self.children.values())
            self.left = min(self.fresh + kept, self.left)

    def add(self, token: int, child: Cone) -> None:
        self.children[token] = child
        self.visited += child.probability

    def choose_known(self, rng: np.random.Generator) -> tuple[int, Cone] | None:
        """A visited token by its share of what is left, or None for one that was never drawn."""
        fresh = self.fresh
        weights = [child.probability * child.left for child in self.children.values()]
        point = rng.random() * (fresh + sum(weights)) - fresh
        if point < 0 or not weights:
            return None
        found = None
        for item, weight in zip(self.children.items(), weights, strict=True):
            if weight > 0:
                found = item
                point -= weight
                if point < 0:
                    break
        return found

    def choose_fresh(self, row: Row, rng: np.random.Generator) -> int | None:
        """The place in `row.ids` of an allowed token that was never drawn; None if none of them has probability."""
        weights = np.exp(row.log_drawn - row.log_drawn.max())
        if self.children:
            weights[np.searchsorted(row.ids, list(self.children))] = 0.0
        cumulative = np.cumsum(weights)
        # A rest of α after a subtraction may be an error of rounding.
        if not cumulative[-1] > 0:
            return None
        return int(np.searchsorted(cumulative, rng.random() * cumulative[-1], side="right"))
