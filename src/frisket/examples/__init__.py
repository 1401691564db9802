"""Name → the JSON Schema of a worked system."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any

__all__ = ["NAMES", "load"]

NAMES = ("triage", "tutor", "orders", "agent", "agent-last")


def load(name: str) -> dict[str, Any]:
    """The schema of one worked system, as shipped in the package.

    >>> load("tutor")["required"]
    ['verb', 'tense', 'person']
    """
    if name not in NAMES:
        raise ValueError(f"no example is called {name!r}; there are {', '.join(NAMES)}")
    schema: dict[str, Any] = json.loads(files(__name__).joinpath(f"{name}.json").read_text(encoding="utf-8"))
    return schema
