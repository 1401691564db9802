"""`--trace` and `frisket trace`: what they write, show, add up and refuse."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

pytest.importorskip("typer", reason="typer is not installed")

from frisket.reports import PressureReport
from tests.unit.cli.test_cli import Ran, folder

__all__ = ["folder"]
TUTOR = ("example", "tutor", "She wrote a book")


def test_a_trace_is_a_page_or_json(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plain = Ran(capsys, *TUTOR)
    for name in ("trace.html", "trace.json"):
        ran = Ran(capsys, *TUTOR, "--trace", name)
        assert (ran.code, ran.out) == (0, plain.out)
    report = PressureReport.from_json((folder / "trace.json").read_bytes())
    assert json.loads(report.text) == plain.json and report.total.nats > 0
    assert report.to_html() == (folder / "trace.html").read_text(encoding="utf-8")


def test_without_a_file_it_is_shown(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = ("generate", "--schema", "schema.json")
    for arguments in ((*asked, "--trace", "two large oat lattes"), (*asked, "two large oat lattes", "--trace")):
        ran = Ran(capsys, *arguments)
        assert ran.code == 0 and json.loads(ran.out)["size"] in ("S", "M", "L")
        assert "nats of pressure" in ran.err and "/count" in ran.err


def test_an_answer_that_was_cut_has_a_trace(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ran = Ran(capsys, *TUTOR, "--max-tokens", "3", "--on-budget", "cut", "--trace", "cut.json")
    assert ran.code == 1 and PressureReport.from_json((folder / "cut.json").read_bytes()).finish_reason == "length"


def test_bad_files(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert Ran(capsys, *TUTOR, "--trace=trace.txt").code == 2
    ran = Ran(capsys, *TUTOR, "--trace", "missing/trace.json")
    assert ran.code == 1 and "missing/trace.json" in ran.err and "hint" in ran.err
    for text in ("", "{}", "[1]", "\xff"):
        (folder / "bad.json").write_text(text, encoding="latin-1")
        ran = Ran(capsys, "trace", "bad.json")
        assert ran.code == 1 and "bad.json is not a trace" in ran.err
    ran = Ran(capsys, "trace", "none.json", "--json")
    assert ran.code == 1 and ran.json["error"]["where"] == "none.json"
    assert Ran(capsys, "trace").code == 2


def test_traces_add_up_by_path(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Ran(capsys, *TUTOR, "--trace", "1.json")
    shutil.copy("1.json", "2.json")
    Ran(capsys, "example", "orders", "two large oat lattes", "--trace", "3.json")
    reports = [PressureReport.from_json((folder / f"{number}.json").read_bytes()) for number in (1, 2, 3)]
    added = Ran(capsys, "trace", "1.json", "2.json", "3.json", "--json").json
    assert added["answers"] == 3
    assert added["total"]["nats"] == pytest.approx(sum(report.total.nats for report in reports))
    assert added["total"]["steps"] == sum(len(report.steps) for report in reports)
    assert added["paths"]["/verb"]["answers"] == 2 and added["paths"]["/items/*/size"]["answers"] == 1
    assert added["paths"]["/verb"]["nats"] == pytest.approx(2 * reports[0].paths["/verb"].nats)
    assert added["paths"][""]["answers"] == 3
    shown = Ran(capsys, "trace", "1.json", "2.json", "3.json", "--most", "3").out
    assert "3 answers" in shown and "more paths" in shown and shown.count("\n") == 6


def test_a_path_cannot_speak_to_the_terminal(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Ran(capsys, *TUTOR, "--trace", "1.json")
    document = json.loads((folder / "1.json").read_text(encoding="utf-8"))
    for step in document["steps"]:
        step["schema_path"] = "/\x1b[31m[bold]"
    (folder / "1.json").write_text(json.dumps(document), encoding="utf-8")
    shown = Ran(capsys, "trace", "1.json").out
    assert shown.startswith("1 answer, ")
    assert "\x1b" not in shown and "[bold]" in shown
