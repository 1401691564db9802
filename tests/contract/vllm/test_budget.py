"""vLLM's own manager × budgets × drafts × thoughts → no text is cut from the least budget on."""

from __future__ import annotations

import json
import random
from types import SimpleNamespace
from typing import Any

import pytest

from frisket import Grammar, Vocabulary
from frisket.least import median_tokens
from tests.contract.vllm.conftest import THINK, THOUGHT, Engine

pytestmark = pytest.mark.filterwarnings("ignore")

ITEM = {"type": "object", "properties": {"a": {"type": "string"}, "n": {"type": "integer"}}, "required": ["a", "n"]}
SCHEMAS = [
    {"type": "array", "items": ITEM, "minItems": 1},
    {"type": "object", "properties": {"name": {"type": "string", "minLength": 3}, "list": {"type": "array",
     "items": ITEM}}, "required": ["name", "list"]},
    {"anyOf": [{"type": "null"}, {"type": "array", "items": {"type": "boolean"}, "minItems": 4}]},
    {"type": "string", "pattern": "^(ab)+c{2,}$"},
]  # fmt: skip


def least(engine: Engine, schema: Any) -> int:
    """The fewest tokens that the engine counts: the text's and the end."""
    vocabulary = Vocabulary.from_huggingface(engine.tokenizer, size=engine.size)
    found = Grammar.from_json_schema(schema).compile(vocabulary).matcher().least_tokens()
    return found + 1


def answer(engine: Engine, rng: random.Random, request: Any, *, thoughts: int = 0) -> tuple[str, list[int]]:
    """What an engine makes of a request, with as many drafts as it was started with: why it ended, and the text.

    The model would like to have so many thoughts, their beginning and end counted, and obeys the masks."""
    think, thought = engine.tokenizer.convert_tokens_to_ids([THINK, THOUGHT])
    plan = [think, *[5] * (thoughts - 2), thought] if thoughts else []
    wanted: list[int] = []
    most, prompt = engine.config.num_speculative_tokens, request.num_prompt_tokens

    def is_thought(ids: list[int]) -> bool:
        return bool(thoughts) and thought not in ids

    while True:
        at, output = request.num_output_tokens, request.all_token_ids[prompt:]
        guess = [*(plan[at:] if is_thought(output) else []), *(rng.choice(wanted or [5]) for _ in range(most))][:most]
        drafts = engine.manager.validate_tokens(request, guess)
        rows = engine.masks(request, drafts={request.request_id: drafts} if drafts else None)
        new: list[int] = []
        for place, row in enumerate(rows[: len(drafts) + 1]):
            if is_thought([*output, *new]):
                token = plan[at + place] if plan[at + place] in row else rng.choice(row)
            elif place < len(drafts) and drafts[place] in row and rng.random() < 0.6:
                token = drafts[place]
            else:
                token = rng.choice(row)
            assert token in row
            new.append(token)
            if place < len(drafts) and token != drafts[place]:
                break
            wanted = row
        for count, token in enumerate(new, 1):
            request.all_token_ids.append(token)
            is_end = token == engine.tokenizer.eos_token_id
            if is_end or request.num_output_tokens >= request.max_tokens:
                assert engine.manager.accept_tokens(request, new[:count])
                output = request.all_token_ids[prompt:]
                return "stop" if is_end else "length", output[output.index(thought) + 1 :] if thoughts else output
        assert engine.manager.accept_tokens(request, new)


@pytest.mark.parametrize("drafts", [0, 3])
@pytest.mark.parametrize("thoughts", [0, 6])
@pytest.mark.parametrize("number", range(len(SCHEMAS)))
def test_nothing_is_cut(engine: Engine, number: int, thoughts: int, drafts: int) -> None:
    schema = SCHEMAS[number]
    engine.restart(drafts=drafts, **({"reasoning_parser": "deepseek_r1"} if thoughts else {}))
    first = least(engine, schema)
    for seed, more in enumerate((0, 0, 1, 2, 5, 11, 40)):
        request = engine.request(json=schema, max_tokens=first + thoughts + more)
        reason, ids = answer(engine, random.Random(seed), request, thoughts=thoughts)
        assert reason == "stop" and request.num_output_tokens <= first + thoughts + more
        assert Grammar.from_json_schema(schema).accepts(engine.text(ids)), engine.text(ids)


@pytest.mark.parametrize("drafts", [0, 5])
@pytest.mark.parametrize("end", [(), (7, 8)])
@pytest.mark.parametrize("reserve", ["0", "9", ""])
def test_thoughts_end_while_the_answer_fits(
    engine: Engine, monkeypatch: pytest.MonkeyPatch, drafts: int, end: tuple[int, ...], reserve: str
) -> None:
    """Also where vLLM is told of words that come before the end of thinking."""
    monkeypatch.setenv("FRISKET_RESERVE", reserve)
    (thought,) = engine.tokenizer.convert_tokens_to_ids([THOUGHT])
    words = SimpleNamespace(reasoning_end_token_ids=[*end, thought]) if end else None
    engine.restart(drafts=drafts, reasoning_parser="deepseek_r1", reasoning=words)
    first = least(engine, SCHEMAS[0])
    needed = first + len(end) + 1
    kept = int(reserve) if reserve else median_tokens(first - 1) - (first - 1)
    for seed, more in enumerate((0, 1, 2, 7, 30, 90)):
        request = engine.request(json=SCHEMAS[0], max_tokens=needed + more)
        reason, ids = answer(engine, random.Random(seed), request, thoughts=1_000)
        output = request.all_token_ids[1:]
        place = output.index(thought)
        assert reason == "stop" and Grammar.from_json_schema(SCHEMAS[0]).accepts(engine.text(ids))
        assert tuple(output[place - len(end) : place]) == end
        assert place == len(end) + max(more - kept, 0), "as many thoughts as the answer and its reserve leave"


def test_thoughts_that_leave_no_answer_are_refused(engine: Engine) -> None:
    engine.restart(reasoning_parser="deepseek_r1")
    few = least(engine, SCHEMAS[0])
    with pytest.raises(Exception, match=rf"takes {few + 1} with its end and that of the thoughts[\s\S]*"):
        engine.request(json=SCHEMAS[0], max_tokens=few)
    closed = engine.tokenizer.convert_tokens_to_ids([THINK, THOUGHT])
    request = engine.started(engine.params(json=SCHEMAS[0], max_tokens=few), prompt=tuple(closed))
    assert answer(engine, random.Random(1), request)[0] == "stop", "the prompt has ended the thoughts"


def test_a_parser_that_says_no_end_leaves_thoughts_alone(
    engine: Engine, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    engine.restart(reasoning_parser="deepseek_r1")
    monkeypatch.setattr(engine.manager.reasoner_cls, "reasoning_end_str", None)
    most = least(engine, SCHEMAS[0]) + 3
    with caplog.at_level("WARNING", logger="frisket"):
        request = engine.request(json=SCHEMAS[0], max_tokens=most)
    assert "thoughts are not ended in time" in caplog.text
    for _ in range(most - 1):
        (row,) = engine.masks(request)
        assert len(row) >= engine.size
        request.all_token_ids.append(5)
        assert engine.manager.accept_tokens(request, [5])


def test_the_context_of_the_model_is_a_budget(engine: Engine) -> None:
    schema = SCHEMAS[0]
    most = least(engine, schema) + 3
    engine.config.model_config.max_model_len = most + 1
    request = engine.request(json=schema, max_tokens=None)
    reason, ids = answer(engine, random.Random(0), request)
    assert reason == "stop" and len(ids) <= most
    engine.config.model_config.max_model_len = most - 3
    with pytest.raises(Exception, match=rf"max_tokens leaves {most - 4} tokens"):
        engine.request(json=schema, max_tokens=None)


def test_a_budget_below_the_least_is_refused_with_the_least(engine: Engine) -> None:
    few = least(engine, SCHEMAS[0]) - 1
    with pytest.raises(
        engine.vllm.exceptions.VLLMValidationError, match=rf"at least {few + 1} tokens[\s\S]*\[budget\]"
    ):
        engine.params(json=json.dumps(SCHEMAS[0]), max_tokens=few)


def test_it_can_be_switched_off(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FRISKET_ROOM", "0")
    few = least(engine, SCHEMAS[0]) - 1
    request = engine.request(json=SCHEMAS[0], max_tokens=few)
    reasons = {
        answer(engine, random.Random(seed), engine.request(json=SCHEMAS[0], max_tokens=few))[0] for seed in range(3)
    }
    assert request.max_tokens == few and reasons == {"length"}


def test_far_from_the_end_masks_are_ordinary(engine: Engine) -> None:
    request = engine.request(json=SCHEMAS[0], max_tokens=5_000)
    progress = request.structured_output_request.grammar.progress
    for _ in range(2):  # by vLLM's own code, and by ours
        assert engine.manager.accept_tokens(request, engine.masks(request)[0][:1])
    assert not progress._was_bent
    request.max_tokens = progress.steps + 12
    request.num_prompt_tokens, request.all_token_ids = 3, [1, 2, 3, *range(progress.steps)]
    engine.masks(request)
    assert progress._was_bent, "the next part of a conversation has fewer tokens"
