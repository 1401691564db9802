"""Request × the tokenizer of its front end → a grammar that the vocabulary can spell, or a refusal.

vLLM answers 400 only where a request arrives: whatever fails later fails without a word, or ends the engine.
"""

from __future__ import annotations

import sys
from threading import Lock
from typing import Any

from frisket.engines.compiler import Compiler
from frisket.engines.structured_output import StructuredOutput
from frisket.engines.vllm.tokenizer import vocabulary_of
from frisket.grammar import CompiledGrammar

#: Frames between `validate_params` and the method of vLLM's InputProcessor that began the validation, at most.
_DEPTH = 6


class Admission:
    """The compiled grammars of one front end; another tokenizer takes the place of the one before."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._known: tuple[Any, int, Compiler] | None = None

    def compile(self, wanted: StructuredOutput, tokenizer: Any, size: int) -> CompiledGrammar:
        """The grammar for a model of so many rows; FrisketError says what cannot be served."""
        with self._lock:
            known = self._known
            if known is None or known[0] is not tokenizer or known[1] != size:
                known = tokenizer, size, Compiler(lambda stops: vocabulary_of(tokenizer, size, stops))
                self._known = known
        return known[2].compile(wanted)


def front_end() -> tuple[Any, int] | None:
    """Tokenizer and rows of the model of the InputProcessor that validates a request just now, None without one.

    vLLM hands `LogitsProcessor.validate_params` the parameters alone, and the caller that has the rest is on the stack.
    vLLM loads a processor's class only within the first validation, too late to wrap a method of the caller.
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
