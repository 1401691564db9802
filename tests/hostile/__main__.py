"""`python -m tests.hostile` → what every entrance makes of hostile inputs, with CPU time and peak memory, as a table.

    python -m tests.hostile                            all cases, some minutes
    python -m tests.hostile --only describe            those whose entrance or input has this text
    python -m tests.hostile --only path --only lark    with either text
    python -m tests.hostile --over                     only the rows that break the bound
    python -m tests.hostile --list                     the cases, without a run

A case runs in a process of its own under RLIMIT_AS and RLIMIT_CPU. A row breaks the bound with more than 2 seconds of
CPU, 300 MB beyond what the process held before the call, or an error that is none of frisket's.
"""

from __future__ import annotations

import argparse
import sys

from .case import Case
from .every import CASES
from .measure import MAX_MEGABYTES, MAX_SECONDS, Measured, measured_apart


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.hostile", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", metavar="TEXT", action="append", help="part of an entrance or an input")
    parser.add_argument("--over", action="store_true", help="print only what breaks the bound")
    parser.add_argument("--list", action="store_true", help="print the cases without a run")
    chosen = parser.parse_args(arguments)
    words = [word.casefold() for word in chosen.only or [""]]
    cases = [case for case in CASES if any(word in case.title.casefold() for word in words)]
    if not cases:
        parser.error("no case has this text; --list prints all")
    if chosen.list:
        print("\n".join(case.title for case in cases))
        return 0
    print(f"{'entrance':32} {'input':56} {'outcome':24} {'CPU s':>7} {'MB':>7}", flush=True)
    over = 0
    for case in cases:
        found = measured_apart(case)
        over += found.is_over
        if found.is_over or not chosen.over:
            print(_row(case, found), flush=True)
    print(f"{len(cases)} cases, {over} over {MAX_SECONDS:g} s of CPU, {MAX_MEGABYTES:g} MB or without a typed error")
    return int(over > 0)


def _row(case: Case, found: Measured) -> str:
    over = "  over" if found.is_over else ""
    return f"{case.entrance:32} {case.name:56} {found.outcome:24} {found.seconds:7.2f} {found.megabytes:7.0f}{over}"


if __name__ == "__main__":
    sys.exit(main())
