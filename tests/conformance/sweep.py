"""MaskBench and the official suite → subjects, and a sweep over them that goes on where it was cut."""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.conformance import suite
from tests.data import maskbench, required_data_dir


@dataclass(frozen=True)
class Subject:
    """One schema, and the documents that come with it, said to be valid."""

    name: str
    schema: Any
    formats: str = "assert"
    registry: Any = None
    valid: tuple[Any, ...] = ()


@dataclass
class Tally:
    """What came of some subjects."""

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

    def show(self, most: int, kinds: tuple[str, ...]) -> None:
        """The examples of some kinds, and every figure."""
        for line in [line for line in self.examples if line.startswith(kinds)][:most]:
            print(line)
        for kind, count in self.counts.most_common():
            print(f"{count:9,}  {kind}")
        for reason, count in self.explained.most_common():
            print(f"{count:9,}  explained: {reason}, the other judge does not")


def subjects(folder: Path) -> Iterator[Subject]:
    """Every schema of MaskBench, then of the official suite."""
    for entry in maskbench(folder):
        valid = tuple(test["data"] for test in entry["tests"] if test["valid"])
        yield Subject(f"maskbench {entry['id']}", entry["schema"], valid=valid)
    for draft in suite.DRAFTS:
        registry = suite.registry(folder, draft)
        for case in suite.cases(folder, draft):
            schema = json.loads(suite.dumps(case.schema))
            valid = tuple(json.loads(suite.dumps(test["data"])) for test in case.tests if test["valid"])
            yield Subject(f"suite {draft} {case.name}", schema, case.formats, registry, valid)


def parser(description: str) -> argparse.ArgumentParser:
    """What every sweep asks: how much of what there is, and from where."""
    found = argparse.ArgumentParser(description=description)
    found.add_argument("--minutes", type=float, help="stop after so long")
    found.add_argument("--seed", type=int, default=1)
    found.add_argument("--schemas", default="", help="only schemas whose name holds this text")
    found.add_argument("--sample", type=int, default=1, help="one schema in so many")
    found.add_argument("--resume", type=Path, help="a file of what is done: read, and added to")
    found.add_argument("--show", type=int, default=20, help="how many failures to print")
    return found


def sweep(
    chosen: argparse.Namespace,
    play: Callable[[Subject], Tally],
    failures: tuple[str, ...],
    shown: tuple[str, ...] = (),
) -> int:
    """Every chosen subject in the order that the seed gives, and the figures; 1 if one of `failures` was counted.

    `shown`: the kinds whose examples are printed, `failures` if none are named.
    """
    folder = required_data_dir()
    todo = [subject for subject in subjects(folder) if chosen.schemas in subject.name]
    random.Random(chosen.seed).shuffle(todo)
    todo = todo[:: chosen.sample]
    total, done = Tally(), set()
    names = {subject.name for subject in todo}
    if chosen.resume is not None and chosen.resume.exists():
        for line in chosen.resume.read_text(encoding="utf-8").splitlines():
            entry = json.loads(line)
            if entry["name"] in names - done:
                done.add(entry["name"])
                total.add(Tally(Counter(entry["counts"]), Counter(entry["explained"]), entry["examples"]))
    began, schemas = time.monotonic(), len(done)
    for subject in todo:
        if subject.name in done:
            continue
        if chosen.minutes is not None and time.monotonic() - began > 60 * chosen.minutes:
            break
        tally = play(subject)
        total.add(tally)
        schemas += 1
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
            part = schemas / len(todo)
            bar = "█" * int(30 * part) + "·" * (30 - int(30 * part))
            wrong = sum(total.counts[kind] for kind in failures)
            print(f"\r{bar} {schemas:,}/{len(todo):,}  {wrong} wrong", end="", file=sys.stderr)
    print(f"schemas: {schemas:,} of {len(todo):,}, seed {chosen.seed}")
    total.show(chosen.show, shown or failures)
    return int(any(total.counts[kind] for kind in failures))
