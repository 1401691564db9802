"""vLLM's request → the tokens that its thoughts and its text may still take, and the least that these take.

vLLM counts the end of the text as a token, and says `length` where it did not come: so one token is kept for it.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

logger = logging.getLogger(__name__)


class Budget:
    """What one request may take: its `max_tokens`, and the model's context after the prompt."""

    def __init__(self, request: Any, context: int, end: Sequence[int] = ()) -> None:
        self._request = request
        self._context = context
        #: The ids that end the thoughts of the request; none if it does not think.
        self.end = tuple(end)

    @property
    def total(self) -> int:
        """All tokens of the answer, thoughts and the end included."""
        # Asked each time: the next part of a conversation may change them.
        return int(min(self._request.max_tokens, self._context - self._request.num_prompt_tokens))

    @property
    def left(self) -> int:
        """The tokens that are left, for thoughts, text and the end."""
        return self.total - int(self._request.num_output_tokens)

    @property
    def room(self) -> int:
        """The tokens that are left for text, beside the end."""
        return self.left - 1

    def last(self, count: int) -> list[int]:
        """The last tokens of the answer, at most so many."""
        few = min(count, int(self._request.num_output_tokens))
        return list(self._request.all_token_ids[-few:]) if few else []


def end_of_thoughts(manager: Any, request: Any) -> list[int]:
    """The ids with which the thoughts of a request end; none if it does not think, or its parser names no end."""
    try:
        if manager.reasoner_cls is None or not manager._get_constraint_bounds(request, ()).constraint_start:
            return []
        config = getattr(manager.vllm_config, "reasoning_config", None)
        # What vLLM itself forces where `thinking_token_budget` is spent.
        found = list(getattr(config, "reasoning_end_token_ids", None) or ())
        text = request.structured_output_request.reasoner.reasoning_end_str
        if not found and text:
            found = list(manager.tokenizer.encode(text, add_special_tokens=False))
        if found and manager._get_constraint_bounds(request, found).constraint_start == len(found):
            return found
    except Exception as error:  # a parser that says less than was hoped: thoughts go on as vLLM has them
        logger.warning("thoughts are not ended in time: %s: %s", type(error).__name__, error)
        return []
    logger.warning("thoughts are not ended in time: the reasoning parser does not say how they end")
    return []
