"""Pages of experiments → one table for the documentation: each claim, what was measured, its verdict and its page."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from experiments.page import table

HERE = Path(__file__).parent
REPOSITORY = "https://github.com/frisket/frisket/blob/main/experiments"


@dataclass(frozen=True)
class Claim:
    experiment: str
    text: str
    measured: str
    verdict: str


def claims() -> Iterator[Claim]:
    """Those of every page that is there: the rows of its first table that ends in a verdict."""
    for path in sorted(HERE.glob("*/results.md")):
        rows = iter(path.read_text(encoding="utf-8").splitlines())
        for line in rows:
            cells = _cells(line)
            if cells and cells[0] == "claim" and cells[-1] in ("holds", "verdict"):
                next(rows)
                break
        for line in rows:
            cells = _cells(line)
            if len(cells) != 3:
                break
            verdict = {"yes": "holds", "**no**": "**does not hold**"}.get(cells[2], cells[2])
            yield Claim(path.parent.name, cells[0], cells[1], verdict)


def document() -> str:
    """docs/experiments.md."""
    rows = [
        (one.text, one.measured, one.verdict, f"[{one.experiment}]({REPOSITORY}/{one.experiment}/results.md)")
        for one in claims()
    ]
    return f"""# Experiments

What masks, strategies, orders and drafts do to answers. Each experiment is one command, and its page says what it does
not show. *Holds* is about a claim of frisket's, *reproduced* about one of others. `…` goes on from the row before.

{table(("claim", "measured", "verdict", "page"), rows)}

Models are small here: the embedded model, others that are trained within minutes, and SmolLM2 where a page says so. Run
some of them, or all (up to 45 minutes each on 2 cores; those that train need `pip install "frisket-llm[train]"`):

```console
$ python -m experiments order thought
$ python -m experiments
```

`python -m experiments --index` writes this table anew from the pages.
"""


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip("|").split(" | ")] if line.startswith("| ") else []
