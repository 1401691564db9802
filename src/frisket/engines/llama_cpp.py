"""CompiledGrammar × `llama_cpp.Llama` → masked scores: a logits processor for llama-cpp-python."""

from __future__ import annotations

import ctypes
import importlib
import logging
from collections.abc import Sequence as Ordered
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from frisket import _core
from frisket._core import CompiledGrammar
from frisket.engines.engine import Engine
from frisket.engines.sequence import Sequence
from frisket.errors import EngineError, MissingDependencyError

if TYPE_CHECKING:
    from frisket.vocabulary import Vocabulary

logger = logging.getLogger(__name__)

ENGINE = Engine(
    name="llama.cpp",
    package="llama-cpp-python",
    extra="llama-cpp",
    use="frisket.engines.llama_cpp.GrammarProcessor, frisket.models.gguf",
)

#: Attributes (`llama_vocab_get_attr`) of tokens that are not text: unknown, unused, control (`llama.h`).
_NO_TEXT = 1 | 2 | 8


class GrammarProcessor:
    """A logits processor for `Llama`: every answer that ends by itself is a text of the grammar.

        processor = GrammarProcessor(grammar.compile(vocabulary(llama)))
        llama.create_completion(
            prompt,
            logits_processor=LogitsProcessorList([processor]),
            stopping_criteria=StoppingCriteriaList([processor.check]),
        )

    llama-cpp-python calls processors through ctypes, which swallows exceptions. After an error only the end is
    allowed, and `check` raises the error: as a stopping criterion within the call, or when called after it. If neither
    happened, `reset` raises it.

    A processor serves one answer; `reset` prepares it for another one. Do not pass `logit_bias` with it:
    llama-cpp-python then drops all processors, and only the stopping criterion can notice. Do not use a draft model
    either: processors then see tokens that have not been chosen yet. Not thread-safe.

    With `max_tokens`, the answer is whole after at most that many tokens; BudgetError if every text takes more.
    """

    def __init__(self, grammar: CompiledGrammar, *, max_tokens: int | None = None) -> None:
        self._sequence = Sequence(grammar, "llama-cpp-python", max_tokens)
        self._ends = list(grammar.vocabulary.eos)
        self._was_called = False
        self._error: BaseException | None = None
        self._was_raised = False

    def reset(self) -> None:
        """Forget the prompt: the next answer begins anew. Raises the error of the last answer, if `check` has not."""
        error = None if self._was_raised else self._error
        self._sequence.reset()
        self._was_called, self._error, self._was_raised = False, None, False
        if error is not None:
            raise error

    def check(self, *criterion: Any) -> bool:
        """Raise the error of the answer, if it has one; otherwise return False, so as a stopping criterion it never
        stops.

        Called as a criterion, it also raises if tokens were chosen without the processor."""
        if criterion and not self._was_called:
            raise self._sequence.refusal(
                "tokens were chosen without the processor", hint="drop logit_bias, beside which processors do not run"
            )
        if self._error is not None:
            self._was_raised = True
            raise self._error
        return False

    def __call__(self, input_ids: Ordered[int] | NDArray[np.intc], scores: NDArray[np.float32]) -> NDArray[np.float32]:
        """The scores, changed in place: −∞ for each token that no text of the grammar can have next."""
        self._was_called = True
        if self._error is None:
            try:
                self._mask(np.asarray(input_ids, dtype=np.int64), scores)
                return scores
            except BaseException as error:  # ctypes would swallow even an interrupt
                logger.error("the answer is cut, because the grammar cannot be followed: %s", error)
                self._error = error
        scores[...] = -np.inf
        scores[[token for token in self._ends if token < scores.shape[-1]]] = 0
        return scores

    def _mask(self, ids: NDArray[np.int64], scores: NDArray[np.float32]) -> None:
        mask = self._sequence.mask(ids, scores.shape[-1])
        # The scores are a member of a C structure, so the row is not contiguous.
        row = np.ascontiguousarray(scores, dtype=np.float32)
        _core.apply_mask(row, mask)
        if not np.isfinite(row.max()):
            raise self._sequence.refusal(
                "all tokens that the grammar allows have the score −∞",
                hint="drop other processors, and see whether the vocabulary is the model's",
            )
        scores[...] = row


def vocabulary(llama: Any) -> Vocabulary:
    """The bytes of every token of a loaded `llama_cpp.Llama`, exact for byte-level BPE and SentencePiece models."""
    from frisket.vocabulary import Vocabulary

    try:
        library: Any = importlib.import_module("llama_cpp")
    except (ImportError, OSError, RuntimeError) as error:
        raise MissingDependencyError.of("llama-cpp-python", "llama-cpp") from error
    pointer = library.llama_model_get_vocab(llama.model)
    size = int(library.llama_vocab_n_tokens(pointer))
    tokens: list[bytes | None] = []
    special: dict[str, int] = {}
    for token_id in range(size):
        piece = _piece(library, pointer, token_id)
        if library.llama_vocab_get_attr(pointer, token_id) & _NO_TEXT:
            tokens.append(None)
            name = piece.decode("utf-8", "replace")
            if name:
                special.setdefault(name, token_id)
        else:
            tokens.append(piece or None)
    eos = [token_id for token_id in range(size) if library.llama_vocab_is_eog(pointer, token_id)]
    for token_id in eos:
        tokens[token_id] = None
    return Vocabulary.from_bytes(tokens, special=special, eos=eos)


def _piece(library: Any, pointer: Any, token_id: int) -> bytes:
    """The bytes of a token; for a special token its name."""
    room = 64
    while True:
        buffer = ctypes.create_string_buffer(room)
        length = int(library.llama_token_to_piece(pointer, token_id, buffer, room, 0, True))
        if 0 <= length <= room:
            return buffer.raw[:length]
        if length >= 0 or -length <= room:
            raise EngineError(f"llama.cpp cannot spell token {token_id}", where=f"token {token_id}")
        room = -length
