"""vLLM's changes of a batch × the logits processor → the right mask for each row."""

from __future__ import annotations

import importlib
from types import SimpleNamespace
from typing import Any

import pytest

from frisket.errors import EngineError

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture
def processor(vllm: Any, tokenizer: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    module = importlib.import_module("frisket.engines.vllm.processor")
    monkeypatch.setattr(module, "cached_tokenizer_from_config", lambda **_: tokenizer)
    config = SimpleNamespace(get_vocab_size=lambda: len(tokenizer) + 5)
    return module.GrammarProcessor(SimpleNamespace(model_config=config), "cpu", False)


def params(vllm: Any, extra: Any, tokenizer: Any) -> Any:
    made = vllm.sampling_params.SamplingParams(extra_args=extra)
    made.update_from_generation_config({}, tokenizer.eos_token_id)
    return made


def allowed(processor: Any, rows: int, size: int) -> list[list[int]]:
    import torch

    logits = processor.apply(torch.zeros((rows, size)))
    return [torch.nonzero(~torch.isneginf(row)).flatten().tolist() for row in logits]


def test_rows_come_go_and_change_places(vllm: Any, tokenizer: Any, processor: Any) -> None:
    interface = importlib.import_module("vllm.v1.sample.logits_processor")
    swap, one_way = interface.MoveDirectionality.SWAP, interface.MoveDirectionality.UNIDIRECTIONAL

    def update(size: int, *, removed: Any = (), added: Any = (), moved: Any = ()) -> None:
        processor.update_state(interface.BatchUpdate(batch_size=size, removed=removed, added=added, moved=moved))

    a, b, c, x = tokenizer.convert_tokens_to_ids(["a", "b", "c", "x"])
    eos, size = tokenizer.eos_token_id, len(tokenizer) + 5
    first, second, third = [], [], list[int]()
    free = list(range(size))
    update(3, added=[
        (0, params(vllm, {"frisket": {"regex": "ax"}}, tokenizer), [1], first),
        (1, params(vllm, None, tokenizer), [1], second),
        (2, params(vllm, {"frisket": '{"choice": ["bx", "cx"]}'}, tokenizer), [1], third),
    ])  # fmt: skip
    assert allowed(processor, 3, size) == [[a], free, [b, c]]
    first.append(a)
    third.append(c)
    processor.update_state(None)
    assert allowed(processor, 3, size) == [[x], free, [x]]
    third.append(x)
    update(3, moved=[(0, 1, swap)])
    assert allowed(processor, 3, size) == [free, [x], [eos]]
    # The last row takes the place of one that has gone, as vLLM condenses a batch: a move without a removal.
    third.append(eos)
    update(2, removed=[0], moved=[(2, 0, one_way)])
    assert allowed(processor, 2, size) == [free, [x]]
    update(2, added=[(1, params(vllm, {"frisket": {"regex": "b"}}, tokenizer), [1], [])])
    assert allowed(processor, 2, size) == [free, [b]]


def test_tokens_that_vllm_holds_back_are_refused(vllm: Any, tokenizer: Any, processor: Any) -> None:
    interface = importlib.import_module("vllm.v1.sample.logits_processor")
    added = [(0, params(vllm, {"frisket": {"regex": "b"}}, tokenizer), [1], [-1])]
    with pytest.raises(EngineError, match="which token came last"):
        processor.update_state(interface.BatchUpdate(batch_size=1, removed=[], added=added, moved=[]))


@pytest.mark.parametrize(
    ("extra", "message"),
    [
        ({"frisket": {"regex": "(a"}}, "never closed"),
        ({"frisket": {"regex": "a", "json": {}}}, "one kind of structured output"),
        ({"frisket": {"json": {}, "colour": 1}}, "there is no option 'colour'"),
        ({"frisket": "{"}, "is not JSON"),
    ],
)
def test_what_is_not_served_is_refused_where_it_arrives(
    vllm: Any, tokenizer: Any, processor: Any, extra: Any, message: str
) -> None:
    with pytest.raises(vllm.exceptions.VLLMValidationError, match=message):
        processor.validate_params(params(vllm, extra, tokenizer))
    processor.validate_params(params(vllm, {"frisket": {"whitespace": "compact"}}, tokenizer))
