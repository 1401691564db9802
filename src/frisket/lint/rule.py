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
    """One advice. Its module's docstring is its page.

    `needs` names what must be given for the rule to say anything; `default` says whether it runs unless another
    selection is asked for.
    """

    code: str
    name: str
    evidence: Evidence
    check: Callable[[Document], Iterator[Finding]]
    needs: Literal["vocabulary", "max_tokens"] | None = None
    default: bool = True

    @property
    def page(self) -> str:
        """The rule's subject, an example, the fix and the evidence, in Markdown."""
        return (sys.modules[self.check.__module__].__doc__ or "").strip()

    @property
    def summary(self) -> str:
        """The rule's subject, in one line."""
        return self.page.partition("\n")[0]

    def finding(self, pointer: str, message: str, hint: str, fix: Fix | None = None) -> Finding:
        """A finding of this rule."""
        return Finding(self.code, self.name, pointer, message, hint, fix)
