"""vLLM's request → the tokens that its reasoning and its text may still take.

vLLM counts the end of the text as a token, and reports `length` if it did not come; so one token is kept for it.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

logger = logging.getLogger(__name__)


class Budget:
    """The tokens of one request: its `max_tokens`, or fewer if the model's context leaves fewer after the prompt."""

    def __init__(self, request: Any, context: int, end: Sequence[int] = ()) -> None:
        self._request = request
        self._context = context
        #: The ids that end the request's reasoning; empty if it does not reason.
        self.end = tuple(end)

    @property
    def total(self) -> int:
        """All tokens of the answer, including reasoning and the end."""
        # Computed on each call, since a later part of a conversation may change both.
        return int(min(self._request.max_tokens, self._context - self._request.num_prompt_tokens))

    @property
    def left(self) -> int:
        """The tokens left for reasoning, text and the end."""
        return self.total - int(self._request.num_output_tokens)

    @property
    def room(self) -> int:
        """The tokens left for text, not counting the end."""
        return self.left - 1

    def last(self, count: int) -> list[int]:
        """The last tokens of the answer, at most `count`."""
        few = min(count, int(self._request.num_output_tokens))
        return list(self._request.all_token_ids[-few:]) if few else []


def end_of_thoughts(manager: Any, request: Any) -> list[int]:
    """The ids that end a request's reasoning; empty if it does not reason, or its parser names no end."""
    try:
        if manager.reasoner_cls is None or not manager._get_constraint_bounds(request, ()).constraint_start:
            return []
        config = getattr(manager.vllm_config, "reasoning_config", None)
        # vLLM itself forces these ids when `thinking_token_budget` is spent.
        found = list(getattr(config, "reasoning_end_token_ids", None) or ())
        text = request.structured_output_request.reasoner.reasoning_end_str
        if not found and text:
            found = list(manager.tokenizer.encode(text, add_special_tokens=False))
        if found and manager._get_constraint_bounds(request, found).constraint_start == len(found):
            return found
    except Exception as error:  # the parser does not tell its end: reasoning goes on as in vLLM alone
        logger.warning("thoughts are not ended in time: %s: %s", type(error).__name__, error)
        return []
    logger.warning("thoughts are not ended in time: the reasoning parser does not say how they end")
    return []
