"""The requests of one step of vLLM → the rows of its bitmask, written by one native call.

vLLM's own code asks for each row separately, which costs several times as much as the row's mask.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from frisket._core.front_end import MaskRows
from frisket.engines.progress import Progress
from frisket.engines.vllm.backend import Backend, RequestGrammar


def fill(
    manager: Any, requests: Mapping[str, Any], names: Sequence[str], drafted: Mapping[str, list[int]]
) -> Any | None:
    """The result of `StructuredOutputManager.grammar_bitmask`; None if vLLM's own code must make it."""
    bitmask, backend, config = manager._grammar_bitmask, manager.backend, manager.vllm_config
    if not names or bitmask is None or not isinstance(backend, Backend) or config.model_config.is_diffusion:
        return None
    # vLLM 0.33 reserves a block of rows for each request; in 0.32 the rows of all requests are consecutive.
    block = 1 + int(config.num_speculative_tokens) if hasattr(manager, "_masked_reasoning_ends") else 0
    may_think = manager.reasoner_cls is not None and not manager.enable_in_reasoning
    target = backend.rows(bitmask)
    many: list[Progress] = []
    rows: list[int] = []
    drafts: list[list[int]] = []
    rooms: list[int | None] = []
    is_near = False
    row = 0
    for name in names:
        request = requests[name]
        made = request.structured_output_request
        grammar = made._grammar  # the public property first checks for a Future, which takes half of the time
        if type(grammar) is not RequestGrammar:
            grammar = made.grammar
            if type(grammar) is not RequestGrammar:
                return None
        tokens = drafted.get(name) if drafted else None
        count = 1 if tokens is None else len(tokens) + 1
        free = 0
        if may_think and not made.reasoning_ended:
            found = None
            if not grammar.must_think_little(count - 1):
                found = _fill_thoughts(manager, request, tokens or [], target, row)
            if found is None:
                return None
            free = found
        if free < count:
            room = None
            if free or grammar.plenty <= count or grammar.prompt != request.num_prompt_tokens:
                room = grammar.look(request.num_prompt_tokens, free, count)
                is_near = is_near or room is not None
            many.append(grammar.progress)
            rows.append(row + free)
            rooms.append(room)
            if drafted:
                drafts.append(tokens[free:] if tokens else [])
        row += block or count
    Progress.fill_rows(many, target, rows, drafts or None, rooms if is_near else None)
    return bitmask[:row].numpy()


def _fill_thoughts(manager: Any, request: Any, tokens: list[int], target: MaskRows, row: int) -> int | None:
    """Write the rows of a request that are reasoning before its text; their number, or None if vLLM must write them."""
    known = [token for token in tokens if token >= 0]
    bounds = manager._get_constraint_bounds(request, known)
    if bounds.grammar_start != bounds.constraint_start:
        return None  # the token that ends the reasoning is part of the text
    count = min(int(bounds.constraint_start), len(known) + 1)
    if count:
        find_masked = getattr(manager, "_masked_reasoning_ends", None)
        target.write(row, count, list(find_masked(request)) if find_masked else [], allowed=True)
    if bounds.constraint_start > len(known):
        # Only drafts that vLLM has dropped come behind the last draft.
        target.write(row + count, len(tokens) + 1 - count, [], allowed=True)
        return len(tokens) + 1
    return count
