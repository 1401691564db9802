"""A measured value and what it may be → a row of the table."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

Source = Literal["issue", "chosen"]


@dataclass(frozen=True)
class Row:
    """One bound. `value` is None where nothing could be measured: the bound does not hold then."""

    part: str
    name: str
    quantity: str
    value: float | None
    bound: float | None
    """None: shown beside the others, no bound of its own."""
    unit: str = ""
    source: Source = "chosen"
    """`issue`: asked for when the project began. `chosen`: set here, for what was left open."""
    at_least: bool = False
    note: str = ""
    rivals: dict[str, float | str] = field(default_factory=dict)
    failed: bool = False
    """The answer itself was wrong, whatever the value is."""

    @property
    def holds(self) -> bool:
        if self.failed or self.value is None or math.isnan(self.value):
            return False
        if self.bound is None:
            return True
        return self.value >= self.bound if self.at_least else self.value <= self.bound

    def to_json(self) -> dict[str, Any]:
        return {**asdict(self), "holds": self.holds}


def figure(value: float | str | None) -> str:
    if value is None:
        return "–"
    if isinstance(value, str):
        return value
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}"


def markdown(rows: Sequence[Row], rivals: Iterable[str] = ()) -> str:
    """One table for each part of the rows, in their order."""
    names = list(rivals)
    lines = []
    for part in dict.fromkeys(row.part for row in rows):
        members = [row for row in rows if row.part == part]
        beside = [name for name in names if any(name in row.rivals for row in members)]
        held, bounded = sum(row.holds for row in members), len(members)
        lines += ["", f"## {part}: {held} of {bounded} hold", ""]
        head = ["", "", "measured", "bound", "unit", "holds", *beside, "note"]
        lines.append("| " + " | ".join(head) + " |")
        lines.append("| --- | --- | --: | --: | --- | --- | " + "--: | " * len(beside) + "--- |")
        for row in members:
            sign = "" if row.bound is None else "≥ " if row.at_least else "≤ "
            bound = "–" if row.bound is None else sign + figure(row.bound) + ("" if row.source == "issue" else " *")
            verdict = ("yes" if row.bound is not None else "–") if row.holds else "**no**"
            cells = [row.name, row.quantity, figure(row.value), bound, row.unit, verdict]
            cells += [figure(row.rivals.get(name)) for name in beside] + [row.note]
            lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return "\n".join(lines).strip() + "\n"
