"""Any text → escaped HTML text, for both parts of a trace's page."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from frisket.pressure.heat import percent
from frisket.pressure.pressure import Pressure

if TYPE_CHECKING:
    from frisket.pressure.report import StepPressure

#: Control character → its symbol, except line feed and tab.
PICTURES = {code: 0x2400 + code for code in range(32) if code not in (9, 10)} | {127: 0x2421}
ROOT = "(root)"


def shown(text: str) -> str:
    """Any text, escaped for HTML content and attributes.

    >>> shown('<b title="x">\\x00')
    '&lt;b title=&quot;x&quot;&gt;␀'
    """
    return escape(text.encode("utf-8", "replace").decode().translate(PICTURES))


def alpha(step: StepPressure) -> str:
    """The feasible mass of a step, for a person."""
    return percent(Pressure.of(step.log_feasible).weight)
