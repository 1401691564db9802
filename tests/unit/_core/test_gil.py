"""Short calls keep the GIL, long ones let other threads run."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from frisket import Grammar
from frisket._core import Matcher, Vocabulary

VOCABULARY = Vocabulary([*(bytes([value]) for value in range(256)), b'{"', b'": ', None], eos=[258])


class Waiting:
    """A thread that runs as soon as the GIL is given away by a call: it is never taken from one that computes."""

    def __init__(self) -> None:
        self.ran = False
        self._awake = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def _run(self) -> None:
        self._awake.wait()
        self.ran = True

    def wake(self) -> None:
        self._awake.set()

    def join(self) -> None:
        self.wake()
        self._thread.join()


@pytest.fixture
def waiting() -> Iterator[Waiting]:
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1_000)
    thread = Waiting()
    try:
        yield thread
    finally:
        thread.join()
        sys.setswitchinterval(interval)


def matcher(schema: Any) -> Matcher:
    return Grammar.from_json_schema(schema).compile(VOCABULARY).matcher()


def test_a_new_schema_gives_the_gil_away(waiting: Waiting) -> None:
    matcher({"const": "the first schema imports what reads schemas, and reading files gives the GIL away"})
    waiting.wake()
    for count in range(1_000):  # a machine that is busy may not wake the other thread during the first
        matcher({"type": "object", "properties": {f"a{count}": {"type": "integer"}}})
        if waiting.ran:
            return
    pytest.fail("the GIL was never given away")


def test_the_first_masks_of_a_schema_keep_the_gil(waiting: Waiting) -> None:
    found = matcher({"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]})
    waiting.wake()
    for byte in b'{"a": 12}':
        assert found.mask_bytes()
        found.advance(byte)
    assert not waiting.ran


def test_a_long_call_gives_it_away(waiting: Waiting) -> None:
    found = matcher({})
    waiting.wake()
    for depth in range(1_000, 2_000):  # a machine that is busy may not wake the other thread during the first
        found.advance_bytes(b"[" * depth)
        if waiting.ran:
            return
        found.reset()
    pytest.fail("the GIL was never given away")


def test_a_long_build_keeps_nothing_of_the_program(tmp_path: Path) -> None:
    script = """
import sys
from frisket._core import GrammarBuilder
builder = GrammarBuilder()
letter = builder.byte_class([(97, 98)])
builder.and_([builder.repeat(builder.repeat(letter, period, period), 0) for period in (97, 101)])
out = open(sys.argv[1], "w")
out.write("written when the interpreter drops it")
"""
    written = tmp_path / "out"
    subprocess.run([sys.executable, "-c", script, os.fspath(written)], check=True)
    assert written.read_text() == "written when the interpreter drops it"
