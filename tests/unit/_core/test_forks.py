"""A child of `fork()` computes on what a thread of its parent was computing on."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.unit._core.forks import CALLS

PROGRAM = Path(__file__).with_name("forks.py")
#: Forks of each program, at one moment of the call after another.
FORKS = 6


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork()")
@pytest.mark.parametrize("name", CALLS)
def test_a_child_waits_for_no_thread_of_its_parent(name: str) -> None:
    command = [sys.executable, str(PROGRAM), name, str(FORKS)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "ok\n"), done.stderr[-4_000:]
