"""glrmask → the runner's engine."""

from __future__ import annotations

from functools import partial
from typing import Any

import glrmask
import numpy as np

from .corpus import Tokenizer
from .engine import Session


class Engine:
    def __init__(self, tokenizer: Tokenizer) -> None:
        texts = {index: token for index, token in enumerate(tokenizer.tokens) if token}
        self.vocabulary = glrmask.Vocab.from_id_to_bytes(texts)
        self.bitmask = np.zeros(tokenizer.mask_words, dtype=np.int32)

    def compile(self, schema: dict[str, Any], text: str) -> Any:
        return glrmask.Grammar.from_json_schema(text).compile(self.vocabulary)

    def start(self, compiled: Any) -> Session:
        state = compiled.start()
        return Session(partial(state.fill_mask, self.bitmask), state.commit_token, state.is_accepting)
