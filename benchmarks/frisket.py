"""frisket, through its public Python surface → the runner's engine."""

from __future__ import annotations

import importlib
import pkgutil
from functools import partial
from typing import Any

import numpy as np

import frisket
from frisket.compiled_schema import compiled_lately

from .corpus import Tokenizer
from .engine import Session


class Engine:
    def __init__(self, tokenizer: Tokenizer) -> None:
        # A format's module is imported when the first schema names it: once per process, like the vocabulary.
        for module in pkgutil.walk_packages(frisket.__path__, "frisket."):
            if module.name.startswith(("frisket.json_schema", "frisket.notations")):
                importlib.import_module(module.name)
        self.vocabulary = frisket.Vocabulary.from_bytes(tokenizer.tokens, eos=[tokenizer.eos])
        self.bitmask = np.zeros(tokenizer.mask_words, dtype=np.int32)

    def compile(self, schema: dict[str, Any], text: str) -> Any:
        compiled = frisket.Grammar.from_json_schema(schema).compile(self.vocabulary)
        # A later round must compile anew. What is cleared is held above: like any engine's, it is freed with its case.
        compiled_lately.clear()
        return compiled

    def compile_rules(self, rules: dict[str, str]) -> Any:
        notation, text = next(iter(rules.items()))
        return getattr(frisket.Grammar, f"from_{notation}")(text).compile(self.vocabulary)

    def start(self, compiled: Any) -> Session:
        matcher = compiled.matcher()
        return Session(partial(matcher.fill_mask, self.bitmask), matcher.try_advance, lambda: matcher.can_end)
