"""`logit_bias` of a request × a session → a session whose logits are shifted.

A bias changes what the model prefers, never what the grammar allows: the mask is applied after it.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from frisket.models import Logits, Session
from frisket.server.failure import Failure

#: Largest shift of a logit in either direction, as in OpenAI's API.
MOST = 100.0


def read_bias(given: Mapping[str, float] | None, size: int) -> dict[int, float]:
    """Token id → shift of its logit; a Failure for an id outside a vocabulary of `size` ids, or too large a shift.

    >>> read_bias({"17": -100}, 256)
    {17: -100.0}
    """
    found: dict[int, float] = {}
    for token, gain in (given or {}).items():
        if not (token.isascii() and token.isdigit() and len(token) < 10 and int(token) < size):
            raise _refused(f"{token!r} is no token of the model", token, f"tokens are numbers below {size}")
        if not -MOST <= gain <= MOST:
            raise _refused(f"a logit cannot be moved by {gain}", token, f"from {-MOST:.0f} to {MOST:.0f}")
        found[int(token)] = float(gain)
    return found


class Biased:
    """A session whose model's logits are shifted for some tokens."""

    def __init__(self, session: Session, bias: Mapping[int, float]) -> None:
        self._session, self._bias = session, bias
        self._ids = np.fromiter(bias.keys(), dtype=np.int64)
        self._gains = np.fromiter(bias.values(), dtype=np.float32)

    def logits(self) -> Logits:
        logits = self._session.logits()
        # A vocabulary may have more ids than the model has logits.
        within = self._ids < len(logits)
        logits[self._ids[within]] += self._gains[within]
        return logits

    def push(self, token_id: int) -> None:
        self._session.push(token_id)

    def fork(self) -> Biased:
        return Biased(self._session.fork(), self._bias)


def _refused(message: str, token: str, hint: str) -> Failure:
    return Failure(400, message, code="request", where=f"/logit_bias/{token[:20]}", hint=hint)
