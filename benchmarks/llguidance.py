"""llguidance → the runner's engine."""

from __future__ import annotations

from functools import partial
from typing import Any

import llguidance
import numpy as np

from .corpus import Tokenizer
from .engine import Session


class Engine:
    def __init__(self, tokenizer: Tokenizer) -> None:
        document = (tokenizer.folder / "tokenizer.json").read_text(encoding="utf-8")
        self.tokenizer = llguidance.LLTokenizer(
            document,
            n_vocab=tokenizer.size,
            eos_token=tokenizer.eos,
            # Its own choice "suitable for JSON Schema grammars".
            slices=llguidance.LLTokenizer.json_slices(),
        )
        self.bitmask = np.zeros(tokenizer.mask_words, dtype=np.int32)

    def compile(self, schema: dict[str, Any], text: str) -> Any:
        return self._matcher(llguidance.LLMatcher.grammar_from_json_schema(text))

    def compile_rules(self, rules: dict[str, str]) -> Any:
        return self._matcher(llguidance.LLMatcher.grammar_from_lark(rules["lark"]))

    def _matcher(self, grammar: str) -> Any:
        matcher = llguidance.LLMatcher(self.tokenizer, grammar, log_level=0)
        if matcher.is_error():
            raise ValueError(matcher.get_error())
        return matcher

    def start(self, compiled: Any) -> Session:
        matcher = compiled.deep_copy()
        address, size = self.bitmask.ctypes.data, self.bitmask.nbytes
        return Session(
            partial(matcher.unsafe_compute_mask_ptr, address, size), matcher.consume_token, matcher.is_accepting
        )
