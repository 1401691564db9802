"""Token ids of a prompt → logits: the protocol of models for the decode loop."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from frisket.errors import LimitExceededError

if TYPE_CHECKING:
    from frisket.vocabulary import Vocabulary

Logits = NDArray[np.float32]


class Session(Protocol):
    """One sequence that a model reads and continues.

    It may have a method `rewind(tokens)`, which takes back the last tokens, or raises a ValueError if it cannot. In
    that case the caller forks an earlier session and reads the tokens again.
    """

    def logits(self) -> Logits:
        """The logits of the next token, one per id of the vocabulary; the caller may change the array."""
        ...

    def push(self, token_id: int) -> None:
        """Append a token. LimitExceededError, and no change, if the context is full."""
        ...

    def fork(self) -> Session:
        """An independent session at the same place."""
        ...


@runtime_checkable
class DraftSession(Session, Protocol):
    """A session that can read tokens ahead and take them back, so that `generate` calls the network less often."""

    @property
    def rewinds(self) -> bool:
        """Whether this sequence can take tokens back."""
        ...

    def extend(self, token_ids: Sequence[int]) -> Logits:
        """Append at least one token in one call of the network; the logits after each, one row per token.

        LimitExceededError, and no change, if the context has no room for all of them.
        """
        ...

    def rewind(self, tokens: int) -> None:
        """Take back the last tokens of the last `extend`, but not all of them."""
        ...


class Batch(Protocol):
    """Sequences of one model that are read together, as `generate_many` does.

    A model with batches has a method `batch()`, which returns a new batch, or None if its network allows none.
    """

    def read(self, appended: Mapping[int, Sequence[int]]) -> Logits:
        """Append tokens to each sequence, in one call of the network; the logits after the last token, a row for each.

        Every sequence of the batch must be named. A new number begins a sequence, whose tokens are its prompt.
        """
        ...

    def remove(self, sequence: int) -> None:
        """Remove a sequence; nothing happens if it was never read."""
        ...


class Model(Protocol):
    """Anything that yields logits."""

    @property
    def vocabulary(self) -> Vocabulary:
        """The bytes of every token."""
        ...

    @property
    def eos(self) -> list[int]:
        """The ids that end a sequence."""
        ...

    @property
    def context(self) -> int:
        """The most tokens of prompt and answer together."""
        ...

    def encode(self, text: str) -> list[int]:
        """The ids of a prompt, including a BOS token if the model needs one."""
        ...

    def decode(self, ids: Sequence[int]) -> str:
        """The text of some ids, without special tokens."""
        ...

    def prompt(self, text: str, keys: Sequence[str] | None = None, *, draft: str | None = None) -> str:
        """The text that the model shall continue, for an input and the names of the wanted properties.

        `draft` is an answer in free text that shall be rewritten; a model without this parameter works with no `Draft`.
        """
        ...

    def start(self, prompt_ids: Sequence[int]) -> Session:
        """A session that has read the prompt. LimitExceededError if the prompt is longer than the context."""
        ...


def new_batch(model: Model) -> Batch | None:
    """A new batch of the model; None if it has no batches."""
    # Looked up in the class: an object that only wraps a model has sessions of its own, and so not the model's batches.
    make = getattr(type(model), "batch", None)
    made: Batch | None = None if make is None else make(model)
    return made


def common_prefix(one: Sequence[int], other: Sequence[int]) -> int:
    """Number of leading ids that are equal.

    >>> common_prefix([1, 2, 3], [1, 2, 4, 5])
    2
    """
    pairs = enumerate(zip(one, other, strict=False))
    return next((place for place, (left, right) in pairs if left != right), min(len(one), len(other)))


def check_prompt(prompt_ids: Sequence[int], context: int) -> None:
    """ValueError for an empty prompt, LimitExceededError for one longer than the context."""
    if not prompt_ids:
        raise ValueError("a prompt needs at least one token (BOS)")
    if len(prompt_ids) > context:
        raise LimitExceededError(
            f"the prompt has {len(prompt_ids)} tokens, the model reads at most {context}",
            where="prompt",
            hint="shorten the input, or use a model with a longer context",
        )


def check_room(length: int, tokens: int, context: int) -> None:
    """LimitExceededError if a sequence of this length has no room for more tokens."""
    if length + tokens > context:
        raise LimitExceededError(
            f"the context of {context} tokens is full",
            where=f"token {length}",
            hint="ask for less (maxLength, maxItems), shorten the input, or give the model a longer context",
        )
