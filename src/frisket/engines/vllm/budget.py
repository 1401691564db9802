"""vLLM's request → the tokens that its text may still take, and the least that it takes.

vLLM counts the end of the text as a token, and says `length` where it did not come: so one token is kept for it.
"""

from __future__ import annotations

import os
from typing import Any

from frisket.errors import BudgetError
from frisket.grammar import CompiledGrammar

#: "0" leaves `max_tokens` to vLLM, which then cuts texts.
SWITCH = "FRISKET_ROOM"


def is_on() -> bool:
    """Whether masks leave room for what is left of `max_tokens`."""
    return os.environ.get(SWITCH) != "0"


class Budget:
    """What one request may take: its `max_tokens`, and the model's context after the prompt."""

    def __init__(self, request: Any, context: int) -> None:
        self._request = request
        self._context = context

    @property
    def total(self) -> int:
        """All tokens of the answer, thoughts and the end included."""
        # Asked each time: the next part of a conversation may change them.
        return int(min(self._request.max_tokens, self._context - self._request.num_prompt_tokens))

    @property
    def room(self) -> int:
        """The tokens that are left for text, beside the end."""
        return self.total - int(self._request.num_output_tokens) - 1


def check(compiled: CompiledGrammar, total: int) -> None:
    """BudgetError with the least, if no text of the grammar and its end take so few tokens."""
    matcher = compiled.matcher()
    # The short text is found first, and is short enough nearly always.
    if matcher.least_tokens(search=False).count < total:
        return
    least = matcher.least_tokens()
    if least.count >= total:
        raise BudgetError(
            f"max_tokens leaves {total} tokens for the answer, whose shortest takes {least.count + 1} with its end",
            least=least.count + 1, exact=least.exact,
        )  # fmt: skip
