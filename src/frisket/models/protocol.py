"""Prompt ids → logits: the interface of a model for the decode loop."""

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

    It may have a method `rewind(tokens)`, which takes back the last tokens, with a ValueError where it cannot. Whoever
    wants to go back then forks an earlier place and reads anew.
    """

    def logits(self) -> Logits:
        """The next token's logits, one per row of the vocabulary; the caller owns the array."""
        ...

    def push(self, token_id: int) -> None:
        """Append a token. LimitExceededError if the context is full; the session is then as it was."""
        ...

    def fork(self) -> Session:
        """An independent session at the same place."""
        ...


@runtime_checkable
class DraftSession(Session, Protocol):
    """A session that can read tokens ahead and take them back; `generate` then calls the network less often."""

    @property
    def rewinds(self) -> bool:
        """Whether this sequence can take tokens back."""
        ...

    def extend(self, token_ids: Sequence[int]) -> Logits:
        """Append at least one token in one call of the network; the logits after each, one row per token.

        LimitExceededError if the context has no room for all of them; the session is then as it was.
        """
        ...

    def rewind(self, tokens: int) -> None:
        """Take back the last tokens of the last `extend`, but not all of them."""
        ...


class Batch(Protocol):
    """Sequences of one model that are read together; `generate_many` answers prompts so.

    A model that has batches has a method `batch()`, which returns a new one, or None where its network allows none.
    """

    def read(self, appended: Mapping[int, Sequence[int]]) -> Logits:
        """Append tokens to each sequence, in one call of the network; the logits after the last one, a row for each.

        Every sequence of the batch is named. A number that is new begins a sequence with its prompt.
        """
        ...

    def remove(self, sequence: int) -> None:
        """Forget a sequence, if it was ever read."""
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
        """The most tokens that prompt and answer may have together."""
        ...

    def encode(self, text: str) -> list[int]:
        """The ids of a prompt, including a BOS token if the model needs one."""
        ...

    def decode(self, ids: Sequence[int]) -> str:
        """The text of some ids; special tokens have none."""
        ...

    def prompt(self, text: str, keys: Sequence[str] | None = None, *, draft: str | None = None) -> str:
        """The text to complete, given an input, the property names that are asked for, and perhaps a draft: an answer
        in free text that is to be written anew. A model without this parameter takes no `Draft`."""
        ...

    def start(self, prompt_ids: Sequence[int]) -> Session:
        """A session that has read the prompt. LimitExceededError if it is longer than the context."""
        ...


def new_batch(model: Model) -> Batch | None:
    """A new batch of a model that has batches, else None."""
    # The class is asked: a wrapper that passes on what it does not know has no batches, as its sessions are its own.
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
    """ValueError if a prompt is empty, LimitExceededError if a model does not read so much."""
    if not prompt_ids:
        raise ValueError("a prompt needs at least one token (BOS)")
    if len(prompt_ids) > context:
        raise LimitExceededError(
            f"the prompt has {len(prompt_ids)} tokens, the model reads at most {context}",
            where="prompt",
            hint="shorten the input, or use a model with a longer context",
        )


def check_room(length: int, tokens: int, context: int) -> None:
    """LimitExceededError if a sequence of some length has no room for more tokens."""
    if length + tokens > context:
        raise LimitExceededError(
            f"the context of {context} tokens is full",
            where=f"token {length}",
            hint="ask for less (maxLength, maxItems), shorten the input, or give the model a longer context",
        )
