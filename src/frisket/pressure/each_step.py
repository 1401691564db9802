"""Steps → one expandable line each, with the likeliest tokens before and after the mask.

`frisket play` records those tokens. The page shows them without scripts, in `details` and `meter` elements.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from frisket.markup import ROOT, shown
from frisket.pressure.heat import alpha, level, percent

if TYPE_CHECKING:
    from frisket.pressure.report import Likely, StepPressure

STYLE = """
ol { padding-left: 3.2rem; } li::marker { color: var(--quiet); font-variant-numeric: tabular-nums; }
details { border-bottom: 1px solid var(--line); } summary { cursor: pointer; padding: .2rem 0; }
summary code { padding: 0 .3rem; border: 1px solid var(--line); border-radius: 3px; white-space: pre-wrap; }
details table { margin: .2rem 0 .6rem; font-size: .9rem; } meter { width: 6rem; max-width: 40%; margin-right: .5rem; }
"""


def each_step(steps: Sequence[StepPressure]) -> Iterator[str]:
    """The section, if some step has its likeliest tokens, or one call of the network gave several steps."""
    if not any(step.likeliest or not step.called for step in steps):
        return
    yield "<h2>Token by token</h2>"
    if any(step.likeliest for step in steps):
        yield '<p class="quiet">Each line opens on the tokens that might have come, the likeliest first.</p>'
    yield "<ol>"
    for step in steps:
        yield f"<li>{_step(step)}</li>"
    yield "</ol>"


def _step(step: StepPressure) -> str:
    text = shown(step.text) or '<span class="quiet">⟨no text yet⟩</span>'
    hard = level(step.pressure)
    kind = f' class="h{hard}"' if hard else ""
    said = [f"<code>{shown(step.path or ROOT)}</code>"]
    said.append("α unknown" if step.log_feasible is None else f"α {alpha(step)}")
    said.append(f"{step.allowed:,} allowed")
    said += ["forced"] if step.forced else []
    said += [f"instead of <code>{shown(repr(step.favourite))}</code>"] if step.overruled else []
    said += ["decided by max_tokens"] if step.budgeted else []
    said += [] if step.called else ["read together with the token before"]
    line = f'<code{kind}>{text}</code> <span class="quiet">{" · ".join(said)}</span>'
    if not step.likeliest:
        return line
    rows = "".join(map(_row, step.likeliest))
    head = "".join(f'<th scope="col">{name}</th>' for name in ("token", "before the mask", "after"))
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
    return f"<details><summary>{line}</summary>{table}</details>"


def _row(one: Likely) -> str:
    after = "forbidden" if one.after is None else _bar(one.after)
    return (
        f'<tr><th scope="row"><code>{shown(repr(one.text))}</code></th><td>{_bar(one.before)}</td><td>{after}</td></tr>'
    )


def _bar(share: float) -> str:
    return f'<meter min="0" max="1" value="{share:.6f}"></meter>{percent(share)}'
