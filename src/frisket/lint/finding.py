"""Rule × place of a schema → a finding: message, advice, and the edits that follow the advice."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Reorder:
    """Puts the members of an object, or the items of an array, into a new order, given as their old places."""

    pointer: str
    order: tuple[int, ...]


@dataclass(frozen=True)
class Add:
    """Adds a member at `pointer`; if its last part is `-`, a last item of an array (RFC 6902, 4.1)."""

    pointer: str
    value: Any


@dataclass(frozen=True)
class Replace:
    """Replaces the value at `pointer` (RFC 6902, 4.3)."""

    pointer: str
    value: Any


Edit = Reorder | Add | Replace


@dataclass(frozen=True)
class Fix:
    """Edits that mend a finding; `safe` if the same documents are valid after them."""

    message: str
    edits: tuple[Edit, ...]
    safe: bool


@dataclass(frozen=True)
class Finding:
    """One rule's message about one place of a schema.

    `rule` is the rule's code and `name` its name, `pointer` the JSON pointer of the place, `message` the problem,
    `hint` the advice, and `fix` the edits that follow it, or None.

    >>> from frisket.lint import lint
    >>> for finding in lint({"properties": {"answer": {"type": "integer"}, "reasoning": {"type": "string"}}}):
    ...     print(finding)
    /properties/answer: FRK101 answer-before-reason: "answer" comes before "reasoning"
    """

    rule: str
    name: str
    pointer: str
    message: str
    hint: str
    fix: Fix | None = None

    def to_json(self) -> dict[str, Any]:
        """The finding as JSON values."""
        fix = None if self.fix is None else {"message": self.fix.message, "safe": self.fix.safe}
        described = {key: getattr(self, key) for key in ("rule", "name", "pointer", "message", "hint")}
        return {**described, "fix": fix}

    def __str__(self) -> str:
        return f"{self.pointer or '(root)'}: {self.rule} {self.name}: {self.message}"
