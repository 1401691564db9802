"""outlines-core → the runner's engine."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import outlines_core
from outlines_core.json_schema import build_regex_from_schema

from .corpus import Tokenizer
from .engine import Session


class Engine:
    def __init__(self, tokenizer: Tokenizer) -> None:
        ids: dict[bytes, list[int]] = {}
        for index, token in enumerate(tokenizer.tokens):
            if token:
                ids.setdefault(token, []).append(index)
        self.vocabulary = outlines_core.Vocabulary(tokenizer.eos, ids)
        self.bitmask = np.zeros(tokenizer.mask_words, dtype=np.int32)

    def compile(self, schema: dict[str, Any], text: str) -> Any:
        return outlines_core.Index(build_regex_from_schema(text), self.vocabulary)

    def start(self, compiled: Any) -> Session:
        guide = outlines_core.Guide(compiled)

        def commit(token: int) -> bool:
            try:
                guide.advance(token, return_tokens=False)
            except ValueError:
                return False
            return True

        mask = partial(guide.write_mask_into, self.bitmask.ctypes.data, self.bitmask.size, 4)
        return Session(mask, commit, guide.is_finished)
