"""PressureReport → one self-contained page of HTML, and an excerpt of it for notebooks.

The text comes from a model, which may have been told to write markup. So every text is escaped, the page has no script,
and in any case its content security policy forbids it to load or run anything.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from frisket.markup import MARKS, PALETTE, ROOT, figures, notebook, shown, table
from frisket.pressure.each_step import STYLE as STEP_STYLE
from frisket.pressure.each_step import each_step
from frisket.pressure.heat import LEVELS, Stretch, alpha, percent, stretches
from frisket.pressure.pressure import Pressure

if TYPE_CHECKING:
    from frisket.pressure.report import PressureReport, StepPressure

#: Most paths and most steps that are listed, those with the most pressure first.
MOST = 25
#: Characters of context shown before a step.
BEFORE = 24

STYLE = (
    PALETTE
    + """body { font: 1rem/1.5 system-ui, sans-serif; color: var(--text); background: var(--paper); margin: 2rem auto;
  max-width: 60rem; padding: 0 1rem; }
h1 { font-size: 1.4rem; } h2 { font-size: 1.1rem; margin-top: 2rem; }
pre, code { font-family: ui-monospace, monospace; white-space: pre-wrap; overflow-wrap: anywhere; }
pre { border: 1px solid var(--line); padding: .8rem; }
pre span, code { unicode-bidi: isolate; }
"""
    + MARKS
    + """table { border-collapse: collapse; width: 100%; } caption { text-align: left; color: var(--quiet); }
th { font-weight: normal; } thead th { font-weight: bold; }
th, td { text-align: left; vertical-align: top; padding: .25rem .6rem; border-bottom: 1px solid var(--line); }
.figure { text-align: right; font-variant-numeric: tabular-nums; }
"""
    + STEP_STYLE
)


def page(report: PressureReport) -> str:
    """The whole document; it is to be written as UTF-8, and needs no other file."""
    total = report.total
    hardest = sorted((step for step in report.steps if step.log_feasible), key=lambda step: step.log_feasible or 0.0)
    return "\n".join(
        [
            "<!doctype html>",
            '<html lang="en"><head><meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">",
            f"<title>Trace of an answer</title><style>{STYLE}</style></head><body><main>",
            "<h1>What the mask did to this answer</h1>",
            f"<p>{_summary(report)}</p>",
            "<h2>Text</h2>",
            f'<p class="quiet">{_legend()} The tables below hold the same figures as text.</p>',
            f"<pre>{''.join(map(_stretch, stretches(report.steps)))}</pre>",
            "<h2>Hardest paths</h2>",
            _paths(list(report.paths.items())[:MOST], len(report.paths)),
            "<h2>Hardest steps</h2>",
            _steps(report, hardest[:MOST], len(hardest)),
            *each_step(report.steps),
            _about(total),
            "</main></body></html>",
            "",
        ]
    )


def excerpt(report: PressureReport) -> str:
    """The excerpt for a notebook: the totals, the text with its marks, and the paths with the most pressure."""
    paths = list(report.paths.items())
    return notebook(
        f"<p>{_summary(report)}</p>",
        f"<pre>{''.join(map(_stretch, stretches(report.steps)))}</pre>",
        f'<p class="quiet">{_legend()}</p>',
        f"<details><summary>Hardest paths</summary>{_paths(paths[:MOST], len(paths))}</details>",
    )


def _summary(report: PressureReport) -> str:
    total = report.total
    said = (
        f"{total.steps} steps; pressure {total.nats:.2f} nats, so the model's weight for staying inside every mask is "
    )
    said += f"{percent(total.weight)}. Overruled: {total.overruled} ({percent(total.overruled_share)}). "
    said += f"Forced: {total.forced} ({percent(total.forced_share)}). "
    if total.unknown:
        said += f"Unknown, because the model was not asked: {total.unknown}. "
    budgeted = sum(step.budgeted for step in report.steps)
    said += f"Decided by max_tokens: {budgeted}. " if budgeted else ""
    return shown(f"{said}Finish reason: {report.finish_reason}.")


def _legend() -> str:
    bounds = [f'<span class="h{at}">{percent(bound)}</span>' for at, bound in enumerate(LEVELS, 1)]
    return (
        f"Marked where the model gave the allowed tokens less than {', '.join(bounds)} of its probability; "
        '<span class="overruled">underlined</span> where the mask forbade its favourite.'
    )


def _stretch(stretch: Stretch) -> str:
    level = stretch.level
    names = [f"h{level}"] if level else ["unknown"] if level is None else []
    names += ["overruled"] if stretch.pressure.overruled else []
    said = "; ".join(_said(step) for step in stretch.steps)
    kind = f' class="{" ".join(names)}"' if names else ""
    text = shown(stretch.text) if stretch.text else '<span class="quiet">⟨end⟩</span>'
    return f'<span{kind} title="{shown(said)}">{text}</span>'


def _said(step: StepPressure) -> str:
    mass = "α unknown: the model was not asked" if step.log_feasible is None else f"α {alpha(step)}"
    parts = [step.path or ROOT, mass, f"{step.allowed:,} allowed"]
    if step.overruled:
        parts.append(f"instead of {step.favourite!r}")
    if step.budgeted:
        parts.append("decided by max_tokens")
    return " · ".join(parts)


def _paths(paths: Sequence[tuple[str, Pressure]], count: int) -> str:
    rows = (
        [
            f'<th scope="row"><code>{shown(path or ROOT)}</code></th>',
            *figures(
                f"{pressure.nats:.2f}", f"{pressure.nats_per_step:.2f}", str(pressure.steps), str(pressure.overruled),
                str(pressure.forced), str(pressure.unknown),
            ),
        ]
        for path, pressure in paths
    )  # fmt: skip
    about = f"{len(paths)} of {count} paths, the most pressure first; * is any item, or a key that no schema names"
    return table(about, ["path"], ["nats", "nats a step", "steps", "overruled", "forced", "unknown"], [], rows)


def _steps(report: PressureReport, hardest: Sequence[StepPressure], count: int) -> str:
    before, text = {}, ""
    for step in report.steps:
        before[id(step)] = text[-BEFORE:]
        text += step.text
    rows = (
        [
            f'<th scope="row"><code><span class="quiet">{shown(before[id(step)])}</span>{_written(step)}</code></th>',
            f"<td><code>{shown(step.path or ROOT)}</code></td>",
            *figures(alpha(step), f"{step.allowed:,}"),
            f"<td><code>{shown(repr(step.favourite)) if step.overruled else ''}</code></td>",
        ]
        for step in hardest
    )
    about = f"{len(hardest)} of {count} steps at which the mask took some of the model's probability"
    return table(about, ["text and step", "path"], ["α", "allowed"], ["the model wanted"], rows)


def _written(step: StepPressure) -> str:
    return shown(step.text) or '<span class="quiet">⟨no text yet⟩</span>'


def _about(total: Pressure) -> str:
    unknown = " A step whose α is unknown counts in no sum." if total.unknown else ""
    return (
        '<p class="quiet">α is the probability that the model itself, at temperature 1, gave to all allowed tokens '
        f"together; pressure is −log α.{unknown}</p>"
    )
