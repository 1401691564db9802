"""An engine that owns the decode loop → what frisket has for it: for lists, and for refusing unknown versions."""

from __future__ import annotations

import re
from dataclasses import dataclass

from frisket.errors import EngineError


@dataclass(frozen=True)
class Engine:
    """What is known of one engine.

    >>> engine = Engine("vLLM", package="vllm", tested=("0.32", "0.33"), page="engines/vllm.md", switch="FRISKET_VLLM")
    >>> engine.is_tested("0.33.0+cpu"), engine.is_tested("0.4.1")
    (True, False)
    """

    name: str
    package: str
    """What Python imports."""
    tested: tuple[str, ...]
    """The releases whose own classes the tests ran against: the leading parts of their version."""
    page: str
    """Its page, below docs/."""
    switch: str | None = None
    """The environment variable that turns frisket on where the engine loads it by an entry point."""

    def is_tested(self, version: str) -> bool:
        """Whether a version is a release that was tested, or a patch of one."""
        numbers = re.match(r"\d+(\.\d+)*", version)
        parts = numbers.group().split(".") if numbers else []
        return any(parts[: len(known)] == known for known in (tested.split(".") for tested in self.tested))

    def check(self, version: str) -> None:
        """EngineError if the version was not tested: a plug-in into another one may do nothing, or the wrong thing."""
        if not self.is_tested(version):
            raise EngineError(
                f"{self.name} {version} was not tested with this version of frisket",
                where=self.switch,
                hint=f"install {self.name} {' or '.join(self.tested)}, or another frisket"
                + (f"; or unset {self.switch} for {self.name} without frisket" if self.switch else ""),
            )
