"""vLLM's request type × specification → a grammar that fills rows of vLLM's bitmask.

All of this runs in the engine's process. An exception would end the process, so errors become a failure of the request.
"""

from __future__ import annotations

import logging
import sys
from functools import cached_property
from typing import Any

from frisket._core.front_end import MaskRows
from frisket.decoding.draft import Drafter
from frisket.engines import metrics
from frisket.engines.compiler import Compiler
from frisket.engines.progress import FAR, Progress, allow_alone
from frisket.engines.room import Thoughts, check, read_reserve
from frisket.engines.structured_output import StructuredOutput, kind_of
from frisket.engines.vllm.budget import Budget
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
    """The backend of vLLM's manager: it compiles, in several threads at once, and equal requests share a grammar."""

    def __init__(self, vllm_config: Any, tokenizer: Any, vocab_size: int) -> None:
        super().__init__(vllm_config, tokenizer, vocab_size)
        self._compiler = Compiler(self._vocabulary, counted=True)
        self._reserve = read_reserve()
        self._rows: tuple[torch.Tensor, MaskRows] | None = None
        # The vocabulary with the usual stop tokens is made here, so that an unreadable tokenizer is refused at the
        # start.
        self._compiler.vocabulary()

    def compile_grammar(
        self, request_type: Any, grammar_spec: str, stop_token_ids: set[int] | None = None
    ) -> RequestGrammar:
        """The grammar of one request, whose end is any of the stop tokens. FrisketError fails this request alone."""
        kind = request_type.name.lower()
        budget = None
        if isinstance(grammar_spec, Specification):
            wanted, budget = grammar_spec.wanted, grammar_spec.budget
        else:
            wanted = StructuredOutput(kind_of(kind), grammar_spec)
        try:
            compiled = self._compiler.compile(wanted, stop_token_ids)
            if budget is not None:
                check(compiled, budget.total, budget.end)
        except FrisketError as error:
            metrics.count("frisket_engine_requests_refused", error.code)
            raise
        thoughts = Thoughts(budget.end, compiled, self._reserve) if budget is not None and budget.end else None
        progress = Progress(compiled)
        # Done in a thread of vLLM's: in the request's first step all other requests would wait for it.
        progress.prepare(None if budget is None else budget.room)
        return RequestGrammar(progress, budget, thoughts)

    def allocate_token_bitmask(self, max_num_seqs: int) -> torch.Tensor:
        """A bitmask of int32 words, one bit for each token of the model, all of them set."""
        return torch.full((max_num_seqs, -(-self.vocab_size // 32)), -1, dtype=torch.int32)

    def rows(self, bitmask: torch.Tensor) -> MaskRows:
        """vLLM's bitmask as `MaskRows`, kept from step to step."""
        if self._rows is None or self._rows[0] is not bitmask:
            self._rows = bitmask, MaskRows(bitmask)
        return self._rows[1]

    def forget_rows(self) -> None:
        """Forget what the rows held, since vLLM's own code has written them."""
        self._rows = None

    @cached_property
    def drafter(self) -> Drafter:
        """The drafter of forced text for all requests."""
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
    """The position of one request; with a budget, text and reasoning end before the tokens run out."""

    def __init__(self, progress: Progress, budget: Budget | None = None, thoughts: Thoughts | None = None) -> None:
        self.progress, self._budget, self._thoughts = progress, budget, thoughts
        #: For each next row of a step that is reasoning: the only allowed token, None where any is allowed.
        self._forced: list[int | None] = []
        #: Tokens that may be taken before the budget must be looked at again, and the prompt's length at the last look.
        self.plenty, self.prompt = 0, -1
        #: At the beginning of a step: the tokens left, and the steps of the text. Drafts are counted on top of these.
        self._room: int | None = None
        self._steps = 0

    def look(self, prompt: int, before: int, rows: int) -> int | None:
        """The tokens left for text before the next `rows` rows, None if there are plenty.

        The first `before` drafts of the step are reasoning before the text."""
        self.prompt = prompt
        if self._budget is None:
            self.plenty = sys.maxsize
            return None
        room = self._budget.room - before
        plenty = room - FAR * self.progress.margin
        # While the request reasons, the number of its tokens before the text is not known.
        self.plenty = 0 if before else plenty
        return None if plenty > rows else room

    def begin(self, before: int) -> None:
        """Begin the masks of a step; its first `before` drafts are reasoning before the text."""
        self._forced = []
        if self._budget is not None:
            self._room, self._steps = self._budget.room - before, self.progress.steps

    def must_think_little(self, drafts: int) -> bool:
        """Whether reasoning, if it still goes on, must end within a step with this many drafts."""
        return (
            self._thoughts is not None
            and self._budget is not None
            and self._budget.left - drafts <= (self._thoughts.needed)
        )

    def end_thoughts(self, drafts: list[int], rows: int) -> None:
        """Find the only token that may come in each of a step's first `rows` rows, which are reasoning, if any."""
        if self._thoughts is not None and self._budget is not None:
            left, before = self._budget.left, self._budget.last(len(self._thoughts.end))
            self._forced = [self._thoughts.token([*before, *drafts[:row]], left - row) for row in range(rows)]

    def fill_thought(self, bitmask: torch.Tensor, batch_index: int) -> None:
        """Go on to the next row of a step's reasoning; write it if only one token is allowed there."""
        token = self._forced.pop(0) if self._forced else None
        if token is not None:
            allow_alone(bitmask, batch_index, [token])

    def accept_tokens(self, request_id: str, tokens: list[int]) -> bool:
        """Whether all tokens are accepted; False ends the request with an error. Tokens after the end are ignored."""
        self.plenty -= len(tokens)
        refusal = self.progress.accept_later(tokens)
        if refusal is None:
            return True
        logger.error("request %s fails: %s [%s]", request_id, refusal, refusal.code)
        return False

    def validate_tokens(self, tokens: list[int]) -> list[int]:
        """The leading tokens that would be accepted, up to and including the end; the position does not change."""
        room = None if self._budget is None or self.plenty > len(tokens) else self._budget.room
        return tokens[: self.progress.validate(tokens, room)]

    def draft(self, drafter: Drafter, last: int, most: int) -> list[int]:
        """At most `most` tokens that are likely after the last one; the position does not change."""
        return self.progress.draft(drafter, last, most)

    def rollback(self, num_tokens: int) -> None:
        """Take back the last tokens."""
        self.progress.rollback(num_tokens)

    def fill_bitmask(self, bitmask: torch.Tensor, batch_index: int) -> None:
        """Write the request's row: 1 for each token after which the text can be completed."""
        room = None if self._room is None else self._room - (self.progress.steps - self._steps)
        self.progress.fill(bitmask, batch_index, room)

    def is_terminated(self) -> bool:
        """Whether the end was accepted."""
        return self.progress.ended

    def reset(self) -> None:
        """Return to the beginning of the text."""
        self.plenty = 0
        self.progress.reset()
