"""Random walks under the masks of every family: an independent parser reads valid calls, the same as ours."""

from __future__ import annotations

import random
import re
from typing import Any

import jsonschema
import pytest

from frisket import Grammar, Vocabulary
from frisket.tools import Family, families, family

from .independent import PARSERS

TOOLS: list[dict[str, Any]] = [
    {
        "name": "weather",
        "parameters": {
            "type": "object",
            "properties": {
                "city": {"type": "string", "minLength": 2},
                "days": {"type": "integer", "minimum": 1},
                "units": {"enum": ["c", "f", 3]},
                "note": {"type": ["string", "null"]},
                "daily": {"type": "boolean"},
                "where": {"type": "object", "properties": {"sea": {"type": "boolean"}}, "additionalProperties": False},
                "hours": {"type": "array", "items": {"type": "number"}, "maxItems": 3},
            },
            "required": ["city"],
            "additionalProperties": False,
        },
    },
    {"name": "now"},
    {
        "name": "now_in",
        "parameters": {
            "type": "object",
            "properties": {"zone": {"type": "string", "pattern": "^[A-Z]{3}"}},
            "required": ["zone"],
            "additionalProperties": False,
        },
    },
]
SCHEMAS = {tool["name"]: tool.get("parameters", {"type": "object", "maxProperties": 0}) for tool in TOOLS}
LONGEST = 100


def vocabulary_of(wanted: Family) -> Vocabulary:
    """Bytes, pieces of the format that cross its markers, pieces of JSON, and the special tokens."""
    templates = (*wanted.call, wanted.calls, wanted.parameter, *wanted.content, *(wanted.thinking or ()))
    literals = [part for template in templates for part in re.split(r"\$[a-z]+", template) if part]
    pieces = {part[at : at + 7] for part in literals for at in range(0, len(part), 7)} | set(literals)
    pieces |= {"weather", "now", "_in", "city", '": "', '{"', "true", "null", "None", '",', '"}', "}}", "\n\n", "é"}
    # What stands in texts beside tags, escapes that begin one, and the rests of tags.
    pieces |= {
        "<",
        "</",
        "[",
        '\\"',
        "\\n",
        *(f"\\u{ord(tag[0]):04x}" for tag in wanted.tags),
        *(tag[1:] for tag in wanted.tags),
    }
    special = sorted(wanted.special)
    texts = sorted(piece.encode() for piece in pieces - set(special))
    names = [*special, "<end>"]
    tokens = [*(bytes([value]) for value in range(256)), *texts, *(None for _ in names)]
    return Vocabulary.from_bytes(
        tokens, special={name: 256 + len(texts) + place for place, name in enumerate(names)}, eos="<end>"
    )


def walk(grammar: Grammar, vocabulary: Vocabulary, rng: random.Random) -> str | None:
    """A random text under the masks, with special tokens as their names; None if it does not end in time."""
    matcher = grammar.compile(vocabulary).matcher()
    names = {token: name.encode() for name, token in vocabulary.special.items()}
    text = b""
    for step in range(4 * LONGEST):
        allowed = [token for token in matcher.allowed() if token not in vocabulary.eos]
        if matcher.can_end and (not allowed or rng.random() < 0.1):
            return text.decode()
        assert allowed, f"a dead end after {text!r}"
        if step > LONGEST and (rest := matcher.completion()) is not None:
            return (text + rest).decode()
        token = rng.choice([token for token in allowed if token >= 256 and rng.random() < 0.7] or allowed)
        matcher.advance(token)
        text += vocabulary.token(token) or names[token]
    return None


@pytest.mark.parametrize("choice", ["auto", "required", "weather"])
@pytest.mark.parametrize("name", families())
def test_an_independent_parser_reads_valid_calls(name: str, choice: str) -> None:
    wanted = family(name)
    vocabulary = vocabulary_of(wanted)
    grammar = Grammar.from_tools(TOOLS, name, choice=choice, thinking="off" if wanted.thinking else "auto")
    rng = random.Random(f"{name} {choice}")
    calls = 0
    for _ in range(8):
        text = walk(grammar, vocabulary, rng)
        if text is None:
            continue
        found = PARSERS[name](text, SCHEMAS)
        for called, arguments in found:
            jsonschema.validate(arguments, SCHEMAS[called])
        assert found == [(call.name, call.arguments) for call in grammar.value(text).calls], text
        calls += len(found)
    assert calls > 0 or choice == "auto"


@pytest.mark.parametrize("name", ["kimi_k2", "lfm2", "mistral_v11"])
def test_walks_come_upon_tags_in_values(name: str) -> None:
    grammar = Grammar.from_tools(TOOLS, name, choice="required", thinking="off" if family(name).thinking else "auto")
    vocabulary, rng = vocabulary_of(family(name)), random.Random(name)
    texts = [text for _ in range(12) if (text := walk(grammar, vocabulary, rng)) is not None]
    values = [str(call.arguments) for text in texts for call in grammar.value(text).calls]
    assert any(tag in value for value in values for tag in family(name).tags)


def test_every_family_has_an_independent_parser() -> None:
    assert set(PARSERS) == set(families())
