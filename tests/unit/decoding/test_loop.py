"""The decode loop and the sampler, on models of a few numbers and matchers of a few words."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import fields
from types import SimpleNamespace
from typing import Any, ClassVar

import numpy as np
import pytest

from frisket.decoding.budget import Budget
from frisket.decoding.loop import Step, decode
from frisket.decoding.sampler import Sampler
from frisket.decoding.text import Stops, Text
from frisket.errors import EngineError, VocabularyError

TOKENS = [b"a", b"b", b"ab", b"c", b"\xc3", b"\xa9", None]
END = 6


class Words:
    """A vocabulary of TOKENS, and a matcher for a finite set of texts by looking at all of them."""

    size = len(TOKENS)
    eos = (END,)
    #: Not a grammar of JSON: steps have no path.
    compiled = SimpleNamespace(grammar=None)
    special: ClassVar[dict[str, int]] = {}

    def __init__(self, *texts: str) -> None:
        self.texts = [text.encode() for text in texts]
        self.written = b""
        self.before: list[bytes] = []
        self.ended = False

    def token(self, token_id: int) -> bytes | None:
        return TOKENS[token_id]

    def allows(self, token_id: int) -> bool:
        data = TOKENS[token_id]
        if data is None:
            return self.can_end
        return any(text.startswith(self.written + data) for text in self.texts)

    def mask(self, room: int | None = None) -> np.ndarray:
        kept = [token_id for token_id in range(self.size) if self.allows(token_id)]
        if room is not None:
            kept = [token_id for token_id in kept if token_id == END or self.after(token_id).can_finish(room - 1)]
        return np.array([sum(1 << token_id for token_id in kept)], dtype=np.uint32)

    def advance(self, token_id: int) -> None:
        assert self.allows(token_id) and not self.ended
        self.before.append(self.written)
        self.written += TOKENS[token_id] or b""
        self.ended = token_id == END

    def rollback(self, steps: int) -> None:
        for _ in range(steps):
            self.written = self.before.pop()

    def after(self, token_id: int) -> Words:
        follows = Words(*(text.decode() for text in self.texts))
        follows.written = self.written + (TOKENS[token_id] or b"")
        return follows

    def can_finish(self, room: int) -> bool:
        follows = [self.after(token_id) for token_id in range(END) if self.allows(token_id)]
        return self.can_end or (room > 0 and any(after.can_finish(room - 1) for after in follows))

    def least_tokens(self) -> int:
        if not any(self.can_finish(room) for room in range(9)):
            raise VocabularyError("no tokens spell an end of the text", hint="in the engine's words")
        return next(room for room in range(9) if self.can_finish(room))

    @property
    def can_end(self) -> bool:
        return self.written in self.texts


class Session:
    """A model whose logits are a function of the ids so far."""

    def __init__(self, logits: Callable[[list[int]], Sequence[float]]) -> None:
        self.function = logits
        self.ids: list[int] = []

    def logits(self) -> np.ndarray:
        return np.array(self.function(self.ids), dtype=np.float32)

    def push(self, token_id: int) -> None:
        self.ids.append(token_id)

    def fork(self) -> Session:
        raise NotImplementedError


def prefers(*order: int) -> Callable[[list[int]], list[float]]:
    """Always the same wish: the first id most, ids that are not named not at all."""
    return lambda ids: [10.0 - order.index(t) if t in order else -10.0 for t in range(len(TOKENS))]


def run(session: Session, matcher: Words | None, **options: Any) -> tuple[list[Step], str]:
    steps = []
    given = {field.name for field in fields(Budget)} & options.keys()
    budget = Budget(**{"max_tokens": 20} | {name: options.pop(name) for name in given})
    iterator = decode(session, matcher, matcher or Words(), budget, **options)  # type: ignore[arg-type]
    while True:
        try:
            steps.append(next(iterator))
        except StopIteration as end:
            return steps, end.value


def text_of(steps: list[Step]) -> str:
    return "".join(step.text for step in steps)


class TestLoop:
    def test_the_mask_wins_over_the_wish(self) -> None:
        steps, reason = run(Session(prefers(3, 1)), Words("bab", "bb"))
        assert (text_of(steps), reason) == ("bb", "end")

    def test_the_model_ends_where_it_may_and_wants_to(self) -> None:
        longer, _ = run(Session(prefers(0)), Words("a", "aa"))
        shorter, reason = run(Session(prefers(END, 0)), Words("a", "aa"))
        assert text_of(longer) == "aa"
        assert (text_of(shorter), reason) == ("a", "end")
        assert shorter[-1].ends and shorter[-1].token == END and not shorter[0].ends

    def test_nothing_but_the_end_may_follow_so_nobody_is_asked(self) -> None:
        session = Session(prefers(0))
        steps, reason = run(session, Words("ab"))
        assert [step.token for step in steps] == [0, 1]
        assert (session.ids, reason) == ([0], "end")

    def test_the_empty_text_alone(self) -> None:
        assert run(Session(prefers(0)), Words("")) == ([], "end")

    def test_log_probabilities_before_and_after_the_mask(self) -> None:
        logits = [1.0, 2.0, -1.0, 0.5, 0.0, 3.0, 0.25]
        steps, _ = run(Session(lambda ids: logits), Words("ac", "bc"), sampler=Sampler(temperature=5.0, top_k=1))
        weights = np.exp(logits)
        first = steps[0]
        assert first.token == 1 and first.allowed == 2
        assert first.logprob == pytest.approx(math.log(weights[1] / weights.sum()))
        assert first.masked_logprob == pytest.approx(math.log(weights[1] / (weights[0] + weights[1])))
        assert first.feasible == pytest.approx((weights[0] + weights[1]) / weights.sum())
        for step in steps:
            assert step.masked_logprob == pytest.approx(step.logprob - math.log(step.feasible))

    def test_the_favourite_and_whether_it_was_overruled(self) -> None:
        steps, _ = run(Session(prefers(3, 1)), Words("bab", "bb"))
        assert [(step.token, step.favourite, step.overruled, step.forced) for step in steps] == [
            (1, 3, True, True), (1, 3, True, False)
        ]  # fmt: skip
        # Of two equal favourites one is allowed: nothing was overruled.
        steps, _ = run(Session(lambda ids: [2.0, 2.0, 0, 0, 0, 0, 0]), Words("b"))
        assert (steps[0].favourite, steps[0].overruled) == (1, False)
        # A sampler that takes another allowed token is no mask that overrules.
        sampler = Sampler(temperature=50.0)
        found = [run(Session(prefers(0)), Words("a", "b"), sampler=sampler, seed=seed)[0][0] for seed in range(20)]
        assert {step.token for step in found} == {0, 1}
        assert all((step.favourite, step.overruled) == (0, False) for step in found)

    def test_the_feasible_mass_of_a_forced_token_is_what_the_model_gave_it(self) -> None:
        logits = [1.0, 2.0, -1.0, 0.5, 0.0, 3.0, 0.25]
        (step,), _ = run(Session(lambda ids: logits), Words("c"))
        assert step.forced and step.allowed == 1
        assert step.feasible == pytest.approx(np.exp(0.5) / np.exp(logits).sum())
        assert step.masked_logprob == pytest.approx(0, abs=1e-6)

    def test_free_decoding_is_the_same_loop_without_a_mask(self) -> None:
        steps, reason = run(Session(lambda ids: prefers(3)(ids) if len(ids) < 2 else prefers(END)(ids)), None)
        assert (text_of(steps), reason) == ("cc", "end")
        assert all(step.feasible == 1.0 and step.logprob == step.masked_logprob for step in steps)

    def test_length(self) -> None:
        steps, reason = run(Session(prefers(0)), Words("aaaa"), max_tokens=3, on_budget="cut")
        assert (text_of(steps), len(steps), reason) == ("aaa", 3, "length")
        assert run(Session(prefers(0)), None, max_tokens=3)[1] == "length"

    def test_the_end_token_is_free(self) -> None:
        steps, reason = run(
            Session(lambda ids: prefers(0)(ids) if len(ids) < 2 else prefers(END)(ids)), None, max_tokens=2
        )
        assert (text_of(steps), reason) == ("aa", "end")
        # A text that may end here but that the model wants to continue was cut, even if it looks whole.
        _, reason = run(Session(prefers(0)), Words("aa", "aaaa"), max_tokens=2, on_budget="cut")
        assert reason == "length"
        _, reason = run(Session(prefers(0)), Words("aa"), max_tokens=2)
        assert reason == "end"

    def test_stop(self) -> None:
        steps, reason = run(Session(lambda ids: prefers((3, 0, 1, 3)[len(ids) % 4])(ids)), None, stop=["ab"])
        assert (text_of(steps), reason) == ("c", "stop")
        assert [step.text for step in steps] == ["c", "", ""]

    def test_streaming_never_shows_half_a_character(self) -> None:
        steps, _ = run(Session(prefers(4, 5)), Words("aé"))
        assert [step.text for step in steps] == ["a", "", "é"]
        cut, _ = run(Session(prefers(4, 5)), Words("aé"), max_tokens=2, on_budget="cut")
        assert [step.text for step in cut] == ["a", "\N{REPLACEMENT CHARACTER}"]

    def test_one_seed_is_one_answer(self) -> None:
        def answer(seed: int) -> str:
            matcher = Words(*(f"{x}{y}{z}" for x in "abc" for y in "abc" for z in "abc"))
            return text_of(run(Session(lambda ids: [0.0] * 7), matcher, sampler=Sampler(), seed=seed)[0])

        assert [answer(seed) for seed in range(20)] == [answer(seed) for seed in range(20)]
        assert len({answer(seed) for seed in range(20)}) > 5

    def test_a_vocabulary_that_cannot_go_on(self) -> None:
        with pytest.raises(VocabularyError, match="can continue the text") as caught:
            run(Session(prefers(0)), Words("aad", "abd"), on_budget="cut")
        assert caught.value.where == "token 2"

    @pytest.mark.parametrize("size", [2, 3, 5, 6])
    def test_a_model_may_have_fewer_logits_than_the_vocabulary_has_tokens(self, size: int) -> None:
        # Behind "a" the token b and the end may come; the end has no logit.
        steps, reason = run(Session(lambda ids: prefers(0, END)(ids)[:size]), Words("a", "ab"))
        assert ([step.token for step in steps], reason) == ([0, 1], "end")
        assert [step.allowed for step in steps] == [2, 1] if size > 2 else [1, 1]

    @pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
    def test_a_model_that_gives_nonsense(self, bad: float) -> None:
        with pytest.raises(EngineError, match="no finite logit"):
            run(Session(lambda ids: [bad, bad, -math.inf, -math.inf, -math.inf, -math.inf, -math.inf]), Words("a", "b"))

    def test_misuse(self) -> None:
        with pytest.raises(ValueError, match="max_tokens"):
            run(Session(prefers(0)), None, max_tokens=0)
        with pytest.raises(ValueError, match="stop string"):
            run(Session(prefers(0)), None, stop=[""])


class TestOrder:
    """Why the mask comes first, and what each stage after it reads: the statement of sampler.py, number by number."""

    LOGITS = np.array([5.0, 4.0, 3.0, 1.0, 0.0])
    LEGAL = np.array([False, False, False, True, True])

    def masked(self) -> np.ndarray:
        return np.where(self.LEGAL, self.LOGITS, -np.inf)

    @pytest.mark.parametrize("sampler", [Sampler(top_k=2), Sampler(top_p=0.9), Sampler(min_p=0.3)])
    def test_a_truncation_before_the_mask_leaves_nothing(self, sampler: Sampler) -> None:
        truncated_first = np.where(self.LEGAL, sampler.adjust(self.LOGITS), -np.inf)
        assert np.isneginf(truncated_first).all()
        assert not np.isneginf(sampler.adjust(self.masked())).all()

    def test_after_the_mask_the_softmax_is_the_model_given_that_the_token_is_legal(self) -> None:
        weights = np.exp(Sampler().adjust(self.masked()))
        model = np.exp(self.LOGITS) * self.LEGAL
        assert weights / weights.sum() == pytest.approx(model / model.sum())

    def test_top_p_means_legal_mass(self) -> None:
        # Given legality, ids 3 and 4 have 73 % and 27 %: a nucleus of 70 % is id 3 alone, one of 75 % both.
        assert np.isfinite(Sampler(top_p=0.70).adjust(self.masked())).tolist() == [False, False, False, True, False]
        assert np.isfinite(Sampler(top_p=0.75).adjust(self.masked())).tolist() == [False, False, False, True, True]

    def test_top_p_that_the_likeliest_reach_exactly_keeps_no_more(self) -> None:
        # 1/2, 1/4, 1/4, with no rounding: "the smallest set whose probabilities sum to at least this".
        logits = np.log([0.25, 0.5, 0.25])
        for top_p, kept in (
            (0.5, [1]),
            (0.75, [0, 1]),
            (np.nextafter(0.5, 1), [0, 1]),
            (np.nextafter(0.75, 1), [0, 1, 2]),
        ):
            assert np.flatnonzero(np.isfinite(Sampler(top_p=top_p).adjust(logits))).tolist() == kept

    def test_top_p_of_one_is_off(self) -> None:
        # The second token is so unlikely that the first one's probability is 1 in floating point.
        assert np.isfinite(Sampler(top_p=1.0).adjust(np.array([0.0, -50.0]))).all()
        assert not np.isfinite(Sampler(top_p=np.nextafter(1, 0)).adjust(np.array([0.0, -50.0]))).all()

    def test_the_penalty_precedes_whatever_ranks(self) -> None:
        sampler = Sampler(repetition_penalty=100.0, top_k=1)
        assert np.flatnonzero(np.isfinite(sampler.adjust(np.array([2.0, 1.0]), [0]))).tolist() == [1]

    def test_temperature_changes_no_ranks_but_what_top_p_adds_up(self) -> None:
        logits = np.array([2.0, 1.0, 0.0])
        for temperature in (0.1, 1.0, 10.0):
            kept = np.isfinite(Sampler(temperature=temperature, top_k=2).adjust(logits))
            assert kept.tolist() == [True, True, False]
        kept = [int(np.isfinite(Sampler(temperature=t, top_p=0.6).adjust(logits)).sum()) for t in (0.1, 1.0, 10.0)]
        assert kept == [1, 1, 2]

    def test_min_p_reads_what_top_k_and_top_p_cannot_remove(self) -> None:
        logits = np.log([0.5, 0.3, 0.15, 0.05])
        assert np.isfinite(Sampler(min_p=0.31).adjust(logits)).tolist() == [True, True, False, False]
        both = np.isfinite(Sampler(top_k=3, min_p=0.29).adjust(logits))
        assert both.tolist() == [True, True, True, False]


class TestSampler:
    def test_greedy_takes_the_largest_and_the_smaller_id_of_a_tie(self) -> None:
        assert Sampler.GREEDY.choose(np.array([0.0, 3.0, 3.0]), np.random.default_rng(0)) == 1

    def test_a_draw_follows_the_probabilities(self) -> None:
        rng = np.random.default_rng(7)
        for logits in (np.log([0.5, 0.25, 0.25]), np.log([0.5, 0.25, 0.25]) + 5_000, np.log([0.5, 0.25, 0.25]) - 5_000):
            counts = np.bincount([Sampler().choose(logits, rng) for _ in range(4000)], minlength=3) / 4000
            assert counts == pytest.approx([0.5, 0.25, 0.25], abs=0.03)

    def test_a_forbidden_token_is_never_drawn_even_by_the_edges_of_the_generator(self) -> None:
        class Edge(np.random.Generator):
            def __init__(self, value: float) -> None:
                super().__init__(np.random.PCG64(0))
                self.value = value

            def random(self, *_: Any, **__: Any) -> Any:
                return self.value

        logits = np.array([-np.inf, 0.0, -np.inf, 0.0, -np.inf])
        assert Sampler().choose(logits, Edge(0.0)) == 1
        assert Sampler().choose(logits, Edge(np.nextafter(1.0, 0.0))) == 3
        assert Sampler().choose(logits, Edge(0.5)) == 3

    def test_the_logits_of_the_caller_are_left_alone(self) -> None:
        logits = np.array([1.0, 2.0, 3.0], dtype=np.float32)
        sampler = Sampler(temperature=0.5, top_k=2, top_p=0.9, min_p=0.1, repetition_penalty=2.0)
        sampler.choose(logits, np.random.default_rng(0), [2])
        assert logits.tolist() == [1.0, 2.0, 3.0]

    def test_the_penalty_moves_both_signs_down_and_leaves_the_forbidden_forbidden(self) -> None:
        adjusted = Sampler(temperature=0, repetition_penalty=2.0).adjust(
            np.array([4.0, -4.0, -np.inf, 1.0]), [0, 1, 2, 0]
        )
        assert adjusted.tolist() == [2.0, -8.0, -np.inf, 1.0]

    def test_a_tiny_temperature_is_greedy_and_does_not_overflow(self) -> None:
        rng = np.random.default_rng(0)
        assert {Sampler(temperature=1e-300).choose(np.array([1.0, 30.0, -np.inf]), rng) for _ in range(50)} == {1}

    @pytest.mark.parametrize(
        "options",
        [
            {"temperature": -1.0},
            {"temperature": math.inf},
            {"top_k": 0},
            {"top_p": 0.0},
            {"top_p": 1.1},
            {"min_p": -0.1},
            {"repetition_penalty": 0.0},
        ],
    )
    def test_misuse_names_the_option(self, options: dict[str, Any]) -> None:
        with pytest.raises(ValueError, match=next(iter(options))):
            Sampler(**options)

    def test_nothing_to_choose_from(self) -> None:
        with pytest.raises(ValueError, match="nothing to choose"):
            Sampler().choose(np.array([-np.inf, -np.inf]), np.random.default_rng(0))


class TestText:
    @pytest.mark.parametrize("size", [1, 2, 3, 7])
    def test_any_chunking_shows_the_same_text(self, size: int) -> None:
        data = "naïve 🎈 text<en <end> rest".encode()
        text = Text(stop=["<end>", "never"])
        shown = "".join(text.feed(data[i : i + size]) for i in range(0, len(data), size)) + text.flush()
        assert shown == str(text) == "naïve 🎈 text<en "
        assert text.stopped

    def test_the_earliest_stop_counts(self) -> None:
        text = Text(stop=["cd", "b"])
        assert text.feed(b"abcd") == "a"

    def test_drawn_stops(self) -> None:
        rng = random.Random(0)
        for _ in range(2_000):
            stop = ["".join(rng.choices("ab", k=rng.randint(1, 4))) for _ in range(rng.randint(0, 4))]
            data = "".join(rng.choices("abc", k=12))
            ends = [(place + len(word), place) for word in stop for place in range(12) if data.startswith(word, place)]
            text, shown = Text(stop), ""
            for place, character in enumerate(data, 1):
                shown += text.feed(character.encode())
                if not text.stopped:
                    held = data[len(shown) : place]
                    beginnings = [
                        data[n:place] for n in range(place) for word in stop if word.startswith(data[n:place])
                    ]
                    assert held == max(beginnings, key=len, default="")
            assert shown + text.flush() == (data[: min(ends)[1]] if ends else data)

    def test_a_stop_string_takes_one_look_a_character(self) -> None:
        stops = Stops([f"{n:06}" for n in range(5_000)] + ["a" * 500 + "b"])
        text = Text(stop=["never"])
        text._stops, looks = stops, 0
        known = [*stops._next]

        class Counted(dict[str, int]):
            def __contains__(self, key: object) -> bool:
                nonlocal looks
                looks += 1
                return super().__contains__(key)

        stops._next = [Counted(one) for one in known]
        data = b"a" * 3_000 + b"0012" * 500
        text.feed(data)
        assert looks <= 2 * len(data) + 2

    def test_what_was_held_back_comes_at_the_end(self) -> None:
        text = Text(stop=["\n\n"])
        assert (text.feed(b"a\n"), text.flush()) == ("a", "\n")
