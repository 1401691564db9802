"""Rules in JSON strings: the engine's masks = the reference's masks over rules whose texts are spelled one by one."""

from __future__ import annotations

import json
import random
from itertools import pairwise

import pytest

from frisket.errors import EmptyGrammarError, VocabularyError
from tests.property.plans import CHARACTERS, LETTERS, Case, Plan
from tests.property.random_cases import grammar_plan, tokens_for
from tests.property.test_masks_equal_reference import compare

QUOTE: Plan = ("literal", b'"')


def textual(rng: random.Random, plan: Plan) -> Plan:
    """The plan with texts in place of its regular parts and special tokens."""
    match plan:
        case ("seq" | "alt" as kind, parts):
            return kind, tuple(textual(rng, part) for part in parts)
        case ("repeat", item, least, most):
            return "repeat", textual(rng, item), least, most
        case ("rule" | "epsilon", *_):
            return plan
    word = "".join(rng.choices(CHARACTERS, k=rng.randrange(4))).encode()
    low, high = sorted(map(ord, rng.choices(CHARACTERS, k=2)))
    chars: Plan = ("chars", ((low, high),))
    choices: tuple[Plan, ...] = (
        ("literal", word), chars, ("repeat", chars, 0, None), ("cat", (chars, ("literal", word))),
        ("bounded", ("repeat", chars, 0, None), 1, 2),
    )  # fmt: skip
    return rng.choice(choices)


def spelled(plan: Plan) -> Plan:
    """The plan of the texts inside a JSON string."""
    match plan:
        case ("literal", text):
            return "literal", json.dumps(text.decode(), ensure_ascii=False)[1:-1].encode()
        case ("chars", ((low, high),)):
            marked = [code for code in range(low, min(high, 0x5C) + 1) if code < 0x20 or chr(code) in '"\\']
            edges = [low - 1, *marked, high + 1]
            ranges = tuple((a + 1, b - 1) for a, b in pairwise(edges) if a + 1 <= b - 1)
            words = tuple(json.dumps(chr(code))[1:-1].encode() for code in marked)
            return "alt", (("chars", ranges), ("words", words))
        case ("bounded", ("repeat", item, _, _), least, most):
            return "repeat", spelled(item), least, most
        case (kind, tuple() as parts):
            return kind, tuple(map(spelled, parts))
        case ("repeat", item, least, most):
            return "repeat", spelled(item), least, most
    return plan


@pytest.mark.parametrize("block", range(6))
def test_rules_in_a_string(block: int) -> None:
    positions = 0
    for seed in range(5 * block, 5 * block + 5):
        rng = random.Random(f"string {seed}")
        rules, root = grammar_plan(rng)
        rules = {name: textual(rng, body) for name, body in rules.items()}
        inner = {name: spelled(body) for name, body in rules.items()}
        wanted = Case(inner, ("seq", (QUOTE, root, QUOTE)), (), (), {})
        tokens = (*tokens_for(rng, wanted.node(), bytes(LETTERS)), None)
        expected = Case(inner, wanted.root, tokens, (len(tokens) - 1,), {}).reference()
        case = Case(rules, ("quoted", root), tokens, (len(tokens) - 1,), {})
        try:
            compiled = case.engine().compile(case.vocabulary())
        except EmptyGrammarError:
            assert not expected.can_begin(b""), f"{case} is not empty"
            continue
        except VocabularyError:
            assert not expected.mask(b"").any(), f"{case} can be spelled"
            continue
        positions += sum(compare(compiled, expected, random.Random(seed + walk), case) for walk in range(3))
    assert positions >= 30, "the cases have become too small to say anything"
