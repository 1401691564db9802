"""A word that is no command → exit code 2, and the command that may be meant."""

from __future__ import annotations

import pytest

pytest.importorskip("typer")

from frisket.cli import run


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("expain", "'frisket mask --explain'"),
        ("genrate", "'frisket generate'"),
        ("Check", "'frisket check'"),
        ("help", "'frisket --help'"),
        ("frobnicate", "'frisket --help' lists"),
        ("She wrote a book", "'frisket --help' lists"),
    ],
)
def test_an_unknown_command_is_answered_with_the_one_that_is_near(
    capsys: pytest.CaptureFixture[str], word: str, meant: str
) -> None:
    assert run([word]) == 2
    ran = capsys.readouterr()
    assert ran.out == "" and f"No such command {word!r}" in ran.err and meant in " ".join(ran.err.split())
