"""Random walks under the masks × two independent validators → how many documents are valid (all of them should be).

    python -m tests.conformance.selfplay                        every schema of MaskBench and of the official suite
    python -m tests.conformance.selfplay --minutes 10 --seed 7  as many as fit, in an order that the seed chooses
    python -m tests.conformance.selfplay --schemas Github_hard  those whose name holds the text
    python -m tests.conformance.selfplay --vocabulary llama3    a real vocabulary instead of bytes and seams
    python -m tests.conformance.selfplay --resume walks.jsonl   goes on where that file ends, and writes to it

Every schema is walked with every manner of `walk`, once under the default options and once under every spelling
(`JSONSchemaOptions.free()`). A document is valid if jsonschema-rs and the Python jsonschema both say so (`judge`).
A walk that SECONDS for its schema end is *cut short*: it shows nothing, so it is counted and listed. A dead end, a
limit reached or a wrong document is a failure.
"""

from __future__ import annotations

import random
import sys
import time
from functools import partial
from typing import Any

from tests.conformance.sweep import Subject, Tally, parser, sweep
from tests.conformance.walk import MANNERS, DeadEnd, Hints, Late, Table, Walker
from tests.data import find_data_dir, llama3_tokens

SECONDS = 60
FAILURES = ("wrong", "dead end", "stopped")
BUDGETS = {"small": 120, "llama3": 60}


def play(subject: Subject, walker: Walker, *, seed: int, walks: int, budget: int) -> Tally:
    """The walks of one schema: all manners in turn, half under the default options, half under every spelling."""
    from frisket import Grammar
    from frisket.errors import FrisketError, UnsatisfiableSchemaError
    from frisket.json_schema import JSONSchemaOptions
    from tests.conformance.judge import Judges, NoJudge

    tally = Tally()
    walker.until = time.monotonic() + SECONDS
    try:
        judges = Judges(subject.schema, formats=subject.formats == "assert", registry=subject.registry)
    except NoJudge as error:
        judges = None
        tally.note("no judge", f"{subject.name}: {error}")
    formats: Any = subject.formats
    hints = Hints.from_schema(subject.schema)
    for turn, options in enumerate((JSONSchemaOptions(formats=formats), JSONSchemaOptions.free(formats=formats))):
        try:
            grammar = Grammar.from_json_schema(subject.schema, options, subject.registry)
            compiled = grammar.core.compile(walker.table.core)
        except UnsatisfiableSchemaError:
            tally.counts["unsatisfiable schemas"] += 1
            return tally
        except FrisketError as error:
            tally.counts["refused schemas"] += 1
            tally.examples.append(f"refused: {subject.name}: {error}")
            continue
        for number in range(turn, walks, 2):
            manner = MANNERS[number // 2 % len(MANNERS)]
            where = f"{subject.name} ({manner.name}, {'free' if turn else 'default'})"
            chance = random.Random(f"{seed}/{subject.name}/{number}")
            try:
                text = walker.walk(compiled.matcher(), chance, manner, budget, hints)
            except Late:
                tally.note("cut short", f"{where}: {SECONDS} s for one schema are over")
                continue
            except DeadEnd as error:
                tally.note("dead end", f"{where}: {str(error)[:600]}")
                continue
            except FrisketError as error:
                tally.note("stopped", f"{where}: {type(error).__name__}: {str(error)[:300]}")
                continue
            if judges is None:
                tally.counts["unjudged"] += 1
                continue
            try:
                problem, explained = judges.wrong(text)
            except NoJudge as error:
                tally.note("unjudged", f"{where}: {error}: {text[:200]!r}")
                continue
            tally.counts["wrong" if problem else "valid"] += 1
            tally.explained.update(explained)
            if problem:
                tally.examples.append(f"wrong: {where}: {problem[:300]}\n    {text[:500]!r}")
            elif explained:
                tally.examples.append(f"explained: {where}: {explained}\n    {text[:300]!r}")
    return tally


def main(arguments: list[str] | None = None) -> int:
    asked = parser("Self-play over MaskBench and the official suite")
    asked.add_argument("--walks", type=int, default=2 * len(MANNERS), help="walks for each schema (24: all manners)")
    asked.add_argument("--vocabulary", choices=list(BUDGETS), default="small")
    chosen = asked.parse_args(arguments)
    folder = find_data_dir()
    real = chosen.vocabulary != "small" and folder is not None
    walker = Walker(Table(llama3_tokens(folder)) if real else Table.small())
    budget = BUDGETS[chosen.vocabulary]
    walked = partial(play, walker=walker, seed=chosen.seed, walks=chosen.walks, budget=budget)
    return sweep(chosen, walked, FAILURES, (*FAILURES, "cut short"))


if __name__ == "__main__":
    sys.exit(main())
