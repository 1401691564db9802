"""SGLang's key (type, specification) → a grammar that fills rows of a bitmask.

The scheduler's process calls all this. A specification that is refused becomes SGLang's `InvalidGrammarObject`, and a
token that is refused a ValueError: either ends one request.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import frisket
from frisket.engines import metrics
from frisket.engines.compiler import Compiler
from frisket.engines.progress import Progress, failure
from frisket.engines.structured_output import Kind, StructuredOutput
from frisket.errors import EngineError, MissingDependencyError
from frisket.json_schema.options import DEFAULT, JSONSchemaOptions
from frisket.limit import Limits
from frisket.logits.torch import apply_mask
from frisket.vocabulary import Vocabulary

try:
    import torch
    from sglang.srt.constrained.base_grammar_backend import (
        BaseGrammarBackend,
        BaseGrammarObject,
        GrammarRow,
        InvalidGrammarObject,
        register_vocab_mask_buffer,
    )
    from sglang.srt.runtime_context import get_serving
except ImportError as error:
    raise MissingDependencyError.of("sglang", "sglang") from error

logger = logging.getLogger(__name__)

#: Steps that a tree of drafts takes back at most: as many as SGLang asks of its own backends.
MAX_ROLLBACK = 200
#: SGLang's word for any JSON document.
ANY = "$$ANY$$"


def make_backend(tokenizer: Any, vocab_size: int, eos_token_ids: int | Iterable[int] | None) -> Any:
    """The backend for the settings of this process; thoughts are free where SGLang parses them."""
    serving = get_serving()
    if serving.constrained_json_whitespace_pattern:
        raise EngineError(
            "SGLang: --constrained-json-whitespace-pattern is not supported by frisket",
            hint="use --constrained-json-disable-any-whitespace, or leave it out",
        )
    options = DEFAULT
    if serving.constrained_json_disable_any_whitespace:
        options = replace(options, whitespace="compact")
    backend = Backend(tokenizer, vocab_size, eos_token_ids, options)
    metrics.start("sglang", serve=False)
    logger.info("frisket %s serves structured outputs: %s, %s", frisket.__version__, options, Limits())
    if not serving.reasoning_parser:
        return backend
    # SGLang hands its own backends to this class, and leaves others to do so themselves.
    from sglang.srt.constrained.reasoner_grammar_backend import ReasonerGrammarBackend
    from sglang.srt.parser.reasoning_parser import ReasoningParser

    parser = ReasoningParser(model_type=serving.reasoning_parser, stream_reasoning=False, tokenizer=tokenizer)
    return ReasonerGrammarBackend(backend, parser, tokenizer, enable_strict_thinking=serving.enable_strict_thinking)


class Backend(BaseGrammarBackend):
    """What SGLang has one of in each scheduler; it compiles in several threads at once."""

    def __init__(
        self,
        tokenizer: Any,
        vocab_size: int,
        eos_token_ids: int | Iterable[int] | None = None,
        options: JSONSchemaOptions = DEFAULT,
    ) -> None:
        super().__init__()
        self._size, self._options = vocab_size, options
        stops = [eos_token_ids] if isinstance(eos_token_ids, int) else sorted(eos_token_ids or ())
        vocabulary = Vocabulary.from_huggingface(tokenizer, size=vocab_size, eos=stops or None)
        self._compiler = Compiler(lambda _: vocabulary, counted=True)

    def initialize_vocab_mask_buffer(self, name: str, vocab_size: int, max_rows: int, device: Any) -> torch.Tensor:
        """A bitmask that is used again and again."""
        buffer: torch.Tensor = register_vocab_mask_buffer(name, _allocate(vocab_size, max_rows), max_rows)
        return buffer

    def allocate_vocab_mask(self, vocab_size: int, batch_size: int, device: Any) -> torch.Tensor:
        """For requests that think, whose masks SGLang asks of the backend."""
        return _allocate(vocab_size, batch_size)

    def move_vocab_mask(self, vocab_mask: torch.Tensor, device: Any) -> torch.Tensor:
        return RequestGrammar.move_vocab_mask(vocab_mask, device)

    def apply_vocab_mask(self, logits: torch.Tensor, vocab_mask: torch.Tensor) -> None:
        RequestGrammar.apply_vocab_mask(logits, vocab_mask)

    def dispatch_json(self, key_string: str) -> Any:
        if key_string == ANY:
            return self._made("json", "true")
        return self._made("json", key_string)

    def dispatch_regex(self, key_string: str) -> Any:
        return self._made("regex", key_string)

    def dispatch_ebnf(self, key_string: str) -> Any:
        return self._made("grammar", key_string)

    def dispatch_structural_tag(self, key_string: str) -> Any:
        return self._made("structural_tag", key_string)

    def _made(self, kind: Kind, specification: str) -> Any:
        try:
            compiled = self._compiler.compile(StructuredOutput(kind, specification, self._options))
        except Exception as error:
            refusal = failure(error)
            metrics.count("frisket_engine_requests_refused", refusal.code)
            return InvalidGrammarObject(f"{refusal} [{refusal.code}]")
        return RequestGrammar(Progress(compiled, max_rollback=MAX_ROLLBACK))


class RequestGrammar(BaseGrammarObject):
    """One request's position."""

    def __init__(self, progress: Progress) -> None:
        super().__init__()
        self._progress = progress

    def accept_token(self, token: int) -> None:
        """Take a token; ValueError ends the request. What comes after the end is ignored."""
        refusal = self._progress.accept_later([token])
        if refusal is not None:
            raise ValueError(f"{refusal} [{refusal.code}]") from refusal

    def rollback(self, k: int) -> None:
        self._progress.rollback(k)

    def is_terminated(self) -> bool:
        return self._progress.ended

    def copy(self) -> RequestGrammar:
        """Another request's position, at the beginning: SGLang keeps grammars, and copies one for each request."""
        return RequestGrammar(self._progress.fresh())

    def allocate_vocab_mask(self, vocab_size: int, batch_size: int, device: Any) -> torch.Tensor:
        """Rows of int32 words on the CPU, one bit a token, all allowed."""
        return _allocate(vocab_size, batch_size)

    def fill_vocab_mask(self, vocab_mask: torch.Tensor, idx: int) -> None:
        self._progress.fill(vocab_mask, idx)

    @staticmethod
    def fill_vocab_mask_batched(entries: Sequence[GrammarRow], vocab_mask: torch.Tensor) -> None:
        """The rows of all requests of a batch, by as many threads as there are cores."""
        if not all(isinstance(entry.grammar, RequestGrammar) for entry in entries):
            BaseGrammarObject.fill_vocab_mask_batched(entries, vocab_mask)
            return
        Progress.fill_all([entry.grammar._progress for entry in entries], vocab_mask, [entry.row for entry in entries])

    @staticmethod
    def reset_vocab_mask(vocab_mask: torch.Tensor) -> None:
        vocab_mask.fill_(-1)

    @staticmethod
    def move_vocab_mask(vocab_mask: torch.Tensor, device: Any) -> torch.Tensor:
        return vocab_mask.to(device, non_blocking=True)

    @staticmethod
    def apply_vocab_mask(logits: torch.Tensor, vocab_mask: torch.Tensor) -> None:
        apply_mask(logits, vocab_mask)


def _allocate(vocab_size: int, rows: int) -> torch.Tensor:
    return torch.full((rows, -(-vocab_size // 32)), -1, dtype=torch.int32)
