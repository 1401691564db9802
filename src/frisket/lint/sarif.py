"""Findings → SARIF 2.1.0, the format of code scanning services."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

from frisket.lint.finding import Finding
from frisket.lint.rules import RULES

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
PAGE = "https://github.com/frisket/frisket/blob/main/docs/reference/lint.md"


def sarif(findings: Sequence[tuple[str, tuple[int, int] | None, Finding]]) -> dict[str, Any]:
    """One run of the linter: each finding with its file, line and column."""
    from frisket import __version__

    index = {rule.code: at for at, rule in enumerate(RULES)}
    rules = [
        {
            "id": rule.code,
            "name": rule.name,
            "shortDescription": {"text": rule.summary},
            "help": {"text": rule.page, "markdown": rule.page},
            "helpUri": PAGE,
            "properties": {"evidence": rule.evidence},
        }
        for rule in RULES
    ]
    driver = {
        "name": "frisket",
        "version": __version__,
        "informationUri": "https://github.com/frisket/frisket",
        "rules": rules,
    }
    results = [_result(name, place, finding, index) for name, place, finding in findings]
    run = {"tool": {"driver": driver}, "results": results, "columnKind": "unicodeCodePoints"}
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _result(name: str, place: tuple[int, int] | None, finding: Finding, index: dict[str, int]) -> dict[str, Any]:
    physical: dict[str, Any] = {"artifactLocation": {"uri": quote(name.replace("\\", "/"))}}
    if place is not None:
        physical["region"] = {"startLine": place[0], "startColumn": place[1]}
    return {
        "ruleId": finding.rule,
        "ruleIndex": index[finding.rule],
        "level": "warning",
        "message": {"text": f"{finding.message}; {finding.hint}"},
        "locations": [
            {
                "physicalLocation": physical,
                "logicalLocations": [{"fullyQualifiedName": finding.pointer or "/"}],
            }
        ],
    }
