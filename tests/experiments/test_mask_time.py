"""Times of masks: what is read off a mask, what is reported, and a quick run."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from experiments.mask_time import __main__ as mask_time
from experiments.mask_time.case import cases
from experiments.mask_time.report import judged, page
from experiments.mask_time.worker import Times, allowed


def test_allowed_tokens_are_the_bits_of_a_mask() -> None:
    rng = np.random.default_rng(0)
    for share in (0.0, 0.01, 0.5, 1.0):
        bits = rng.random(32 * 20) < share
        words = np.packbits(bits, bitorder="little").view(np.int32)
        assert allowed(words).tolist() == np.flatnonzero(bits).tolist()


def test_the_documents_of_a_case_are_its_grammars() -> None:
    import frisket

    for case in cases(quick=True):
        grammar = frisket.Grammar.from_json_schema(case.schema)
        assert case.documents and all(grammar.accepts(document) for document in case.documents)


def test_the_claims_follow_the_times() -> None:
    fast = Times(1.0, [10.0] * 4, [1.0] * 4, [2.0] * 4, [1.0] * 4, [3] * 4)
    slow = Times(1.0, [9e4] * 4, [9e4] * 4, [2.0] * 4, [1.0] * 4, [3] * 4)
    alone, tokens = {"a draw": [1000.0], "the likeliest": [50.0]}, {"triage": [(20, 20), (21, 21)]}
    found = {("a", "frisket"): fast, ("a", "other"): slow, ("b", "frisket"): fast, ("b", "other"): Times(refused="no")}
    assert [holds for _, _, holds in judged(found, alone, tokens)] == [True] * 4
    assert "| b | other | no |" in page(found, alone, tokens, {"other": "1"}, judged(found, alone, tokens), "ran.")
    found = {("a", "frisket"): slow, ("a", "other"): fast}
    assert [holds for _, _, holds in judged(found, alone, {"triage": [(20, 30)] * 3})] == [False] * 4


def test_a_quick_run(data_dir: object, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("tokenizers", reason="tokenizers is not installed")
    monkeypatch.setattr(sys, "argv", ["mask_time", "--quick"])
    mask_time.main()
    assert "Every engine takes every case." in capsys.readouterr().out
