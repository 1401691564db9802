"""What the runner asks of every engine, ours and the rivals': schema → compiled → session → masks."""

from __future__ import annotations

import importlib
import importlib.metadata
import importlib.util
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from frisket._core import core_build

from .corpus import Tokenizer

#: name → the distribution whose version is reported; `benchmarks/<name>.py` defines `Engine`.
#: Of frisket there are two more, each in another process: `frisket_shared` takes masks as references instead of filling
#: an array; `frisket_native` is timed inside the extension, by a `replay` of its own.
ENGINES = {
    "frisket": "frisket-llm",
    "frisket_shared": "frisket-llm",
    "frisket_native": "frisket-llm",
    "llguidance": "llguidance",
    "xgrammar": "xgrammar",
    "glrmask": "glrmask",
    "outlines_core": "outlines-core",
}


@dataclass(frozen=True)
class Session:
    """One sequence. Bound native methods wherever possible: a Python frame between them and the clock costs 0.1 µs."""

    mask: Callable[[], object]
    """Fills the engine's bitmask; or gives the mask, an array of its own."""
    commit: Callable[[int], bool]
    can_end: Callable[[], bool]


class Engine(Protocol):
    """One per process. Its constructor does the work that is shared by all schemas of a vocabulary."""

    bitmask: NDArray[np.int32]

    def __init__(self, tokenizer: Tokenizer) -> None: ...

    def compile(self, schema: dict[str, Any], text: str) -> Any:
        """Schema (parsed, and as JSON text: an engine takes what it likes) → its own object; raises to refuse."""

    def compile_rules(self, rules: dict[str, str]) -> Any:
        """A grammar, as text by notation → the engine's own object; it takes the notation that it reads best."""

    def start(self, compiled: Any) -> Session: ...


def load(name: str, tokenizer: Tokenizer) -> Engine:
    engine: Engine = importlib.import_module(f"benchmarks.{name}").Engine(tokenizer)
    return engine


def version(name: str) -> str | None:
    """The installed version of an engine, and how frisket was built; None if it is not installed."""
    try:
        found = importlib.metadata.version(ENGINES[name])
        return f"{found} ({core_build()} build)" if ENGINES[name] == "frisket-llm" else found
    except importlib.metadata.PackageNotFoundError:
        if importlib.util.find_spec(module := ENGINES[name].replace("-", "_")) is None:
            return None
        return str(getattr(importlib.import_module(module), "__version__", "unknown"))
