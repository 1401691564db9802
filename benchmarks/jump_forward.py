"""`python -m benchmarks.jump_forward` → tokens per second by runtime, calls saved; results/jump-forward-….md.

SmolLM2-135M-Instruct by each runtime that is installed, and the embedded model, greedy, on the four worked systems and
two more schemas, with and without reading forced text at once. Both ways take turns, prompt by prompt; the answers must
be the same, or the page says so.
"""

from __future__ import annotations

import argparse
import contextlib
import datetime
import importlib
import importlib.metadata
import os
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

import frisket
from frisket.errors import MissingDependencyError
from frisket.models.gguf import Runtime, gguf
from frisket.models.smollm2 import path as smollm2_path

from . import report

PERSON = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "maxLength": 40},
        "age": {"type": "integer", "minimum": 0, "maximum": 130},
        "city": {"type": "string", "maxLength": 40},
    },
    "required": ["name", "age", "city"],
    "additionalProperties": False,
}
EVENT = {
    "type": "object",
    "properties": {
        "title": {"type": "string", "maxLength": 40},
        "starts": {"type": "string", "format": "date"},
        "attendees": {"type": "array", "items": {"type": "string", "maxLength": 20}, "maxItems": 4},
        "location": {
            "type": "object",
            "properties": {
                "building": {"type": "string", "maxLength": 20},
                "floor": {"type": "integer", "minimum": 0, "maximum": 9},
            },
            "required": ["building", "floor"],
            "additionalProperties": False,
        },
        "recurring": {"type": "boolean"},
    },
    "required": ["title", "starts", "attendees", "location", "recurring"],
    "additionalProperties": False,
}
#: The model inside the package, on numpy; the other names are runtimes of SmolLM2.
EMBEDDED = "embedded model"
TASKS: dict[str, tuple[Any, str]] = {
    "person": (PERSON, "John Smith is 34 years old and lives in Paris"),
    "event": (EVENT, "Design review with Ann and Bo on 3 March 2027 in the Turing building, second floor"),
    "triage": ("triage", "My card was charged twice and nobody answers the phone"),
    "tutor": ("tutor", "She wrote a book"),
    "orders": ("orders", "two large oat lattes and an espresso"),
    "agent": ("agent", "What is the weather in Oslo tomorrow?"),
}


@dataclass(frozen=True)
class Run:
    task: str
    tokens: int
    calls: int
    seconds: tuple[float, float]
    same: bool


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.jump_forward", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("--runtimes", default=",".join((*get_args(Runtime), EMBEDDED)), help="which, by comma")
    parser.add_argument("--rounds", type=int, default=2, help="repeat all, keep the smallest time of each answer")
    parser.add_argument("--tasks", default=",".join(TASKS), help="which, by comma")
    parser.add_argument(
        "--threads", type=int, help="of torch; with 1, CPU time is measured: others may use the machine"
    )
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "results")
    options = parser.parse_args()
    commit = report.commit()
    if options.threads:
        importlib.import_module("torch").set_num_threads(options.threads)
    clock = time.thread_time if options.threads == 1 else time.perf_counter
    tasks = options.tasks.split(",")
    frisket.Grammar.from_json_schema(PERSON)  # imports what it needs
    found: dict[str, list[Run]] = {}
    for runtime in options.runtimes.split(","):
        try:
            model = frisket.models.embedded() if runtime == EMBEDDED else gguf(smollm2_path(), runtime=runtime)
        except MissingDependencyError as error:
            print(f"{runtime}: {error}", file=sys.stderr)
            continue
        frisket.stream(model, "hi", ["a", "b"]).generation()
        found[runtime] = [_run(model, name, options.rounds, clock) for name in tasks]
    page = _page(found, options, commit)
    print(page)
    path = options.out / f"jump-forward-{datetime.date.today()}-{commit}.md"
    path.write_text(page, encoding="utf-8")
    print(path)


def _run(model: Any, task: str, rounds: int, clock: Callable[[], float]) -> Run:
    schema, prompt = TASKS[task]
    grammar = frisket.Grammar.from_json_schema(frisket.examples.load(schema) if isinstance(schema, str) else schema)
    seconds = [float("inf")] * 2
    answers = []
    for _ in range(rounds):
        answers = []
        for way in (0, 1):
            stream = frisket.stream(model, prompt, grammar, jump_forward=bool(way), max_tokens=120)
            began = clock()  # the prompt has been read
            answers.append(stream.generation())
            seconds[way] = min(seconds[way], clock() - began)
    plain, ahead = answers
    print(f"{task}: {seconds[0] / seconds[1]:.2f} {ahead.calls} of {len(plain.steps)} {ahead.text}", file=sys.stderr)
    return Run(task, len(plain.steps), ahead.calls, (seconds[0], seconds[1]), plain.tokens == ahead.tokens)


def _page(found: dict[str, list[Run]], options: argparse.Namespace, commit: str) -> str:
    time_of = "CPU time of one thread" if options.threads == 1 else "Time"
    lines = [
        f"# Forced text read at once, {datetime.date.today()}",
        "",
        "SmolLM2-135M-Instruct (Q4_1 file) by each runtime, and the embedded model, greedy.",
        f"Commit {commit}; {', '.join(_versions())}.",
        f"{time_of}; rounds: {options.rounds}, the smaller time of each answer.",
        f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} at the end: other programs may have run, so the ratio",
        "of the two ways, which took turns, means more than the seconds. Prompts count as calls, not as time.",
        "`python -m benchmarks.jump_forward` repeats it.",
        "",
        *_table("runtime", {runtime: _sum("all", runs) for runtime, runs in found.items()}),
    ]
    for runtime, runs in found.items():
        lines += [f"## {runtime}", "", *_table("schema", {run.task: run for run in runs})]
    return "\n".join(lines).rstrip() + "\n"


def _sum(task: str, runs: list[Run]) -> Run:
    seconds = (sum(run.seconds[0] for run in runs), sum(run.seconds[1] for run in runs))
    tokens, calls = sum(run.tokens for run in runs), sum(run.calls for run in runs)
    return Run(task, tokens, calls, seconds, all(run.same for run in runs))


def _table(head: str, rows: dict[str, Run]) -> list[str]:
    lines = [f"| {head} | tokens | calls | calls saved | tokens/s, one by one | tokens/s, ahead | × | same tokens |"]
    lines += ["| --- | --: | --: | --: | --: | --: | --: | --- |"]
    for name, run in rows.items():
        one, ahead = (run.tokens / seconds for seconds in run.seconds)
        cells = [name, str(run.tokens), str(run.calls), f"{1 - run.calls / run.tokens:.0%}"]
        cells += [f"{one:.1f}", f"{ahead:.1f}", f"{ahead / one:.2f}", "yes" if run.same else "**no**"]
        lines.append(f"| {' | '.join(cells)} |")
    return [*lines, ""]


def _versions() -> list[str]:
    found = []
    for name in ("llama-cpp-python", "torch", "transformers", "numpy"):
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            found.append(f"{name} {importlib.metadata.version(name)}")
    return found


if __name__ == "__main__":
    main()
