"""The server's benchmark with drawn logits: one seed is one answer, and answers end by themselves."""

from __future__ import annotations

import json

import frisket
from benchmarks.random_model import RandomModel

SCHEMA = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "tags": {"type": "array", "items": {"type": "string"}}},
    "required": ["name", "tags"],
    "additionalProperties": False,
}


def test_answers_are_valid_equal_and_end() -> None:
    grammar = frisket.Grammar.from_json_schema(SCHEMA)
    prompts = [f"ticket {number}" for number in range(20)]
    one, other = ([frisket.generate(RandomModel(seed), text, grammar) for text in prompts] for seed in (3, 3))
    assert one == other != [frisket.generate(RandomModel(4), text, grammar) for text in prompts]
    texts = [json.dumps(answer) for answer in one]
    assert all(grammar.accepts(text) and len(text) < 1000 for text in texts)


def test_a_session_goes_its_own_way_after_a_fork() -> None:
    model = RandomModel()
    session = model.start(model.encode("ticket"))
    twin = session.fork()
    assert (session.logits() == twin.logits()).all()
    twin.push(5)
    assert (session.logits() != twin.logits()).any()
