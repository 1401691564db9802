"""The rows of a step by one native call × those that vLLM's own code asks for one by one."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from tests.contract.vllm.conftest import THINK, THOUGHT, Engine

pytestmark = pytest.mark.filterwarnings("ignore")

WANTED: list[dict[str, Any]] = [
    {"regex": "[a-f]{3,40}"},
    {"json": {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}},
    {"choice": ["red", "green", 'a "b"']},
]
NAMES = [str(number) for number in range(9)]


def fill(*given: Any) -> Any:
    from frisket.engines.vllm import step  # it needs vLLM, without which the tests are skipped

    return step.fill(*given)


def rows(manager: Any, own: bool, requests: dict[str, Any], drafts: dict[str, list[int]]) -> np.ndarray[Any, Any]:
    """The rows of a step, those of vLLM's own code or ours; of a request's block, only those that it uses."""
    if own:
        filled = type(manager).grammar_bitmask.__wrapped__(manager, requests, list(requests), drafts)
    else:
        filled = fill(manager, requests, list(requests), drafts)
    counts = [1 + len(drafts.get(name, ())) for name in requests]
    block = 1 + manager.vllm_config.num_speculative_tokens if hasattr(manager, "_masked_reasoning_ends") else None
    starts = [place * block if block else sum(counts[:place]) for place in range(len(counts))]
    used = [start + more for start, count in zip(starts, counts, strict=True) for more in range(count)]
    return np.array(filled)[used]


@pytest.mark.parametrize("drafts", [0, 3])
@pytest.mark.parametrize("thinks", [False, True])
def test_rows_are_those_of_vllms_own_code(engine: Engine, drafts: int, thinks: bool) -> None:
    rng = random.Random(f"{drafts} {thinks}")
    settings = {"reasoning_parser": "deepseek_r1"} if thinks else {}
    managers, sides = [], []
    for _ in range(2):
        managers.append(engine.restart(drafts=drafts, sequences=len(NAMES), **settings))
        sides.append({name: engine.request(name, **WANTED[int(name) % len(WANTED)]) for name in NAMES})
    think, thought = engine.tokenizer.convert_tokens_to_ids([THINK, THOUGHT])
    # vLLM's own code allocates the rows of both.
    first = [type(manager).grammar_bitmask.__wrapped__(manager, side, NAMES, {}) for manager, side in
             zip(managers, sides, strict=True)]  # fmt: skip
    assert (first[0] == first[1]).all()
    for number in range(40):
        drafted: dict[str, list[int]] = {}
        for name in NAMES if drafts else ():
            guess = [rng.choice([thought, think, *range(60)]) for _ in range(rng.randint(0, drafts))]
            kinds = [managers[0].validate_tokens(sides[0][name], list(guess)), guess]
            known = rng.choices(kinds, [3, 1])[0]
            drafted[name] = [*known, *[-1] * rng.randint(0, drafts - len(known))]
        ours, own = (
            rows(manager, is_own, side, drafted)
            for manager, side, is_own in zip(managers, sides, (False, True), strict=True)
        )
        assert (ours == own).all(), (number, drafted)
        for name in NAMES:
            request = sides[0][name]
            if request.structured_output_request.grammar.is_terminated():
                continue
            first_row = sum(1 + len(drafted.get(other, ())) for other in NAMES[: int(name)])
            allowed = np.flatnonzero(np.unpackbits(ours[first_row].view(np.uint8), bitorder="little"))
            token = int(rng.choice(allowed.tolist()))
            if thinks and number == int(name) and not request.structured_output_request.reasoning_ended:
                token = thought
            for manager, side in zip(managers, sides, strict=True):
                side[name].all_token_ids.append(token)
                assert manager.accept_tokens(side[name], [token])


def test_what_is_unknown_is_left_to_vllm(engine: Engine) -> None:
    request, other = engine.request("r", regex="ab"), engine.request("s", regex="a")
    before = engine.masks(request, other)
    by_name = {"r": request, "s": other}
    assert fill(engine.manager, by_name, ["r", "s"], {}) is not None
    other.structured_output_request._grammar = Stranger(other.structured_output_request.grammar)
    assert fill(engine.manager, by_name, ["r", "s"], {}) is None
    assert engine.masks(request, other) == before
    engine.config.model_config.is_diffusion = True
    assert fill(engine.manager, by_name, ["r", "s"], {}) is None


class Stranger:
    """A grammar that another plug-in has put in the place of ours."""

    def __init__(self, grammar: Any) -> None:
        self.is_terminated, self.fill_bitmask = grammar.is_terminated, grammar.fill_bitmask


def test_rows_that_vllms_own_code_has_written_are_written_anew(engine: Engine) -> None:
    request, other = engine.request("r", regex="ab"), engine.request("s", regex="c")
    expected = engine.masks(request)
    assert engine.masks(request) == expected
    # Another request takes the row, by vLLM's own code.
    other.structured_output_request._grammar = Stranger(other.structured_output_request.grammar)
    assert engine.masks(other) != expected
    assert engine.masks(request) == expected


def test_the_first_mask_is_known_when_a_request_enters_the_batch(engine: Engine) -> None:
    compiled = engine.request(regex="[a-f]{3,9}x").structured_output_request.grammar.progress._compiled
    assert compiled.masks_composed == 1
    engine.masks(engine.request(regex="[a-f]{3,9}x"))
    assert compiled.masks_composed == 1
