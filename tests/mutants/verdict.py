"""Mutants with what became of them → the share that was noticed, and the survivors with their reasons."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from pathlib import Path

from tests.data import ROOT

from .mutant import Verdict

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

KNOWN = Path(__file__).with_name("survivors.toml")

#: The share of viable mutants that the fast tests are to notice: they build, and are not equivalent to the code.
GOAL = 0.95


def known() -> dict[str, str]:
    """Why a mutant survives, by its key, of those of which that is known."""
    found: dict[str, str] = tomllib.loads(KNOWN.read_text(encoding="utf-8"))
    return found


def survivors(part: str) -> frozenset[str]:
    """The keys of the mutants that survived the last run of a part."""
    file = _last(part)
    return frozenset(json.loads(file.read_text(encoding="utf-8"))) if file.exists() else frozenset()


def _last(part: str) -> Path:
    return ROOT / "target" / f"mutants-{part}.json"


def report(verdicts: Iterable[Verdict], part: str) -> int:
    """Print the survivors and the share, and keep their keys; 0 if the share reaches the goal."""
    reasons = known()
    counts = {"killed": 0, "survived": 0, "unviable": 0}
    explained, left = 0, []
    for number, verdict in enumerate(verdicts, 1):
        counts[verdict.outcome] += 1
        if not number % 10:
            print(f"{number} judged: {counts}", flush=True)
        if verdict.outcome == "survived":
            mutant = verdict.mutant
            left.append(mutant.key)
            reason = reasons.get(mutant.key)
            explained += reason is not None
            print(f"survived  {mutant.file}:{mutant.line}  {mutant.change}  {reason or 'NO REASON KNOWN'}", flush=True)
    _last(part).parent.mkdir(exist_ok=True)
    _last(part).write_text(json.dumps(left), encoding="utf-8")
    viable = counts["killed"] + counts["survived"] - explained
    share = counts["killed"] / viable if viable else 0.0
    print(
        f"{counts['killed']} of {viable} viable mutants killed ({share:.1%}; goal {GOAL:.0%}); beside them {explained} "
        f"survived that make no difference, for the reasons shown, and {counts['unviable']} did not build"
    )
    return int(share < GOAL)
