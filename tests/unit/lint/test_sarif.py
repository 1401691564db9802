"""SARIF, as its specification has it."""

from __future__ import annotations

from pathlib import Path

import pytest

from frisket.lint import RULES, lint
from frisket.lint.sarif import sarif
from tests.data import maskbench

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


def test_a_log_is_valid_by_the_schema_of_sarif(data_dir: Path) -> None:
    """MaskBench holds SARIF's own schema."""
    jsonschema_rs = pytest.importorskip("jsonschema_rs")
    name = "JsonSchemaStore---sarif-2.1.0-rtm.6.json"
    schema = next(entry["schema"] for entry in maskbench(data_dir) if entry["id"] == name)
    finding = lint(listing("answer", "reasoning"))[0]
    log = sarif([("a b.json", (3, 5), finding), ("models:Answer", None, finding)])
    validator = jsonschema_rs.validator_for(schema)
    assert [error.message for error in validator.iter_errors(log)] == []
    del log["runs"][0]["results"][0]["message"]
    assert not validator.is_valid(log)
