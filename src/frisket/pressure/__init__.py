"""Steps of an answer → what masks did to a model's wishes: in all, by path, as JSON and as a page."""

from frisket.pressure.pressure import Pressure
from frisket.pressure.report import PressureReport, StepPressure

__all__ = ["Pressure", "PressureReport", "StepPressure"]
