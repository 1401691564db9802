"""Files of claims and of known differences → which pairs are judged, and which differences have a reason."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

from tests.data import find_data_dir

from .judge import Difference

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

#: (template, family, case, kind, choice, mode)
Key = tuple[str, str, str, str, str, str]


@dataclass(frozen=True)
class Claim:
    """One template and the families whose models write so; without a family, why there is none."""

    name: str
    families: tuple[str, ...]
    reason: str | None

    def text(self) -> str:
        """The template."""
        return (template_dir() / f"{self.name}.jinja").read_text(encoding="utf-8")


def template_dir() -> Path:
    """The folder of chat templates; FileNotFoundError without the data."""
    found = find_data_dir()
    if found is None or not (found / "chat-templates").is_dir():
        raise FileNotFoundError("no chat templates: set FRISKET_DATA to the folder with chat-templates/")
    return found / "chat-templates"


def claims() -> list[Claim]:
    """Every claim, in the order of the file."""
    return [
        Claim(entry["name"], tuple(entry.get("families", ())), entry.get("reason"))
        for entry in _read("claims.toml")["template"]
    ]


@cache
def known() -> dict[Key, str]:
    """Every difference that has a reason."""
    found: dict[Key, str] = {}
    for entry in _read("differences.toml").get("difference", ()):
        templates = entry["templates"]
        for pair, case, choice, mode in product(templates, entry["cases"], entry["choices"], entry["modes"]):
            template, _, family = pair.rpartition(" ")
            found[template, family, case, entry["kind"], choice, mode] = entry["reason"]
    return found


def key(template: str, family: str, difference: Difference) -> Key:
    """The key of a difference in the list."""
    return template, family, difference.case, difference.kind, difference.choice, difference.mode


def entries(found: Iterable[tuple[Key, str]]) -> list[dict[str, Any]]:
    """The keys and their reasons as few entries of the file: alike settings, then alike cases, then alike pairs."""
    rows: dict[tuple[Any, ...], set[str]] = {}
    for (template, family, case, kind, choice, mode), reason in found:
        rows.setdefault((f"{template} {family}", case, kind, mode, reason), set()).add(choice)
    modes: dict[tuple[Any, ...], set[str]] = {}
    for (pair, case, kind, mode, reason), choices in rows.items():
        modes.setdefault((pair, case, kind, tuple(sorted(choices)), reason), set()).add(mode)
    cases: dict[tuple[Any, ...], set[str]] = {}
    for (pair, case, kind, choice, reason), mode in modes.items():
        cases.setdefault((pair, kind, choice, tuple(sorted(mode)), reason), set()).add(case)
    pairs: dict[tuple[Any, ...], set[str]] = {}
    for (pair, kind, choice, mode, reason), case in cases.items():
        pairs.setdefault((tuple(sorted(case)), kind, choice, mode, reason), set()).add(pair)
    return [
        {"reason": reason, "kind": kind, "templates": sorted(pair), "cases": case, "choices": choice, "modes": mode}
        for (case, kind, choice, mode, reason), pair in sorted(pairs.items(), key=lambda item: (item[0][4], item[0]))
    ]


def _read(name: str) -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_name(name).read_text(encoding="utf-8"))
