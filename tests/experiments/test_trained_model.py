"""The parts of the models that experiments train: texts, sums, wishes, and what training exports."""

from __future__ import annotations

import json
import random

import jsonschema_rs
import numpy as np
import pytest

import frisket
from experiments.discriminator import wish
from experiments.paired import Noisy
from experiments.thought.format import answer_of, pair, thought
from experiments.trained_model import Recipe, Texts, TrainedModel, train
from experiments.trained_model.sums import Sum, held_out, schema, training

SUM = Sum(((3, 8), (6, 2)))


def test_texts_take_the_longest_word_and_any_printable_text() -> None:
    made = Texts(["answer", "answers", '": '])
    assert [made.tokens[one] for one in made.encode('answers": answer!')] == ["answers", '": ', "answer", "!"]
    assert made.decode(made.encode("a b\nc ~")) == "a b\nc ~"
    assert made.vocabulary.size == len(made) and made.vocabulary.eos == [made.eos]
    with pytest.raises(ValueError, match="printable"):
        made.encode("é")


def test_a_reason_holds_every_step() -> None:
    assert (SUM.text, SUM.reason, SUM.answer) == ("3*8+6*2", "24, 12, 36", 36)
    assert Sum(((2, 3), (4, 5), (6, 7))).reason == "6, 20, 26, 42, 68"
    for keys in (("reason", "answer"), ("answer", "reason"), ("answer",)):
        document = SUM.document(keys)
        assert list(json.loads(document)) == list(keys)
        assert frisket.Grammar.from_json_schema(schema(keys)).accepts(document)


def test_held_out_sums_are_never_trained_on() -> None:
    rng = random.Random(0)
    shown = {training(rng).text for _ in range(3000)}
    kept = {one.text for products in (2, 3) for one in held_out(products, 200, 0)}
    assert len(kept) == 400 and not shown & kept


def test_thoughts_end_in_the_answer() -> None:
    assert thought(SUM, as_json=False) == "24, 12, 36. Answer: 36"
    assert answer_of(thought(SUM, as_json=True)) == answer_of(thought(SUM, as_json=False)) == 36
    assert answer_of("24, 12, 36.") is None
    rng = random.Random(1)
    prompts = [pair(rng) for _ in range(200)]
    assert {prompt.count("\n") for prompt, _ in prompts} == {1, 2, 3}, "free, with keys, with a draft"


def test_wishes_ask_for_what_their_action_says() -> None:
    for order in wish.ORDERS:
        valid = jsonschema_rs.validator_for(wish.schema(order))
        for one in wish.held_out(100, shown=True):
            document = wish.document(one.action, order)
            assert valid.is_valid(json.loads(document))
            assert list(json.loads(document))[0 if order == "first" else -1] == "action"
            assert frisket.Grammar.from_json_schema(wish.schema(order)).accepts(document)
            assert one.last is not None and one.prompt(order).startswith(wish.document(one.last, order))
    needed = [one for one in wish.held_out(200, shown=True) if one.needs_last]
    assert 60 < len(needed) < 140
    assert not any(one.last or one.needs_last for one in wish.held_out(50, shown=False))


def test_held_out_wishes_are_never_trained_on() -> None:
    rng = random.Random(2)
    shown = {json.dumps(json.loads(wish.pair(rng)[1]), sort_keys=True) for _ in range(2000)}
    kept = {
        json.dumps(json.loads(wish.document(one.action, "first")), sort_keys=True)
        for one in wish.held_out(200, shown=False)
    }
    assert not shown & kept


@pytest.fixture(scope="module")
def model() -> TrainedModel:
    pytest.importorskip("torch", reason="torch is not installed", minversion="2.9")

    def draw(rng: random.Random) -> tuple[str, str]:
        letter = rng.choice("abcd")
        return f"input: {letter}\noutput: ", f'"{letter}{letter}"'

    return train(draw, Texts(["input: ", "\noutput: "]), Recipe(200, width=32, context=32, batch_tokens=512), seed=0)


def test_a_trained_model_has_learned_and_answers_as_any_model_does(model: TrainedModel) -> None:
    assert model.loss < 1.0, "a uniform guess has a loss of 4.6"
    right = sum(frisket.generate(model, letter, {"type": "string"}, max_tokens=8) == 2 * letter for letter in "abcd")
    assert right == 4
    assert frisket.generate(model, "a", {"enum": ["bb", "cc"]}, max_tokens=8, strategy=frisket.strategies.Beams(2)) in (
        "bb",
        "cc",
    )


def test_the_exported_network_computes_what_was_trained(model: TrainedModel) -> None:
    """A pass over the whole prompt and one token at a time agree."""
    ids = model.encode('input: a\noutput: "aa"')
    session = model.start(ids[:1])
    for one in ids[1:]:
        session.push(one)
    assert np.allclose(session.logits(), model.start(ids).logits(), atol=1e-4)


def test_common_noise_draws_from_the_softmax_and_is_shared(model: TrainedModel) -> None:
    prompt = model.prompt("a")
    ids = model.encode(prompt)[:2]
    logits = model.start(ids).logits().astype(np.float64)
    expected = np.exp(logits - logits.max())
    expected /= expected.sum()
    drawn = np.array([Noisy(model, seed).start(ids).logits().argmax() for seed in range(3000)])
    for token in np.argsort(-expected)[:3]:
        p = expected[token]
        assert abs(np.mean(drawn == token) - p) < 4 * np.sqrt(p * (1 - p) / 3000) + 1e-9
    one, other = Noisy(model, 7), Noisy(model, 7)
    assert np.array_equal(one.start(ids).logits(), other.start(ids).logits())
    assert not np.array_equal(one.start(ids).logits(), Noisy(model, 7).start(ids).logits()), "the second session"
    session = one.start(ids)
    twin = session.fork()
    session.push(ids[0])
    twin.push(ids[0])
    assert np.array_equal(session.logits(), twin.logits())
