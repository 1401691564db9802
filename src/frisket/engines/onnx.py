"""CompiledGrammar × a generator of ONNX Runtime GenAI → masked logits, before each token that it chooses."""

from __future__ import annotations

from typing import Any

import numpy as np

from frisket._core import CompiledGrammar
from frisket.engines.engine import Engine
from frisket.engines.sequence import Sequence
from frisket.logits.numpy import apply_mask

ENGINE = Engine(
    name="ONNX Runtime GenAI", package="onnxruntime-genai", extra="onnx",
    use="frisket.engines.onnx.GrammarProcessor",
)  # fmt: skip


class GrammarProcessor:
    """Masks the logits of a `Generator`, of one sequence, before it chooses the next token.

        processor = GrammarProcessor(grammar.compile(vocabulary))
        while not generator.is_done():
            processor(generator)
            generator.generate_next_token()

    Every answer that ends by itself is a text of the grammar. Tokens that `rewind_to` takes back are forgotten. A
    processor serves one answer; `reset` prepares it for another one. Not thread-safe.

    With `max_tokens`, the answer is whole after at most that many tokens; BudgetError if every text takes more.
    """

    def __init__(self, grammar: CompiledGrammar, *, max_tokens: int | None = None) -> None:
        self._sequence = Sequence(grammar, "ONNX Runtime GenAI", max_tokens)

    def reset(self) -> None:
        """Forget the prompt: the next answer begins anew."""
        self._sequence.reset()

    def __call__(self, generator: Any) -> None:
        """Set the logit of each token that no text of the grammar can have next to −∞."""
        logits = np.array(generator.get_logits(), dtype=np.float32)
        rows = logits.reshape(-1, logits.shape[-1])
        if logits.ndim < 1 or len(rows) != 1:
            raise self._sequence.refusal(
                f"the generator has {len(rows)} rows of logits, and a processor follows one sequence",
                hint="make a generator for each sequence (batch_size and num_beams of 1)",
            )
        ids = np.asarray(generator.get_sequence(0), dtype=np.int64).reshape(-1)
        apply_mask(rows[0], self._sequence.mask(ids, rows.shape[-1]))
        generator.set_logits(logits)
