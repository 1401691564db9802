"""`python -m tests.runtimes --library FOLDER --package FOLDER` → whether all runtimes have the same masks.

Walks MaskBench's documents, the grammar cases and the tool formats by Rust, C and WebAssembly in Node.js, and compares
every word of every mask. The page goes to benchmarks/results.
"""

from __future__ import annotations

import argparse
import contextlib
import datetime
import platform
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import frisket
from benchmarks import report
from tests.data import ROOT
from tests.regexes.judge import find_node
from tests.runtimes.comparison import Comparison, compare
from tests.runtimes.program import Program, commands
from tests.runtimes.walks import walks


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.runtimes", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--library", type=Path, required=True, help="target/…, with libfrisket and examples/walk")
    parser.add_argument("--package", type=Path, help="what npm/build.sh makes; without it WebAssembly is left out")
    parser.add_argument("--positions", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=48, help="of the order of the walks")
    parser.add_argument("--out", type=Path, default=ROOT / "benchmarks" / "results")
    options = parser.parse_args()
    begun = time.monotonic()
    listed = list(walks())
    random.Random(options.seed).shuffle(listed)
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        known = commands(Path(folder), options.library, options.package)
        started = [stack.enter_context(Program(name, known[name], "masks")) for name in known if name != "python"]
        result = compare(listed, started, options.positions)
        page = _page(result, [program.name for program in started], len(listed), options, time.monotonic() - begun)
    print(page)
    path = options.out / f"runtimes-{datetime.date.today()}-{report.commit()}.md"
    path.write_text(page, encoding="utf-8")
    sys.exit(bool(result.differences))


def _page(result: Comparison, names: list[str], listed: int, options: argparse.Namespace, seconds: float) -> str:
    machine = report.machine()
    runtimes = {"rust": "Rust", "c": "C", "node": "WebAssembly in Node.js"}
    lines = [
        "# Masks of all runtimes beside the Python package's",
        "",
        f"{', '.join(runtimes[name] for name in names)}: {result.positions.total():,} positions of "
        f"{result.walks.total():,} walks (of {listed:,}, in the order of seed {options.seed}), every word of every "
        f"mask; **{len(result.differences)} differences**. Llama 3's tokens.",
        "",
        f"Commit {report.commit()}, {datetime.date.today()}; {machine['cpu']}, {machine['cores']} cores, "
        f"load {machine['load']}; frisket {frisket.__version__}, Python {platform.python_version()}, "
        f"{_output('rustc')}, {_output('cc')}, Node.js {_output(find_node() or 'node')}; {seconds:,.0f} s. "
        f"`python -m tests.runtimes --positions {options.positions}` with the library and the package.",
        "",
        "| walks | number | positions | refused by all | read by Python alone |",
        "|---|--:|--:|--:|--:|",
        *(
            f"| {source} | {count:,} | {result.positions[source]:,} | {result.refused[source]:,} "
            f"| {result.python_alone[source]:,} |"
            for source, count in result.walks.most_common()
        ),
        "",
        "Python alone reads references to metaschemas ([not in the crate]"
        "(../../docs/how-to/from-rust.md#what-is-not-in-the-crate)).",
        "",
        *(f"* {difference}" for difference in result.differences[:50]),
    ]
    return "\n".join(lines).rstrip() + "\n"


def _output(program: str) -> str:
    """The first line of what a program says of its version."""
    said = subprocess.run([program, "--version"], capture_output=True, text=True, check=True)
    return said.stdout.splitlines()[0]


if __name__ == "__main__":
    main()
