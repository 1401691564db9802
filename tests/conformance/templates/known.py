"""Files of claims, of readings and of known differences → which pairs are judged, which differences have a reason."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

from frisket.tools import Family, family
from tests.data import find_data_dir

from .judge import Difference

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

#: (template, family, case, kind, choice, mode)
Key = tuple[str, str, str, str, str, str]

#: Stands for the family that is read from the template itself.
OWN = "own"
#: `refused`: name of a template from which no family is read → the part that it does not tell. `differing`: "template
#: family" → the fields that a family with a name does not say as its template. Both may only shrink.
READINGS = Path(__file__).with_name("readings.json")
#: What tokenizers give every template.
VARIABLES = {"bos_token": "<s>", "eos_token": "</s>"}


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
def own_family(name: str) -> Family:
    """The family that is read from a template; UnreadableTemplateError where the template does not tell it."""
    text = (template_dir() / f"{name}.jinja").read_text(encoding="utf-8")
    return Family.from_chat_template(text, name=name, **VARIABLES)


def pairs() -> list[tuple[Claim, str]]:
    """Every template with the families that claim it, and with `OWN` where one is read from it."""
    refused = readings()["refused"]
    return [
        (claim, name) for claim in claims() for name in (*claim.families, *([] if claim.name in refused else [OWN]))
    ]


def wanted(claim: Claim, name: str) -> Family:
    """The family of a pair."""
    return own_family(claim.name) if name == OWN else family(name)


def readings() -> dict[str, dict[str, str]]:
    """What is known of the families that are read from templates."""
    listed: dict[str, dict[str, str]] = json.loads(READINGS.read_text(encoding="utf-8"))
    return listed


@cache
def known() -> dict[Key, str]:
    """Every difference that has a reason."""
    found: dict[Key, str] = {}
    for entry in _read("differences.toml").get("difference", ()):
        templates = entry["templates"]
        for pair, case, choice, mode in product(templates, entry["cases"], entry["choices"], entry["modes"]):
            template, _, name = pair.rpartition(" ")
            found[template, name, case, entry["kind"], choice, mode] = entry["reason"]
    return found


def key(template: str, name: str, difference: Difference) -> Key:
    """The key of a difference in the list."""
    return template, name, difference.case, difference.kind, difference.choice, difference.mode


def entries(found: Iterable[tuple[Key, str]]) -> list[dict[str, Any]]:
    """The keys and their reasons as few entries of the file: alike settings, then alike cases, then alike pairs."""
    rows: dict[tuple[Any, ...], set[str]] = {}
    for (template, name, case, kind, choice, mode), reason in found:
        rows.setdefault((f"{template} {name}", case, kind, mode, reason), set()).add(choice)
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
