"""vLLM's batch of requests × logits → masked logits, for setups that must keep vLLM's own backend.

For vLLM's first model runner: `LLM(model, logits_processors=["frisket.engines.vllm.processor:GrammarProcessor"])`.
The second runner refuses it at the start, and so does vLLM with speculative decoding. An exception in the worker would
end the engine with all its requests, and vLLM has no way to fail one row: a row that fails allows only the end.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from frisket.engines import metrics
from frisket.engines.compiler import Compiler
from frisket.engines.progress import Progress, allow_alone, failure
from frisket.engines.structured_output import KINDS, StructuredOutput, read_options
from frisket.engines.vllm.admission import Admission, front_end
from frisket.engines.vllm.request import EXTRA
from frisket.engines.vllm.tokenizer import vocabulary_of
from frisket.errors import EngineError, FrisketError, MissingDependencyError
from frisket.logits.torch import apply_mask
from frisket.vocabulary import Vocabulary

try:
    from vllm.exceptions import VLLMValidationError
    from vllm.tokenizers import cached_tokenizer_from_config
    from vllm.v1.sample.logits_processor import LogitsProcessor, MoveDirectionality
except ImportError as error:
    raise MissingDependencyError.of("vllm", "vllm") from error

logger = logging.getLogger(__name__)


class GrammarProcessor(LogitsProcessor):
    """Masks the rows of requests that name it: `SamplingParams(extra_args={"frisket": {"json": schema}})`.

    The mapping (over HTTP, in `vllm_xargs`: as JSON text) has one kind of structured output, under vLLM's name, and any
    options of `JSONSchemaOptions`. A request that also has `structured_outputs` obeys both.
    """

    _admission: ClassVar[Admission] = Admission()

    @classmethod
    def validate_params(cls, sampling_params: Any) -> None:
        """VLLMValidationError for a request that frisket does not serve, or whose texts the vocabulary cannot spell."""
        try:
            wanted = _wanted(sampling_params)
            if wanted is not None:
                known = front_end()
                if known is None:
                    wanted.grammar()
                else:
                    cls._admission.compile(wanted, *known)
        except Exception as error:
            refusal = failure(error)
            metrics.count("frisket_engine_requests_refused", refusal.code)
            raise VLLMValidationError(f"{refusal} [{refusal.code}]", parameter="extra_args") from error

    def __init__(self, vllm_config: Any, device: Any, is_pin_memory: bool) -> None:
        config = vllm_config.model_config
        self._size = int(config.get_vocab_size())
        self._tokenizer = cached_tokenizer_from_config(model_config=config)
        self._compiler = Compiler(self._vocabulary, counted=True)
        self._rows: dict[int, _Row] = {}
        metrics.start("vllm", serve=False)

    def is_argmax_invariant(self) -> bool:
        return False

    def update_state(self, batch_update: Any) -> None:
        """Add, remove and move rows."""
        if batch_update is None:
            return
        for index in batch_update.removed:
            self._rows.pop(index, None)
        for index, params, _, output in batch_update.added:
            self._rows.pop(index, None)
            row = self._row(params, output)
            if row is not None:
                self._rows[index] = row
        for source, target, direction in batch_update.moved:
            moved, replaced = self._rows.pop(source, None), self._rows.pop(target, None)
            if moved is not None:
                self._rows[target] = moved
            if replaced is not None and direction == MoveDirectionality.SWAP:
                self._rows[source] = replaced

    def apply(self, logits: Any) -> Any:
        """The logits, −∞ for each token that no text of the row's grammar can have next."""
        # Not in `update_state`: with asynchronous scheduling, vLLM adds the last token only after that call.
        for row in self._rows.values():
            row.read()
        rows = {index: row for index, row in self._rows.items() if not row.has_ended}
        if not rows:
            return logits
        bitmask = np.zeros((len(rows), -(-self._size // 32)), dtype=np.uint32)
        followed: list[Progress] = []
        places: list[int] = []
        for place, row in enumerate(rows.values()):
            if row.progress is None:
                allow_alone(bitmask, place, row.ends)
            else:
                followed.append(row.progress)
                places.append(place)
        Progress.fill_all(followed, bitmask, places)
        chosen = list(rows)
        masked = logits[chosen]
        apply_mask(masked, bitmask)
        logits[chosen] = masked
        return logits

    def _row(self, params: Any, output: list[int]) -> _Row | None:
        """The row of a request, None if it asks for no grammar."""
        ends = [token for token in params.all_stop_token_ids if token < self._size]
        try:
            wanted = _wanted(params)
            if wanted is None:
                return None
            compiled = self._compiler.compile(wanted, params.all_stop_token_ids)
            return _Row(output, Progress(compiled), ends)
        except Exception as error:
            refusal = failure(error)
            logger.error("a request fails: %s [%s]", refusal, refusal.code)
            return _Row(output, None, ends or [self._tokenizer.eos_token_id or 0])

    def _vocabulary(self, stops: frozenset[int] | None) -> Vocabulary:
        return vocabulary_of(self._tokenizer, self._size, stops)


class _Row:
    """A request's position, None if it has no grammar, and vLLM's own list of its tokens, which grows."""

    def __init__(self, output: list[int], progress: Progress | None, ends: list[int]) -> None:
        self.progress, self.ends = progress, ends
        self._output = output
        self._read = 0

    @property
    def has_ended(self) -> bool:
        """Whether the end was taken: after it the row is free."""
        return self.progress is not None and self.progress.ended

    def read(self) -> None:
        """Take the new tokens; if one is refused, the request fails."""
        tokens = self._output[self._read :]
        if self.progress is None or self.progress.error is not None or not tokens:
            return
        self._read += len(tokens)
        refusal: FrisketError | None
        if min(tokens) < 0:
            refusal = EngineError(
                "vLLM does not say which token came last",
                hint="name the processor in `logits_processors`: an entry point is not enough",
            )
        else:
            refusal = self.progress.accept(tokens)
        if refusal is not None:
            self.progress.fail(refusal)


def _wanted(params: Any) -> StructuredOutput | None:
    given = (params.extra_args or {}).get(EXTRA)
    if isinstance(given, str):
        try:
            given = json.loads(given)
        except ValueError as error:
            raise FrisketError(f"{EXTRA} is not JSON: {error}", where=f"extra_args/{EXTRA}", code="request") from error
    if not isinstance(given, Mapping):
        return None
    kinds = [kind for kind in KINDS if kind in given]
    if not kinds:
        return None  # options without a kind are meant for the backend
    if len(kinds) > 1:
        raise FrisketError(
            f"a request has one kind of structured output, not {' and '.join(kinds)}",
            where=f"extra_args/{EXTRA}",
            code="request",
        )
    options = read_options(
        {name: value for name, value in given.items() if name not in KINDS}, place=f"extra_args/{EXTRA}"
    )
    return StructuredOutput.of(kinds[0], given[kinds[0]], options)
