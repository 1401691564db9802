"""Matcher × what was written → the tokens that are likely next: what a model reads ahead in one call.

A draft is a guess. The loop keeps a token of it only where the sampler chooses the same token from the model's own
logits, so that a draft changes how often the network is called, and not what it answers (Leviathan et al. 2023).
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from frisket.errors import LimitExceededError, TokenRejectedError, VocabularyError

if TYPE_CHECKING:
    from frisket._core import Matcher
    from frisket.models.protocol import Model, Session

#: Tokens of a draft. Reading 32 tokens at once costs a small model on a CPU about 4 calls for single tokens.
MOST = 32
#: Bytes of a draft: no draft of 32 tokens is longer where a token has 6 bytes.
MOST_BYTES = 192
#: A character that tokenizers keep apart from what follows it, so that the ids behind it are those of the text alone.
_ANCHOR = "\n"
_BLANKS = b" \t\r\n"


class Drafter:
    """Drafts for one model: its own tokenizer spells the likely bytes, as the model itself would."""

    def __init__(self, encode: Callable[[str], Sequence[int]]) -> None:
        self._encode = encode
        self._anchor = list(encode(_ANCHOR))
        self._known: dict[bytes, list[int]] = {}

    def __call__(self, matcher: Matcher, written: bytes, most: int) -> list[int]:
        """At most so many ids, all of which the matcher takes."""
        text = likely_bytes(matcher, written) if most > 0 else b""
        ids = self._spell(text)[: min(most, MOST)]
        return ids[: matcher.validate(ids)] if ids else []

    def _spell(self, text: bytes) -> list[int]:
        found = self._known.get(text)
        if found is None:
            # Half a character at the end is left to the model.
            ids = list(self._encode(_ANCHOR + text.decode("utf-8", "ignore"))) if text else self._anchor
            count = len(self._anchor)
            found = self._known[text] = ids[count:] if ids[:count] == self._anchor else []
        return found


def drafter(model: Model, session: Session) -> Drafter | None:
    """The drafter of a model; None where its sessions cannot take tokens back."""
    return Drafter(model.encode) if getattr(session, "rewinds", False) else None


def likely_bytes(matcher: Matcher, written: bytes) -> bytes:
    """The text that must come next, with a guess of the white space where only that is free.

    JSON lets a writer choose the blanks around punctuation, so little of a document is forced to the letter. The guess
    is what followed the same character before, at first what `json.dumps` writes.
    """
    ahead, text = matcher.fork(), b""
    try:
        while len(text) < MOST_BYTES:
            forced = ahead.forced_bytes() or _past_blanks(ahead, written + text)
            if not forced:
                break
            ahead.advance_bytes(forced)
            text += forced
    except (LimitExceededError, TokenRejectedError, VocabularyError):
        pass  # what is known so far is a draft, too
    return text[:MOST_BYTES]


def _past_blanks(matcher: Matcher, written: bytes) -> bytes:
    """A guess of the blanks, and what must follow them; empty if something else may follow."""
    ahead = matcher.fork()
    blanks = 0
    with contextlib.suppress(TokenRejectedError):
        while blanks < 2:
            ahead.advance_bytes(b" ")
            blanks += 1
    following = ahead.forced_bytes().lstrip(_BLANKS) if blanks else b""
    return _habit(written) + following if following else b""


def _habit(written: bytes) -> bytes:
    """The blanks that came after the last character when it was written before."""
    last = written[-1:]
    before = written.rfind(last, 0, -1) if last else -1
    if before < 0:
        return b" " if last in (b":", b",") else b""
    rest = written[before + 1 :]
    return rest[: len(rest) - len(rest.lstrip(_BLANKS))]
