"""xgrammar → the runner's engine."""

from __future__ import annotations

import os
from functools import partial
from typing import Any

import numpy as np
import xgrammar

from .corpus import Tokenizer
from .engine import Session


class Engine:
    def __init__(self, tokenizer: Tokenizer) -> None:
        info = xgrammar.TokenizerInfo(
            [
                token if token is not None else f"<special {index}>".encode()
                for index, token in enumerate(tokenizer.tokens)
            ],
            xgrammar.VocabType.RAW,
            vocab_size=tokenizer.size,
            stop_token_ids=[tokenizer.eos],
        )
        self.info = info
        # Without its cache of whole grammars: a schema counts as new each time, as for everybody.
        self.compiler = xgrammar.GrammarCompiler(info, max_threads=os.cpu_count() or 1, cache_enabled=False)
        self.bitmask = np.zeros((1, tokenizer.mask_words), dtype=np.int32)

    def compile(self, schema: dict[str, Any], text: str) -> Any:
        # strict_mode would close every object and refuse documents that the schema allows.
        return self.compiler.compile_json_schema(text, strict_mode=False)

    def compile_rules(self, rules: dict[str, str]) -> Any:
        if "gbnf" in rules:
            return self.compiler.compile_grammar(xgrammar.Grammar.from_ebnf(rules["gbnf"]))
        return self.compiler.compile_grammar(xgrammar.Grammar.from_lark(rules["lark"], tokenizer_info=self.info))

    def start(self, compiled: Any) -> Session:
        matcher = xgrammar.GrammarMatcher(compiled)
        return Session(
            partial(matcher.fill_next_token_bitmask, self.bitmask, 0), matcher.accept_token, matcher.is_completed
        )
