"""Name of an engine → the installed version, and whether frisket was tested with it."""

from __future__ import annotations

import contextlib
import importlib
import importlib.metadata
import re
from dataclasses import dataclass

from frisket.engines.versions import TESTED
from frisket.errors import EngineError


@dataclass(frozen=True)
class Engine:
    """An engine that frisket plugs into.

    `package` is its distribution, `builds` are other distributions with the same modules, `extra` is the extra that
    installs it with frisket, and `use` is what to import or to pass on the command line.

    >>> vllm = Engine("vLLM", "vllm", "vllm", "FRISKET_VLLM=1")
    >>> vllm.covers("0.33.0+cpu"), vllm.covers("0.4.1"), vllm.is_newer("1.0"), vllm.is_newer("0.4.1")
    (True, False, True, False)
    """

    name: str
    package: str
    extra: str
    use: str
    builds: tuple[str, ...] = ()

    @property
    def tested(self) -> tuple[str, ...]:
        """The versions, or beginnings of versions, that the tests ran with; the newest comes last."""
        return TESTED[self.package]

    @property
    def version(self) -> str | None:
        """The installed version, None if there is none."""
        for package in (self.package, *self.builds):
            with contextlib.suppress(importlib.metadata.PackageNotFoundError):
                return importlib.metadata.version(package)
        return None

    @property
    def is_tested(self) -> bool:
        """Whether the tests ran with the installed version."""
        return self.version is not None and self.covers(self.version)

    def covers(self, version: str) -> bool:
        """Whether a version was tested, or is a patch of one that was."""
        parts = _numbers(version)
        return any(parts[: len(known)] == known for known in map(_numbers, self.tested))

    def is_newer(self, version: str) -> bool:
        """Whether a version is newer than all tested ones."""
        return _numbers(version) > _numbers(self.tested[-1]) and not self.covers(version)

    def check(self, version: str) -> None:
        """EngineError if the version was not tested: in such an engine the plug-in may do nothing, or do wrong."""
        if not self.covers(version):
            raise EngineError(
                f"{self.name} {version} was not tested with this version of frisket",
                hint=f"install {self.name} {' or '.join(self.tested)} or another frisket, or do without: {self.use}",
            )


def _numbers(version: str) -> list[int]:
    found = re.match(r"\d+(\.\d+)*", version)
    return [int(number) for number in found.group().split(".")] if found else []


def engines() -> list[Engine]:
    """All engines, in order.

    >>> [engine.name for engine in engines()][:2]
    ['transformers', 'llama.cpp']
    """
    from frisket.engines import NAMES

    return [importlib.import_module(f"frisket.engines.{name}").ENGINE for name in NAMES]
