"""`generate`: from a model with wishes of its own to a value of the type that was asked for."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import pytest
from typing_extensions import TypedDict

import frisket
from frisket.errors import BudgetError, EmptyGrammarError, FrisketError, LimitExceededError, VocabularyError
from frisket.grammar import Grammar
from frisket.vocabulary import Vocabulary

END = 256


class Wishful:
    """A model of single bytes that wants to write one text and then end."""

    def __init__(self, wish: str, context: int = 400) -> None:
        self.wish = wish.encode()
        self.context = context
        self.eos = [END]
        self.vocabulary = Vocabulary.from_bytes([bytes([b]) for b in range(256)] + [None], {"<end>": END}, eos=[END])
        self.prompts: list[str] = []
        self.keys: list[Sequence[str] | None] = []

    def encode(self, text: str) -> list[int]:
        return list(text.encode())

    def decode(self, ids: Sequence[int]) -> str:
        return bytes(ids).decode()

    def prompt(self, text: str, keys: Sequence[str] | None = None) -> str:
        self.keys.append(keys)
        return text

    def start(self, prompt_ids: Sequence[int]) -> WishfulSession:
        return WishfulSession(self, len(prompt_ids))


class WishfulSession:
    def __init__(self, model: Wishful, read: int) -> None:
        self.model, self.read, self.written = model, read, list[int]()

    def logits(self) -> np.ndarray:
        logits = np.zeros(257, dtype=np.float32)
        place = len(self.written)
        logits[self.model.wish[place] if place < len(self.model.wish) else END] = 8.0
        return logits

    def push(self, token_id: int) -> None:
        assert self.read + len(self.written) < self.model.context
        self.written.append(token_id)

    def fork(self) -> WishfulSession:
        twin = WishfulSession(self.model, self.read)
        twin.written = list(self.written)
        return twin


SCHEMA = {
    "type": "object",
    "properties": {"size": {"enum": ["S", "L"]}, "count": {"type": "integer", "minimum": 1, "maximum": 9}},
    "required": ["size", "count"],
    "additionalProperties": False,
}
WISH = '{"size": "L", "count": 3}'


@dataclasses.dataclass
class Order:
    size: Literal["S", "L"]
    count: int


def test_schema_type_grammar_and_bool() -> None:
    assert frisket.generate(Wishful(WISH), "?", SCHEMA) == {"size": "L", "count": 3}
    assert frisket.generate(Wishful(WISH), "?", Grammar.from_json_schema(SCHEMA)) == {"size": "L", "count": 3}
    assert frisket.generate(Wishful("no"), "?", Grammar.from_choices(["yes", "no"])) == "no"
    assert frisket.generate(Wishful("[1]"), "?", True) == [1]
    with pytest.raises(TypeError, match="ambiguous"):
        frisket.generate(Wishful(""), "?", "[a-z]")  # type: ignore[call-overload]


def test_a_generation_stays_what_it_was() -> None:
    generation = frisket.stream(Wishful("no"), "?", ["yes", "no"]).generation()
    assert repr(generation) == f"<Generation 'no', {len(generation.steps)} steps, finish_reason 'end'>"
    assert len(repr(dataclasses.replace(generation, text="no " * 1000))) < 150
    assert "limit" not in repr(generation)
    with pytest.raises(dataclasses.FrozenInstanceError):
        generation.text = "yes"  # type: ignore[misc]
    with pytest.raises(dataclasses.FrozenInstanceError):
        generation.steps[0].token = 7  # type: ignore[misc]


def test_choices_and_patterns() -> None:
    assert frisket.generate(Wishful("no"), "?", ["yes", "no"]) == "no"
    assert frisket.generate(Wishful("never"), "?", ("yes", "no")) in ("yes", "no")
    assert frisket.generate(Wishful("NO"), "?", re.compile("yes|no", re.IGNORECASE)) == "NO"
    assert frisket.stream(Wishful("b"), "?", ["a", "b"]).generation().value() == "b"
    with pytest.raises(TypeError, match="choices are texts"):
        frisket.generate(Wishful(""), "?", ["a", 1])  # type: ignore[list-item]
    with pytest.raises(EmptyGrammarError):
        frisket.generate(Wishful(""), "?", [])


def test_typed() -> None:
    pytest.importorskip("pydantic", reason="pydantic is not installed")
    assert frisket.generate(Wishful(WISH), "?", Order) == Order("L", 3)
    assert frisket.generate(Wishful("[true]"), "?", list[bool]) == [True]


def test_the_model_is_told_the_names_of_the_properties() -> None:
    model = Wishful(WISH)
    frisket.generate(model, "?", SCHEMA)
    frisket.generate(model, "?", Grammar.from_choices(["a"]))
    assert model.keys == [["size", "count"], None]


def test_what_the_model_cannot_have_it_does_not_get() -> None:
    answer = frisket.stream(Wishful('{"size": "M", "count": 3}'), "?", SCHEMA).generation()
    assert answer.value()["size"] in ("S", "L")
    assert answer.finish_reason == "end" and answer.whole
    assert min(answer.feasible) < 0.01 < max(answer.feasible)
    assert answer.masked_logprob > answer.logprob


def test_stream_shows_what_generate_returns() -> None:
    shown: list[str] = []
    value = frisket.generate(Wishful(WISH), "?", SCHEMA, on_step=lambda step: shown.append(step.text))
    answer = frisket.stream(Wishful(WISH), "?", SCHEMA)
    assert "".join(step.text for step in answer) == "".join(shown) == WISH
    assert answer.generation().value() == value
    assert answer.generation().tokens == list(WISH.encode())
    assert list(answer) == []


def test_a_stream_is_shown_by_its_text() -> None:
    answer = frisket.stream(frisket.models.embedded(), "?", ["yes"])
    assert repr(answer) == "<Stream '', 0 steps so far>"
    answer.generation()
    assert repr(answer) == "<Stream 'yes', ended: end>"


def test_one_seed_is_one_answer() -> None:
    grammar = Grammar.from_regex("[a-z]{8}")

    def answer(seed: int) -> Any:
        return frisket.generate(Wishful(""), "?", grammar, sampler=frisket.Sampler(), seed=seed)

    assert answer(3) == answer(3)
    assert len({answer(seed) for seed in range(8)}) == 8


def test_an_answer_that_was_cut_is_an_error_unless_partial_is_welcome() -> None:
    with pytest.raises(LimitExceededError, match="10 tokens") as caught:
        frisket.generate(Wishful(WISH), "?", SCHEMA, max_tokens=10, on_budget="cut")
    assert caught.value.where == "token 10" and "max_tokens" in (caught.value.hint or "")
    assert frisket.generate(Wishful(WISH), "?", SCHEMA, max_tokens=10, allow_partial=True) == WISH[:10]
    assert (
        frisket.stream(Wishful(WISH), "?", SCHEMA, max_tokens=10, on_budget="cut").generation().finish_reason
        == "length"
    )


def test_a_number_that_was_cut_is_not_a_shorter_number() -> None:
    with pytest.raises(LimitExceededError):
        frisket.generate(Wishful("1234"), "?", {"type": "integer"}, max_tokens=2, on_budget="cut")
    assert frisket.generate(Wishful("12"), "?", {"type": "integer"}, max_tokens=2) == 12


def test_exactly_enough_tokens_and_exactly_enough_context() -> None:
    assert frisket.generate(Wishful(WISH), "?", SCHEMA, max_tokens=len(WISH)) == {"size": "L", "count": 3}
    assert frisket.generate(Wishful(WISH, context=1 + len(WISH)), "?", SCHEMA) == {"size": "L", "count": 3}
    # One token fewer makes the answer shorter, since it is to be whole.
    assert frisket.generate(Wishful(WISH, context=len(WISH)), "?", SCHEMA)["size"] == "L"
    with pytest.raises(BudgetError, match="context leaves 9"):
        frisket.generate(Wishful(WISH, context=10), "?", SCHEMA)


@pytest.mark.parametrize("length", [20, 21, 1000])
def test_a_prompt_too_long(length: int) -> None:
    with pytest.raises(LimitExceededError, match=rf"{length} tokens.*20") as caught:
        frisket.generate(Wishful(WISH, context=20), "x" * length, SCHEMA)
    assert caught.value.where == "prompt" and caught.value.hint


@pytest.mark.parametrize("known", [b"ab", b"1ab"])
def test_a_vocabulary_that_cannot_spell_the_grammar(known: bytes) -> None:
    model = Wishful("12")
    model.vocabulary = Vocabulary.from_bytes(
        [bytes([b]) if b in known else None for b in range(256)] + [None], {"<end>": END}, eos=[END]
    )
    with pytest.raises(VocabularyError) as caught:
        frisket.generate(model, "?", Grammar.from_choices(["12"]))
    assert caught.value.hint


def test_stop_strings() -> None:
    line = Grammar.from_regex("[a-z\n]*")
    assert frisket.generate(Wishful("one\ntwo"), "?", line, stop=["\n"]) == "one"
    with pytest.raises(LimitExceededError, match="stop string"):
        frisket.generate(Wishful(WISH), "?", SCHEMA, stop=["size"])
    assert frisket.generate(Wishful(WISH), "?", SCHEMA, stop=["size"], allow_partial=True) == '{"'


def test_a_validator_that_no_mask_can_know() -> None:
    pydantic = pytest.importorskip("pydantic", reason="pydantic is not installed")

    class Even(pydantic.BaseModel):
        n: int

        @pydantic.field_validator("n")
        @classmethod
        def even(cls, n: int) -> int:
            if n % 2:
                raise ValueError("odd")
            return n

    with pytest.raises(FrisketError, match=r"Even refused.*n: .*odd") as caught:
        frisket.generate(Wishful('{"n": 3}'), "?", Even)
    assert caught.value.code == "type-refused"


class Drunkard(Wishful):
    """A model that prefers nothing but to come to an end."""

    def start(self, prompt_ids: Sequence[int]) -> DrunkardSession:
        return DrunkardSession(self, len(prompt_ids))


class DrunkardSession(WishfulSession):
    def logits(self) -> np.ndarray:
        logits = np.zeros(257, dtype=np.float32)
        logits[[ord('"'), ord("}"), ord("]"), END]] = 3.0
        return logits


class Tree(TypedDict):
    label: str
    children: list[Tree]


@dataclasses.dataclass
class Cafe:
    orders: list[Order]
    open: bool
    note: str | None = None


@pytest.mark.parametrize(
    "tp", [Cafe, list[Order], dict[str, int], tuple[bool, str], Literal["a", 1, None], int | str, Tree]
)
def test_random_walks_end_in_values_of_the_type(tp: Any) -> None:
    pytest.importorskip("pydantic", reason="pydantic is not installed")
    grammar = Grammar.from_type(tp)
    answers = []
    for seed in range(15):
        answer = frisket.stream(Drunkard("", 5000), "?", grammar, max_tokens=4000, sampler=frisket.Sampler(), seed=seed)
        assert grammar.accepts(answer.generation().text)
        answers.append(answer.generation().value())
    assert any(answer != answers[0] for answer in answers)


FREE = {**SCHEMA, "properties": {"size": {"type": "string"}, "count": {"type": "integer"}}}


class TestStream:
    def test_the_value_so_far(self) -> None:
        answer = frisket.stream(Wishful('{"size": "L", "count": 30}'), "?", FREE)
        assert answer.value is None and answer.text == ""
        values, texts = [], []
        for step in answer:
            if not values or answer.value != values[-1]:
                values.append(answer.value)
            texts.append(step.data)
        assert values == [{}, {"size": ""}, {"size": "L"}, {"size": "L", "count": 30}]
        assert b"".join(texts).decode() == answer.text == answer.generation().text

    def test_a_number_alone_is_known_at_the_end(self) -> None:
        answer = frisket.stream(Wishful("12"), "?", {"type": "integer"})
        assert [answer.value for _ in answer][:2] == [None, None]
        assert answer.value == 12 == answer.generation().value()

    def test_of_an_answer_that_was_cut_no_more_than_it_says(self) -> None:
        answer = frisket.stream(Wishful('{"size": "L", "count": 30}'), "?", FREE, max_tokens=25, on_budget="cut")
        assert not answer.generation().whole and answer.value == {"size": "L"}

    def test_half_a_character_is_in_the_bytes_only(self) -> None:
        answer = frisket.stream(Wishful('"\N{LATIN SMALL LETTER E WITH ACUTE}"'), "?", {"type": "string"})
        steps = list(answer)
        assert [step.data for step in steps[:4]] == [b'"', b"\xc3", b"\xa9", b'"'] and steps[1].text == ""

    def test_other_notations_have_a_text(self) -> None:
        answer = frisket.stream(Wishful("no"), "?", ["yes", "no"])
        next(answer)
        assert answer.value == "n"

    def test_the_matcher_is_a_fork(self) -> None:
        answer = frisket.stream(Wishful('{"size": "L", "count": 3}'), "?", SCHEMA)
        for _ in range(9):
            next(answer)
        matcher = answer.matcher
        assert matcher.completion() is not None and not matcher.can_end
        matcher.advance_bytes(b'"S"')
        assert answer.generation().value() == {"size": "L", "count": 3}
