"""Types of the reports: what grammars, matchers and answers say of themselves. Their makers stand in many modules."""

from frisket.description import Description
from frisket.explanation import Explanation
from frisket.explanation.reason import Reason
from frisket.json_schema import Entry, Report
from frisket.least import Least
from frisket.pressure import Pressure, PressureReport, StepPressure

__all__ = [
    "Description",
    "Entry",
    "Explanation",
    "Least",
    "Pressure",
    "PressureReport",
    "Reason",
    "Report",
    "StepPressure",
]
