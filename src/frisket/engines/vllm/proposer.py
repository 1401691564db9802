"""vLLM's requests → drafts of required text, for vLLM's speculative decoding.

vLLM loads the proposer of a `custom_class` in its worker, which has tokens, but neither requests nor grammars. The
engine's process has both, and checks each draft by the grammar. So the proposer returns empty drafts, and the real
draft is made where the engine's process checks the empty one.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Sequence
from typing import Any

from frisket.engines.vllm import SWITCH
from frisket.errors import EngineError

logger = logging.getLogger(__name__)


class Proposer:
    """The class that `speculative_config` names; vLLM's worker makes one object.

    speculative_config={
        "method": "custom_class", "model": "frisket.engines.vllm.proposer.Proposer", "num_speculative_tokens": 8,
    }
    """

    def __init__(self, vllm_config: Any) -> None:
        if os.environ.get(SWITCH, "") in ("", "0"):
            raise EngineError(
                f"{NAME} drafts what frisket's grammars force, and {SWITCH} is not set",
                where="speculative_config",
                hint=f"set {SWITCH}=1 in all processes, or drop the speculative_config",
            )

    def load_model(self, *rest: Any) -> None:
        """Do nothing; the CPU runner asks every proposer to load a model (`v1/worker/cpu_model_runner.py`)."""

    def propose(self, sampled_token_ids: Sequence[Any], *rest: Any, **more: Any) -> list[list[int]]:
        """Empty drafts for all requests: the engine's process makes the real ones."""
        return [[] for _ in sampled_token_ids]


NAME = f"{Proposer.__module__}.{Proposer.__qualname__}"


def draft(manager: Any, request: Any) -> list[int]:
    """The draft after the tokens of a request; empty if another proposer is used, and during reasoning."""
    config = manager.vllm_config
    asked = getattr(config, "speculative_config", None)
    if asked is None or asked.model != NAME or not request.use_structured_output:
        return []
    wanted = request.structured_output_request
    make = getattr(wanted.grammar, "draft", None)
    if make is None or (manager.reasoner_cls is not None and not wanted.reasoning_ended):
        return []
    try:
        return list(make(manager.backend.drafter, request.all_token_ids[-1], int(config.num_speculative_tokens)))
    except Exception as error:  # without a draft the engine goes on as usual
        logger.error("no draft: %s: %s", type(error).__name__, error)
        return []
