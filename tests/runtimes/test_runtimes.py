"""Rust, C and WebAssembly → the masks of the Python package, word by word; the command in small.

FRISKET_LIBRARY is the folder of libfrisket and of the example: `cargo build --profile source -p frisket-ffi` and
`cargo build --profile source -p frisket --example walk` make target/source. FRISKET_WASM is what npm/build.sh makes.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.ffi.program import LIBRARY
from tests.runtimes.comparison import compare
from tests.runtimes.program import Program, commands
from tests.runtimes.walks import OTHERS, schema_walks, walks

PACKAGE = Path(os.environ["FRISKET_WASM"]) if "FRISKET_WASM" in os.environ else None
REASON = "set FRISKET_LIBRARY to the folder of libfrisket, FRISKET_WASM to the package for JavaScript"


def started(name: str, folder: Path, mode: str) -> Program:
    known = commands(folder, LIBRARY, PACKAGE)
    if name not in known:
        pytest.skip(REASON)
    return Program(name, known[name], mode)  # type: ignore[arg-type]


@pytest.mark.data
@pytest.mark.parametrize("name", ["rust", "c", "node"])
def test_masks_are_those_of_the_python_package(name: str, tmp_path: Path) -> None:
    with started(name, tmp_path, "masks") as program:
        result = compare(walks(every=80), [program], most=1_000_000)
    assert result.differences == []
    assert set(result.walks) == {"own", "MaskBench", "grammar cases", "tool formats"}
    assert result.python_alone.total() < result.walks["grammar cases"]
    assert min(result.positions.values()) > len(OTHERS) and result.positions.total() > 10_000


@pytest.mark.data
@pytest.mark.parametrize("name", ["python", "rust", "c", "node"])
def test_times_are_of_each_call(name: str, tmp_path: Path) -> None:
    walk = next(schema_walks())
    with started(name, tmp_path, "times") as program:
        program.send(walk, walk.tokens)
        assert program.takes()
        times = program.times()
    rows = (times.mask, times.advance, times.mask_again, times.advance_again)
    assert [len(row) for row in rows] == [len(walk.tokens)] * 4
    assert times.compile[0] > 0
