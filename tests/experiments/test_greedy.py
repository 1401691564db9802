"""The search for the likeliest answer against brute force, and the area under the ROC curve against its definition."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest

from experiments.exact.case import Rewinding, random_model
from experiments.greedy.level import FORMS, SYSTEMS, measure
from experiments.greedy.likeliest import likeliest
from experiments.greedy.roc import auroc, auroc_interval
from experiments.greedy.trap import SIZES, TEXTS, random_grammars
from frisket import Grammar
from frisket.decoding.task import Task
from frisket.models import embedded
from tests.hand_model import truth


@pytest.mark.parametrize("seed", range(12))
def test_the_search_finds_the_likeliest_tokenisation(seed: int) -> None:
    texts = [b"a", b"b", b"c", b"ab", b"bc", b"abc"]
    model = Rewinding(texts, random_model(seed, len(texts) + 1, spread=2.0))
    task = Task(
        model, "", Grammar.from_regex(("[abc]{1,4}", "(ab|ba|c){1,3}", "a{1,3}b{1,3}c?")[seed % 3]), max_tokens=8
    )
    best = max(truth(task).wholes, key=lambda whole: whole.probability)
    found = likeliest(task)
    assert found is not None and found.tokens == best.tokens and found.text == best.text
    assert found.logprob == pytest.approx(math.log(best.probability), abs=1e-6)
    assert likeliest(task, most=1) is None


def test_the_area_is_the_share_of_pairs_in_order() -> None:
    rng = np.random.default_rng(0)
    scores, wrong = rng.integers(6, size=80) / 3, rng.random(80) < 0.4
    pairs = [(float(bad > good) + 0.5 * float(bad == good)) for bad, good in product(scores[wrong], scores[~wrong])]
    area = auroc(scores.tolist(), wrong.tolist())
    assert area == pytest.approx(np.mean(pairs))
    interval = auroc_interval(scores.tolist(), wrong.tolist())
    assert area is not None and interval is not None and interval[0] < area < interval[1]
    assert auroc([1.0, 2.0], [True, True]) is None and auroc_interval([1.0], [False]) is None


def test_greedy_is_trapped_where_few_texts_are_left() -> None:
    found = random_grammars(12)
    assert len(found) == 12 * len(SIZES) and len(TEXTS) == 120
    for one in found:
        assert 0 < one.greedy <= one.best + 1e-12 and one.nats >= 0 and one.mass <= 1
        assert one.hit or one.greedy < one.best
    assert any(not one.hit for one in found), "or there would be nothing to measure"
    assert sum(one.beams_hit for one in found) > sum(one.hit for one in found)


def test_forms_say_the_same_in_other_words() -> None:
    answer = {"verb": "go", "tense": "past_simple", "person": "3sg"}
    assert FORMS["own"].wanted("tutor", answer) == answer
    assert FORMS["everything"].wanted("tutor", answer) == {"word": "GO", "time": "PAST_SIMPLE", "who": "3SG"}
    assert FORMS["one renamed"].wanted("tutor", answer) == {"verb": "go", "time": "past_simple", "person": "3sg"}
    assert list(FORMS["backwards"].schema("tutor")["properties"]) == list(SYSTEMS["tutor"][::-1])
    for form in FORMS.values():
        grammar = Grammar.from_json_schema(form.schema("tutor"), form.options)
        assert set(form.wanted("tutor", answer)) == set(form.schema("tutor")["required"])
        assert len(grammar.compile(embedded().vocabulary).matcher().allowed()) >= 1


def test_a_form_that_the_model_knows_costs_nothing() -> None:
    own, other = (measure("tutor", form, 2, 50) for form in ("own", "one upper"))
    assert all(one.right and one.proven and one.missed < 1e-3 for one in own)
    assert min(one.nats for one in other) > max(one.nats for one in own)
    for one in own + other:
        assert one.surprise == pytest.approx(one.doubt + one.nats, abs=1e-3)
