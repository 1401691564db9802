"""`python -m tests.runtimes.client times tokenizer.json`: the Python package, as program.py asks for it."""

from __future__ import annotations

import shutil
import struct
import sys
import tempfile
import time

import numpy as np
from numpy.typing import NDArray

from frisket import CompiledGrammar, FrisketError, Vocabulary
from frisket.compiled_schema import compiled_lately
from tests.runtimes.walks import NOTATIONS


def _times(compiled: CompiledGrammar, tokens: list[int], mask: NDArray[np.uint32]) -> tuple[list[int], list[int]]:
    """The nanoseconds of each mask and of each advance."""
    matcher, clock = compiled.matcher(), time.perf_counter_ns
    filling, advancing = [], []
    for token in tokens:
        begun = clock()
        matcher.fill_mask(mask)
        filled = clock() - begun
        if not mask[token >> 5] >> np.uint32(token & 31) & np.uint32(1):
            break
        begun = clock()
        matcher.advance(token)
        advancing.append(clock() - begun)
        filling.append(filled)
    return filling, advancing


def main() -> None:
    mode, path = sys.argv[1:]
    assert mode == "times", "masks are those of the process that asks"
    readers = list(NOTATIONS.values())
    begun = time.perf_counter_ns()
    with tempfile.TemporaryDirectory() as folder:
        # Without the files beside the tokenizer.
        vocabulary = Vocabulary.from_huggingface(shutil.copy(path, folder))
    mask = np.zeros(vocabulary.mask_words, np.uint32)
    source, target = sys.stdin.buffer, sys.stdout.buffer

    def put(*words: int) -> None:
        target.write(struct.pack(f"={len(words)}I", *words))

    put(len(mask), (time.perf_counter_ns() - begun) // 1000)
    target.flush()
    while head := source.read(12):
        notation, length, count = struct.unpack("=3I", head)
        text = source.read(length).decode()
        tokens = list(struct.unpack(f"={count}I", source.read(4 * count)))
        begun = time.perf_counter_ns()
        try:
            compiled = readers[notation](text).compile(vocabulary)
        except FrisketError:
            put(0)
        else:
            compiling = time.perf_counter_ns() - begun
            compiled_lately.clear()
            filling, advancing = _times(compiled, tokens, mask)
            filling_again, advancing_again = _times(compiled, tokens, mask)
            put(1, compiling, len(filling), *filling, *advancing, *filling_again, *advancing_again)
        target.flush()


if __name__ == "__main__":
    main()
