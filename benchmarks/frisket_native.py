"""frisket, timed inside the extension → the runner's engine: what is left without Python's calls."""

from __future__ import annotations

from typing import Any

from frisket import _core

from .frisket import Engine as Called


class Engine(Called):
    def replay(self, compiled: Any, tokens: tuple[int, ...]) -> tuple[list[int], list[int], bool]:
        """Nanoseconds of every mask and every advance up to the first that is refused; whether the text may end."""
        return _core.replay_timed(compiled, tokens)
