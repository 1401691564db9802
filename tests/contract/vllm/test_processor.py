"""vLLM's changes of a batch × the logits processor → the right mask for each row."""

from __future__ import annotations

import importlib
from types import SimpleNamespace
from typing import Any

import pytest

from frisket.errors import LimitExceededError

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


def update(processor: Any, size: int, *, removed: Any = (), added: Any = (), moved: Any = ()) -> None:
    interface = importlib.import_module("vllm.v1.sample.logits_processor")
    processor.update_state(interface.BatchUpdate(batch_size=size, removed=removed, added=added, moved=moved))


@pytest.mark.parametrize(
    "extra",
    [
        {"frisket": {"grammar": 'start: <|nope|> "a"'}},  # the vocabulary has no such token
        {"frisket": {"regex": "(a"}},
        {"frisket": {"json": {}, "colour": 1}},
        {"frisket": "{"},
    ],
)
def test_a_request_that_came_past_the_validation_fails_alone(
    vllm: Any, tokenizer: Any, processor: Any, extra: Any, caplog: pytest.LogCaptureFixture
) -> None:
    a, size = tokenizer.convert_tokens_to_ids("a"), len(tokenizer) + 5
    bad, good = list[int](), list[int]()
    update(processor, 2, added=[
        (0, params(vllm, extra, tokenizer), [1], bad),
        (1, params(vllm, {"frisket": {"regex": "aa"}}, tokenizer), [1], good),
    ])  # fmt: skip
    assert caplog.text.count("a request fails") == 1
    for _ in range(2):
        assert allowed(processor, 2, size) == [[tokenizer.eos_token_id], [a]]
        bad.append(tokenizer.eos_token_id)
        good.append(a)
        processor.update_state(None)
    assert allowed(processor, 2, size) == [[tokenizer.eos_token_id], [tokenizer.eos_token_id]]


def test_a_token_that_no_mask_allowed_fails_its_request_alone(
    vllm: Any, tokenizer: Any, processor: Any, caplog: pytest.LogCaptureFixture
) -> None:
    a, x = tokenizer.convert_tokens_to_ids(["a", "x"])
    size, eos = len(tokenizer) + 5, tokenizer.eos_token_id
    forced, lost, good = list[int](), list[int](), list[int]()
    update(processor, 3, added=[
        (row, params(vllm, {"frisket": {"regex": "ax"}}, tokenizer), [1], output)
        for row, output in enumerate([forced, lost, good])
    ])  # fmt: skip
    assert allowed(processor, 3, size) == [[a], [a], [a]]
    forced.append(x)
    lost.append(-1)
    good.append(a)
    processor.update_state(None)
    assert allowed(processor, 3, size) == [[eos], [eos], [x]]
    assert "token-rejected" in caplog.text and "which token came last" in caplog.text
    good.append(x)
    assert allowed(processor, 3, size) == [[eos], [eos], [eos]]
    assert caplog.text.count("a request fails") == 2


def test_a_token_that_comes_between_the_update_and_the_masks_is_read(vllm: Any, tokenizer: Any, processor: Any) -> None:
    """With asynchronous scheduling vLLM writes -1 first, and the token before the masks are asked for."""
    a, x = tokenizer.convert_tokens_to_ids(["a", "x"])
    output = [-1]
    update(processor, 1, added=[(0, params(vllm, {"frisket": {"regex": "ax"}}, tokenizer), [1], output)])
    output[0] = a
    assert allowed(processor, 1, len(tokenizer) + 5) == [[x]]


@pytest.mark.parametrize("error", [LimitExceededError("too many steps"), RuntimeError("a bug in frisket: a panic")])
def test_a_mask_that_cannot_be_had_fails_its_request_alone(
    vllm: Any, tokenizer: Any, processor: Any, error: Exception
) -> None:
    a, size, eos = tokenizer.convert_tokens_to_ids("a"), len(tokenizer) + 5, tokenizer.eos_token_id
    wanted = params(vllm, {"frisket": {"regex": "a+"}}, tokenizer)
    outputs: list[list[int]] = [[], []]
    update(processor, 2, added=[(row, wanted, [1], output) for row, output in enumerate(outputs)])
    processor._rows[0].progress._matcher = Broken(processor._rows[0].progress._matcher, error)
    assert allowed(processor, 2, size) == [[eos], [a]]
    for output in outputs:
        output.append(a)
    assert allowed(processor, 2, size) == [[eos], [a, eos]]


class Broken:
    """A matcher whose masks fail."""

    def __init__(self, matcher: Any, error: Exception) -> None:
        self._matcher, self._error = matcher, error

    def __getattr__(self, name: str) -> Any:
        return getattr(self._matcher, name)

    def fill_mask(self, *_: Any) -> None:
        raise self._error


def test_what_the_vocabulary_cannot_spell_is_refused_where_it_arrives(
    vllm: Any, tokenizer: Any, processor: Any
) -> None:
    """By the methods of vLLM's own front end, which hands the processor the parameters alone."""
    front = importlib.import_module("vllm.v1.engine.input_processor").InputProcessor
    made = front.__new__(front)
    made.model_config = SimpleNamespace(
        get_vocab_size=lambda: len(tokenizer) + 5, logits_processors=[type(processor)], is_diffusion=False,
        return_sampling_mask=False, runner_type="generate", max_logprobs=5,
    )  # fmt: skip
    made.renderer = SimpleNamespace(tokenizer=tokenizer)
    made.speculative_config = made.structured_outputs_config = made.diffusion_config = None
    made.vllm_config = SimpleNamespace(
        use_v2_model_runner=False, reasoning_config=None, _check_supports_watermarking=lambda _: False
    )
    made.validate_logits_processors_params = made._build_logits_processors_params_validator()
    # Only what is checked of the model's settings is left out.
    verify = vllm.sampling_params.SamplingParams.verify
    vllm.sampling_params.SamplingParams.verify = lambda *_: None
    try:
        made._validate_params(params(vllm, {"frisket": {"grammar": 'start: "a"'}}, tokenizer), ("generate",))
        with pytest.raises(vllm.exceptions.VLLMValidationError, match=r"no special token[\s\S]*\[vocabulary\]"):
            made._validate_params(
                params(vllm, {"frisket": {"grammar": 'start: <|nope|> "a"'}}, tokenizer), ("generate",)
            )
    finally:
        vllm.sampling_params.SamplingParams.verify = verify


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
