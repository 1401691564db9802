"""Descriptions: the check that nothing is lost can fail, and a quick run."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from experiments.describe import __main__ as describe
from experiments.describe.effect import first_object
from experiments.describe.reading import lost, top_names
from experiments.describe.report import median_interval
from frisket.description.typescript import typescript

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "minLength": 3, "maxLength": 3, "description": "at least 7 words"},
        "kind": {"enum": ["a", "b", None, 2]},
        "parts": {"type": "array", "items": {"$ref": "#/$defs/part"}, "maxItems": 9},
        "odd key": {"anyOf": [{"type": "integer", "minimum": -4}, {"type": "string", "pattern": "*/|x"}]},
    },
    "required": ["name"],
    "$defs": {"part": {"type": "object", "properties": {"next": {"$ref": "#/$defs/part"}, "n": {"type": "number"}}}},
}


def test_nothing_is_lost_of_what_is_there() -> None:
    assert lost(SCHEMA, typescript(SCHEMA)) == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("name: string", "nome: string"),  # a name
        ("name: string", "name?: string"),  # whether it must come
        ("n?: number", "n?: unknown"),  # a type
        ('"a" | ', ""),  # a value
        ("| null", ""),
        ("| 2", ""),
        ("at most 9 items", ""),  # a bound
        ("at least -4", "at least 4"),
        ("3 characters", ""),
        (r'"*\\/|x"', '"x"'),  # a pattern
        ("next?: part, ", ""),
    ],
)
def test_what_is_lost_is_noticed(old: str, new: str) -> None:
    text = typescript(SCHEMA).replace(r"*\/", r"*\\/")
    assert old in text
    assert lost(SCHEMA, text.replace(old, new, 1).replace(r"*\\/", r"*\/"))


def test_names_of_the_whole_document() -> None:
    assert top_names(typescript(SCHEMA)) == ["name", "kind", "parts", "odd key"]
    assert top_names("string") == [] and top_names("{b: {c: 1}, a?: 2}") == ["b", "a"]


def test_what_an_answer_says() -> None:
    assert first_object('{"a": {"b": 1}} {"c": 2}') == {"a": {"b": 1}} and first_object("{") is None
    assert median_interval([1.0, 2.0, 3.0])[0] == 2.0


def test_a_quick_run(data_dir: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("tokenizers", reason="tokenizers is not installed")
    monkeypatch.setattr(sys, "argv", ["describe", "--quick"])
    describe.main()
    assert "| 0 of 20 lose one | yes |" in capsys.readouterr().out
