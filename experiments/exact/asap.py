"""What a tree has learned × the truth → the distribution of its next answer."""

from __future__ import annotations

import math

from frisket.strategies.cone import Cone
from tests.hand_model import Truth


def next_answer(root: Cone, truth: Truth) -> dict[tuple[int, ...], float]:
    """With which probability ASAp gives each answer next."""
    found = {}
    for whole in truth.wholes:
        cone: Cone | None = root
        probability = 1.0
        for place, token in enumerate(whole.tokens):
            row = truth.rows[whole.tokens[:place]]
            child = None
            if cone is None or cone.alpha is None:
                probability *= row[token] / math.fsum(row.values())
            else:
                child = cone.children.get(token)
                left = 1.0 if child is None else child.left
                probability *= row[token] * left / max(cone.left, 1e-300)
            cone = child
        found[whole.tokens] = probability
    return found


def divergence(proposal: dict[tuple[int, ...], float], truth: Truth) -> float:
    """Kullback and Leibler's divergence of the next answer from the model's own distribution, in nats."""
    exact = {whole.tokens: whole.probability / truth.mass for whole in truth.wholes}
    total = math.fsum(proposal.values())
    return math.fsum(q / total * math.log(q / total / exact[key]) for key, q in proposal.items() if q > 0)
