"""Types of the reports of grammars, matchers and answers, collected from the modules that make them."""

from frisket.description import Description
from frisket.explanation import Explanation
from frisket.explanation.reason import Reason
from frisket.json_schema import Entry, Report
from frisket.pressure import Pressure, PressureReport, StepPressure

__all__ = [
    "Description",
    "Entry",
    "Explanation",
    "Pressure",
    "PressureReport",
    "Reason",
    "Report",
    "StepPressure",
]
