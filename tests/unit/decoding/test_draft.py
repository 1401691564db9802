"""Reading ahead: the answer is the one without it, token for token, in fewer calls of the network."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import Any

import numpy as np
import pytest

import frisket
from frisket import Grammar, JSONSchemaOptions, Sampler
from frisket.decoding.budget import Budget
from frisket.decoding.draft import PLACES, Drafter, Habits, drafter
from frisket.decoding.loop import Step, decode
from frisket.errors import FrisketError
from frisket.models.protocol import DraftSession
from tests.data import data_dir, maskbench

pytestmark = pytest.mark.usefixtures("drafts_always")

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
TOKENS = [MODEL.vocabulary.token(token) or b"\0" for token in range(MODEL.vocabulary.size)]
LENGTHS = np.array([0 if token == b"\0" else min(len(token), 6) for token in TOKENS], dtype=np.float32)


class Session:
    """A network whose logits are a hash of the ids so far, and that counts how often it is called."""

    def __init__(self, *, seed: int = 0, context: int = 1000, style: str = "") -> None:
        self.ids: list[int] = []
        self.calls, self.rewinds, self._seed, self._context, self._style = 1, True, seed, context, style
        self._last = 0
        self._styled = np.array([5.0 * (token in style.encode()) for token in TOKENS], dtype=np.float32)

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
        logits += 3.0 * LENGTHS
        return logits + self._styled if self._style else logits


def run(grammar: Grammar, *, drafted: bool | Drafter, **options: Any) -> tuple[list[Step], str, Session]:
    session = Session(**{name: options.pop(name) for name in ("seed", "style", "context") if name in options})
    matcher = grammar.compile(MODEL.vocabulary).matcher()
    drafter = Drafter(MODEL.encode) if drafted is True else drafted or None
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


@pytest.mark.parametrize("sampler", [Sampler(temperature=0), Sampler()])
def test_answers_of_many_schemas_are_the_same(sampler: Sampler) -> None:
    """One drafter for all, so that what it learned of one schema is tried in the next ones."""
    drafter, saved = Drafter(MODEL.encode), 0
    for number, row in enumerate(islice(maskbench(data_dir()), 0, None, 80)):
        try:
            grammar = Grammar.from_json_schema(row["schema"])
        except FrisketError:
            continue
        for style in ("", '{}[]":,'):
            kept = {"sampler": sampler, "seed": number, "style": style, "max_tokens": 80, "on_budget": "cut"}
            alone, reason, plain = run(grammar, drafted=False, **kept)
            ahead, again, session = run(grammar, drafted=drafter, **kept)
            assert figures(alone) == figures(ahead) and reason == again, row["id"]
            saved += plain.calls - session.calls
    assert saved > 150


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
        ('{"first_name":"Ada"', ',"kind":"'),
        ('{"first_name":  "Ada"', ',  "kind":  "'),
        ('{"first_name":"Ada","kind":"cu', "stom"),
        ('{"first_name":"Ada","kind":"s', 'upplier","address":{"street":"'),
        ('{"first_name":"Ada","kind":"supplier","address":{"street":"x","number":4', ""),
        ('{"first_name": "a,b:c", ', '"kind": "'),
        ('{"first_name": "Ada", "kind": "supplier", "address": {"street": "x", "number": 4}', ', "needs_a_human": '),
        ('{\n  "first_name": "Ada"', ',\n  "kind": "'),
        ('{\n  "first_name": "Ada",\n', '  "kind": "'),
        ('{\n  "first_name": "Ada",\n ', ' "kind": "'),
        ('{\n\t"first_name": "Ada",\n\t"kind": "s', 'upplier",\n\t"address": {\n\t\t"street": "'),
        ('{\n  "first_name": "Ada",\n  "kind": "s', 'upplier",\n  "address": {\n    "street": "'),
        (
            '{\n  "first_name": "Ada",\n  "kind": "supplier",\n  "address": {\n    "street": "x",\n    "number": 4\n',
            '  },\n  "needs_a_human": ',
        ),
        (
            '{"first_name": "Ada", "kind": "supplier", "address": {"street": "x", "number": 4}, "needs_a_human": t',
            "rue}",
        ),
    ],
)
def test_white_space_follows_the_habit(written: str, expected: str) -> None:
    matcher = Grammar.from_json_schema(SCHEMA).compile(MODEL.vocabulary).matcher()
    matcher.advance_bytes(written.encode())
    steps = matcher.steps
    assert matcher.likely_bytes()[0].decode() == expected
    assert matcher.steps == steps
    for most in (0, 1, 5):
        # The last step may be a piece of white space with what follows it.
        assert expected.startswith(matcher.likely_bytes(most)[0].decode())
        assert matcher.likely_bytes(most)[0] or not most or not expected


@pytest.mark.parametrize(
    "schema, beginnings",
    [
        ({"type": "string"}, ["a"]),
        ({"enum": ["red", "rose", "blue"]}, ['blue"}', "r"]),
        ({"type": "integer"}, ["1"]),
        ({"type": "boolean"}, ["false}", "true}"]),
        ({"type": ["integer", "array", "null"]}, ["[", "null}", "1"]),
    ],
)
def test_what_may_follow_the_likely_text(schema: dict[str, Any], beginnings: list[str]) -> None:
    whole = {"type": "object", "properties": {"x": schema}, "required": ["x"], "additionalProperties": False}
    matcher = Grammar.from_json_schema(whole).compile(MODEL.vocabulary).matcher()
    assert [beginning.decode() for beginning in matcher.likely_bytes()[1]] == beginnings


def test_tokens_at_the_end_of_a_draft_hold_whatever_follows() -> None:
    """A tokenizer that joins a blank with a word leaves the blank before a word to the model."""

    def drafted(schema: dict[str, Any]) -> bytes:
        whole = {"type": "object", "properties": {"x": schema}, "required": ["x"], "additionalProperties": False}
        matcher = Grammar.from_json_schema(whole).compile(MODEL.vocabulary).matcher()
        brace = MODEL.encode("{")[-1]
        matcher.advance(brace)
        return b"".join(MODEL.vocabulary.token(token) or b"" for token in Drafter(MODEL.encode)(matcher, b"{", 32))

    assert drafted({"type": "boolean"}) == b'"x":'
    assert drafted({"type": "string"}) == b'"x": "'
    assert drafted({"const": True}) == b'"x": true}'


def test_a_tokenizer_that_spells_otherwise_gives_no_draft() -> None:
    matcher = Grammar.from_choices(["abc"]).compile(MODEL.vocabulary).matcher()
    assert Drafter(MODEL.encode)(matcher, b"", 5)
    # It says something else of a line than of its beginning, or what the matcher does not take.
    assert Drafter(lambda text: [len(text), *MODEL.encode(text)])(matcher, b"", 5) == []
    assert Drafter(lambda text: [5 for _ in text])(matcher, b"", 5) == []
    assert Drafter(MODEL.encode)(matcher, b"", 0) == []


def test_what_was_chosen_three_times_in_a_row_is_drafted() -> None:
    grammar = Grammar.from_regex("(ab|cd)!")
    compiled, drafter = grammar.compile(MODEL.vocabulary), Drafter(MODEL.encode)
    (first,) = [token for token in compiled.matcher().allowed() if MODEL.vocabulary.token(token) == b"a"]
    for row in range(5):
        ids = drafter(compiled.matcher(), b"", 9)
        assert b"".join(MODEL.vocabulary.token(token) or b"" for token in ids) == (b"ab!" if row >= 3 else b"")
        drafter.learn(compiled.matcher().mask(), first)
    (other,) = [token for token in compiled.matcher().allowed() if MODEL.vocabulary.token(token) == b"c"]
    drafter.learn(compiled.matcher().mask(), other)
    assert drafter(compiled.matcher(), b"", 9) == []


def test_habits_of_the_places_used_last_are_kept() -> None:
    habits, masks = Habits(), [np.zeros(1) for _ in range(PLACES + 1)]
    for mask in masks:
        for _ in range(3):
            habits.learn(mask, 7)
        habits.learn(masks[0], 8)
    assert [habits.guess(mask) for mask in masks[:3]] == [8, None, 7]


def test_drafts_of_one_model_share_what_they_learn() -> None:
    class Rewindable:
        rewinds = True

    class Other:
        encode, __hash__ = MODEL.encode, None

    assert drafter(MODEL, MODEL.start([1])) is None
    one, two = drafter(MODEL, Rewindable()), drafter(MODEL, Rewindable())
    assert one is not None and two is not None and one.pace is two.pace is not None
    other, again = Other(), Other()
    assert drafter(other, Rewindable()).pace is not drafter(again, Rewindable()).pace


def test_who_reads_ahead() -> None:
    assert isinstance(Session(), DraftSession)
    assert not isinstance(MODEL.start([1]), DraftSession)
