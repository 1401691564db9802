"""`python -m benchmarks.many` → answers per second one by one, in threads and in batches; results/many-….md.

The embedded model, and SmolLM2-135M-Instruct in numpy and in torch, greedy, with the schema of the support tickets. The
three ways take turns in one run; the page says whether their answers are the same.
"""

from __future__ import annotations

import argparse
import datetime
import os
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import frisket
from frisket.errors import MissingDependencyError
from frisket.models.gguf import gguf
from frisket.models.smollm2 import path as smollm2_path

from . import report

LETTERS = (
    "My card was charged twice and nobody answers the phone",
    "Where is my parcel?",
    "The app crashes as soon as I open the settings",
    "Please add a dark mode, my eyes hurt at night",
    "I cannot log in since the update",
    "How do I change the address of my account?",
    "Two of five plates were broken when the box came",
    "Thank you, all is well again",
)
MODELS: dict[str, Callable[[], Any]] = {
    "embedded": frisket.models.embedded,
    "smollm2-numpy": lambda: gguf(smollm2_path(), runtime="numpy"),
    "smollm2-torch": lambda: gguf(smollm2_path(), runtime="transformers"),
}
#: Seconds in which rounds are repeated: the embedded model takes a fraction of one.
SECONDS = 20
#: How the answers are made. The first way is what the others are compared with.
WAYS = ("one by one", "2 threads", "batches")


@dataclass
class Run:
    """The smallest times of one way, and its last answers."""

    wall: float = float("inf")
    cpu: float = float("inf")
    answers: Sequence[Any] = ()


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.many", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--models", default=",".join(MODELS), help="which, by comma")
    parser.add_argument("--prompts", type=int, default=16)
    parser.add_argument("--batch-size", type=int, default=16)
    parser.add_argument("--rounds", type=int, default=3, help="repeat all at least so often, keep the smallest times")
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "results")
    options = parser.parse_args()
    commit = report.commit()
    prompts = [f"{LETTERS[n % len(LETTERS)]} (letter {n})" for n in range(options.prompts)]
    grammar = frisket.Grammar.from_json_schema(frisket.examples.load("triage"))
    found: dict[str, list[Run]] = {}
    for name in options.models.split(","):
        try:
            model = MODELS[name]()
        except MissingDependencyError as error:
            print(f"{name}: {error}", file=sys.stderr)
            continue
        found[name] = _runs(model, prompts, grammar, options.batch_size, options.rounds)
        # After each model: a run that is ended early keeps what it has.
        path = options.out / f"many-{datetime.date.today()}-{commit}.md"
        path.write_text(_page(found, options, commit), encoding="utf-8")
        print(path)


def _runs(model: Any, prompts: Sequence[str], grammar: frisket.Grammar, size: int, rounds: int) -> list[Run]:
    ways: tuple[Callable[[], Sequence[Any]], ...] = (
        lambda: [frisket.generate(model, prompt, grammar) for prompt in prompts],
        lambda: frisket.generate_many(model, prompts, grammar, batch_size=1),
        lambda: frisket.generate_many(model, prompts, grammar, batch_size=size),
    )
    frisket.generate(model, prompts[0], grammar)
    runs = [Run() for _ in ways]
    began, number = time.perf_counter(), 0
    while number < rounds or time.perf_counter() < began + SECONDS:
        number += 1
        for run, way in zip(runs, ways, strict=True):
            wall, cpu = time.perf_counter(), time.process_time()
            run.answers = way()
            run.wall = min(run.wall, time.perf_counter() - wall)
            run.cpu = min(run.cpu, time.process_time() - cpu)
            print(f"{len(prompts) / run.wall:.1f} answers/s", file=sys.stderr)
    return runs


def _page(found: dict[str, list[Run]], options: argparse.Namespace, commit: str) -> str:
    lines = [
        f"# Many answers, {datetime.date.today()}",
        "",
        f"{options.prompts} prompts, batches of {options.batch_size}, greedy; the schema of the support tickets.",
        f"Commit {commit}; at least {options.rounds} rounds in which the ways took turns, the smallest time of each.",
        f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} at the end: other programs may have run.",
        "`python -m benchmarks.many` repeats it.",
        "",
        "| model | way | answers/s | × | CPU ms an answer | × in CPU | same answers |",
        "| --- | --- | --: | --: | --: | --: | --- |",
    ]
    for model, runs in found.items():
        first = runs[0]
        for way, run in zip(WAYS, runs, strict=True):
            lines.append(
                f"| {model} | {way} | {options.prompts / run.wall:.1f} | {first.wall / run.wall:.2f} | "
                f"{1000 * run.cpu / options.prompts:.1f} | {first.cpu / run.cpu:.2f} | "
                f"{'yes' if run.answers == first.answers else 'no'} |"
            )
    return "\n".join([*lines, ""])


if __name__ == "__main__":
    main()
