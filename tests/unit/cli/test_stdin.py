"""Standard input → the prompt of `generate` and `example`."""

from __future__ import annotations

import io

import pytest

pytest.importorskip("typer", reason="typer is not installed")

from frisket.cli import run


@pytest.mark.parametrize(
    "command", [["generate", "--choices", "positive,negative"], ["example", "tutor"]], ids=["generate", "example"]
)
def test_a_prompt_may_come_on_stdin(
    command: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    run([*command, "She wrote a book"])
    said = capsys.readouterr().out
    monkeypatch.setattr("sys.stdin", io.StringIO("She wrote a book\n"))
    run([*command, "-"])
    assert capsys.readouterr().out == said


def test_a_prompt_that_the_schema_has_taken_is_missed(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO('{"type": "boolean"}'))
    assert run(["generate", "--schema", "-", "-"]) != 0
    assert "nothing came on stdin" in capsys.readouterr().err
