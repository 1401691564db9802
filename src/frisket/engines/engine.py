"""Name of an engine → what is installed of it here, and whether frisket was tested with that version."""

from __future__ import annotations

import importlib
import importlib.metadata
from dataclasses import dataclass


@dataclass(frozen=True)
class Engine:
    """An engine that frisket plugs into.

    `package` is its distribution, `tested` the versions that the tests ran with, `extra` what installs it beside
    frisket, `use` what to import.
    """

    name: str
    package: str
    tested: tuple[str, ...]
    extra: str
    use: str

    @property
    def version(self) -> str | None:
        """The version that is installed, None if there is none."""
        try:
            return importlib.metadata.version(self.package)
        except importlib.metadata.PackageNotFoundError:
            return None

    @property
    def is_tested(self) -> bool:
        """Whether the tests ran with the version that is installed."""
        return self.version in self.tested


def engines() -> list[Engine]:
    """All engines, in order.

    >>> [engine.name for engine in engines()][:2]
    ['transformers', 'llama.cpp']
    """
    from frisket.engines import NAMES

    return [importlib.import_module(f"frisket.engines.{name}").ENGINE for name in NAMES]
