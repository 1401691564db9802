"""Token ids of a prompt → fewer ids, and the bytes of the ids that were taken back: token healing.

A prompt that ends inside a word, or with a space, ends with a token that is rare there: usually one token covers that
ending and the text behind it. So the last tokens are taken back, and the first tokens of the answer must spell
their bytes again, in the tokens that the model prefers (Lundberg, guidance 2023).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from frisket import _core

if TYPE_CHECKING:
    from frisket.grammar import CompiledGrammar, Grammar
    from frisket.limit import Limits
    from frisket.vocabulary import Vocabulary


def take_back(vocabulary: Vocabulary, ids: Sequence[int]) -> tuple[list[int], bytes]:
    """The ids that stay, and the bytes taken back: the longest ending of the prompt that begins some longer token.

    >>> from frisket import Vocabulary
    >>> words = Vocabulary.from_bytes([b"go", b" ", b" home", b"o", None], eos=[4])
    >>> take_back(words, [0, 1])
    ([0], b' ')
    >>> take_back(words, [0])
    ([0], b'')

    One token always stays, because a model has to read something. No special token is taken back, nor one before it.
    """
    texts = _sorted_texts(vocabulary)
    special = set(vocabulary.special.values())
    ending, stay, head = b"", len(ids), b""
    for place in range(len(ids) - 1, 0, -1):
        data = None if ids[place] in special else vocabulary.token(ids[place])
        if data is None:
            break
        ending = data + ending
        if len(ending) >= texts.longest:
            break
        if texts.have_beginning(ending):
            stay, head = place, ending
    return list(ids[:stay]), head


def compile_healed(
    grammar: Grammar, vocabulary: Vocabulary, head: bytes, limits: Limits | None = None
) -> CompiledGrammar:
    """The grammar whose texts are `head` and then a text of `grammar`."""
    builder = _core.GrammarBuilder(limits=limits)
    core = builder.build(builder.seq([builder.literal(head), builder.embed(grammar.core)]))
    return core.compile(vocabulary, limits=limits, grammar=grammar)


class _Texts:
    """The sorted byte strings of a vocabulary's tokens."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        tokens = (vocabulary.token(token_id) for token_id in range(vocabulary.size))
        self._sorted = sorted({token for token in tokens if token})
        self.longest = max(map(len, self._sorted), default=0)

    def have_beginning(self, data: bytes) -> bool:
        """Whether some token begins with the bytes and is longer."""
        place = bisect_right(self._sorted, data)
        return place < len(self._sorted) and self._sorted[place].startswith(data)


_KNOWN: WeakKeyDictionary[Vocabulary, _Texts] = WeakKeyDictionary()


def _sorted_texts(vocabulary: Vocabulary) -> _Texts:
    texts = _KNOWN.get(vocabulary)
    if texts is None:
        texts = _KNOWN[vocabulary] = _Texts(vocabulary)
    return texts
