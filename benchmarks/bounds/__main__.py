"""`python -m benchmarks.bounds` → every bound with its measured value; benchmarks/results/bounds-<date>-<commit>."""

from __future__ import annotations

import argparse
import datetime
import json
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from .. import report
from ..corpus import cases, load_tokenizer, maskbench
from . import ambiguous, batch, epochs, generated, hard, hostile, masks, memory, stream, unique
from .bound import Row, figure, markdown

PARTS = ("hard", "hostile", "generated", "ambiguous", "memory", "epochs", "stream", "batch", "unique", "masks")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.bounds", description="Every bound, measured")
    parser.add_argument("--parts", default=",".join(PARTS), help=f"which, by comma (default: {','.join(PARTS)})")
    parser.add_argument("--only", default="", metavar="TEXT", help="of hard and hostile inputs, those named so")
    parser.add_argument("--generated", type=int, default=generated.COUNT, metavar="N", help="hostile inputs to draw")
    parser.add_argument("--rivals", default="", help="engines to show beside the hard inputs, by comma")
    parser.add_argument("--seconds", type=float, default=60.0, help="limit of an engine for one hard input")
    parser.add_argument("--rounds", type=int, default=3, help="of the hard inputs; the least time of each call counts")
    parser.add_argument("--schemas", type=int, default=500, help="MaskBench schemas for memory (default: 500)")
    parser.add_argument("--tokenizer", default="llama3", help="a folder of the data's tokenizers, or any path")
    parser.add_argument("--out", type=Path, default=Path(__file__).parents[1] / "results", help="folder of the results")
    options = parser.parse_args()
    unknown = set(options.parts.split(",")) - set(PARTS)
    if unknown:
        parser.error(f"no such part: {', '.join(sorted(unknown))}")

    tokenizer = load_tokenizer(options.tokenizer)
    rivals = [name for name in options.rivals.split(",") if name]
    parts: dict[str, Callable[[], Iterator[Row]]] = {
        "hard": lambda: hard.rows(
            tokenizer, rivals=rivals, rounds=options.rounds, seconds=options.seconds, only=options.only
        ),
        "hostile": lambda: hostile.rows(tokenizer, only=options.only),
        "generated": lambda: generated.rows(tokenizer, only=options.only, count=options.generated),
        "ambiguous": lambda: ambiguous.rows(tokenizer, only=options.only, count=options.generated),
        "memory": lambda: memory.rows(tokenizer, cases(tokenizer, maskbench(), count=options.schemas, seed=2)),
        "epochs": lambda: epochs.rows(tokenizer),
        "stream": lambda: stream.rows(tokenizer),
        "unique": lambda: unique.rows(tokenizer),
        "masks": lambda: masks.rows(tokenizer, cases(tokenizer, maskbench())),
        "batch": lambda: batch.rows(tokenizer, cases(tokenizer, maskbench(), count=120, seed=3)),
    }
    commit = report.commit()
    began = time.monotonic()
    rows: list[Row] = []
    try:
        for part in options.parts.split(","):
            for row in parts[part]():
                rows.append(row)
                _show(row)
    except KeyboardInterrupt:
        print("interrupted: what was measured is written", file=sys.stderr)
    missed = [row for row in rows if not row.holds]
    machine = report.machine()
    head = (
        f"# Bounds, {datetime.date.today().isoformat()}\n\n"
        f"{len(rows) - len(missed)} of {len(rows)} rows hold. `python -m benchmarks.bounds --parts {options.parts}`, "
        f"commit {commit}, tokenizer {tokenizer.folder.name} ({tokenizer.size:,} tokens), every call from Python; "
        f"{machine['cpu']}, {machine['cores']} cores, load {machine['load']} at the end, Python "
        f"{machine['python']}.\n\n"
        "Hard inputs: a process of its own for each; documents replayed cold, of "
        f"{options.rounds} rounds the least time of each call. Hostile inputs: a process of its own for each; compile, "
        f"then a mask before each byte of a text made to hurt and before {hostile.STEPS} random tokens, all of it "
        "counted; peak is the whole process with Python and the vocabulary "
        f"(at most {hostile.MEGABYTES:g} MB), left what "
        f"stays when all is dropped (at most {hostile.LEFT:g} MB, and no thread). "
        "Generated inputs: under the default limits a call takes the less of its time by the clock and the processor's "
        "time of its process (a machine that others use, too, shows the former longer); ends under a limit of time and "
        f"after a cancellation are by the clock, of up to {generated.ROUNDS} rounds the soonest. "
        "A bound with * was chosen here, the others were asked for when the project began.\n"
    )
    page = head + "\n" + markdown(rows, rivals)
    print(page)
    options.out.mkdir(parents=True, exist_ok=True)
    name = "bounds" if set(options.parts.split(",")) == set(PARTS) and not options.only else "bounds-part"
    stem = options.out / f"{name}-{datetime.date.today().isoformat()}-{commit}"
    stem.with_suffix(".md").write_text(page, encoding="utf-8")
    result = {"commit": commit, "machine": machine, "rows": [row.to_json() for row in rows]}
    stem.with_suffix(".json").write_text(json.dumps(result, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    print(f"{stem}.md\n{len(missed)} of {len(rows)} missed, {time.monotonic() - began:.0f} s", file=sys.stderr)
    return int(bool(missed))


def _show(row: Row) -> None:
    sign = "" if row.bound is None else ("≥ " if row.at_least else "≤ ") + figure(row.bound)
    verdict = ("ok  " if row.bound is not None else "    ") if row.holds else "MISS"
    print(
        f"{verdict} {row.part}: {row.name}, {row.quantity} {figure(row.value)} {sign} {row.unit}  {row.note}",
        file=sys.stderr,
        flush=True,
    )


if __name__ == "__main__":
    sys.exit(main())
