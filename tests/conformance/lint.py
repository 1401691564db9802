"""MaskBench's real-world schemas × `frisket lint` → time, how often each rule fires, and whether fixes keep verdicts.

    python -m tests.conformance.lint                     every rule over every schema
    python -m tests.conformance.lint --show FRK402       each finding of one rule, to be judged by hand
    python -m tests.conformance.lint --verdicts          all safe fixes, and every document judged before and after

Times are of one process. Rules about tokens see Llama 3's vocabulary and a budget of 256 tokens.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import jsonschema_rs

from frisket import Vocabulary
from frisket.lint import RULES, Finding, lint, repair
from tests.data import maskbench, required_data_dir

MAX_TOKENS = 256


@dataclass
class Figures:
    """What came of all schemas."""

    schemas: int = 0
    seconds: float = 0.0
    slowest: float = 0.0
    findings: Counter[str] = field(default_factory=Counter)
    firing: Counter[str] = field(default_factory=Counter)
    crashed: dict[str, str] = field(default_factory=dict)


@dataclass
class Verdicts:
    """What became of the documents of schemas that were mended."""

    schemas: int = 0
    mended: int = 0
    documents: int = 0
    judged: int = 0
    changed: list[str] = field(default_factory=list)
    rewritten: list[str] = field(default_factory=list)
    left: list[str] = field(default_factory=list)


def run(folder: Path, vocabulary: Vocabulary | None, *, sample: int = 1, show: str | None = None) -> Figures:
    """Every rule over one schema in `sample`."""
    figures = Figures()
    for entry in list(maskbench(folder))[::sample]:
        figures.schemas += 1
        began = time.process_time()
        try:
            found = lint(entry["schema"], vocabulary, select=["ALL"], max_tokens=MAX_TOKENS)
        except Exception as error:
            figures.crashed[entry["id"]] = f"{type(error).__name__}: {error}"
            continue
        took = time.process_time() - began
        figures.seconds += took
        figures.slowest = max(figures.slowest, took)
        figures.findings.update(finding.rule for finding in found)
        figures.firing.update({finding.rule for finding in found})
        for finding in found:
            if finding.rule == show:
                print(f"{entry['id']}  {finding.pointer or '(root)'}: {finding.message}")
    return figures


def judge(folder: Path, *, sample: int = 1) -> Verdicts:
    """All safe fixes, and each document's verdict before and after."""
    verdicts = Verdicts()
    for entry in list(maskbench(folder))[::sample]:
        schema, tests = entry["schema"], entry["tests"]
        verdicts.schemas += 1
        verdicts.documents += len(tests)
        repaired = repair(schema, select=["ALL"])
        if any(is_safe(finding) for finding in repaired.left):
            verdicts.left.append(entry["id"])
        if json.dumps(repaired.schema) == json.dumps(schema):
            verdicts.judged += len(tests)  # the same schema has the same verdicts
            continue
        verdicts.mended += 1
        if unordered(repaired.schema) != unordered(schema):
            verdicts.rewritten.append(entry["id"])
        before, after = validator(schema), validator(repaired.schema)
        if before is None or after is None:
            if before is not after:
                verdicts.changed.append(f"{entry['id']}: the validator takes one of the two schemas only")
            continue
        for number, test in enumerate(tests):
            verdicts.judged += 1
            if before.is_valid(test["data"]) != after.is_valid(test["data"]):
                verdicts.changed.append(f"{entry['id']}: document {number}")
    return verdicts


def is_safe(finding: Finding) -> bool:
    return finding.fix is not None and finding.fix.safe


def validator(schema: Any) -> Any:
    """The validator of a schema, None where it refuses it."""
    try:
        return jsonschema_rs.validator_for(schema)
    except (ValueError, jsonschema_rs.ValidationError):
        return None


def unordered(value: Any, keyword: str = "") -> Any:
    """A schema without the order of members and of required names, which say nothing of what is valid."""
    if isinstance(value, dict):
        return {key: unordered(below, key) for key, below in value.items()}
    if isinstance(value, list):
        items = [unordered(below) for below in value]
        return sorted(items) if keyword == "required" and all(isinstance(one, str) for one in items) else items
    return value


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="lint over MaskBench")
    parser.add_argument("--verdicts", action="store_true", help="mend, and judge every document before and after")
    parser.add_argument("--show", metavar="CODE", help="print each finding of one rule")
    parser.add_argument("--every", type=int, default=1, help="only one schema in so many")
    chosen = parser.parse_args(arguments)
    folder = required_data_dir()
    if chosen.verdicts:
        verdicts = judge(folder, sample=chosen.every)
        print(f"{verdicts.schemas} schemas, {verdicts.mended} mended")
        print(f"{verdicts.documents} documents, {verdicts.judged} judged")
        print(f"verdicts that changed: {len(verdicts.changed)}")
        print(f"schemas that say something else but for order: {len(verdicts.rewritten)}")
        print(f"schemas with a safe fix that was not made: {len(verdicts.left)}")
        for line in [*verdicts.changed, *verdicts.rewritten, *verdicts.left][:20]:
            print(f"  {line}")
        return int(bool(verdicts.changed or verdicts.rewritten or verdicts.left))
    vocabulary = Vocabulary.from_huggingface(folder / "tokenizers" / "llama3")
    figures = run(folder, vocabulary, sample=chosen.every, show=chosen.show)
    print("rule                                findings  schemas  share")
    for rule in RULES:
        count = figures.firing[rule.code]
        share = 100 * count / figures.schemas
        mark = "" if rule.default else "  (if selected)"
        print(f"{rule.code} {rule.name:27} {figures.findings[rule.code]:9} {count:8}  {share:4.1f} %{mark}")
    default = {rule.code for rule in RULES if rule.default}
    print(f"{figures.schemas} schemas in {figures.seconds:.1f} s, the slowest in {figures.slowest:.2f} s")
    print(f"findings of the rules by default: {sum(figures.findings[code] for code in default)}")
    print(f"crashes: {len(figures.crashed)}")
    for name, why in figures.crashed.items():
        print(f"  {name}: {why}")
    return int(bool(figures.crashed))


if __name__ == "__main__":
    sys.exit(main())
