"""MaskBench's real-world schemas × frisket → figures, and the list of what is not entirely right.

    python -m tests.conformance.maskbench                  both property orders, compared with the committed baseline
    python -m tests.conformance.maskbench --order any      one of them
    python -m tests.conformance.maskbench --update         write the baseline (it may only shrink)

An instance counts as the text that `json.dumps(data, ensure_ascii=False)` writes.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

from tests.data import find_data_dir, maskbench

BASELINE = Path(__file__).parent / "maskbench_baseline.json"


@dataclass
class Figures:
    """What came of all schemas under one property order."""

    schemas: int = 0
    right: int = 0
    refused: dict[str, str] = field(default_factory=dict)
    under: dict[str, str] = field(default_factory=dict)
    over: dict[str, str] = field(default_factory=dict)
    crashed: dict[str, str] = field(default_factory=dict)
    compile_us: list[float] = field(default_factory=list)


def run(folder: Path, order: str, *, limit: int | None = None, only: str | None = None, sample: int = 1) -> Figures:
    """Every schema once, or one in `sample`."""
    from frisket import Grammar
    from frisket.errors import FrisketError, UnsatisfiableSchemaError
    from frisket.json_schema import JSONSchemaOptions

    options = JSONSchemaOptions(property_order=order)  # type: ignore[arg-type]
    figures = Figures()
    for index, entry in enumerate(maskbench(folder)):
        if index % sample:
            continue
        if only is not None and only not in entry["id"]:
            continue
        if limit is not None and figures.schemas >= limit:
            break
        figures.schemas += 1
        name = entry["id"]
        began = time.perf_counter()
        try:
            grammar = Grammar.from_json_schema(entry["schema"], options)
        except UnsatisfiableSchemaError as error:
            if any(test["valid"] for test in entry["tests"]):
                figures.refused[name] = f"{error.code}: {error}"
            else:
                figures.right += 1
            continue
        except FrisketError as error:
            figures.refused[name] = f"{error.code}: {error}"
            continue
        except Exception as error:
            figures.crashed[name] = f"{type(error).__name__}: {error}"
            continue
        finally:
            took = (time.perf_counter() - began) * 1e6
            figures.compile_us.append(took)
        right = True
        for number, test in enumerate(entry["tests"]):
            try:
                accepted = grammar.accepts(json.dumps(test["data"], ensure_ascii=False))
            except Exception as error:
                figures.crashed[name] = f"instance {number}: {type(error).__name__}: {error}"
                right = False
                break
            if accepted != test["valid"]:
                right = False
                (figures.under if accepted else figures.over).setdefault(name, f"instance {number}")
        figures.right += right
    return figures


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="MaskBench")
    parser.add_argument("--order", choices=["schema", "any"], action="append")
    parser.add_argument("--update", action="store_true", help="write the baseline")
    parser.add_argument("--verbose", action="store_true", help="every schema that is not entirely right")
    parser.add_argument("--limit", type=int, help="only the first so many schemas")
    parser.add_argument("--only", help="only schemas whose id holds this text")
    chosen = parser.parse_args(arguments)
    folder = find_data_dir()
    if folder is None:
        print("no data: set FRISKET_DATA to the folder that holds maskbench/", file=sys.stderr)
        return 2
    baseline: dict[str, dict[str, str]] = json.loads(BASELINE.read_text(encoding="utf-8")) if BASELINE.exists() else {}
    whole = chosen.limit is None and chosen.only is None
    failed = False
    print("order    schemas  entirely right    refused  accepts invalid  rejects valid  crashes  µs p50/p95/p99/max")
    for order in chosen.order or ["any", "schema"]:
        figures = run(folder, order, limit=chosen.limit, only=chosen.only)
        times = sorted(figures.compile_us)
        marks = "/".join(f"{times[min(int(q * len(times)), len(times) - 1)]:.0f}" for q in (0.5, 0.95, 0.99, 1))
        share = 100 * figures.right / figures.schemas
        print(
            f"{order:8} {figures.schemas:7}  {figures.right:6} ({share:5.2f} %)  {len(figures.refused):7}"
            f"  {len(figures.under):15}  {len(figures.over):13}  {len(figures.crashed):7}  {marks}"
        )
        wrong: dict[str, str] = {}
        for label, found in (
            ("refused", figures.refused),
            ("accepts invalid", figures.under),
            ("rejects valid", figures.over),
            ("crashed", figures.crashed),
        ):
            wrong |= {name: f"{label}: {reason}" for name, reason in found.items()}
        if chosen.verbose:
            for name, reason in sorted(wrong.items(), key=lambda item: item[1]):
                print(f"  {name}: {reason}")
        new = [name for name in wrong if name not in baseline.get(order, {})]
        failed |= bool(figures.under or figures.crashed or (new and not chosen.update))
        if new and not chosen.update and whole:
            print(f"  {len(new)} are not in the baseline, such as {new[0]}")
        if whole:
            baseline[order] = dict(sorted(wrong.items()))
    if chosen.update and whole:
        BASELINE.write_text(json.dumps(baseline, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
