"""Matcher × last token → a draft: the tokens that are likely next, which the model reads in one call.

A draft is a guess. The loop keeps a drafted token only where the sampler chooses the same token from the model's own
logits. So a draft changes the number of calls of the network, and never the answer (Leviathan et al. 2023).
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from frisket.decoding.pace import Pace
from frisket.errors import LimitExceededError, VocabularyError
from frisket.models.protocol import common_prefix

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from frisket._core import Matcher
    from frisket.models.protocol import Model, Session
    from frisket.vocabulary import Vocabulary

#: Most tokens of a draft. Reading 32 tokens at once costs a small model on a CPU about 4 calls for single tokens.
MOST = 32
#: Bytes of likely text that are asked for at a time: enough for 32 tokens of 6 bytes.
MOST_BYTES = 192
#: A token is drafted after it was chosen this often in a row. With 2, one guess in five of real calls is wrong.
ROW = 3
#: Masks whose last choice is remembered, and texts whose tokens are remembered.
PLACES, SPELLINGS = 1024, 4096
#: A character that tokenizers never join with the text behind it; it stands in for the text before a draft.
_ANCHOR = b"\n"


class Habits:
    """Mask → the token that was chosen last under it, and how often in a row.

    Equal masks are one array, in all grammars, so the `id` of the array serves as the key.
    """

    def __init__(self) -> None:
        self._places: dict[int, tuple[NDArray[Any], int, int]] = {}
        self._lock = threading.Lock()

    def learn(self, mask: NDArray[Any], token: int) -> None:
        """Note that the token was chosen under this mask."""
        with self._lock:
            _, last, row = self._places.pop(id(mask), (mask, -1, 0))
            # A kept array keeps its `id`. The mask that was used last comes last.
            self._places[id(mask)] = (mask, token, row + 1 if token == last else 1)
            if len(self._places) > PLACES:
                del self._places[next(iter(self._places))]

    def guess(self, mask: NDArray[Any]) -> int | None:
        """The token that was chosen under this mask `ROW` times in a row; None if there is none."""
        _, token, row = self._places.get(id(mask), (mask, -1, 0))
        return token if row >= ROW else None


class Memory:
    """State that all drafts of one model share: spellings, habits, and whether drafts pay."""

    def __init__(self) -> None:
        self.spellings: dict[tuple[bytes, bytes, tuple[bytes, ...]], list[int]] = {}
        self.habits = Habits()
        self.pace = Pace()


class Drafter:
    """Makes drafts for one model: its own tokenizer spells the likely bytes, as the model itself would.

    `end`: the end-of-sequence token, drafted where only the end may come; with None, the loop ends the text itself.
    """

    def __init__(
        self, encode: Callable[[str], Sequence[int]], memory: Memory | None = None, *, end: int | None = None
    ) -> None:
        self._encode, self._end = encode, end
        self._memory = memory or Memory()
        #: Measures whether drafts pay; None if that is not measured.
        self.pace = None if memory is None else memory.pace

    def __call__(self, matcher: Matcher, last: bytes, most: int) -> list[int]:
        """At most `most` ids, all of which the matcher accepts; `last` is the bytes of the last token."""
        ahead, ids = matcher.fork(), list[int]()
        most = min(most, MOST)
        try:
            while len(ids) < most:
                more = self._spell(ahead, last) or self._guess(ahead)
                for token in more:
                    if not ahead.try_advance(token):
                        return ids[:most]
                    ids.append(token)
                if not more or ahead.ended:
                    break
                last = ahead.compiled.vocabulary.token(ids[-1]) or b""
        except (LimitExceededError, VocabularyError):
            pass  # the tokens found so far are a draft, too
        return ids[:most]

    def learn(self, mask: NDArray[Any], token: int) -> None:
        """Note that the token was chosen under this mask; it is guessed after `ROW` choices in a row."""
        self._memory.habits.learn(mask, token)

    def _guess(self, ahead: Matcher) -> list[int]:
        """The token that is usually chosen under the present mask, or the end where only that may come."""
        mask = ahead.mask()
        guess = self._memory.habits.guess(mask)
        if guess is None and self._end is not None and ahead.can_end:
            ends = len(ahead.compiled.vocabulary.eos)
            guess = self._end if np.count_nonzero(mask) <= ends and _count_allowed(mask) <= ends else None
        return [] if guess is None else [guess]

    def _spell(self, ahead: Matcher, last: bytes) -> list[int]:
        """The ids of the likely text after a token; ids at its end are left out if the text behind may change them."""
        text, beginnings = ahead.likely_bytes(MOST_BYTES)
        if not text:
            return []
        key = (last, text, tuple(beginnings))
        spellings = self._memory.spellings
        found = spellings.get(key)
        if found is None:
            found = self._after(last, text, beginnings) if last else None
            if found is None:
                # The tokenizer would join the last token with the text, but that token is fixed: spell the text alone.
                found = self._after(_ANCHOR, text, beginnings) or []
            found = _leading_within(found, len(text), ahead.compiled.vocabulary)
            if len(spellings) >= SPELLINGS:
                spellings.clear()
            spellings[key] = found
        return found

    def _after(self, last: bytes, text: bytes, beginnings: Sequence[bytes]) -> list[int] | None:
        """The ids that are the same for every continuation; None where the tokenizer joins the text with `last`."""
        try:
            before = last.decode()
        except UnicodeDecodeError:
            return None
        head = list(self._encode(before))
        shared: list[int] | None = None
        for beginning in beginnings or (b"",):
            # An incomplete character at the end is left to the model.
            ids = list(self._encode(before + (text + beginning).decode("utf-8", "ignore")))
            if ids[: len(head)] != head:
                return None
            ids = ids[len(head) :]
            shared = ids if shared is None else shared[: common_prefix(shared, ids)]
        return shared


def drafter(model: Model, session: Session) -> Drafter | None:
    """The drafter of a model; None where its sessions cannot take tokens back."""
    if not getattr(session, "rewinds", False):
        return None
    try:
        memory = _memories.setdefault(model, Memory())
    except TypeError:  # the model has no hash, or allows no weak references
        memory = Memory()
    return Drafter(model.encode, memory)


#: Memory by model. It holds no reference to the model, so both are freed together.
_memories: weakref.WeakKeyDictionary[Model, Memory] = weakref.WeakKeyDictionary()


def _count_allowed(mask: NDArray[np.uint32]) -> int:
    """How many tokens a mask allows."""
    return sum(int(word).bit_count() for word in mask[mask != 0])


def _leading_within(ids: list[int], size: int, vocabulary: Vocabulary) -> list[int]:
    """The leading ids whose bytes fit into `size`."""
    for count, token in enumerate(ids):
        spelled = vocabulary.token(token) if token < vocabulary.size else None
        size -= len(spelled or b"")
        if not spelled or size < 0:
            return ids[:count]
    return ids
