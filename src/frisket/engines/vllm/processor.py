"""vLLM's batch of requests × logits → masked logits: the way in where vLLM's own backend has to stay.

For vLLM's first model runner: `LLM(model, logits_processors=["frisket.engines.vllm.processor:GrammarProcessor"])`.
The second runner refuses it at the start, and so does vLLM with speculative decoding.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from frisket._core import Matcher, fill_masks
from frisket.engines.compiler import Compiler
from frisket.engines.structured_output import KINDS, StructuredOutput, read_options
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


class GrammarProcessor(LogitsProcessor):
    """Masks the rows of requests that ask for it: `SamplingParams(extra_args={"frisket": {"json": schema}})`.

    The mapping (over HTTP, in `vllm_xargs`: as JSON text) has one kind of structured output, as vLLM names them, and
    any options of `JSONSchemaOptions`. A request with both that and `structured_outputs` obeys both.
    """

    @classmethod
    def validate_params(cls, sampling_params: Any) -> None:
        """VLLMValidationError if a request asks for what frisket does not serve."""
        try:
            wanted = _wanted(sampling_params)
            if wanted is not None:
                wanted.grammar()
        except FrisketError as error:
            raise VLLMValidationError(f"{error} [{error.code}]", parameter="extra_args") from error

    def __init__(self, vllm_config: Any, device: Any, is_pin_memory: bool) -> None:
        config = vllm_config.model_config
        self._size = int(config.get_vocab_size())
        self._tokenizer = cached_tokenizer_from_config(model_config=config)
        self._compiler = Compiler(self._vocabulary)
        self._rows: dict[int, _Row] = {}

    def is_argmax_invariant(self) -> bool:
        return False

    def update_state(self, batch_update: Any) -> None:
        """Rows come, go and change places; each has then read all tokens that its request has."""
        if batch_update is not None:
            for index in batch_update.removed:
                self._rows.pop(index, None)
            for index, params, _, output in batch_update.added:
                self._rows.pop(index, None)
                wanted = _wanted(params)
                if wanted is not None:
                    compiled = self._compiler.compile(wanted, params.all_stop_token_ids)
                    self._rows[index] = _Row(compiled.matcher(), output)
            for source, target, direction in batch_update.moved:
                moved, replaced = self._rows.pop(source, None), self._rows.pop(target, None)
                if moved is not None:
                    self._rows[target] = moved
                if replaced is not None and direction == MoveDirectionality.SWAP:
                    self._rows[source] = replaced
        for row in self._rows.values():
            row.read()

    def apply(self, logits: Any) -> Any:
        """The logits, −∞ for each token after which the row's text cannot be completed."""
        rows = {index: row for index, row in self._rows.items() if not row.matcher.ended}
        if not rows:
            return logits
        bitmask = np.zeros((len(rows), -(-self._size // 32)), dtype=np.uint32)
        fill_masks([row.matcher for row in rows.values()], bitmask)
        chosen = list(rows)
        masked = logits[chosen]
        apply_mask(masked, bitmask)
        logits[chosen] = masked
        return logits

    def _vocabulary(self, stops: frozenset[int] | None) -> Vocabulary:
        return vocabulary_of(self._tokenizer, self._size, stops)


class _Row:
    """A request's position, and vLLM's own list of its tokens, which grows."""

    def __init__(self, matcher: Matcher, output: list[int]) -> None:
        self.matcher = matcher
        self._output = output
        self._read = 0

    def read(self) -> None:
        for token in self._output[self._read :]:
            if token < 0:
                raise EngineError(
                    "vLLM does not say which token came last",
                    hint="name the processor in `logits_processors`, and switch asynchronous scheduling off",
                )
            if not self.matcher.ended:
                self.matcher.advance(token)
            self._read += 1


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
        return None  # options alone are for the backend
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
