"""MaskBench's real-world schemas × frisket → figures, and the list of what is not entirely right.

    python -m tests.conformance.maskbench                  both property orders, compared with the committed baseline
    python -m tests.conformance.maskbench --order any      one of them
    python -m tests.conformance.maskbench --update         write the baseline (it may only shrink)

An instance counts as the text that `json.dumps(data, ensure_ascii=False)` writes. What is not entirely right
has its cause in one line: why it is refused, or which member stands where it may not.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from frisket.json_pointer import to_pointer
from tests.data import maskbench, required_data_dir

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
                figures.refused[name] = reason(error)
            else:
                figures.right += 1
            continue
        except FrisketError as error:
            figures.refused[name] = reason(error)
            continue
        except Exception as error:
            figures.crashed[name] = f"{type(error).__name__}: {error}"
            continue
        finally:
            took = (time.perf_counter() - began) * 1e6
            figures.compile_us.append(took)
        right = True
        for number, test in enumerate(entry["tests"]):
            text = json.dumps(test["data"], ensure_ascii=False)
            try:
                accepted = grammar.accepts(text)
            except Exception as error:
                figures.crashed[name] = f"instance {number}: {type(error).__name__}: {error}"
                right = False
                break
            if accepted != test["valid"]:
                right = False
                if accepted:
                    figures.under.setdefault(name, f"instance {number}")
                else:
                    figures.over.setdefault(name, f"instance {number}: {cause(grammar, text)}")
        figures.right += right
    return figures


def reason(error: Any) -> str:
    """A refusal in one line: its code, and the first place that it names."""
    places = getattr(error, "places", None)
    if not places:
        return f"{error.code}: {error.message}"
    more = f" (and {len(places) - 1} more places)" if len(places) > 1 else ""
    return f"{error.code}: {places[0][0] or '(root)'}: {places[0][1]}{more}"


def cause(grammar: Any, text: str) -> str:
    """Where a valid document leaves the grammar: the place, and the member or value that may not come there."""
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if grammar.accepts_prefix(text[:middle]) else (low, middle - 1)
    where, before, key = place(text, low)
    if key is None:
        return f"{where or '(root)'}: {text[low : low + 20]!r} may not come here"
    after = f"after {before!r}" if before is not None else "first"
    return f"order: {where or '(root)'}: the schema does not let {key!r} come {after}"


def place(text: str, offset: int) -> tuple[str, str | None, str | None]:
    """The object around an offset, the member before the offset, and the key that the offset is in or before."""
    stack: list[list[Any]] = []
    expects_key = False
    for token in re.finditer(r'"(?:[^"\\]|\\.)*"|[^\s"]', text):
        mark = token[0]
        if expects_key and token.end() > offset:
            pointer = to_pointer(step for step, _ in stack[:-1])
            return pointer, stack[-1][0] if stack else None, json.loads(mark)
        if token.start() >= offset:
            break
        if mark in "{[":
            stack.append([None if mark == "{" else 0, mark])
            expects_key = mark == "{" and not text[token.end() :].lstrip().startswith("}")
        elif mark in "}]":
            stack.pop()
        elif mark == "," and stack:
            if stack[-1][1] == "[":
                stack[-1][0] += 1
            else:
                expects_key = True
        elif expects_key:
            stack[-1][0] = json.loads(mark)
            expects_key = False
    return "".join(f"/{step}" for step, _ in stack), None, None


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="MaskBench")
    parser.add_argument("--order", choices=["schema", "any"], action="append")
    parser.add_argument("--update", action="store_true", help="write the baseline")
    parser.add_argument("--verbose", action="store_true", help="every schema that is not entirely right")
    parser.add_argument("--limit", type=int, help="only the first so many schemas")
    parser.add_argument("--only", help="only schemas whose id holds this text")
    chosen = parser.parse_args(arguments)
    folder = required_data_dir()
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
            wrong |= {name: f"{label}: {why}" for name, why in found.items()}
        if chosen.verbose:
            for name, why in sorted(wrong.items(), key=lambda item: item[1]):
                print(f"  {name}: {why}")
        new = [name for name in wrong if name not in baseline.get(order, {})]
        failed |= bool(figures.under or figures.crashed or new)
        if new and whole:
            print(f"  {len(new)} are not in the baseline, which may only shrink, such as {new[0]}: {wrong[new[0]]}")
        elif whole:
            baseline[order] = dict(sorted(wrong.items()))
    if chosen.update and whole:
        BASELINE.write_text(json.dumps(baseline, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
