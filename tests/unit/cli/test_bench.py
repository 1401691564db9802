"""`frisket bench`: figures for a person and a program, on schemas from everywhere; no test asserts a time."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from frisket.cli import run

pytest.importorskip("typer", reason="typer is not installed")

SCHEMA = {"type": "object", "properties": {"size": {"enum": ["S", "M"]}}, "required": ["size"]}


def described(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    assert run(["bench", *arguments, "--json"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


@pytest.fixture
def schema(tmp_path: Path) -> Path:
    path = tmp_path / "schemas" / "order.json"
    path.parent.mkdir()
    path.write_text(json.dumps(SCHEMA), encoding="utf-8")
    return path


def test_random_documents_are_written_where_none_are_given(schema: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = described(capsys, str(schema), "--walks", "2")
    assert found["schemas"] == 1 and found["refused"] == [] and found["vocabulary"]["size"] > 256
    assert set(found["us"]) == {"compile + first mask", "mask, cold", "mask, warm", "commit"}
    assert found["us"]["commit"]["count"] == found["us"]["mask, warm"]["count"] > 4
    assert found["us"]["mask, cold"]["p50"] > 0 and found["bytes"]["count"] == 1
    assert found["slowest"][0]["schema"] == str(schema)


def test_one_seed_is_one_set_of_documents(schema: Path, capsys: pytest.CaptureFixture[str]) -> None:
    counts = [described(capsys, str(schema), "--seed", "5")["us"]["commit"]["count"] for _ in range(2)]
    assert counts[0] == counts[1]


def test_documents_of_ones_own(schema: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    documents = tmp_path / "documents.jsonl"
    documents.write_text('{"size": "S"}\n{"size": "XL"}\n', encoding="utf-8")
    found = described(capsys, str(schema), "--documents", str(documents))
    good = described(capsys, json.dumps(SCHEMA), "--documents", str(schema))
    assert found["us"]["commit"]["count"] > good["us"]["commit"]["count"] > 0


def test_a_folder_and_a_corpus(schema: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (schema.parent / "inner").mkdir()
    (schema.parent / "inner" / "impossible.json").write_text('{"allOf": [{"type": "null"}, {"type": "integer"}]}')
    entries = [
        {"id": "one", "schema": SCHEMA, "tests": [{"valid": True, "data": {"size": "M"}}]},
        {"id": "two", **SCHEMA},
    ]
    with gzip.open(tmp_path / "corpus.jsonl.gz", "wt", encoding="utf-8") as corpus:
        corpus.write("\n".join(map(json.dumps, entries)))
    found = described(capsys, str(schema.parent), str(tmp_path / "corpus.jsonl.gz"))
    assert found["schemas"] == 3
    (refused,) = found["refused"]
    assert refused["schema"].endswith("impossible.json") and "UnsatisfiableSchemaError" in refused["reason"]
    assert "one" in {entry["schema"] for entry in found["slowest"]}


def test_for_a_person(schema: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["bench", str(schema), "true"]) == 1  # `true` is read as a file's name
    assert "error: cannot read true" in capsys.readouterr().err
    assert run(["bench", str(schema)]) == 0
    out = capsys.readouterr().out
    assert "1 schema, a vocabulary of" in out
    assert "compile + first mask" in out and "mask, warm" in out and "p99" in out and "a grammar, KB" in out


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["nowhere.json"], 1, "nowhere.json"),
        (["{broken"], 1, "not JSON"),
        ([], 2, "Missing argument"),
        (["{}", "--documents", "nowhere"], 1, "nowhere"),
        (["{}", "--vocabulary", "nowhere.json"], 1, "nowhere.json"),
    ],
)
def test_what_cannot_be_measured_is_said(
    arguments: list[str], code: int, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["bench", *arguments]) == code
    assert said in capsys.readouterr().err


def test_an_empty_folder_and_only_refusals(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["bench", str(tmp_path)]) == 1
    assert "there is no schema" in capsys.readouterr().err
    assert run(["bench", '{"type": "nothing"}']) == 1
    assert "refused: the argument: InvalidSchemaError" in capsys.readouterr().out.replace("\n", " ")
