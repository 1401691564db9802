"""PressureReport: sums along answers of models of a few numbers, by path, and through JSON."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

import frisket
from frisket import Grammar, Sampler, Vocabulary
from frisket.decoding.answer import Generation
from frisket.logits.numpy import allowed
from frisket.pressure.schema_path import SchemaPaths
from frisket.reports import PressureReport

TOKENS: list[bytes | None] = [b"a", b"b", b"c", None]
END = 3


class Small:
    """A model of four tokens whose logits are a function of the ids so far."""

    vocabulary = Vocabulary.from_bytes(TOKENS, {"<end>": END}, eos=[END])
    eos: Sequence[int] = [END]
    context = 1000

    def __init__(self, logits: Callable[[list[int]], Sequence[float]]) -> None:
        self.function = logits

    def encode(self, text: str) -> list[int]:
        return [0]

    def decode(self, ids: Sequence[int]) -> str:
        return ""

    def prompt(self, text: str, keys: Sequence[str] | None = None) -> str:
        return text

    def start(self, prompt_ids: Sequence[int]) -> Any:
        return SmallSession(self.function)


class SmallSession:
    def __init__(self, function: Callable[[list[int]], Sequence[float]]) -> None:
        self.function, self.ids = function, list[int]()

    def logits(self) -> np.ndarray:
        return np.array(self.function(self.ids), dtype=np.float32)

    def push(self, token_id: int) -> None:
        self.ids.append(token_id)

    def fork(self) -> SmallSession:
        raise NotImplementedError


def answer(model: Any, target: Any, **options: Any) -> Generation[Any]:
    return frisket.stream(model, "?", target, **options).generation()


def test_by_hand() -> None:
    # Of 1 + 2 + 5 + 2, "a" and "b" have 3; then only "c" may come, which has 5; then nothing but the end.
    report = answer(Small(lambda ids: np.log([1, 2, 5, 2])), ["ac", "bc"]).report
    assert (report.text, report.finish_reason) == ("bc", "end")
    assert [step.log_feasible for step in report.steps[:2]] == pytest.approx([math.log(0.3), math.log(0.5)], abs=1e-6)
    assert report.total.weight == pytest.approx(0.15) and report.total.nats == pytest.approx(-math.log(0.15))
    assert [(step.overruled, step.forced, step.favourite) for step in report.steps] == [
        (True, False, "c"), (False, True, "c"), (False, True, None)
    ]  # fmt: skip
    # Nobody asked the model whether it wanted to end: that is not known, and not 1.
    assert report.steps[2].log_feasible is None and report.steps[2].token is None
    assert (report.total.steps, report.total.unknown, report.total.overruled_share) == (3, 1, 0.5)


def test_an_end_that_the_model_gave_is_known() -> None:
    report = answer(Small(lambda ids: np.log([1, 2, 3, 4])), Grammar.from_regex("b|bc*")).report
    assert report.text == "" or report.steps[-1].token == END
    report = answer(Small(lambda ids: np.log([1, 9, 3, 4]) if not ids else np.log([1, 2, 3, 4])), ["b", "bc"]).report
    assert report.text == "b" and report.steps[-1].token == END and report.total.unknown == 0
    assert report.steps[-1].log_feasible == pytest.approx(math.log(0.7), abs=1e-6)
    assert report.steps[-1].favourite == "<end>"


def test_no_end_is_invented_for_an_answer_that_was_cut() -> None:
    report = answer(Small(lambda ids: np.log([1, 2, 5, 2])), ["aaaa"], max_tokens=2, on_budget="cut").report
    assert report.finish_reason == "length" and report.total.unknown == 0 and len(report.steps) == 2
    empty = answer(Small(lambda ids: [0, 0, 0, 0]), [""]).report
    assert empty.text == "" and (empty.total.steps, empty.total.unknown) == (1, 1)


@pytest.mark.parametrize("seed", range(25))
def test_the_log_ratio_of_both_distributions_is_the_pressure(seed: int) -> None:
    """Σ log p/q = Σ log α, with p and q from softmaxes in 64 bits, without and with the mask."""
    rng = np.random.default_rng(seed)
    tables = rng.normal(size=(40, 4)) * (1, 5, 20)[seed % 3]
    model = Small(lambda ids: tables[len(ids)])
    grammar = Grammar.from_regex("(a|bc|c{2,3}){3,8}")
    sampler = (Sampler(), Sampler(temperature=0.7, top_p=0.8), frisket.Sampler.GREEDY)[seed % 3]
    generation = answer(model, grammar, sampler=sampler, seed=seed)
    matcher = grammar.compile(model.vocabulary).matcher()
    ratio = 0.0
    for place, step in enumerate(generation.steps):
        logits = tables[place].astype(np.float32).astype(np.float64)
        p = np.exp(logits - logits.max())
        p /= p.sum()
        q = np.where(allowed(matcher.mask(), (4,)), p, 0)
        q /= q.sum()
        ratio += math.log(p[step.token]) - math.log(q[step.token])
        assert step.logprob == pytest.approx(math.log(p[step.token]), abs=1e-5)
        assert step.masked_logprob == pytest.approx(math.log(q[step.token]), abs=1e-5)
        matcher.advance(step.token)
    assert ratio == pytest.approx(-generation.report.total.nats, abs=1e-4)


ORDERS = {
    "type": "object",
    "properties": {
        "items": {
            "type": "array",
            "minItems": 3,
            "maxItems": 3,
            "items": {"$ref": "#/$defs/item"},
        }
    },
    "required": ["items"],
    "additionalProperties": False,
    "$defs": {
        "item": {
            "type": "object",
            "properties": {"n": {"type": "integer", "minimum": 1, "maximum": 9}},
            "required": ["n"],
            "additionalProperties": False,
        }
    },
}


def test_indexes_are_one_path_and_paths_add_up_to_the_whole() -> None:
    report = answer(frisket.models.embedded(), ORDERS).report
    assert set(report.paths) == {"", "/items", "/items/*", "/items/*/n"}
    assert {step.path for step in report.steps} >= {"/items/0/n", "/items/2/n"}
    nats = [pressure.nats for pressure in report.paths.values()]
    assert nats == sorted(nats, reverse=True) and sum(nats) == pytest.approx(report.total.nats)
    assert sum(pressure.steps for pressure in report.paths.values()) == report.total.steps == len(report.steps)
    assert report.paths[""].unknown == report.total.unknown == 1


@pytest.mark.parametrize("family", ["hermes", "glm45", "llama4_pythonic"])
def test_calls_of_tools_are_counted_by_tool_and_path(family: str) -> None:
    sizes = {"type": "array", "items": {"type": "integer", "maximum": 99}, "minItems": 3, "maxItems": 3}
    schema = {"type": "object", "properties": {"sizes": sizes}, "required": ["sizes"], "additionalProperties": False}
    grammar = Grammar.from_tools([{"name": "order", "parameters": schema}], family, choice="order", thinking="off")
    report = answer(frisket.models.embedded(), grammar).report
    assert set(report.paths) >= {"", "order", "order/sizes", "order/sizes/*"}
    assert {step.path for step in report.steps} >= {"order/sizes", "order/sizes/0", "order/sizes/2"}
    assert sum(pressure.steps for pressure in report.paths.values()) == report.total.steps


def test_schema_paths() -> None:
    schema = {
        "properties": {"0": {}, "rows": {"items": {"properties": {"a/b": {}}}}},
        "anyOf": [{"properties": {"late": {}}}],
        "patternProperties": {"^x": {"properties": {"y": {}}}},
    }
    for path, wanted in [
        (("0",), "/0"), (("rows", 0, "a/b"), "/rows/*/a~1b"), (("late",), "/late"), (("x1", "y"), "/*/y"),
        (("other", "y"), "/*/*"), ((), ""),
    ]:  # fmt: skip
        assert SchemaPaths(schema)[path] == wanted
    assert SchemaPaths(True)["a", 1] == "/*/*"


def test_json_keeps_the_report() -> None:
    report = answer(frisket.models.embedded(), ORDERS).report
    document = json.loads(report.to_json())
    assert PressureReport.from_json(report.to_json()) == report
    assert document["total"]["nats"] == report.total.nats and list(document["paths"]) == list(report.paths)
    assert document["steps"][-1]["log_feasible"] is None and document["total"]["unknown"] == 1


def test_half_a_surrogate_pair_can_be_written() -> None:
    step = answer(Small(lambda ids: [0, 0, 0, 0]), ["a"]).report.steps[0]
    report = PressureReport("a", "end", (step._replace(path="/\ud800", schema_path="/\ud800"),))
    assert report.to_json().encode() and report.to_html().encode()
    assert PressureReport.from_json(report.to_json()) == report


@pytest.mark.parametrize(
    "text",
    [
        "", "[]", "null", "{}", '{"format": "other"}', '{"format": "frisket-trace-1"}',
        '{"format": "frisket-trace-1", "text": "", "finish_reason": "end", "steps": [{}]}',
        '{"format": "frisket-trace-1", "text": "", "finish_reason": "end", "steps": 3}',
    ],
)  # fmt: skip
def test_anything_else_is_no_trace(text: str) -> None:
    with pytest.raises(ValueError):
        PressureReport.from_json(text)
