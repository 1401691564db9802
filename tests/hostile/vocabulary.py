"""Data of this machine → the vocabulary that hostile grammars are compiled for."""

from __future__ import annotations

from functools import cache

import frisket
from frisket import Vocabulary
from tests.data import find_data_dir, llama3_tokens


@cache
def large_vocabulary() -> Vocabulary:
    """Llama 3's 128,000 tokens where there is data, else the embedded model's 50,000."""
    folder = find_data_dir()
    if folder is None:
        return frisket.models.embedded().vocabulary
    tokens = llama3_tokens(folder)
    return Vocabulary.from_bytes([*tokens, None], eos=[len(tokens)])
