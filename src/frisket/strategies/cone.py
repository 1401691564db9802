"""Path of tokens → what is known of the texts that begin with it: the trie of adaptive rejection sampling.

After Parys et al. 2025 (Constrained Adaptive Rejection Sampling, arXiv 2510.01902). A node has one number for all its
forbidden tokens, and an entry for each visited token. So memory grows with the number of draws, and not with the size
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
    """The probability of the path's last token after those before it, among all tokens."""
    logprob: float = 0.0
    """The logarithm of that probability under the model alone, without the sampler."""
    left: float = 1.0
    """The share of the cone's probability that is not known to be forbidden: θ."""
    alpha: float | None = None
    """The probability of all tokens that are allowed next; None before the first visit."""
    reason: FinishReason | None = None
    """If the text ends here, the reason."""
    log_feasible: float = 0.0
    allowed: int = 0
    favourite: int = 0
    overruled: bool = False
    children: dict[int, Cone] = field(default_factory=dict)
    visited: float = 0.0
    """The sum of the probabilities of the children."""

    def visit(self, row: Row | None) -> None:
        """Note the mask at this node; None if nothing may follow."""
        self.alpha = 0.0
        if row is not None:
            self.alpha = float(np.exp(row.log_alpha))
            self.log_feasible, self.allowed = row.log_feasible, len(row.ids)
            self.favourite, self.overruled = row.favourite, row.overruled

    @property
    def fresh(self) -> float:
        """The probability of the allowed tokens that were never drawn."""
        if self.alpha is None:
            return 1.0
        return 0.0 if len(self.children) == self.allowed else max(self.alpha - self.visited, 0.0)

    def learn(self) -> None:
        """Update `left` from the children."""
        if self.alpha is not None:
            kept = sum(child.probability * child.left for child in self.children.values())
            self.left = min(self.fresh + kept, self.left)

    def add(self, token: int, child: Cone) -> None:
        self.children[token] = child
        self.visited += child.probability

    def choose_known(self, rng: np.random.Generator) -> tuple[int, Cone] | None:
        """Draw a visited token by its share of what is left; None means one that was never drawn."""
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
        """Draw the index in `row.ids` of an allowed token that was never drawn; None if they have no probability."""
        weights = np.exp(row.log_drawn - row.log_drawn.max())
        if self.children:
            weights[np.searchsorted(row.ids, list(self.children))] = 0.0
        cumulative = np.cumsum(weights)
        # The remainder of a subtraction may be a rounding error.
        if not cumulative[-1] > 0:
            return None
        return int(np.searchsorted(cumulative, rng.random() * cumulative[-1], side="right"))
