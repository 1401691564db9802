"""`python -m experiments.describe` → results.md: what do descriptions cost in a prompt, and what do they do?

The tokens of real schemas by style, with a check that the types lose nothing; then answers with and without a
description, with and without a mask, by the embedded model and by SmolLM2-135M-Instruct. Needs the test data and
`pip install ".[gguf,torch,bench]"`. `--quick` is a look at some schemas and answers, and writes no page.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import frisket
from experiments.describe.cost import costs
from experiments.describe.effect import Answer, answers
from experiments.describe.report import judged, page, plot
from experiments.page import provenance
from experiments.system import NAMES

EACH = 60
#: Inputs of a system that SmolLM2 answers: it takes seconds for each.
FEW = 8
SMALL = ("triage", "tutor")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m experiments.describe", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--quick", action="store_true", help="some schemas and answers, no page")
    quick = parser.parse_args().quick
    began = time.perf_counter()
    found = list(costs(most=20 if quick else None))
    print(f"{len(found)} schemas: {time.process_time():.0f} s", file=sys.stderr, flush=True)
    said: list[Answer] = list(
        answers("embedded", frisket.models.embedded(), NAMES[:1] if quick else NAMES, 3 if quick else EACH)
    )
    print(f"embedded: {time.process_time():.0f} s", file=sys.stderr, flush=True)
    if not quick:
        for answer in answers("SmolLM2-135M", frisket.models.smollm2(), SMALL, FEW):
            said.append(answer)
            print(f"{len(said)}: {time.process_time():.0f} s", file=sys.stderr, flush=True)
    claims = judged(found, said)
    text = page(found, said, claims, provenance(time.perf_counter() - began, "python -m experiments.describe"))
    if not quick:
        folder = Path(__file__).parent
        (folder / "results.md").write_text(text, encoding="utf-8")
        plot(found, said, folder / "describe.png")
    print(text)


if __name__ == "__main__":
    main()
