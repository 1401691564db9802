"""Request × its front end's tokenizer → a grammar that the vocabulary can spell, or a refusal.

vLLM answers with status 400 only where a request arrives: a later failure is silent, or ends the engine.
"""

from __future__ import annotations

import sys
from threading import Lock
from typing import Any

from frisket.engines.compiler import Compiler
from frisket.engines.structured_output import StructuredOutput
from frisket.engines.vllm.tokenizer import vocabulary_of
from frisket.grammar import CompiledGrammar

#: Most stack frames between `validate_params` and the method of vLLM's InputProcessor that called for validation.
_DEPTH = 6


class Admission:
    """The compiled grammars of one front end; a new tokenizer replaces the old one."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._known: tuple[Any, int, Compiler] | None = None

    def compile(self, wanted: StructuredOutput, tokenizer: Any, size: int) -> CompiledGrammar:
        """The grammar for a model with `size` rows of logits; FrisketError says what cannot be served."""
        with self._lock:
            known = self._known
            if known is None or known[0] is not tokenizer or known[1] != size:
                known = tokenizer, size, Compiler(lambda stops: vocabulary_of(tokenizer, size, stops))
                self._known = known
        return known[2].compile(wanted)


def front_end() -> tuple[Any, int] | None:
    """Tokenizer and logit rows of the InputProcessor whose request is being validated; None if there is none.

    vLLM gives `LogitsProcessor.validate_params` the parameters only; the caller on the stack has the rest. vLLM loads a
    processor's class only during the first validation, which is too late to wrap a method of the caller.
    """
    frame = sys._getframe(1)
    for _ in range(_DEPTH):
        caller = frame.f_locals.get("self")
        config, tokenizer = getattr(caller, "model_config", None), getattr(caller, "tokenizer", None)
        if tokenizer is not None and config is not None:
            return tokenizer, int(config.get_vocab_size())
        if frame.f_back is None:
            return None
        frame = frame.f_back
    return None
