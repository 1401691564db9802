"""vLLM's request type × specification → a grammar that fills rows of vLLM's bitmask.

The engine's process calls all this. An exception would end the process, so a request that fails is told to fail.
"""

from __future__ import annotations

import logging
from functools import cached_property
from typing import Any

from frisket.decoding.draft import Drafter
from frisket.engines import metrics
from frisket.engines.compiler import Compiler
from frisket.engines.progress import Progress
from frisket.engines.structured_output import StructuredOutput, kind_of
from frisket.engines.vllm.budget import Budget, check
from frisket.engines.vllm.request import Specification
from frisket.engines.vllm.tokenizer import vocabulary_of
from frisket.errors import FrisketError, MissingDependencyError
from frisket.vocabulary import Vocabulary

try:
    import torch
    from vllm.v1.structured_output.backend_types import StructuredOutputBackend, StructuredOutputGrammar
except ImportError as error:
    raise MissingDependencyError.of("vllm", "vllm") from error

logger = logging.getLogger(__name__)


class Backend(StructuredOutputBackend):
    """What vLLM's manager has one of: it compiles, in several threads at once, and shares what equal requests need."""

    def __init__(self, vllm_config: Any, tokenizer: Any, vocab_size: int) -> None:
        super().__init__(vllm_config, tokenizer, vocab_size)
        self._compiler = Compiler(self._vocabulary, counted=True)
        self._drafts = int(vllm_config.num_speculative_tokens)
        # The usual stop tokens come with the first request; a tokenizer that cannot be read is refused here.
        self._compiler.vocabulary()

    def compile_grammar(
        self, request_type: Any, grammar_spec: str, stop_token_ids: set[int] | None = None
    ) -> RequestGrammar:
        """The grammar of one request; its end is any of the stop tokens. FrisketError fails this request alone."""
        kind = request_type.name.lower()
        budget = None
        if isinstance(grammar_spec, Specification):
            wanted, budget = grammar_spec.wanted, grammar_spec.budget
        else:
            wanted = StructuredOutput(kind_of(kind), grammar_spec)
        try:
            compiled = self._compiler.compile(wanted, stop_token_ids)
            if budget is not None:
                check(compiled, budget.total)
        except FrisketError as error:
            metrics.count("frisket_engine_requests_refused", error.code)
            raise
        # One more than the drafts: the end of the text may come with them.
        return RequestGrammar(Progress(compiled, max_rollback=self._drafts + 1), budget)

    def allocate_token_bitmask(self, max_num_seqs: int) -> torch.Tensor:
        """Rows of int32 words, one bit a token of the model, all allowed."""
        return torch.full((max_num_seqs, -(-self.vocab_size // 32)), -1, dtype=torch.int32)

    @cached_property
    def drafter(self) -> Drafter:
        """What drafts forced text for all requests."""
        return Drafter(
            lambda text: self.tokenizer.encode(text, add_special_tokens=False),
            end=getattr(self.tokenizer, "eos_token_id", None),
        )

    def destroy(self) -> None:
        """Forget the compiled grammars."""
        self._compiler = Compiler(self._vocabulary, counted=True)

    def _vocabulary(self, stops: frozenset[int] | None) -> Vocabulary:
        return vocabulary_of(self.tokenizer, self.vocab_size, stops)


class RequestGrammar(StructuredOutputGrammar):
    """One request's position; with a budget, its text is whole when the tokens run out."""

    def __init__(self, progress: Progress, budget: Budget | None = None) -> None:
        self._progress, self._budget = progress, budget
        #: What is left at the beginning of a step, and the steps of the text then: drafts come on top of these.
        self._room: int | None = None
        self._steps = 0

    def begin(self, before: int) -> None:
        """The masks of a step are asked for; so many of its drafts come before the text."""
        if self._budget is not None:
            self._room, self._steps = self._budget.room - before, self._progress.steps

    def accept_tokens(self, request_id: str, tokens: list[int]) -> bool:
        """Whether all tokens are accepted; False ends the request with an error. What follows the end is ignored."""
        refusal = self._progress.accept(tokens)
        if refusal is not None:
            logger.error("request %s fails: %s [%s]", request_id, refusal, refusal.code)
        return refusal is None

    def validate_tokens(self, tokens: list[int]) -> list[int]:
        """The longest beginning of the tokens that would be accepted, up to and with the end; nothing moves."""
        room = None if self._budget is None else self._budget.room
        return tokens[: self._progress.validate(tokens, room)]

    def draft(self, drafter: Drafter, last: int, most: int) -> list[int]:
        """The tokens that likely come after the last one, at most so many; nothing moves."""
        return self._progress.draft(drafter, last, most)

    def rollback(self, num_tokens: int) -> None:
        """Back to before the last tokens."""
        self._progress.rollback(num_tokens)

    def fill_bitmask(self, bitmask: torch.Tensor, batch_index: int) -> None:
        """Write the request's row: 1 for each token after which the text can be completed."""
        room = None if self._room is None else self._room - (self._progress.steps - self._steps)
        self._progress.fill(bitmask, batch_index, room)

    def is_terminated(self) -> bool:
        """Whether the end was accepted."""
        return self._progress.ended

    def reset(self) -> None:
        """Back to the beginning of the text."""
        self._progress.reset()
