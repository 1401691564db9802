"""Messages as the models' own chat templates write them: they pass the masks, and parse back to their calls."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from frisket import Grammar, Vocabulary
from frisket.tools import Family, families, family

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

MESSAGES = tomllib.loads(Path(__file__).with_name("messages.toml").read_text(encoding="utf-8"))["message"]
WEATHER = {
    "name": "weather",
    "parameters": {
        "type": "object",
        "properties": {"city": {"type": "string"}, "days": {"type": "integer"}, "metric": {"type": "boolean"}},
        "required": ["city"],
    },
}
TOOLS = [WEATHER, {"name": "now"}]


def vocabulary_of(wanted: Family) -> Vocabulary:
    """All bytes, the family's special tokens, and an end."""
    special = sorted(wanted.special)
    tokens = [*(bytes([value]) for value in range(256)), *(None for _ in special), None]
    ids = {name: 256 + place for place, name in enumerate([*special, "<end>"])}
    return Vocabulary.from_bytes(tokens, special=ids, eos="<end>")


def tokens_of(text: str, vocabulary: Vocabulary) -> list[int]:
    """The special tokens of a text, and the bytes between them."""
    names = sorted((name for name in vocabulary.special if name != "<end>"), key=len, reverse=True)
    parts = re.split(f"({'|'.join(map(re.escape, names))})", text) if names else [text]
    return [
        token
        for part in parts
        for token in ([vocabulary.special[part]] if part in vocabulary.special else part.encode())
    ]


@pytest.mark.parametrize("case", MESSAGES, ids=lambda case: f"{case['family']}-{case.get('template', 'source')}")
def test_a_message_of_the_chat_template_parses_back(case: dict[str, Any]) -> None:
    grammar = Grammar.from_tools(TOOLS, case["family"], prompt=case["prompt"])
    message = grammar.value(case["text"])
    assert [call.name for call in message.calls] == ["weather"] * len(case["calls"])
    assert [call.arguments for call in message.calls] == case["calls"]
    assert message.content == case.get("content")
    assert message.reasoning == case.get("reasoning")


@pytest.mark.parametrize("case", MESSAGES, ids=lambda case: f"{case['family']}-{case.get('template', 'source')}")
def test_a_message_of_the_chat_template_passes_the_masks(case: dict[str, Any]) -> None:
    wanted = family(case["family"])
    vocabulary = vocabulary_of(wanted)
    text = case["text"].rstrip()
    for stop in wanted.stops:
        text = text.removesuffix(stop)
    matcher = Grammar.from_tools(TOOLS, wanted, prompt=case["prompt"]).compile(vocabulary).matcher()
    for token in tokens_of(text, vocabulary):
        assert matcher.try_advance(token), f"token {matcher.steps} of {text}"
    assert matcher.can_end


def test_every_family_has_a_message() -> None:
    assert {case["family"] for case in MESSAGES} == set(families())


def test_calls_are_told_as_openai_does() -> None:
    text = '<tool_call>\n{"name": "weather", "arguments": {"city": "São Paulo"}}\n</tool_call>'
    [call] = Grammar.from_tools(TOOLS, "hermes").value(text).calls
    assert call.to_openai() == {
        "id": "call_0",
        "type": "function",
        "function": {"name": "weather", "arguments": json.dumps({"city": "São Paulo"}, ensure_ascii=False)},
    }
