"""Schemas, vocabularies and refusals → lines of `logging` under `frisket`."""

from __future__ import annotations

import base64
import logging
import subprocess
import sys
from pathlib import Path

import pytest

from frisket import FrisketError, Grammar, Vocabulary
from frisket.errors import InvalidSchemaError

WORDS = Vocabulary.from_bytes([bytes([byte]) for byte in range(256)] + [None], special={"<end>": 256}, eos=[256])


def test_compiles_and_what_was_read_before_are_logged(caplog: pytest.LogCaptureFixture) -> None:
    schema = {"type": "integer", "maximum": 31_415}
    with caplog.at_level(logging.DEBUG, "frisket"):
        Grammar.from_json_schema(schema).compile(WORDS)
        Grammar.from_json_schema(schema)
    read, compiled, again = [record.getMessage() for record in caplog.records]
    assert read.startswith("read a schema into ")
    assert compiled.startswith("compiled <Grammar.from_json_schema(") and "31415" in compiled
    assert again.startswith("a schema of ") and again.endswith(" bytes was read before")


def test_refusals_are_logged_with_their_codes(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG, "frisket"), pytest.raises(InvalidSchemaError):
        Grammar.from_json_schema({"type": "nothing"})
    assert "refused: schema-invalid: " in caplog.text
    letters = Vocabulary.from_bytes([b"a", None], special={"<end>": 1}, eos=[1])
    with caplog.at_level(logging.DEBUG, "frisket"), pytest.raises(FrisketError) as refused:
        Grammar.from_choices(["b"]).compile(letters)
    assert f"not compiled for this vocabulary: {refused.value.code}" in caplog.text


def test_vocabularies_from_disk_are_logged(
    caplog: pytest.LogCaptureFixture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FRISKET_CACHE_DIR", str(tmp_path))
    file = tmp_path / "tokens.tiktoken"
    words = [base64.b64encode(bytes([byte])).decode() for byte in range(256)]
    file.write_text("".join(f"{word} {rank}\n" for rank, word in enumerate(words)))
    with caplog.at_level(logging.DEBUG, "frisket"):
        for _ in range(2):
            Vocabulary.from_tiktoken(file, special={"<end>": 256}, eos="<end>")
    made, read = [record.getMessage() for record in caplog.records]
    assert made.startswith("made the vocabulary ") and read.startswith("read the vocabulary ")


def test_who_never_imports_logging_does_not_pay_for_it() -> None:
    program = """
import sys
from frisket import Grammar, Vocabulary
vocabulary = Vocabulary.from_bytes([b"1", None], special={"<end>": 1}, eos=[1])
Grammar.from_json_schema({"const": 1}).compile(vocabulary)
sys.exit("logging" in sys.modules)
"""
    subprocess.run([sys.executable, "-c", program], check=True)
