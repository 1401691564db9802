"""`python -m tests.fuzz` → so many random cases, each with every invariant checked; crashes and hangs are found too.

    python -m tests.fuzz --cases 1000000 --seed 1 --jobs 2      all of them
    python -m tests.fuzz --only 4711                            one case, call by call

A case is a number and gives the same calls everywhere. The cases run in processes that are watched: one that dies or
does not come back is a finding with its number, and the next cases go on in a new process.
"""

from __future__ import annotations

import argparse
import sys
import time

from .runner import fuzz


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description="Random calls, every invariant checked")
    parser.add_argument("--cases", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1, help="where the numbers start: seed times a billion")
    parser.add_argument("--jobs", type=int, default=1, help="processes at a time")
    parser.add_argument("--hang", type=float, default=30.0, help="seconds without an answer that are a finding")
    parser.add_argument("--only", type=int, help="one case by its number, call by call")
    parser.add_argument("--stop-after", type=int, default=50, help="broken cases that are enough")
    chosen = parser.parse_args(arguments)
    if chosen.only is not None:
        from .case import run

        result = run(chosen.only)
        print("\n".join(result.log))
        print(result.broken or f"holds, {result.steps} steps")
        return int(bool(result.broken))
    began = time.monotonic()
    start = chosen.seed * 10**9
    found = fuzz(range(start, start + chosen.cases), jobs=chosen.jobs, hang=chosen.hang, stop_after=chosen.stop_after)
    found.show_broken()
    print(
        f"{found.cases:,} cases in {time.monotonic() - began:,.0f} s, of which {found.checked:,} led to a matcher or a "
        f"vocabulary ({found.shown_kinds()}); "
        f"slowest {found.slowest[0]:.2f} s (case {found.slowest[1]}); {len(found.broken)} broken"
    )
    return int(bool(found.broken))


if __name__ == "__main__":
    sys.exit(main())
