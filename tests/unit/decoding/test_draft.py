"""Reading ahead: the answer is the one without it, token for token, in fewer calls of the network."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import frisket
from frisket import Grammar, JSONSchemaOptions, Sampler
from frisket.decoding.budget import Budget
from frisket.decoding.draft import Drafter, likely_bytes
from frisket.decoding.loop import Step, decode
from frisket.models.protocol import DraftSession

MODEL = frisket.models.embedded()
WORD = {"type": "string", "maxLength": 6}
SCHEMA = {
    "type": "object",
    "properties": {
        "first_name": WORD,
        "kind": {"enum": ["customer", "customs", "supplier"]},
        "address": {"type": "object", "properties": {"street": WORD, "number": {"type": "integer"}},
            "required": ["street", "number"], "additionalProperties": False},
        "needs_a_human": {"type": "boolean"},
    },
    "required": ["first_name", "kind", "address", "needs_a_human"],
    "additionalProperties": False,
}  # fmt: skip


class Session:
    """A network whose logits are a hash of the ids so far, and that counts how often it is called."""

    def __init__(self, *, seed: int = 0, context: int = 1000, style: str = "") -> None:
        self.ids: list[int] = []
        self.calls, self.rewinds, self._seed, self._context, self._style = 1, True, seed, context, style
        self._last = 0

    def logits(self) -> np.ndarray:
        return self._after(len(self.ids))

    def push(self, token_id: int) -> None:
        self.extend([token_id])

    def extend(self, token_ids: Sequence[int]) -> np.ndarray:
        assert token_ids and len(self.ids) + len(token_ids) <= self._context
        self.ids += token_ids
        self.calls += 1
        self._last = len(token_ids)
        return np.array([self._after(len(self.ids) - back) for back in range(len(token_ids) - 1, -1, -1)])

    def rewind(self, tokens: int) -> None:
        assert 0 < tokens < self._last
        del self.ids[-tokens:]
        self._last = 0

    def fork(self) -> Session:
        raise NotImplementedError

    def _after(self, length: int) -> np.ndarray:
        ids = self.ids[:length]
        rng = np.random.default_rng([self._seed, *ids[-4:]])
        logits = rng.normal(size=MODEL.vocabulary.size).astype(np.float32)
        # Longer tokens are likelier, as with a model that has learned them.
        logits += [3.0 * min(len(MODEL.vocabulary.token(t) or b""), 6) for t in range(len(logits))]
        if self._style:
            logits += [5.0 * ((MODEL.vocabulary.token(t) or b"\0") in self._style.encode()) for t in range(len(logits))]
        return logits


def run(grammar: Grammar, *, drafted: bool, **options: Any) -> tuple[list[Step], str, Session]:
    session = Session(**{name: options.pop(name) for name in ("seed", "style", "context") if name in options})
    matcher = grammar.compile(MODEL.vocabulary).matcher()
    drafter = Drafter(MODEL.encode) if drafted else None
    steps = []
    budget = Budget(options.pop("max_tokens", 300), options.pop("on_budget", "finish"))
    loop = decode(session, matcher, MODEL.vocabulary, budget, drafter=drafter, **options)
    while True:
        try:
            steps.append(next(loop))
        except StopIteration as end:
            return steps, end.value, session


def figures(steps: list[Step]) -> list[tuple[Any, ...]]:
    return [(step.token, step.text, step.logprob, step.masked_logprob, step.allowed, step.ends) for step in steps]


@pytest.mark.parametrize("sampler", [Sampler(temperature=0), Sampler(), Sampler(temperature=2.0, top_k=3)])
@pytest.mark.parametrize("options", [None, JSONSchemaOptions(whitespace="compact"), JSONSchemaOptions(
    whitespace="pretty"), JSONSchemaOptions(whitespace="free")])  # fmt: skip
@pytest.mark.slow
def test_the_answer_is_the_same(sampler: Sampler, options: JSONSchemaOptions | None) -> None:
    grammar = Grammar.from_json_schema(SCHEMA, options)
    saved = 0
    for seed in range(12):
        style = ("", ": ,", "{}[]")[seed % 3]
        kept = {"sampler": sampler, "seed": seed, "style": style}
        alone, reason, plain = run(grammar, drafted=False, **kept)
        ahead, again, session = run(grammar, drafted=True, **kept)
        assert figures(alone) == figures(ahead) and reason == again
        # Whether the model would have ended after the last token is asked for, too, and no step.
        assert session.calls - sum(step.called for step in ahead) in (0, reason == "length")
        assert session.calls <= plain.calls
        saved += plain.calls - session.calls
    assert saved > 12 * (2 if options is None or options.whitespace == "free" else 10)


@pytest.mark.parametrize("most", range(1, 40, 3))
def test_limits_and_stop_strings_hold(most: int) -> None:
    grammar = Grammar.from_json_schema(SCHEMA, JSONSchemaOptions(whitespace="compact"))
    for stop in ((), ("kind",)):
        alone = run(grammar, drafted=False, max_tokens=most, on_budget="cut", stop=stop)
        ahead = run(grammar, drafted=True, max_tokens=most, on_budget="cut", stop=stop, context=most)
        assert (figures(alone[0]), alone[1]) == (figures(ahead[0]), ahead[1])


def test_other_notations_are_read_ahead_too() -> None:
    grammar = Grammar.from_regex(r"Dear (Ada|Grace), your order number [0-9]{3} has been shipped today\.")
    alone, _, plain = run(grammar, drafted=False)
    ahead, _, session = run(grammar, drafted=True)
    assert figures(alone) == figures(ahead)
    assert session.calls < plain.calls / 2


@pytest.mark.parametrize(
    "written, expected",
    [
        ("", '{"first_name": "'),
        ("{ ", '"first_name": "'),
        ('{"first_name": "Ada', ""),
        ('{"first_name": "Ada"', ', "kind": "'),
        ('{"first_name":"Ada"', ', "kind":"'),
        ('{"first_name" :  "Ada"', ', "kind":  "'),
        ('{"first_name":"Ada","kind":"cu', "stom"),
        ('{"first_name":"Ada","kind":"s', 'upplier","address":{"street":"'),
        ('{"first_name":"Ada","kind":"supplier","address":{"street":"x","number":4', '},"needs_a_human":'),
    ],
)
def test_white_space_follows_the_habit(written: str, expected: str) -> None:
    matcher = Grammar.from_json_schema(SCHEMA).compile(MODEL.vocabulary).matcher()
    matcher.advance_bytes(written.encode())
    steps = matcher.steps
    assert likely_bytes(matcher, written.encode()).decode() == expected
    assert matcher.steps == steps


def test_a_tokenizer_that_spells_otherwise_gives_no_draft() -> None:
    matcher = Grammar.from_choices(["abc"]).compile(MODEL.vocabulary).matcher()
    assert Drafter(MODEL.encode)(matcher, b"", 5)
    # It says something else of a line than of its beginning, or what the matcher does not take.
    assert Drafter(lambda text: [len(text), *MODEL.encode(text)])(matcher, b"", 5) == []
    assert Drafter(lambda text: [5 for _ in text])(matcher, b"", 5) == []
    assert Drafter(MODEL.encode)(matcher, b"", 0) == []


def test_who_reads_ahead() -> None:
    assert isinstance(Session(), DraftSession)
    assert not isinstance(MODEL.start([1]), DraftSession)
