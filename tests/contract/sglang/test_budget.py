"""SGLang's own manager of grammars × `max_new_tokens` → no text is cut from the least budget on."""

from __future__ import annotations

import importlib
import json
import random
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from frisket import Grammar, Vocabulary
from frisket.engines.progress import Progress
from frisket.least import median_tokens
from tests.contract.sglang.conftest import BEYOND, created

pytestmark = pytest.mark.filterwarnings("ignore")

ITEM = {"type": "object", "properties": {"a": {"type": "string"}, "n": {"type": "integer"}}, "required": ["a", "n"]}
SCHEMA = {"type": "array", "items": ITEM, "minItems": 1}


class Scheduler:
    """What SGLang's scheduler does with its requests and their grammars."""

    def __init__(self, sglang: Any, tokenizer: Any, monkeypatch: pytest.MonkeyPatch, **settings: Any) -> None:
        manager = importlib.import_module("sglang.srt.constrained.grammar_manager").GrammarManager
        self.sglang, self.tokenizer, self.size = sglang, tokenizer, len(tokenizer) + BEYOND
        self.manager = manager.__new__(manager)
        vars(self.manager).update(
            grammar_backend=created(sglang, tokenizer, monkeypatch, **settings), grammar_queue=[], pp_rank=0, pp_size=1,
            pp_group=None, grammar_sync_size=1, SGLANG_GRAMMAR_POLL_INTERVAL=0.01,
            SGLANG_GRAMMAR_MAX_POLL_ITERATIONS=10_000, _enable_strict_thinking=False,
            scheduler=SimpleNamespace(model_config=SimpleNamespace()),
        )  # fmt: skip
        self.grammar = Grammar.from_json_schema(SCHEMA)
        vocabulary = Vocabulary.from_huggingface(tokenizer, size=self.size, eos=tokenizer.eos_token_id)
        self.least = self.grammar.compile(vocabulary).matcher().least_tokens() + 1

    def request(self, most: int, *, thinks: bool = False) -> Any:
        """A request as it goes into the queue of those that wait for the model."""
        asked = SimpleNamespace(
            json_schema=json.dumps(SCHEMA), regex=None, ebnf=None, structural_tag=None, custom_params=None,
            max_new_tokens=most,
        )  # fmt: skip
        req = SimpleNamespace(
            rid="r", sampling_params=asked, origin_input_ids=[1], require_reasoning=thinks, grammar=None,
            grammar_key=None, grammar_wait_ct=0, error=None, finished=lambda: False,
        )  # fmt: skip

        def set_finish_with_abort(message: str) -> None:
            req.error, req.grammar = message, None

        req.set_finish_with_abort = set_finish_with_abort
        if self.manager.process_req_with_grammar(req):
            ready = []
            while not ready:
                ready = self.manager.get_ready_grammar_requests()
            assert ready == [req]
        return req

    def answer(self, req: Any, rng: random.Random, *, thoughts: int = 0, drafts: int = 0) -> tuple[str, list[int]]:
        """Why the answer of a random model ends, and its tokens; thoughts end after so many, or where they must."""
        (thought,) = self.tokenizer.convert_tokens_to_ids(["</think>"])
        ids: list[int] = []
        while True:
            # A chain of drafts is followed for its rows, and taken back.
            taken: list[int] = []
            for _ in range(rng.randint(0, drafts)):
                taken.append(self._drawn(self._row(req), [*ids, *taken], rng, thoughts, thought))
                req.grammar.accept_token(taken[-1])
                if req.grammar.is_terminated():
                    break
            for _ in taken:
                req.grammar.rollback(1)
            kept = rng.randint(0, len(taken))
            for token in taken[:kept] or [self._drawn(self._row(req), ids, rng, thoughts, thought)]:
                req.grammar.accept_token(token)
                ids.append(token)
                if token == self.tokenizer.eos_token_id:
                    return "stop", ids
                if len(ids) == req.sampling_params.max_new_tokens:
                    return "length", ids

    def _row(self, req: Any) -> list[int]:
        """The ids that the request's row allows, filled as those of a batch."""
        mask = req.grammar.allocate_vocab_mask(vocab_size=self.size, batch_size=1, device="cpu")
        req.grammar.fill_vocab_mask_batched([self.sglang.base.GrammarRow(0, req.grammar)], mask)
        bits = np.unpackbits(mask.numpy().view(np.uint8), bitorder="little")
        return [int(token) for token in np.flatnonzero(bits[: self.size])]

    def _drawn(self, row: list[int], ids: list[int], rng: random.Random, thoughts: int, thought: int) -> int:
        if not thoughts or thought in ids:
            return rng.choice(row)
        if len(ids) >= thoughts:
            return thought
        return 5 if 5 in row else row[0]


@pytest.fixture
def scheduler(sglang: Any, tokenizer: Any, monkeypatch: pytest.MonkeyPatch) -> Scheduler:
    monkeypatch.delenv("FRISKET_ROOM", raising=False)
    monkeypatch.delenv("FRISKET_RESERVE", raising=False)
    return Scheduler(sglang, tokenizer, monkeypatch)


@pytest.fixture
def thinker(sglang: Any, tokenizer: Any, monkeypatch: pytest.MonkeyPatch) -> Scheduler:
    return Scheduler(sglang, tokenizer, monkeypatch, reasoning_parser="deepseek-r1")


@pytest.mark.parametrize("drafts", [0, 4])
def test_nothing_is_cut(scheduler: Scheduler, drafts: int) -> None:
    # The first request waits for its grammar, and the others find it.
    for seed, more in enumerate((0, 0, 1, 2, 5, 11, 40)):
        req = scheduler.request(scheduler.least + more)
        reason, ids = scheduler.answer(req, random.Random(seed), drafts=drafts)
        assert reason == "stop" and len(ids) <= scheduler.least + more
        assert scheduler.grammar.accepts(scheduler.tokenizer.decode(ids, skip_special_tokens=True))


@pytest.mark.parametrize("reserve", ["0", "9", ""])
@pytest.mark.parametrize("drafts", [0, 4])
def test_thoughts_end_while_the_answer_fits(
    sglang: Any, tokenizer: Any, monkeypatch: pytest.MonkeyPatch, drafts: int, reserve: str
) -> None:
    monkeypatch.setenv("FRISKET_RESERVE", reserve)
    scheduler = Scheduler(sglang, tokenizer, monkeypatch, reasoning_parser="deepseek-r1")
    kept = int(reserve) if reserve else median_tokens(scheduler.least - 1) - (scheduler.least - 1)
    (thought,) = tokenizer.convert_tokens_to_ids(["</think>"])
    for seed, more in enumerate((0, 1, 7, 30, 90)):
        req = scheduler.request(scheduler.least + 1 + more, thinks=True)
        reason, ids = scheduler.answer(req, random.Random(seed), thoughts=1_000, drafts=drafts)
        place = ids.index(thought)
        assert reason == "stop" and place == max(more - kept, 0)
        text = tokenizer.decode(ids[place + 1 :], skip_special_tokens=True)
        assert scheduler.grammar.accepts(text), text


def test_short_thoughts_are_as_the_model_has_them(thinker: Scheduler) -> None:
    for thinks in (True, False):
        req = thinker.request(thinker.least + 100 + 200, thinks=thinks)
        reason, ids = thinker.answer(req, random.Random(1), thoughts=20 if thinks else 0)
        assert reason == "stop" and (not thinks or ids[:20] == [5] * 20)


def test_a_budget_below_the_least_is_refused_with_the_least(thinker: Scheduler) -> None:
    for thinks in (False, True, True):
        few = thinker.least - 1 + thinks
        req = thinker.request(few, thinks=thinks)
        assert req.grammar is None and req.error is not None
        assert f"max_new_tokens leaves {few} tokens" in req.error and f"takes {few + 1} with" in req.error
        assert "[budget]" in req.error
        assert thinker.request(few + 1, thinks=thinks).error is None


def test_it_can_be_switched_off(scheduler: Scheduler, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FRISKET_ROOM", "0")
    reasons = {scheduler.answer(scheduler.request(scheduler.least - 1), random.Random(seed))[0] for seed in range(3)}
    assert reasons == {"length"}


def test_grammars_that_are_kept_know_no_budget(thinker: Scheduler) -> None:
    for thinks in (True, False, True):
        req = thinker.request(thinker.least + 1, thinks=thinks)
        kept = next(iter(thinker.manager.grammar_backend.cache.values()))
        assert req.error is None and kept.grammar.total is None and kept.copy().grammar.total is None


def test_the_answers_of_a_batch_are_one_call(thinker: Scheduler, monkeypatch: pytest.MonkeyPatch) -> None:
    many = [thinker.request(300, thinks=thinks) for thinks in (True, True, False)]
    (thought, bracket) = thinker.tokenizer.convert_tokens_to_ids(["</think>", "["])
    many[1].grammar.accept_token(thought)
    calls: list[int] = []
    fill_all = Progress.fill_all
    monkeypatch.setattr(
        Progress, "fill_all", lambda texts, *rest: (calls.append(len(texts)), fill_all(texts, *rest))[1]
    )
    for first in range(3):
        mask = many[first].grammar.allocate_vocab_mask(vocab_size=thinker.size, batch_size=3, device="cpu")
        entries = [thinker.sglang.base.GrammarRow(row, req.grammar) for row, req in enumerate(many)]
        many[first].grammar.fill_vocab_mask_batched(entries, mask)
        rows = mask.numpy().view(np.uint32)
        assert (rows[0] == 0xFFFFFFFF).all(), "thoughts are free"
        assert (rows[1] == rows[2]).all() and rows[1][bracket >> 5] >> (bracket & 31) & 1
        assert rows[1][thought >> 5] >> (thought & 31) & 1 == 0
    assert calls == [2, 2, 2]


def test_a_request_without_tokens_is_left_alone(scheduler: Scheduler) -> None:
    assert scheduler.request(0).error is None


def test_the_last_token_is_known_to_the_scheduler(thinker: Scheduler) -> None:
    """SGLang accepts the first token of a request that comes from another machine, unless it was accepted there."""
    (thought, bracket) = thinker.tokenizer.convert_tokens_to_ids(["</think>", "["])
    plain, thinking = thinker.request(200), thinker.request(200, thinks=True)
    assert plain.grammar.current_token is None and thinking.grammar.current_token is None
    plain.grammar.accept_token(bracket)
    thinking.grammar.accept_token(thought)
    assert plain.grammar.current_token == bracket and thinking.grammar.current_token == thought
