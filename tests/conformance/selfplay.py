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

import argparse
import json
import random
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.conformance import suite
from tests.conformance.walk import MANNERS, DeadEnd, Hints, Late, Table, Walker
from tests.data import find_data_dir, llama3_tokens, maskbench

SECONDS = 60
BUDGETS = {"small": 120, "llama3": 60}


@dataclass(frozen=True)
class Subject:
    """One schema to walk."""

    name: str
    schema: Any
    formats: str = "assert"
    registry: Any = None


@dataclass
class Tally:
    """What came of some walks."""

    counts: Counter[str] = field(default_factory=Counter)
    explained: Counter[str] = field(default_factory=Counter)
    examples: list[str] = field(default_factory=list)

    def note(self, kind: str, text: str) -> None:
        self.counts[kind] += 1
        self.examples.append(f"{kind}: {text}")

    def add(self, other: Tally) -> None:
        self.counts += other.counts
        self.explained += other.explained
        self.examples += other.examples

    @property
    def failed(self) -> bool:
        return any(self.counts[kind] for kind in ("wrong", "dead end", "stopped"))


def subjects(folder: Path) -> Iterator[Subject]:
    """Every schema of MaskBench, then of the official suite."""
    for entry in maskbench(folder):
        yield Subject(f"maskbench {entry['id']}", entry["schema"])
    for draft in suite.DRAFTS:
        registry = suite.registry(folder, draft)
        for case in suite.cases(folder, draft):
            schema = json.loads(suite.dumps(case.schema))
            yield Subject(f"suite {draft} {case.name}", schema, case.formats, registry)


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
    parser = argparse.ArgumentParser(description="Self-play over MaskBench and the official suite")
    parser.add_argument("--walks", type=int, default=2 * len(MANNERS), help="walks for each schema (24: all manners)")
    parser.add_argument("--minutes", type=float, help="stop after so long")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--schemas", default="", help="only schemas whose name holds this text")
    parser.add_argument("--sample", type=int, default=1, help="one schema in so many")
    parser.add_argument("--vocabulary", choices=list(BUDGETS), default="small")
    parser.add_argument("--resume", type=Path, help="a file of what is done: read, and added to")
    parser.add_argument("--show", type=int, default=20, help="how many failures to print")
    chosen = parser.parse_args(arguments)
    folder = find_data_dir()
    if folder is None:
        print("no data: set FRISKET_DATA", file=sys.stderr)
        return 2
    todo = [subject for subject in subjects(folder) if chosen.schemas in subject.name]
    random.Random(chosen.seed).shuffle(todo)
    todo = todo[:: chosen.sample]
    total, done = Tally(), set()
    if chosen.resume is not None and chosen.resume.exists():
        for line in chosen.resume.read_text(encoding="utf-8").splitlines():
            entry = json.loads(line)
            done.add(entry["name"])
            total.add(Tally(Counter(entry["counts"]), Counter(entry["explained"]), entry["examples"]))
    walker = Walker(Table.small() if chosen.vocabulary == "small" else Table(llama3_tokens(folder)))
    began = time.monotonic()
    schemas = 0
    for number, subject in enumerate(todo):
        if chosen.minutes is not None and time.monotonic() - began > 60 * chosen.minutes:
            break
        schemas += 1
        if subject.name in done:
            continue
        tally = play(subject, walker, seed=chosen.seed, walks=chosen.walks, budget=BUDGETS[chosen.vocabulary])
        total.add(tally)
        if chosen.resume is not None:
            entry = {
                "name": subject.name,
                "counts": tally.counts,
                "explained": tally.explained,
                "examples": tally.examples,
            }
            with chosen.resume.open("a", encoding="utf-8") as file:
                file.write(json.dumps(entry, ensure_ascii=True) + "\n")
        if sys.stderr.isatty():
            part = (number + 1) / len(todo)
            bar = "█" * int(30 * part) + "·" * (30 - int(30 * part))
            print(f"\r{bar} {number + 1:,}/{len(todo):,}  {total.counts['wrong']} wrong", end="", file=sys.stderr)
    kinds = ("wrong", "dead end", "stopped", "cut short")
    failures = [line for line in total.examples if line.startswith(kinds)]
    for line in failures[: chosen.show]:
        print(line)
    print(f"schemas: {schemas:,} of {len(todo):,}, {chosen.walks} walks each, seed {chosen.seed}")
    for kind, count in total.counts.most_common():
        print(f"{count:9,}  {kind}")
    for reason, count in total.explained.most_common():
        print(f"{count:9,}  explained: {reason}, the other judge does not")
    return int(total.failed)


if __name__ == "__main__":
    sys.exit(main())
