"""`python -m benchmarks.runtimes --library FOLDER --package FOLDER` → times of a call from Python, Rust, C and Node.js.

All get the same schemas of MaskBench, each with the tokens of a valid document, in a process of their own, and take
turns schema by schema. A schema is new to its process; the first few are not counted. Of several rounds, each in new
processes, the smallest time of each call counts. A time holds two readings of the clock.
"""

from __future__ import annotations

import argparse
import contextlib
import datetime
import gzip
import random
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.runtimes.program import Program, Times, commands
from tests.runtimes.walks import Walk, schema_walks

from . import report

#: Schemas that a process reads before the first one that counts.
WARM = 20
LABELS = {"python": "Python", "rust": "Rust", "c": "C", "node": "Node.js"}
CALLS = {
    "compile": "compile",
    "mask": "mask, not composed before",
    "mask_again": "mask, composed before",
    "advance": "advance, not taken before",
    "advance_again": "advance, taken before",
}
#: Who is compared with whom.
PAIRS = (("c", "rust"), ("c", "python"), ("node", "python"))


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.runtimes", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--library", type=Path, help="target/…, with libfrisket and examples/walk")
    parser.add_argument("--package", type=Path, help="what npm/build.sh makes")
    parser.add_argument("--schemas", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "results")
    options = parser.parse_args()
    commit = report.commit()
    by_schema = {walk.grammar: walk for walk in schema_walks(only_valid=True)}
    chosen = random.Random(48).sample(sorted(by_schema.values(), key=lambda walk: walk.grammar), options.schemas + WARM)
    with tempfile.TemporaryDirectory() as folder:
        known = commands(Path(folder), options.library, options.package)
        rounds = [_round(known, chosen) for _ in range(options.rounds)]
    page = _page(rounds, options, commit)
    print(page)
    path = options.out / f"calls-{datetime.date.today()}-{commit}.md"
    path.write_text(page, encoding="utf-8")


def _round(known: dict[str, list[str | Path]], chosen: list[Walk]) -> dict[str, Any]:
    """The times of each program, and the milliseconds of its vocabulary; None for a schema that it refuses."""
    answers: dict[str, list[Times | None]] = {name: [] for name in known}
    with contextlib.ExitStack() as stack:
        running = [stack.enter_context(Program(name, command, "times")) for name, command in known.items()]
        for number, walk in enumerate(chosen):
            tokens = walk.tokens
            # The first of a turn is the last of the next.
            running.append(running.pop(0))
            for program in running:
                program.send(walk, tokens)
                times = program.times() if program.takes() else None
                if number >= WARM:
                    answers[program.name].append(times)
        vocabularies = {program.name: program.vocabulary_microseconds / 1e3 for program in running}
    return {"times": answers, "vocabularies": vocabularies}


def _page(rounds: list[dict[str, Any]], options: argparse.Namespace, commit: str) -> str:
    names = [name for name in LABELS if name in rounds[0]["times"]]
    first = rounds[0]["times"]
    count = len(first[names[0]])
    taken = [at for at in range(count) if all(first[name][at] is not None for name in names)]
    alone = sum(len({first[name][at] is None for name in names}) > 1 for at in range(count))
    times = {name: {call: _least(rounds, name, call, taken) for call in CALLS} for name in names}
    machine = report.machine()
    lines = [
        "# A call from Python, Rust, C and JavaScript",
        "",
        f"{len(taken)} schemas of MaskBench that all compile, of {count}; {alone} are refused by some alone. Each with "
        f"the tokens of one valid document (Llama 3's). Commit {commit}, {datetime.date.today()}; {machine['cpu']}, "
        f"{machine['cores']} cores, load {machine['load']}; `python -m benchmarks.runtimes`, {len(rounds)} rounds, the "
        f"smallest time of each call. A time holds two readings of the clock ({machine['clock_ns']} ns in Python).",
        "",
        f"| µs | calls |{''.join(f' {LABELS[name]} mean | p50 | p99 |' for name in names)}",
        f"|---|--:|{'--:|' * 3 * len(names)}",
    ]
    for call, label in CALLS.items():
        cells = "".join(
            f" {np.mean(spent):,.2f} | {np.median(spent):,.2f} | {np.percentile(spent, 99):,.2f} |"
            for spent in (times[name][call] for name in names)
        )
        lines.append(f"| {label} | {len(times[names[0]][call]):,} |{cells}")
    pairs = [(one, other) for one, other in PAIRS if one in names and other in names]
    heads = "".join(f" {LABELS[one]} / {LABELS[other]} |" for one, other in pairs)
    lines += [
        "",
        f"| median of the ratios call by call (ratio of the means) |{heads}",
        f"|---|{'--:|' * len(pairs)}",
    ]
    for call, label in CALLS.items():
        cells = ""
        for one, other in pairs:
            ours, theirs = times[one][call], times[other][call]
            cells += f" {np.median(ours / theirs):.2f} ({np.mean(ours) / np.mean(theirs):.2f}) |"
        lines.append(f"| {label} |{cells}")
    vocabularies = ", ".join(
        f"{LABELS[name]} {min(each['vocabularies'][name] for each in rounds):,.0f} ms" for name in names
    )
    lines += ["", f"A vocabulary of `tokenizer.json`: {vocabularies}."]
    if options.package is not None:
        module = (options.package / "frisket.wasm").read_bytes()
        lines += ["", f"`frisket.wasm`: {len(module):,} bytes, {len(gzip.compress(module, 9)):,} by gzip."]
    return "\n".join([*lines, ""])


def _least(rounds: list[dict[str, Any]], name: str, call: str, numbers: list[int]) -> NDArray[np.float64]:
    """The smallest time of each call over the rounds, in µs."""
    listed = [np.concatenate([getattr(each["times"][name][at], call) for at in numbers]) for each in rounds]
    return np.min(listed, axis=0) / 1e3


if __name__ == "__main__":
    main()
