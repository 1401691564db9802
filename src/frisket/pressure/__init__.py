"""Steps of an answer → the masks' effect on the model's probabilities: in total, by path, as JSON and as a page."""

from frisket.pressure.pressure import Pressure
from frisket.pressure.report import PressureReport, StepPressure

__all__ = ["Pressure", "PressureReport", "StepPressure"]
