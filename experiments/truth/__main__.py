"""`python -m experiments.truth` → results.md: does a mask make answers true, or only well-formed?

Each input is answered without a mask and with it, on the same noise. Then all 300 combinations of the tutor's 28
values, one sentence each. `--quick` is a look at a few answers, and writes no page.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Iterator
from itertools import islice, product
from pathlib import Path

import frisket
from experiments.page import provenance
from experiments.paired import Paired, free_answer
from experiments.system import NAMES, Case, System, streams
from experiments.truth.report import Pair, judged, page, plot

SEED = 20260104
EACH = 200
#: Sentences of the stream among which each combination is looked for.
DRAWS = 60_000
MOST_TOKENS = 200


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m experiments.truth", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--quick", action="store_true", help="a few answers, no page")
    quick = parser.parse_args().quick
    began = time.perf_counter()
    found = {}
    for name in ("tutor",) if quick else NAMES:
        system = System(name)
        cases = system.drawn(10 if quick else EACH, seed=SEED)
        for temperature in (0.0, 1.0):
            found[name, temperature] = [
                pair(system, case, temperature, (SEED, number)) for number, case in enumerate(cases)
            ]
            print(f"{name} at {temperature}: {time.process_time():.0f} s", file=sys.stderr, flush=True)
    tutor = System("tutor")
    chosen = list(sentences(tutor, 12 if quick else 300))
    every = [pair(tutor, case, 0.0, ()) for case, _ in chosen]
    heldout = sum(is_heldout for _, is_heldout in chosen)
    claims = judged(found, every)
    text = page(
        found, every, heldout, claims, provenance(time.perf_counter() - began, "python -m experiments.truth"), SEED
    )
    if not quick:
        folder = Path(__file__).parent
        (folder / "results.md").write_text(text, encoding="utf-8")
        plot(found, folder / "outcomes.png")
    print(text)


def pair(system: System, case: Case, temperature: float, seed: tuple[int, ...]) -> Pair:
    """One input's answers without a mask and with it."""
    model = frisket.models.embedded()
    free, _ = free_answer(Paired(model, seed, temperature), model.prompt(case.input, system.keys), MOST_TOKENS)
    masked = frisket.stream(
        Paired(model, seed, temperature), case.input, system.grammar, max_tokens=MOST_TOKENS
    ).generation()
    return Pair(system.outcome(free, case.answer), system.outcome(masked.text, case.answer), free == masked.text)


def sentences(system: System, count: int) -> Iterator[tuple[Case, bool]]:
    """A sentence for each of the 300 combinations of a verb, a tense and a person, and whether it was held out.

    Of some combinations none is held out: "I" has six objects for a verb, and one subject with an object in twelve is.
    """
    found: dict[tuple[str, ...], tuple[Case, bool]] = {}
    rng, stream = random.Random(SEED), streams().STREAMS["tutor"]
    for _ in range(DRAWS):
        one = stream(rng)
        key = tuple(one.answer.values())
        if key not in found or (one.held_out and not found[key][1]):
            found[key] = (Case(one.text, one.answer), one.held_out)
    values = [system.schema["properties"][name]["enum"] for name in ("verb", "tense", "person")]
    yield from islice((found[key] for key in product(*values)), count)


if __name__ == "__main__":
    main()
