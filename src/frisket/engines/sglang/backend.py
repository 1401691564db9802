"""SGLang's key (type, specification) → a grammar that fills rows of a bitmask.

All of this runs in the scheduler's process. A refused specification becomes SGLang's `InvalidGrammarObject`, and a
refused token a ValueError: either ends one request only.
"""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Iterable
from typing import Any

import frisket
from frisket.engines import metrics
from frisket.engines.compiler import Compiler
from frisket.engines.progress import Progress, failure
from frisket.engines.structured_output import Kind, StructuredOutput
from frisket.errors import EngineError, LimitExceededError, MissingDependencyError
from frisket.json_schema.options import DEFAULT, JSONSchemaOptions
from frisket.limit import Limits
from frisket.vocabulary import Vocabulary

try:
    import torch
    from sglang.srt.constrained.base_grammar_backend import (
        BaseGrammarBackend,
        InvalidGrammarObject,
        register_vocab_mask_buffer,
    )
    from sglang.srt.runtime_context import get_serving

    from frisket.engines.sglang import budget
    from frisket.engines.sglang.grammar import RequestGrammar, allocate
except ImportError as error:
    raise MissingDependencyError.of("sglang", "sglang") from error

logger = logging.getLogger(__name__)

#: SGLang's word for any JSON document.
ANY = "$$ANY$$"


def make_backend(tokenizer: Any, vocab_size: int, eos_token_ids: int | Iterable[int] | None) -> Any:
    """The backend for the settings of this process; if SGLang parses reasoning, the backend leaves it unconstrained."""
    serving = get_serving()
    if serving.constrained_json_whitespace_pattern:
        raise EngineError(
            "SGLang: --constrained-json-whitespace-pattern is not supported by frisket",
            hint="use --constrained-json-disable-any-whitespace, or leave it out",
        )
    options = StructuredOutput.with_flags(
        DEFAULT, disable_any_whitespace=serving.constrained_json_disable_any_whitespace
    )
    backend = Backend(tokenizer, vocab_size, eos_token_ids, options)
    metrics.start("sglang", serve=False)
    budget.install()
    logger.info("frisket %s serves structured outputs: %s, %s", frisket.__version__, options, Limits())
    if not serving.reasoning_parser:
        return backend
    # SGLang wraps its own backends in this class, and leaves that to other backends themselves.
    from sglang.srt.constrained.reasoner_grammar_backend import ReasonerGrammarBackend
    from sglang.srt.parser.reasoning_parser import ReasoningParser

    parser = ReasoningParser(model_type=serving.reasoning_parser, stream_reasoning=False, tokenizer=tokenizer)
    return ReasonerGrammarBackend(backend, parser, tokenizer, enable_strict_thinking=serving.enable_strict_thinking)


class Backend(BaseGrammarBackend):
    """The backend of one scheduler process; it compiles in several threads at once."""

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
        """A bitmask that is reused for every step."""
        buffer: torch.Tensor = register_vocab_mask_buffer(name, allocate(vocab_size, max_rows), max_rows)
        return buffer

    def allocate_vocab_mask(self, vocab_size: int, batch_size: int, device: Any) -> torch.Tensor:
        """A bitmask for requests that reason; SGLang asks the backend for it."""
        return allocate(vocab_size, batch_size)

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
            # Found here, since each request needs it while SGLang's scheduler waits.
            with contextlib.suppress(LimitExceededError):
                compiled.matcher().least_tokens()
        except Exception as error:
            refusal = failure(error)
            metrics.count("frisket_engine_requests_refused", refusal.code)
            return InvalidGrammarObject(f"{refusal} [{refusal.code}]")
        return RequestGrammar(Progress(compiled))
