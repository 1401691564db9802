"""PressureReport → a file, or the terminal: the text as a heat map, and the hardest paths as a table."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from frisket.errors import FrisketError
from frisket.markup import PICTURES, ROOT
from frisket.pressure.heat import percent, stretches
from frisket.pressure.pressure import Pressure

if TYPE_CHECKING:
    from frisket.pressure.report import PressureReport

#: Colours of each level of pressure, readable on light and dark terminals.
STYLES = ("", "black on #fff3c4", "black on #ffe08a", "black on #ffc078", "black on #ff9d84", "black on #f58ba8")
#: Most paths that are listed after an answer.
MOST = 12


def write(report: PressureReport, file: Path) -> None:
    """Write the report as a page or as JSON, depending on the suffix of the file."""
    text = report.to_html() if file.suffix == ".html" else report.to_json() + "\n"
    try:
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise FrisketError(
            f"cannot write {file}: {error.strerror}", where=str(file), hint="name a file of a folder that exists",
            code="trace",
        ) from error  # fmt: skip


def show_report(console: Console, report: PressureReport) -> None:
    """Print the totals, the paths with the most pressure, and on a terminal the text with its levels."""
    if console.is_terminal:
        text = Text()
        for stretch in stretches(report.steps):
            style = STYLES[stretch.level or 0] + (" underline" if stretch.pressure.overruled else "")
            text.append(stretch.text.translate(PICTURES), style=style.strip())
        console.print(text, soft_wrap=True)
    console.print(summary(report.total), markup=False, highlight=False, soft_wrap=True)
    console.print(table(dict(list(report.paths.items())[:MOST])))


def summary(total: Pressure) -> str:
    """The totals in one line."""
    said = f"{total.steps} steps, {total.nats:.2f} nats of pressure (weight {percent(total.weight)}), "
    said += f"{total.overruled} overruled, {total.forced} forced"
    return said + (f", {total.unknown} unknown" if total.unknown else "")


def table(paths: Mapping[str, Pressure], answers: Mapping[str, int] | None = None) -> Table:
    """A table with one row per path; `answers` counts the answers in which a path occurs."""
    heads = ["nats", "nats a step", "steps", "overruled", "forced", "unknown"]
    shown = Table("path", *([] if answers is None else ["answers"]), *heads, box=None, pad_edge=False)
    for column in shown.columns[1:]:
        column.justify = "right"
    for path, pressure in paths.items():
        shown.add_row(
            escape((path or ROOT).translate(PICTURES)),
            *([] if answers is None else [f"{answers[path]:,}"]),
            f"{pressure.nats:.2f}",
            f"{pressure.nats_per_step:.2f}",
            f"{pressure.steps:,}",
            percent(pressure.overruled_share),
            percent(pressure.forced_share),
            f"{pressure.unknown:,}",
        )
    return shown
