"""`python -m experiments.budget` → results.md: what is left of an answer when tokens are short.

Each held-out input is answered within 0.6 to 1.2 times the tokens of the right answer: cut where they end, finished by
masks with room, and by beams. `--quick` is a look at a few answers, and writes no page.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path

import frisket
from experiments.budget.report import ARMS, Key, Score, judged, page, plot
from experiments.page import provenance
from experiments.paired import Paired
from experiments.system import NAMES, Case, System, field_f1
from frisket.errors import BudgetError, FrisketError
from frisket.events import PartialValue
from frisket.strategies import Beams

SEED = 20260105
EACH = 40
SHARES = (0.6, 0.7, 0.8, 0.9, 1.0, 1.2)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m experiments.budget", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--quick", action="store_true", help="a few answers, no page")
    quick = parser.parse_args().quick
    began = time.perf_counter()
    found: dict[Key, list[Score]] = {}
    for name in ("orders",) if quick else NAMES:
        system = System(name)
        cases = system.heldout(6 if quick else EACH)
        for temperature in (0.0, 1.0):
            for share in (0.7, 1.2) if quick else SHARES:
                for arm in ARMS if not temperature else ARMS[:-1]:
                    found[Key(name, temperature, share, arm)] = [
                        answer(system, case, arm, share, temperature, number) for number, case in enumerate(cases)
                    ]
            print(f"{name} at {temperature}: {time.process_time():.0f} s", file=sys.stderr, flush=True)
    claims = judged(found)
    text = page(found, claims, provenance(time.perf_counter() - began, "python -m experiments.budget"), SEED)
    if not quick:
        folder = Path(__file__).parent
        (folder / "results.md").write_text(text, encoding="utf-8")
        plot(found, folder / "fields.png")
    print(text)


def answer(system: System, case: Case, arm: str, share: float, temperature: float, number: int) -> Score:
    """One input's answer within a share of the right answer's tokens."""
    model = Paired(frisket.models.embedded(), (SEED, number), temperature)
    tokens = gold_tokens(case)
    budget = max(round(share * tokens), 1)
    try:
        text = write(system, model, case, arm, budget)
    except BudgetError:
        return Score(0.0, valid=False, impossible=True)
    except FrisketError:
        return Score(0.0, valid=False)
    value = system.parsed(text)
    if arm == "cut, read so far":
        partial = PartialValue()
        partial.feed(text)
        return Score(field_f1(case.answer, partial.value), value is not None)
    return Score(field_f1(case.answer, value), value is not None)


def gold_tokens(case: Case) -> int:
    """The tokens of the right answer, spelled as the model was trained to."""
    return len(frisket.models.embedded().encode(json.dumps(case.answer, ensure_ascii=False))) - 1


def write(system: System, model: Paired, case: Case, arm: str, budget: int) -> str:
    options = {
        "cut": {"on_budget": "cut"},
        "cut, read so far": {"on_budget": "cut"},
        "finish": {},
        "beams": {"strategy": Beams(4)},
    }[arm]
    texts: list[str] = []
    frisket.generate(
        model, case.input, system.grammar, max_tokens=budget, allow_partial=arm.startswith("cut"),
        on_step=lambda step: texts.append(step.text), **options,
    )  # fmt: skip
    return "".join(texts)


if __name__ == "__main__":
    main()
