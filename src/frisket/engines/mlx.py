"""CompiledGrammar × `mlx_lm.generate` → masked logits: a logits processor for MLX."""

from __future__ import annotations

import importlib
from typing import Any, TypeAlias

import numpy as np

from frisket._core import CompiledGrammar
from frisket.engines.engine import Engine
from frisket.engines.sequence import Sequence
from frisket.errors import MissingDependencyError
from frisket.logits.numpy import allowed

Array: TypeAlias = Any  # MLX is optional, for type checkers too

ENGINE = Engine(name="MLX", package="mlx-lm", extra="mlx", use="frisket.engines.mlx.GrammarProcessor")


class GrammarProcessor:
    """A logits processor for `mlx_lm.generate`, `stream_generate` and, one for each sequence, `BatchGenerator`.

        vocabulary = frisket.Vocabulary.from_huggingface(tokenizer._tokenizer, size=model.args.vocab_size)
        processor = GrammarProcessor(grammar.compile(vocabulary))
        mlx_lm.generate(model, tokenizer, prompt, logits_processors=[processor])

    Every answer that ends by itself is a text of the grammar. Tokens of a draft model are followed and taken back. A
    processor serves one answer; `reset` prepares it for another one. Each call waits for the device, because the ids
    are read on the host. Not thread-safe.

    With `max_tokens`, the answer is whole after at most that many tokens; BudgetError if every text takes more.
    """

    def __init__(self, grammar: CompiledGrammar, *, max_tokens: int | None = None) -> None:
        try:
            self._mlx: Any = importlib.import_module("mlx.core")
        except ImportError as error:
            raise MissingDependencyError.of("mlx", "mlx") from error
        self._sequence = Sequence(grammar, "MLX", max_tokens)

    def reset(self) -> None:
        """Forget the prompt: the next answer begins anew."""
        self._sequence.reset()

    def __call__(self, tokens: Array, logits: Array) -> Array:
        """New logits: −∞ for each token that no text of the grammar can have next."""
        columns = int(logits.shape[-1])
        ids = np.asarray(tokens.tolist(), dtype=np.int64).reshape(-1)
        bits = np.zeros(columns, dtype=bool)
        known = allowed(self._sequence.mask(ids, columns), (min(columns, 32 * -(-columns // 32)),))
        bits[: len(known)] = known[:columns]
        return self._mlx.where(self._mlx.array(bits), logits, self._mlx.array(-np.inf, dtype=logits.dtype))
