"""`python -m experiments.repair` → results.md: what masks save of failed answers and of repairs.

Ten thousand café orders say how often answers fail with and without masks. A sweep of the temperature moves the share
of failures, and says where the 95th percentile of costs moves and where not. `--quick` is a look at a few answers, and
writes no page.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import frisket
from experiments.page import provenance
from experiments.paired import Paired, free_answer
from experiments.repair.report import judged, page, plot
from experiments.system import NAMES, OUTCOMES, Case, System

SEED = 20260103
ORDERS = 10_000
EACH = 200
TEMPERATURES = (0.7, 0.85, 1.0, 1.15, 1.3)
MOST_TOKENS = 200
REPAIRS = 2


@dataclass(frozen=True)
class Answer:
    """What came out for one input in one arm, and what it took."""

    outcome: str
    tokens: int
    """Tokens that were written, in all attempts."""
    read: int
    """Tokens of prompts, in all attempts."""
    seconds: float
    """Processor time."""
    attempts: int = 1


@dataclass(frozen=True)
class Pair:
    """One input: its first attempt without a mask, that attempt repaired, and the masked answer."""

    free: str
    first: int
    """Tokens of the first attempt."""
    repaired: Answer
    masked: Answer


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m experiments.repair", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--quick", action="store_true", help="a few answers, no page")
    quick = parser.parse_args().quick
    began = time.perf_counter()
    many = failures(60 if quick else ORDERS)
    temperatures, systems = ((1.0, 1.3), ("tutor",)) if quick else (TEMPERATURES, NAMES)
    sweep = {}
    for name in systems:
        cases = System(name).heldout(30 if quick else EACH)
        for temperature in temperatures:
            sweep[name, temperature] = pairs(System(name), cases, temperature)
            print(f"{name} at {temperature}: {time.process_time():.0f} s", file=sys.stderr, flush=True)
    claims = judged(many, sweep)
    text = page(many, sweep, claims, provenance(time.perf_counter() - began, "python -m experiments.repair"), SEED)
    if not quick:
        folder = Path(__file__).parent
        (folder / "results.md").write_text(text, encoding="utf-8")
        plot(sweep, folder / "tail.png")
    print(text)


def failures(count: int) -> Counter[tuple[str, str]]:
    """How many orders have which outcome without a mask and with it, on the same noise, at temperature 1."""
    system, found = System("orders"), Counter[tuple[str, str]]()
    for number, case in enumerate(system.drawn(count, seed=SEED)):
        seed = (SEED, number, 0)
        text, _ = attempt(system, case, 1.0, seed)
        free = system.outcome(text, case.answer)
        # A mask that allows every token of the draw leaves the draw: then there is nothing to decode twice.
        same = free not in OUTCOMES[:2] and system.grammar.accepts(text)
        found[free, free if same else mask(system, case, 1.0, seed).outcome] += 1
        if number % 1000 == 999:
            print(f"{number + 1} orders: {time.process_time():.0f} s", file=sys.stderr, flush=True)
    return found


def pairs(system: System, cases: list[Case], temperature: float) -> list[Pair]:
    found = []
    for number, case in enumerate(cases):
        seed = (SEED, round(1000 * temperature), number)
        # Whichever comes first finds colder caches: they take turns.
        if number % 2:
            masked = mask(system, case, temperature, (*seed, 0))
            free, first, repaired = repair(system, case, temperature, seed)
        else:
            free, first, repaired = repair(system, case, temperature, seed)
            masked = mask(system, case, temperature, (*seed, 0))
        found.append(Pair(free, first, repaired, masked))
    return found


def attempt(system: System, case: Case, temperature: float, seed: tuple[int, ...], prompt: str = "") -> tuple[str, int]:
    """One answer without a mask, and its tokens."""
    model = Paired(frisket.models.embedded(), seed, temperature)
    return free_answer(model, prompt or model.prompt(case.input, system.keys), MOST_TOKENS)


def repair(system: System, case: Case, temperature: float, seed: tuple[int, ...]) -> tuple[str, int, Answer]:
    """The outcome and tokens of the first attempt, and what came after its repairs: the error goes into the prompt."""
    began = time.process_time()
    model = frisket.models.embedded()
    prompt = model.prompt(case.input, system.keys)
    tokens = read = first = 0
    outcome = ""
    for number in range(REPAIRS + 1):
        read += len(model.encode(prompt))
        text, wrote = attempt(system, case, temperature, (*seed, number), prompt)
        tokens += wrote
        if number == 0:
            first, outcome = wrote, system.outcome(text, case.answer)
        error = system.complaint(text)
        if error is None:
            break
        prompt = f"{prompt}{text}\nerror: {error}\noutput: "
    seconds = time.process_time() - began
    return outcome, first, Answer(system.outcome(text, case.answer), tokens, read, seconds, number + 1)


def mask(system: System, case: Case, temperature: float, seed: tuple[int, ...]) -> Answer:
    began = time.process_time()
    model = Paired(frisket.models.embedded(), seed, temperature)
    found = frisket.stream(model, case.input, system.grammar, max_tokens=MOST_TOKENS).generation()
    seconds = time.process_time() - began
    tokens = sum(not step.ends for step in found.steps)
    return Answer(system.outcome(found.text, case.answer), tokens, model.counts.read, seconds)


if __name__ == "__main__":
    main()
