"""vLLM's tokenizer × stop tokens → Vocabulary."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from frisket.vocabulary import Vocabulary


def vocabulary_of(tokenizer: Any, size: int, stops: Collection[int] | None) -> Vocabulary:
    """The vocabulary with one id per row of the model's logits; its end is any stop token, or the tokenizer's own."""
    if isinstance(tokenizer, Vocabulary):
        return tokenizer  # a trial run passes a vocabulary
    eos = None if stops is None else sorted(stops)
    # vLLM wraps mistral-common's tokenizers; `tokenizer` is the one inside.
    if getattr(tokenizer, "IS_MISTRAL_TOKENIZER", False):
        return Vocabulary.from_mistral(tokenizer.tokenizer, size=size, eos=eos)
    return Vocabulary.from_huggingface(tokenizer, size=size, eos=eos)
