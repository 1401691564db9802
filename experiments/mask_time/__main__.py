"""`python -m experiments.mask_time` → results.md: what does a mask add to a token's time, and to an answer's tokens?

Llama 3's vocabulary, one processor. The sampler alone, and with the masks of every engine that is installed, on orders,
free texts and enums of up to 100,000 values. Needs `pip install ".[bench]"` and the test data. `--quick` is a look at
two cases of frisket alone, and writes no page.
"""

from __future__ import annotations

import argparse
import multiprocessing
import sys
import time
from pathlib import Path

import frisket
from benchmarks.corpus import Tokenizer, load_tokenizer
from benchmarks.engine import version
from experiments.mask_time.case import Case, cases
from experiments.mask_time.report import judged, page, plot
from experiments.mask_time.worker import Times, serve, unmasked
from experiments.page import provenance
from experiments.paired import free_answer
from experiments.system import NAMES, System

ENGINES = ("frisket", "llguidance", "xgrammar", "glrmask", "outlines_core")
EACH = 50


class Client:
    """An engine in a process of its own, which is started anew if it was stopped."""

    def __init__(self, name: str, tokenizer: Tokenizer) -> None:
        self._name, self._tokenizer = name, tokenizer
        self._start()

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        self._connection, other = context.Pipe()
        self._process = context.Process(target=serve, args=(self._name, self._tokenizer, other), daemon=True)
        self._process.start()
        other.close()

    def measure(self, case: Case) -> Times:
        try:
            self._connection.send(case)
            found: Times = self._connection.recv()
            return found
        except (EOFError, BrokenPipeError, ConnectionResetError):
            self._process.join()
            self._start()
            return Times(refused="stopped: more than 120 s of processor time, or 14 GiB")

    def close(self) -> None:
        self._connection.close()
        self._process.join()


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m experiments.mask_time", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--quick", action="store_true", help="two cases of frisket alone, no page")
    quick = parser.parse_args().quick
    began = time.perf_counter()
    tokenizer = load_tokenizer("llama3")
    names = [name for name in (ENGINES[:1] if quick else ENGINES) if version(name) is not None]
    engines = {name: Client(name, tokenizer) for name in names}
    found: dict[tuple[str, str], Times] = {}
    # Case by case, engine by engine: what else the machine does meets all of them.
    for number, case in enumerate(cases(quick=quick)):
        for name in [*names[number % len(names) :], *names[: number % len(names)]]:
            found[case.name, name] = engines[name].measure(case)
            print(f"{case.name}, {name}: {found[case.name, name].refused or 'done'}", file=sys.stderr, flush=True)
    for engine in engines.values():
        engine.close()
    alone = unmasked(tokenizer.size)
    tokens = {name: lengths(System(name), 3 if quick else EACH) for name in (NAMES[:1] if quick else NAMES)}
    versions = {name: version(name) or "" for name in names}
    claims = judged(found, alone, tokens)
    ran = provenance(time.perf_counter() - began, "python -m experiments.mask_time")
    text = page(found, alone, tokens, versions, claims, ran)
    if not quick:
        folder = Path(__file__).parent
        (folder / "results.md").write_text(text, encoding="utf-8")
        plot(found, alone, folder / "time.png")
    print(text)


def lengths(system: System, count: int) -> list[tuple[int, int]]:
    """Tokens of greedy answers of the embedded model, without a mask and with it."""
    model, found = frisket.models.embedded(), []
    for case in system.heldout(count):
        _, free = free_answer(model, model.prompt(case.input, system.keys), 200)
        steps = frisket.stream(model, case.input, system.grammar, max_tokens=200).generation().steps
        found.append((free, sum(not step.ends for step in steps)))
    return found


if __name__ == "__main__":
    main()
