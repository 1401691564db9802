"""Schema → advice: what is legal but will not go well when a model writes it, and edits that mend it.

linter     schema → findings                     repair     findings → the schema, mended
document   schema → places that values come to   json_text  text → where values stand; edits → the text
rules      one advice a file, with its page      selection  codes and names → rules
finding    what is found, and its fix            rule       what every rule has
order, union, overlap, pattern, word, bound, tokens, least        what several rules look at
sarif      findings → SARIF
"""

from __future__ import annotations

from frisket.lint.finding import Finding, Fix
from frisket.lint.linter import lint
from frisket.lint.repair import Repaired, repair
from frisket.lint.rule import Rule
from frisket.lint.rules import RULES

__all__ = ["RULES", "Finding", "Fix", "Repaired", "Rule", "lint", "repair"]
