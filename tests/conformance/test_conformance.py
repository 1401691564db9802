"""A sample of the official suite and of MaskBench on every run; the commands of this folder run them whole."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conformance import maskbench, selfplay, suite


@pytest.mark.parametrize("draft", list(suite.DRAFTS))
def test_suite_sample(draft: str, data_dir: Path) -> None:
    pytest.importorskip("jsonschema_specifications")
    figures = suite.run(data_dir, draft, sample=9)
    known = json.loads(suite.BASELINE.read_text(encoding="utf-8"))[draft]
    assert figures.under == [] and figures.over == [] and figures.crashed == {}
    assert [name for name in figures.refused if name not in known] == []


def test_maskbench_sample(data_dir: Path) -> None:
    figures = maskbench.run(data_dir, "any", sample=40)
    known = json.loads(maskbench.BASELINE.read_text(encoding="utf-8"))["any"]
    assert figures.under == {} and figures.over == {} and figures.crashed == {}
    assert [name for name in figures.refused if name not in known] == []


def test_walks_are_valid(data_dir: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("jsonschema_rs")
    assert selfplay.main(["--sample", "300"]) == 0, capsys.readouterr().out


def test_documents_valid_by_construction(data_dir: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("hypothesis_jsonschema")
    pytest.importorskip("jsonschema_rs")
    from tests.conformance import converse

    assert converse.main(["--sample", "300", "--documents", "3"]) == 0, capsys.readouterr().out


def test_keywords_make_a_difference(data_dir: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("jsonschema_rs")
    from tests.conformance import mutation

    assert mutation.main(["--sample", "700"]) == 0, capsys.readouterr().out


def test_lint_keeps_verdicts(data_dir: Path) -> None:
    pytest.importorskip("jsonschema_rs")
    from tests.conformance import lint

    figures = lint.run(data_dir, None, sample=20)
    assert figures.crashed == {} and figures.findings["FRK301"] > 0
    verdicts = lint.judge(data_dir, sample=20)
    assert verdicts.mended > 0 and verdicts.judged > 0
    assert verdicts.changed == [] and verdicts.rewritten == [] and verdicts.left == []
