"""A word that is no command, or no keyword → the one that may be meant."""

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


def test_generate_warns_of_a_misspelt_keyword(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["generate", "--schema", '{"enum": [1], "requried": ["a"]}', "?"]) == 0
    ran = capsys.readouterr()
    assert ran.out == "1\n"
    assert ran.err.splitlines()[0] == "warning: (root): requried is no keyword and asks nothing; do you mean required?"
