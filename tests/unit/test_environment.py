"""Values of environment variables that mean nothing: the error has the variable, its value and what it may be."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from frisket.engines import metrics, room
from frisket.environment import is_on
from frisket.errors import FrisketError


@pytest.mark.parametrize(("value", "expected"), [("", True), ("1", True), (" 1 ", True), ("0", False)])
def test_a_switch_is_0_or_1(value: str, expected: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FRISKET_ROOM", value)
    assert room.is_on() is expected
    assert is_on("FRISKET_NOBODY", default=expected) is expected


def test_another_value_of_a_switch_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FRISKET_ROOM", "off")
    with pytest.raises(FrisketError, match="FRISKET_ROOM is 0 or 1, not 'off'") as caught:
        room.is_on()
    assert (caught.value.where, caught.value.code) == ("FRISKET_ROOM", "environment")


def test_a_folder_of_counters_exists(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("prometheus_client")
    monkeypatch.delenv("PROMETHEUS_MULTIPROC_DIR", raising=False)
    monkeypatch.setenv("FRISKET_METRICS_DIR", str(tmp_path / "none"))
    monkeypatch.setattr(metrics, "_metrics", None)
    with pytest.raises(FrisketError, match="FRISKET_METRICS_DIR is a folder that exists"):
        metrics.start("vLLM")


@pytest.mark.parametrize(
    ("variable", "value", "message"),
    [
        ("FRISKET_VERIFY_MASKS", "yes", 'FRISKET_VERIFY_MASKS is 0 or 1, not "yes"'),
        ("FRISKET_VERIFY_MASKS", "0", ""),
        ("FRISKET_ACCELERATORS_OFF", "sweep, trie", 'not "trie"'),
        ("FRISKET_ACCELERATORS_OFF", "sweep, literals", ""),
    ],
)
def test_variables_of_the_core_are_read_with_the_extension(variable: str, value: str, message: str) -> None:
    program = "import os, sys; os.environ[sys.argv[1]] = sys.argv[2]; import frisket._core"
    ran = subprocess.run(
        [sys.executable, "-c", program, variable, value],
        capture_output=True,
        text=True,
        encoding="utf-8",
    )
    assert message in ran.stderr and (ran.returncode == 0) is (message == ""), ran.stderr
