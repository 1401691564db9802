"""`frisket doctor`: every tool is named with what became of it; the exit code says whether one cannot be called."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from frisket.cli import run

pytest.importorskip("typer", reason="typer is not installed")

GOOD = {"name": "good", "inputSchema": {"type": "object"}}
BACK = {"function": {"name": "back", "parameters": {"type": "object", "properties": {"a": {"pattern": r"(x+)\1"}}}}}
SPAN = {"type": "integer", "minimum": 2, "maximum": 1}
NEVER = {"name": "never", "parameters": {"type": "object", "required": ["a"], "properties": {"a": SPAN}}}


def test_all_is_well(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["doctor", json.dumps([GOOD])]) == 0
    assert capsys.readouterr().out == "exact   good\n1 tool: 1 exact, 0 relaxed, 0 refused\n"


def test_what_is_left_out_and_what_is_refused(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "tools.json"
    file.write_text(json.dumps({"result": {"tools": [GOOD, BACK, NEVER]}}))
    assert run(["doctor", str(file)]) == 1
    shown = capsys.readouterr().out
    assert "relaxed back   /properties/a/pattern: a back-reference" in shown
    assert "refused never  /properties/a: " in shown
    assert "3 tools: 1 exact, 1 relaxed, 1 refused\ngenerate refuses relaxed tools unless" in shown
    assert run(["doctor", json.dumps([GOOD, BACK])]) == 0
    assert run(["doctor", json.dumps([GOOD, BACK]), "--policy", "reject"]) == 1


def test_for_programs(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["doctor", json.dumps([GOOD, NEVER]), "--json"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert (told["exact"], told["relaxed"], told["refused"]) == (1, 0, 1)
    assert [tool["status"] for tool in told["tools"]] == ["exact", "refused"]
    assert told["tools"][1]["places"][0]["pointer"] == "/properties/a"


def test_a_family_refuses_what_it_cannot_write(capsys: pytest.CaptureFixture[str]) -> None:
    tool = {"name": "t", "parameters": {"type": "object", "oneOf": [{}]}}
    assert run(["doctor", json.dumps([tool]), "--family", "glm45", "--policy", "reject"]) == 1
    assert "/oneOf: oneOf relates parameters that glm45 writes one by one" in capsys.readouterr().out
    assert run(["doctor", json.dumps([tool]), "--family", "glm"]) == 1
    assert "did you mean glm45? known are " in capsys.readouterr().err


def test_the_families(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["doctor", "--families"]) == 0
    assert "\nqwen3 " in capsys.readouterr().out
    assert run(["doctor", "--families", "--json"]) == 0
    assert all(family["sources"] for family in json.loads(capsys.readouterr().out))


@pytest.mark.parametrize("wrong", ["no-such-file.json", "[{]", '"a"'])
def test_what_cannot_be_read(wrong: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["doctor", wrong]) == 1
    assert "error: " in capsys.readouterr().err
    assert run(["doctor"]) == 2
