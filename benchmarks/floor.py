"""`python -m benchmarks.floor` → what a mask's time is made of; benchmarks/results/floor-<date>-<commit>.md.

What would be left if nothing had to be found out is the floor: a call from Python and a copy of one bit per token. Each
part of it is timed where the mask stands, between the same commits and the same Python: in a loop of its own a copy
would find both its ends in the nearest cache, as it never does in a program that does something else, too.
"""

from __future__ import annotations

import argparse
import contextlib
import datetime
import gc
import itertools
import operator
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from frisket.errors import FrisketError

from . import report
from .bounds.bound import figure
from .corpus import Case, Tokenizer, cases, load_tokenizer, maskbench
from .engine import Session
from .frisket import Engine
from .run import Limit, run
from .worker import follow
from .worker import replay as replay_all

Call = Callable[[], object]

#: Of a mask's words a token is allowed in so many: (at most that part of them, what such masks are).
KINDS = ((1 / 64, "a word, a bracket, a few keys"), (1 / 8, "digits, several keys"), (0.97, "a pattern"), (1.0, "text"))
#: So much longer than when it is warm takes a mask that had to be found out, in µs.
FIRST_SIGHT = 0.5
BANDS = (5.0, 25.0, 130.0)
FUNCTIONS = 40


def calls(engine: Engine, matcher: Any) -> dict[str, Call]:
    """What is timed in the mask's place."""
    target, source = engine.bitmask.data, np.full_like(engine.bitmask, -1).data
    return {
        "the clock": time.perf_counter_ns,
        "an empty call": partial(len, engine.bitmask),
        "`Matcher.mask`, a reference": matcher.mask,
        f"a copy of {engine.bitmask.nbytes / 1e3:.1f} KB (`memoryview`)": partial(
            operator.setitem, target, slice(None), source
        ),
        "`Matcher.fill_mask`": partial(matcher.fill_mask, engine.bitmask),
    }


def replay(engine: Engine, compiled: Any, case: Case, name: str) -> list[int]:
    """Nanoseconds of the named call in the place of each mask."""
    times: list[int] = []
    for instance in case.instances:
        matcher = compiled.matcher()
        # Where no mask is written every token is allowed.
        engine.bitmask.fill(-1)
        session = Session(calls(engine, matcher)[name], matcher.try_advance, lambda: True)
        follow(engine, session, instance.tokens, times, [])
    return times


def words_allowed(engine: Engine, compiled: Any, case: Case) -> Iterator[int]:
    """In how many words of each mask a token is allowed."""
    for instance in case.instances:
        matcher = compiled.matcher()
        for token in instance.tokens:
            matcher.fill_mask(engine.bitmask)
            yield int(np.count_nonzero(engine.bitmask))
            if not matcher.try_advance(token):
                break


@dataclass
class Measured:
    """Microseconds: of each call in the masks' place; of each mask cold, and warm; and the words in which it allows."""

    calls: dict[str, NDArray[np.float64]]
    cold: NDArray[np.float64]
    warm: NDArray[np.float64]
    words: NDArray[np.int64]


def measure(tokenizer: Tokenizer, sample: Sequence[Case], rounds: int) -> Measured:
    timings = run(["frisket"], tokenizer, sample, limit=Limit(), rounds=rounds)[0].timings
    engine = Engine(tokenizer)
    times: dict[str, list[int]] = {name: [] for name in calls(engine, engine.compile({}, "{}").matcher())}
    cold, warm = [], []
    words: list[int] = []
    gc.collect()
    gc.freeze()
    for place, case in enumerate(sample, 1):
        if (timing := timings[case.name]).status in report.COMPILED:
            cold.append(timing.masks)
            warm.append(timing.warm_masks)
            compiled = engine.compile(case.schema, case.text)
            words += words_allowed(engine, compiled, case)
            for name, of in times.items():
                of += replay(engine, compiled, case, name)
        if place % 20 == 0 or place == len(sample):
            print(f"{place}/{len(sample)} schemas", file=sys.stderr, flush=True)
    return Measured(
        {name: np.array(of) / 1e3 for name, of in times.items()},
        np.concatenate(cold) / 1e3,
        np.concatenate(warm) / 1e3,
        np.array(words),
    )


def table(heads: Sequence[str], rows: Iterable[Sequence[str | float]]) -> str:
    lines = [list(heads), ["---"] + ["--:"] * (len(heads) - 1)]
    lines += [[figure(cell) for cell in row] for row in rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"


def in_place(found: Measured) -> str:
    rows: list[list[str | float]] = [[name, *np.percentile(times, [10, 50, 90])] for name, times in found.calls.items()]
    return table(["µs, in the place of a warm mask", "p10", "p50", "p90"], rows)


def by_kind(found: Measured, mask_words: int) -> str:
    rows: list[list[str | float]] = []
    least = -1
    for part, kind in KINDS:
        most = int(part * mask_words)
        here = (found.words > least) & (found.words <= most)
        least = most
        if here.any():
            times = [np.median(found.warm[here]), np.median(found.cold[here])]
            rows.append([f"{kind}: up to {most:,} words", f"{here.mean():.0%}", *times])
    return table(["masks", "share", "warm p50, µs", "cold p50, µs"], rows)


def by_excess(found: Measured) -> str:
    """What each band of masks adds to the cold mean over the warm one."""
    excess = found.cold - found.warm
    rows: list[list[str | float]] = [["the mean of warm masks", "100%", found.warm.mean()]]
    bounds = (-np.inf, FIRST_SIGHT, *BANDS, np.inf)
    for least, most in itertools.pairwise(bounds):
        here = (excess > least) & (excess <= most)
        name = "found out before" if most == FIRST_SIGHT else f"{least:g} µs more, up to {most:g}"
        rows.append([name.removesuffix(", up to inf"), f"{here.mean():.1%}", excess[here].sum() / len(excess)])
    rows.append(["the mean of cold masks", "100%", found.cold.mean()])
    return table(["cold masks", "share", "µs of the mean"], rows)


def profile(options: argparse.Namespace) -> str:
    """The engine's functions by the instructions that first sights take in them and what they call (callgrind)."""
    with tempfile.NamedTemporaryFile() as out:
        driven = [sys.executable, "-m", "benchmarks.floor", "--drive", "--schemas", str(options.schemas)]
        tool = ["valgrind", "--tool=callgrind", "--collect-atstart=no", "--toggle-collect=*Automaton*"]
        subprocess.run(
            [*tool, f"--callgrind-out-file={out.name}", *driven, "--tokenizer", options.tokenizer],
            check=True,
            stderr=subprocess.DEVNULL,
        )
        said = subprocess.run(
            ["callgrind_annotate", "--inclusive=yes", out.name], check=True, capture_output=True, text=True
        )
    rows = []
    for line in said.stdout.splitlines():
        match = re.match(r"\s*([\d,]+) \(\s*([\d.]+)%\)\s+\S*?:(frisket_core::\S.*?)(?: \[|$)", line)
        if match and not match[3].endswith("'2"):
            name = re.sub(r"<impl frisket_core::(\w+::)*(\w+)>", r"\2", match[3]).removeprefix("frisket_core::")
            rows.append([f"`{name}`", f"{match[2]} %", match[1]])
    return table(["in a function and what it calls", "of all instructions", "instructions"], rows[:FUNCTIONS])


def drive(tokenizer: Tokenizer, sample: Sequence[Case]) -> None:
    """Every case once, for a profiler to look at."""
    engine = Engine(tokenizer)
    for case in sample:
        with contextlib.suppress(FrisketError):
            replay_all(engine, engine.compile(case.schema, case.text), case)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.floor", description="What a mask's time is made of")
    parser.add_argument("--schemas", type=int, default=260, help="how many of MaskBench's schemas (default: 260)")
    parser.add_argument("--tokenizer", default="llama3", help="a folder of the data's tokenizers, or any path")
    parser.add_argument(
        "--rounds", type=int, default=2, help="processes, of which the smaller time counts (default: 2)"
    )
    parser.add_argument("--callgrind", action="store_true", help="and a profile by instructions: valgrind, minutes")
    parser.add_argument("--drive", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "results", help="folder of the results")
    options = parser.parse_args()
    if options.callgrind and not shutil.which("valgrind"):
        parser.error("--callgrind runs valgrind, which is not installed (a package of that name)")
    tokenizer = load_tokenizer(options.tokenizer)
    sample = cases(tokenizer, maskbench(), count=options.schemas, seed=1)
    if options.drive:
        drive(tokenizer, sample)
        return
    commit, machine = report.commit(), report.machine()
    found = measure(tokenizer, sample, options.rounds)
    today = datetime.date.today().isoformat()
    page = (
        f"# The floor, {today}\n\n"
        f"`python -m benchmarks.floor`, commit {commit}, {options.schemas} schemas of MaskBench (seed 1), tokenizer "
        f"{tokenizer.name} ({tokenizer.size:,} tokens); {machine['cpu']}, {machine['cores']} cores, Python "
        f"{machine['python']}. Each time holds one reading of the clock. Cold: the first time on a new schema, with "
        f"what other schemas have left (of {options.rounds} processes the smaller time); warm: the same tokens "
        "again.\n\n"
        f"## What a call is made of\n\n{in_place(found)}\n"
        f"## Masks by what they allow\n\n{by_kind(found, tokenizer.mask_words)}\n"
        f"## What the cold mean is made of\n\n{by_excess(found)}"
    )
    if options.callgrind:
        page += (
            f"\n## Where first sights are\n\nMasks and commits that were not known, by callgrind.\n\n{profile(options)}"
        )
    print(page)
    options.out.mkdir(parents=True, exist_ok=True)
    path = options.out / f"floor-{today}-{commit}.md"
    path.write_text(page, encoding="utf-8")
    print(path)


if __name__ == "__main__":
    main()
