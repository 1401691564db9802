"""Every rule has a page, and the page's example is true."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import frisket.lint.rules
from frisket.lint import RULES, Rule, lint, repair

from .case import vocabulary

EXAMPLE = re.compile(
    r"Before(?P<with>[^:]*):\n\n```json\n(?P<before>.*?)```\n\nAfter:\n\n```json\n(?P<after>.*?)```", re.DOTALL
)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_the_example_fires_before_and_not_after(rule: Rule) -> None:
    example = EXAMPLE.search(rule.page)
    assert example is not None
    budget = int(re.findall(r"max_tokens=(\d+)", example["with"])[0]) if "max_tokens" in example["with"] else None
    before, after = json.loads(example["before"]), json.loads(example["after"])
    for schema, fires in ((before, True), (after, False)):
        found = lint(schema, vocabulary(), select=[rule.code], max_tokens=budget)
        assert bool(found) is fires, found
    fixes = [finding.fix for finding in lint(before, vocabulary(), select=[rule.code], max_tokens=budget)]
    if any(fix is not None for fix in fixes):
        mended = repair(before, vocabulary(), select=[rule.code], unsafe=True).schema
        assert lint(mended, vocabulary(), select=[rule.code]) == []
        if rule.code != "FRK501":  # by hand, the anchors of the parts would go
            assert json.dumps(mended) == json.dumps(after)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_the_page_says_what_every_page_says(rule: Rule) -> None:
    assert f"{rule.code} {rule.name}: " in rule.summary and " → " in rule.summary
    for part in ("**Finds** ", "**Fix**", f"**Evidence** ({rule.evidence}): "):
        assert rule.page.count(part) == 1
    if rule.evidence == "published":
        assert "](https://" in rule.page.partition("**Evidence**")[2]
    if rule.needs is not None:
        assert f"`{rule.needs}`" in rule.page
    assert ("runs only if it is selected" in " ".join(rule.page.split())) is not rule.default


def test_one_file_is_one_rule() -> None:
    files = {path.stem.replace("_", "-") for path in Path(frisket.lint.rules.__file__).parent.glob("*.py")}
    assert files - {"--init--"} == {rule.name for rule in RULES}
    codes = [rule.code for rule in RULES]
    assert codes == sorted(codes) and len(set(codes)) == len(codes)


def test_every_rule_is_on_the_page_of_the_site() -> None:
    root = Path(__file__).parents[3]
    page = root / "docs" / "reference" / "lint.md"
    if not page.exists():
        pytest.skip("the tests run on an installed package alone")
    text = page.read_text(encoding="utf-8")
    for rule in RULES:
        assert f"## {rule.code} {rule.name}\n" in text
        assert f"::: frisket.lint.rules.{rule.name.replace('-', '_')}\n" in text
