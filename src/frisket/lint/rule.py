"""A rule: its code, its name, its page, and the check itself."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

from frisket.lint.document import Document
from frisket.lint.finding import Finding, Fix

Evidence = Literal["measured", "published", "opinion"]


@dataclass(frozen=True)
class Rule:
    """One piece of advice. The docstring of its module is its page.

    `needs` names the arguments without which the rule finds nothing; `default` says whether it runs without a
    selection.
    """

    code: str
    name: str
    evidence: Evidence
    check: Callable[[Document], Iterator[Finding]]
    needs: Literal["vocabulary", "max_tokens"] | None = None
    default: bool = True

    @property
    def page(self) -> str:
        """The rule's page in Markdown: subject, example, fix and evidence."""
        return (sys.modules[self.check.__module__].__doc__ or "").strip()

    @property
    def summary(self) -> str:
        """The rule's subject, in one line."""
        return self.page.partition("\n")[0]

    def finding(self, pointer: str, message: str, hint: str, fix: Fix | None = None) -> Finding:
        """A finding of this rule."""
        return Finding(self.code, self.name, pointer, message, hint, fix)
