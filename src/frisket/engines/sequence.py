"""CompiledGrammar × one sequence's ids → the words of its mask, for all processors of one sequence at a time."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from frisket._core import CompiledGrammar
from frisket.engines.path import Ids, NotGenerated, Path, start
from frisket.errors import EngineError

HINT = "make a processor for each call, or call reset() before"


class Sequence:
    """The position of one sequence. The ids of the first call are the prompt. Not thread-safe.

    With `max_tokens`, the text is whole after at most that many tokens; BudgetError if every text takes more.
    """

    def __init__(self, grammar: CompiledGrammar, engine: str, max_tokens: int | None = None) -> None:
        if not isinstance(grammar, CompiledGrammar):
            raise TypeError(
                f"a GrammarProcessor takes a CompiledGrammar, got {type(grammar).__name__}; "
                "make one of a Grammar by grammar.compile(vocabulary)"
            )
        if max_tokens is not None and max_tokens < 1:
            raise ValueError(f"max_tokens is at least 1, not {max_tokens}")
        self._grammar, self._engine, self._max_tokens = grammar, engine, max_tokens
        self.reset()

    def reset(self) -> None:
        """Forget the prompt: the next ids are a new one."""
        self._prompt: Ids | None = None
        self._path: Path = start(self._grammar)

    def mask(self, ids: Ids, columns: int) -> NDArray[np.uint32]:
        """The mask of the tokens that may follow the ids; after the end of a text it allows only the end.

        Nothing changes if a call fails.
        """
        prompt = self._prompt
        if prompt is None:
            if not any(token_id < columns for token_id in self._grammar.vocabulary.eos):
                raise self.refusal(
                    f"no token that ends a text is among the {columns} of the model",
                    hint="compile the grammar for the model's own vocabulary",
                )
            prompt = ids.copy()
        elif not np.array_equal(ids[: len(prompt)], prompt):
            raise self.refusal("the ids do not begin with the prompt of the first call", hint=HINT)
        try:
            path = self._path.advance(ids[len(prompt) :])
        except NotGenerated as error:
            raise self.refusal(str(error), hint=HINT) from None
        self._prompt, self._path = prompt, path
        if path.is_open:
            if self._max_tokens is None:
                return path.matcher.mask()
            return path.matcher.mask(room=max(self._max_tokens - (len(ids) - len(prompt)), 1))
        words = np.zeros(self._grammar.vocabulary.mask_words, dtype=np.uint32)
        for token_id in self._grammar.vocabulary.eos:
            words[token_id >> 5] |= np.uint32(1 << (token_id & 31))
        return words

    def refusal(self, message: str, *, hint: str) -> EngineError:
        return EngineError(f"{self._engine}: {message}", hint=hint)
