"""`frisket lint`: findings are printed with their places, mended where asked for, and told by the exit code."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from frisket.cli import run

pytest.importorskip("typer", reason="typer is not installed")

BAD = '{\n  "properties": {\n    "answer": {"type": "integer"},\n    "reasoning": {"type": "string"}\n  }\n}\n'
MENDED = '{\n  "properties": {\n    "reasoning": {"type": "string"},\n    "answer": {"type": "integer"}\n  }\n}\n'
OPEN = '{"type": "string", "pattern": "[A-Z]{3}"}'
GOOD = '{"type": "string"}'


@pytest.fixture
def bad(tmp_path: Path) -> Path:
    path = tmp_path / "bad.json"
    path.write_bytes(BAD.encode())
    return path


def test_clean(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["lint", GOOD]) == 0
    assert capsys.readouterr().out == "nothing found\n"


def test_findings_have_their_place(capsys: pytest.CaptureFixture[str], bad: Path) -> None:
    assert run(["lint", str(bad), OPEN]) == 1
    shown = capsys.readouterr().out
    assert shown.startswith(f'{bad}:3:5: FRK101 answer-before-reason /properties/answer\n    "answer" comes before')
    assert "(--fix)" in shown and "the argument:1:20: FRK501" in shown and "(--unsafe-fixes)" in shown
    assert shown.endswith("2 findings; --fix mends 1\n")
    assert bad.read_bytes() == BAD.encode()
    assert run(["lint", str(bad), "--exit-zero"]) == 0


def test_a_file_is_mended_in_place(capsys: pytest.CaptureFixture[str], bad: Path) -> None:
    assert run(["lint", str(bad), "--fix"]) == 0
    assert capsys.readouterr().out == "1 finding mended; nothing found\n"
    assert bad.read_bytes() == MENDED.encode()


def test_line_ends_and_the_mark_of_utf_8_stay(bad: Path) -> None:
    for mark in (b"", b"\xef\xbb\xbf"):
        bad.write_bytes(mark + BAD.replace("\n", "\r\n").encode())
        assert run(["lint", str(bad), "--fix"]) == 0
        assert bad.read_bytes() == mark + MENDED.replace("\n", "\r\n").encode()


def test_what_is_no_file_is_printed(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(BAD))
    assert run(["lint", "-", "--fix"]) == 0
    told = capsys.readouterr()
    assert told.out == MENDED and told.err == "1 finding mended; nothing found\n"
    assert run(["lint", OPEN, "--fix"]) == 1
    assert capsys.readouterr().out == OPEN + "\n"
    assert run(["lint", OPEN, "--unsafe-fixes"]) == 0
    assert json.loads(capsys.readouterr().out)["pattern"] == "^(?:[A-Z]{3})$"


def test_selection(capsys: pytest.CaptureFixture[str], bad: Path) -> None:
    assert run(["lint", str(bad), "--ignore", "FRK1,FRK4"]) == 0
    assert run(["lint", str(bad), "--select", "FRK301,unbounded-number", "--format", "json"]) == 1
    found = json.loads(capsys.readouterr().out.splitlines()[-1])["findings"]
    assert [one["rule"] for one in found] == ["FRK303", "FRK301"]
    assert run(["lint", str(bad), "--select", "FRK301", "--ignore", "FRK3"]) == 0


def test_rules_about_tokens(capsys: pytest.CaptureFixture[str]) -> None:
    enum = '{"enum": ["order_id", "order_name"]}'
    assert run(["lint", enum]) == 0
    for option in ("--vocabulary", "--tokenizer"):
        assert run(["lint", enum, option, "embedded"]) == 1
        assert "FRK201" in capsys.readouterr().out
    assert run(["lint", enum, "--vocabulary", "embedded", "--ignore", "FRK201", "--max-tokens", "2"]) == 1
    assert "FRK306" in capsys.readouterr().out
    assert run(["lint", enum, "--vocabulary", "embedded", "--ignore", "FRK201", "--max-tokens", "9"]) == 0


def test_for_programs(capsys: pytest.CaptureFixture[str], bad: Path) -> None:
    assert run(["lint", str(bad), "no-such.json", "--format", "json"]) == 2
    told = json.loads(capsys.readouterr().out)
    (finding,) = told["findings"]
    assert (finding["file"], finding["line"], finding["column"]) == (str(bad), 3, 5)
    assert finding["fix"] == {"message": '"reasoning" moves before "answer"', "safe": True}
    assert told["errors"][0]["code"] == "file"
    assert run(["lint", str(bad), "--fix", "--format", "json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["findings"] == [] and [one["rule"] for one in told["fixed"]] == ["FRK101"]


def test_sarif(capsys: pytest.CaptureFixture[str], bad: Path) -> None:
    assert run(["lint", str(bad), "--format", "sarif"]) == 1
    (result,) = json.loads(capsys.readouterr().out)["runs"][0]["results"]
    assert result["locations"][0]["physicalLocation"]["region"] == {"startLine": 3, "startColumn": 5}


def test_what_nothing_satisfies_is_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    schema = '{"items": {"type": "string", "minLength": 5, "maxLength": 3}, "type": "array", "minItems": 1}'
    assert run(["lint", schema, "--exit-zero"]) == 2
    told = capsys.readouterr()
    assert "no value can ever be valid here\n   at: the argument:/items\n hint: it says" in told.err
    assert told.out == "nothing else found\n"
    assert run(["check", schema]) == 1
    assert capsys.readouterr().err == told.err
    assert run(["lint", schema, OPEN, "--format", "json"]) == 2
    told = json.loads(capsys.readouterr().out)
    assert [one["code"] for one in told["errors"]] == ["schema-unsatisfiable"]
    assert [one["rule"] for one in told["findings"]] == ["FRK501"]
    # What only keeps a schema from a compile is for `check` to tell.
    assert run(["lint", '{"$ref": "https://a/b"}']) == 0


def test_a_misspelt_keyword_is_found_by_default(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["lint", '{"type": "string", "maxLenght": 5}']) == 1
    assert "1:20: FRK404 unknown-keyword /maxLenght\n" in capsys.readouterr().out


def test_a_python_type(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "lint_models.py").write_text(
        "from dataclasses import dataclass\n@dataclass\nclass Answer:\n    verdict: bool\n    reasoning: str\n"
    )
    monkeypatch.chdir(tmp_path)
    assert run(["lint", "--type", "lint_models:Answer"]) == 1
    assert capsys.readouterr().out.startswith("lint_models:Answer: FRK101 answer-before-reason /properties/verdict\n")
    assert run(["lint", "--type", "lint_models:Answer", "--fix"]) == 2


def test_pages(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["lint", "--rules"]) == 0
    assert "FRK402  dead-property " in capsys.readouterr().out
    assert run(["lint", "--explain", "dead-property"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("Property → FRK402 dead-property: ") and "**Evidence** (published)" in shown
    assert run(["lint", "--explain", "no-such-rule"]) == 2


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["no-such-file.json"],
        ["{"],
        ["[]"],
        [GOOD, "--format", "xml"],
        [GOOD, "--select", "FRK999"],
        [GOOD, "--ignore", "FRK999"],
        [GOOD, "--select", "FRK201"],
        [GOOD, "--max-tokens", "5"],
        ['{"x-frisket-ignore": 7}'],
    ],
)
def test_misuse_is_told_from_findings(arguments: list[str]) -> None:
    assert run(["lint", *arguments]) == 2


def test_a_file_that_cannot_be_read_keeps_no_other_from_being_linted(
    capsys: pytest.CaptureFixture[str], bad: Path
) -> None:
    assert run(["lint", "no-such.json", str(bad)]) == 2
    told = capsys.readouterr()
    assert "no-such.json" in told.err and "FRK101" in told.out


def test_rules_do_not_look_at_what_cannot_be_read(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["lint", '{"properties": {"a": {"type": "strng"}}, "requird": ["a"]}']) == 2
    assert capsys.readouterr().out == "mend this first: the rules look at schemas that can be read\n"
