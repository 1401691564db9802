"""SARIF, as its specification has it."""

from __future__ import annotations

from frisket.lint import RULES, lint
from frisket.lint.sarif import sarif

from .case import listing


def test_a_log() -> None:
    (finding,) = lint(listing("answer", "reasoning"))
    log = sarif([("a b.json", (3, 5), finding), ("models:Answer", None, finding)])
    assert log["version"] == "2.1.0"
    (run,) = log["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == [rule.code for rule in RULES]
    first, second = run["results"]
    assert rules[first["ruleIndex"]]["id"] == first["ruleId"] == "FRK101"
    (location,) = first["locations"]
    assert location["physicalLocation"]["artifactLocation"]["uri"] == "a%20b.json"  # a URI, not a path
    assert location["physicalLocation"]["region"] == {"startLine": 3, "startColumn": 5}
    assert location["logicalLocations"] == [{"fullyQualifiedName": "/properties/answer"}]
    assert "region" not in second["locations"][0]["physicalLocation"]
    assert '"answer" comes before "reasoning"' in first["message"]["text"]


def test_nothing_found_is_a_log_without_results() -> None:
    assert sarif([])["runs"][0]["results"] == []
