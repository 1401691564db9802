"""frisket, its masks taken as references → the runner's engine: what a caller pays who needs no copy."""

from __future__ import annotations

from typing import Any

from .engine import Session
from .frisket import Engine as Called


class Engine(Called):
    def start(self, compiled: Any) -> Session:
        matcher = compiled.matcher()
        return Session(matcher.mask, matcher.try_advance, lambda: matcher.can_end)
