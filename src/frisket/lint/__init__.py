"""Schema → advice on parts that are legal, but that a model is likely to write badly, and edits that mend them.

linter     schema → findings                    repair     findings → the mended schema
document   schema → the places of values        json_text  text → the place of each value; edits → the text
rules      one piece of advice per file         selection  codes and names → rules
finding    a message and its fix                rule       the fields of every rule
order, union, overlap, pattern, word, bound, tokens    facts that several rules need
sarif      findings → SARIF
"""

from __future__ import annotations

from frisket.lint.finding import Finding, Fix
from frisket.lint.linter import lint
from frisket.lint.repair import Repaired, repair
from frisket.lint.rule import Rule
from frisket.lint.rules import RULES

__all__ = ["RULES", "Finding", "Fix", "Repaired", "Rule", "lint", "repair"]
