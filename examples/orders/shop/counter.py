"""What a customer says → a quote, by the first tier that can: the masked model, a hosted API, a person.

masked    the embedded model under the grammar of `Cart`: well formed by construction; handed on if a token was a
          guess, or what it wrote is not sold
hosted    a larger model, in its vendor's dialect of the same `Cart`; validated and repaired
person    a queue in the catalogue's database
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import Literal

import frisket
from frisket import hosted
from frisket.errors import FrisketError
from frisket.models.protocol import Model

from .cart import Cart
from .catalogue import Catalogue, NotSold, Quote

Tier = Literal["masked", "hosted", "person"]
#: A token less likely than this, among those that the mask allows, is a guess: what `python -m shop.choose` found.
SURE = 0.6
MOST_TOKENS = 300


@dataclass(frozen=True)
class Outcome:
    """What became of an order: a quote, or its number in the queue; `reasons` say why each tier before gave up."""

    tier: Tier
    cart: Cart | None
    quote: Quote | None
    reasons: tuple[str, ...] = ()
    number: int | None = None


class Counter:
    """Takes orders. Without a transport there is no hosted tier."""

    def __init__(
        self, model: Model, catalogue: Catalogue, transport: hosted.Transport | None = None, *, sure: float = SURE
    ) -> None:
        self._model, self._catalogue, self._transport, self._sure = model, catalogue, transport, sure
        self._grammar = frisket.Grammar.from_type(Cart)

    def take(self, said: str) -> Outcome:
        """The order, by the first tier that can."""
        reasons = []
        tiers: tuple[Tier, ...] = ("masked", "hosted") if self._transport else ("masked",)
        for tier in tiers:
            try:
                cart = self.masked(said) if tier == "masked" else self.hosted(said)
                return Outcome(tier, cart, self._catalogue.quote(cart), tuple(reasons))
            except NotSold as error:
                reasons.append(f"{tier}: not sold: {error}")
            except FrisketError as error:
                reasons.append(f"{tier}: {error.message}")
        return Outcome("person", None, None, tuple(reasons), self._catalogue.wait(said, "; ".join(reasons)))

    def masked(self, said: str) -> Cart:
        """The cart as the embedded model writes it; FrisketError where it had to guess."""
        cart, least = self.written(said)
        if least < self._sure:
            raise FrisketError(f"a guess: its least likely token has {least:.0%}", code="guess")
        return cart

    def written(self, said: str) -> tuple[Cart, float]:
        """The cart as the embedded model writes it, with the probability of its least likely token."""
        stream = frisket.stream(self._model, said, self._grammar, max_tokens=MOST_TOKENS)
        least = min((math.exp(step.masked_logprob) for step in stream), default=1.0)
        cart: Cart = stream.generation().value()
        return cart, least

    def hosted(self, said: str, *, repairs: int = 2) -> Cart:
        """The cart as a hosted API writes it: the prompt describes the same model that validates the answer."""
        assert self._transport is not None
        prompt = f"Write this café order as JSON of the following form.\n{self._grammar.describe()}\n{json.dumps(said)}"
        cart: Cart = hosted.generate(self._transport, prompt, Cart, repairs=repairs)
        return cart
