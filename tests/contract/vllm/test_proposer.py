"""vLLM's own manager × frisket's proposer → the texts of a greedy engine, in fewer steps."""

from __future__ import annotations

import importlib
import importlib.resources
import inspect
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from frisket.engines.vllm import proposer
from frisket.errors import EngineError
from tests.contract.vllm.conftest import THINK, THOUGHT, Engine

pytestmark = pytest.mark.filterwarnings("ignore")

SCHEMA = {
    "type": "object",
    "properties": {
        "first_name": {"type": "string", "maxLength": 6},
        "kind": {"enum": ["customer", "customs", "supplier"]},
        "address": {"type": "object", "properties": {"street": {"type": "string", "maxLength": 4},
            "number": {"type": "integer", "maximum": 99}}, "required": ["street", "number"],
            "additionalProperties": False},
        "needs_a_human": {"type": "boolean"},
    },
    "required": ["first_name", "kind", "address", "needs_a_human"],
    "additionalProperties": False,
}  # fmt: skip


def restart(engine: Engine, *, drafts: int, **options: Any) -> None:
    engine.restart(drafts=drafts, **options)
    engine.config.speculative_config = SimpleNamespace(model=proposer.NAME) if drafts else None


def answer(engine: Engine, request: Any, *, plan: list[int] | None = None) -> tuple[list[int], int]:
    """The text of a greedy model that is a hash, after the tokens of a plan, and how many steps it took."""
    engine_drafts, steps, plan = engine.config.num_speculative_tokens, 0, plan or []
    while True:
        drafts = engine.manager.validate_tokens(request, [])
        assert len(drafts) <= engine_drafts
        rows = engine.masks(request, drafts={request.request_id: drafts} if drafts else None)
        steps += 1
        for place, row in enumerate(rows[: len(drafts) + 1]):
            at = request.num_output_tokens
            rng = np.random.default_rng(request.all_token_ids[-3:])
            token = plan[at] if at < len(plan) else row[int(np.argmax(rng.random(len(row))))]
            assert token in row
            request.all_token_ids.append(token)
            assert engine.manager.accept_tokens(request, [token])
            if token == engine.tokenizer.eos_token_id:
                return request.all_token_ids[1:], steps
            if place < len(drafts) and token != drafts[place]:
                break


@pytest.mark.parametrize("whitespace", ["compact", "bounded"])
@pytest.mark.parametrize("most", [1, 8])
def test_texts_stay_and_steps_are_saved(engine: Engine, most: int, whitespace: str) -> None:
    extra = {"frisket": {"whitespace": whitespace}}
    restart(engine, drafts=0)
    plain = answer(engine, engine.request(json=SCHEMA, extra=extra))
    restart(engine, drafts=most)
    ahead = answer(engine, engine.request(json=SCHEMA, extra=extra))
    assert ahead[0] == plain[0]
    # The end of a document, where nothing else may come, is a step less, too.
    assert ahead[1] < plain[1] - (2 if most == 1 else 4 if whitespace == "bounded" else 10)


def test_thoughts_are_not_drafted(engine: Engine) -> None:
    think, thought = engine.tokenizer.convert_tokens_to_ids([THINK, THOUGHT])
    restart(engine, drafts=8, reasoning_parser="deepseek_r1")
    request = engine.request(json=SCHEMA)
    assert engine.manager.validate_tokens(request, []) == []
    ids, steps = answer(engine, request, plan=[think, 5, 5, thought])
    assert ids[:4] == [think, 5, 5, thought] and steps < len(ids) - 4


def test_other_proposers_are_left_alone(engine: Engine) -> None:
    engine.restart(drafts=8)
    request = engine.request(choice=["abc"])
    assert engine.manager.validate_tokens(request, []) == []
    engine.config.speculative_config = SimpleNamespace(model="ngram")
    assert engine.manager.validate_tokens(request, []) == []
    engine.config.speculative_config = SimpleNamespace(model=proposer.NAME)
    assert engine.manager.validate_tokens(request, []) != []
    free = SimpleNamespace(use_structured_output=False)
    assert engine.manager.validate_tokens(free, []) == []


def test_without_a_draft_an_engine_goes_on(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    restart(engine, drafts=8)
    request = engine.request(choice=["abc"])
    monkeypatch.setattr(type(request.structured_output_request.grammar), "draft", lambda *_: 1 / 0)
    assert engine.manager.validate_tokens(request, []) == []


def test_the_worker_s_class_is_as_vllm_calls_it(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    """vLLM's loader takes it, and its runner is handed a list for each request."""
    custom = importlib.import_module("vllm.v1.spec_decode.custom_class_proposer")
    config = SimpleNamespace(speculative_config=SimpleNamespace(model=proposer.NAME, num_speculative_tokens=8))
    made = custom.create_custom_proposer(config)
    assert isinstance(made, proposer.Proposer)
    made.load_model(None)  # the runner of CPUs calls it, whatever the proposer is
    assert made.propose([[1], [2]], np.zeros(2), np.zeros((2, 4)), slot_mappings=None) == [[], []]
    runner = (importlib.resources.files("vllm") / "v1" / "worker" / "gpu_model_runner.py").read_text("utf-8")
    call = runner[runner.index('spec_config.method == "custom_class"') :][:400]
    assert "self.drafter).propose(" in call and inspect.signature(made.propose)
    monkeypatch.delenv("FRISKET_VLLM")
    with pytest.raises(RuntimeError, match="FRISKET_VLLM is not set") as refusal:
        custom.create_custom_proposer(config)
    assert isinstance(refusal.value.__cause__, EngineError)
