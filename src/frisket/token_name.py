"""Vocabulary × token id → the name of a special token."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from frisket import _core
    from frisket.vocabulary import Vocabulary

#: Name of a special token by its number, as in llama.cpp's GBNF and llguidance's Lark. The core reads such names.
NUMBERED = re.compile(r"<\[[0-9]+\]>")


def token_name(vocabulary: Vocabulary | _core.Vocabulary, token_id: int) -> str | None:
    """The name of a special token; None for a token that is text, or has no name.

    >>> from frisket import Vocabulary
    >>> letters = Vocabulary.from_bytes([b"a", None], eos=[1], special={"<end>": 1})
    >>> token_name(letters, 1), token_name(letters, 0)
    ('<end>', None)
    """
    return next((name for name, known in vocabulary.special.items() if known == token_id), None)


def token_names(vocabulary: Vocabulary | _core.Vocabulary, token_id: int) -> frozenset[str]:
    """All names by which a grammar may name a special token: those in the vocabulary, and its number.

    >>> from frisket import Vocabulary
    >>> letters = Vocabulary.from_bytes([b"a", None], eos=[1], special={"<end>": 1})
    >>> sorted(token_names(letters, 1))
    ['<[1]>', '<end>']
    """
    special = vocabulary.special
    numbered = {f"<[{token_id}]>": token_id}
    return frozenset(name for name, known in {**numbered, **special}.items() if known == token_id)
