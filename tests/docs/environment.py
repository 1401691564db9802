"""Extras → an interpreter that sees what they install, and no other package."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator
from importlib.machinery import ModuleSpec, PathFinder
from importlib.metadata import PackageNotFoundError, packages_distributions, requires
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

NAME = "frisket-llm"
#: Finds the end of a `pip install` line's extras, wherever in a document it stands.
_EXTRAS = re.compile(r"pip install [^\n`]*\"([\w.-]+)\[([\w,-]+)\]")


def extras_of(text: str) -> list[str]:
    """The extras that a document says it needs: `cli` for one of frisket, `mlx-lm:cpu` for one of another package."""
    found = ((name, extra) for name, extras in _EXTRAS.findall(text) for extra in extras.split(","))
    return sorted({extra if name in (".", NAME) else f"{name}:{extra}" for name, extra in found})


def reached(extras: Iterable[str]) -> set[str]:
    """The distributions that frisket with these extras has brought here."""
    found: set[tuple[str, str]] = set()
    waiting = [(NAME, "")]
    for extra in extras:
        name, _, of_other = extra.partition(":")
        waiting.append((canonicalize_name(name), of_other) if of_other else (NAME, extra))
    while waiting:
        name, extra = waiting.pop()
        if (name, extra) not in found:
            found.add((name, extra))
            waiting += _needed(name, extra)
    return {name for name, _ in found}


def _needed(name: str, extra: str) -> Iterator[tuple[str, str]]:
    try:
        lines = requires(name) or ()
    except PackageNotFoundError:
        return
    for requirement in map(Requirement, lines):
        if requirement.marker is None or requirement.marker.evaluate({"extra": extra}):
            yield from ((canonicalize_name(requirement.name), one) for one in ("", *requirement.extras))


def keep_only(extras: Iterable[str]) -> None:
    """From here on, packages that nobody imported yet and that these extras do not install cannot be imported."""
    kept = reached(extras)
    of_packages = packages_distributions().items()
    hidden = {package for package, names in of_packages if not kept & set(map(canonicalize_name, names))}

    class Finder(PathFinder):
        @classmethod
        def find_spec(cls, fullname: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
            return None if fullname.partition(".")[0] in hidden else super().find_spec(fullname, path, target)

    sys.meta_path = [Finder if finder is PathFinder else finder for finder in sys.meta_path]
