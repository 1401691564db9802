"""`python -m tests.conformance.from_template` → the chat templates from which a family can be read, and why not others.

    python -m tests.conformance.from_template                          a line for each template
    python -m tests.conformance.from_template --template Qwen3-Coder   one template, by its name
    python -m tests.conformance.from_template --judge                  hold each family against the oracle, too

A line says the template, `read` or the reason against it, and the families with names that claim it: `=` where the
data is equal, else the fields that differ. A family allows more than one template writes, as the parsers of servers do:
white space that it leaves open (`$ws`) counts as none, and of several calls, separators and stops one is enough.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Any

from frisket.errors import UnreadableTemplateError
from frisket.tools import Family, family

from .templates.judge import Difference, judge
from .templates.known import READINGS, claims, own_family, template_dir
from .templates.known import readings as known_readings

#: Fields that say nothing of what a message may be, or that no template tells: it shows no text between two calls.
_BESIDE = frozenset({"name", "models", "sources", "note", "special", "name_pattern", "text_between"})


@dataclass(frozen=True)
class Reading:
    """What became of one template."""

    name: str
    family: Family | None
    error: UnreadableTemplateError | None
    claimed: tuple[str, ...]

    @property
    def has_calls(self) -> bool:
        """Whether the template writes calls of tools at all."""
        return self.error is None or "writes no calls" not in self.error.message


def readings(names: list[str] | None = None) -> Iterator[Reading]:
    """Every template, or those of these names, in alphabetical order."""
    claimed = {claim.name: claim.families for claim in claims()}
    for path in sorted(template_dir().glob("*.jinja")):
        if names is not None and path.stem not in names:
            continue
        found, error = None, None
        try:
            found = own_family(path.stem)
        except UnreadableTemplateError as reason:
            error = reason
        yield Reading(path.stem, found, error, claimed.get(path.stem, ()))


def differing(read: Family, written: Family) -> list[str]:
    """The fields in which a family that was read differs from one with a name."""
    return [
        each.name
        for each in fields(Family)
        if each.name not in _BESIDE
        and _plain(getattr(read, each.name)) not in _alternatives(each.name, getattr(written, each.name))
    ]


def _alternatives(name: str, value: Any) -> list[Any]:
    """What a template may write of what a family allows: of several calls, separators and stops, some."""
    plain = _plain(value)
    if name in ("call", "separators"):
        return [[each] for each in plain]
    if name == "stops":
        return [[], plain, plain[::-1], *([each] for each in plain)]
    return [plain]


def _plain(value: Any) -> Any:
    """A value of a field without white space that may be or not be there."""
    if isinstance(value, (tuple, frozenset)):
        return [_plain(each) for each in value]
    return re.sub(r"\s+", "", value.replace("$ws", "")) if isinstance(value, str) else value


def baseline_of(found: list[Reading]) -> dict[str, dict[str, str]]:
    """The content of the list for these readings."""
    refused = {
        each.name: (each.error.where or "") if each.has_calls else "no calls"
        for each in found
        if each.error is not None
    }
    differ = {
        f"{each.name} {name}": ", ".join(fields_that_differ)
        for each in found
        for name in each.claimed
        if each.family is not None and (fields_that_differ := differing(each.family, family(name)))
    }
    return {"refused": refused, "differing": differ}


def fresh(found: list[Reading]) -> list[str]:
    """What these readings hold beside the list."""
    listed = known_readings()
    return [
        f"{kind}: {name}: {value}"
        for kind, entries in baseline_of(found).items()
        for name, value in entries.items()
        if listed[kind].get(name) != value
    ]


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.conformance.from_template",
        description="Families read from chat templates",
        epilog=(__doc__ or "").partition("\n\n")[2],
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--template", action="append", help="one template by its name; may be repeated")
    parser.add_argument("--judge", action="store_true", help="hold each family against the oracle")
    parser.add_argument("--write", action="store_true", help="write the list anew")
    chosen = parser.parse_args(arguments)
    found: list[Reading] = []
    for each in readings(chosen.template):
        found.append(each)
        print(_line(each), flush=True)
        if chosen.judge and each.family is not None:
            _print_differences(each)
    with_calls = [each for each in found if each.has_calls]
    read = [each for each in with_calls if each.error is None]
    print(f"{len(found)} templates, {len(with_calls)} with calls, {len(read)} read", end="")
    print(f" ({100 * len(read) / len(with_calls):.1f} %)" if with_calls else "")
    if chosen.write:
        READINGS.write_text(json.dumps(baseline_of(found), indent=2) + "\n", encoding="utf-8")
    for line in fresh(found):
        print(f"not on the list: {line}")
    return 1 if fresh(found) else 0


def _line(reading: Reading) -> str:
    if reading.family is None:
        assert reading.error is not None
        return f"{reading.name}: not read: {reading.error.where}: {reading.error.message}"
    told = []
    for name in reading.claimed:
        fields_that_differ = differing(reading.family, family(name))
        told.append(f"{name} {'≠ ' + ', '.join(fields_that_differ) if fields_that_differ else '='}")
    note = f" ({reading.family.note})" if reading.family.note else ""
    return f"{reading.name}: read{note}: {'; '.join(told) or 'no family with a name'}"


def _print_differences(reading: Reading) -> None:
    assert reading.family is not None
    text = (template_dir() / f"{reading.name}.jinja").read_text(encoding="utf-8")
    verdict = judge(text, reading.family)
    shown: dict[tuple[str, str, str], list[Difference]] = {}
    for difference in verdict.differences:
        shown.setdefault((difference.case, difference.kind, difference.detail), []).append(difference)
    print(f"    {verdict.judged} judged, {len(verdict.differences)} differ, {len(verdict.unwritten)} unwritten")
    for (case, kind, detail), differences in shown.items():
        where = " ".join(sorted({f"{each.choice}/{each.mode}" for each in differences}))
        print(f"    {case}: {kind}: {detail} [{where}]")


if __name__ == "__main__":
    sys.exit(main())
