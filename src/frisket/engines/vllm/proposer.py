"""vLLM's requests → drafts of the text that must come, for vLLM's speculative decoding.

vLLM loads the proposer of a `custom_class` in its worker, which knows tokens, and neither requests nor grammars. The
engine's process knows both, and has each draft checked by the grammar there. So the proposer proposes nothing, and the
draft is made where the empty one is to be checked.
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
    """What `speculative_config` names; vLLM's worker makes one.

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
        """Nothing: the runner of CPUs asks every proposer to load a model (`v1/worker/cpu_model_runner.py`)."""

    def propose(self, sampled_token_ids: Sequence[Any], *rest: Any, **more: Any) -> list[list[int]]:
        """No draft for any of the requests: the engine's process makes them."""
        return [[] for _ in sampled_token_ids]


NAME = f"{Proposer.__module__}.{Proposer.__qualname__}"


def draft(manager: Any, request: Any) -> list[int]:
    """The draft after the tokens of a request; empty where another proposer is used, and in thoughts."""
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
    except Exception as error:  # without a draft an engine goes on as ever
        logger.error("no draft: %s: %s", type(error).__name__, error)
        return []
