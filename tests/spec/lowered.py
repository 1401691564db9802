"""Spec cases → what the front ends tell the builder, call by call: `lowered.jsonl`, which the core's own tests replay.

    python -m tests.spec.lowered        writes the file anew

A line is a case (its name, its texts, its root) or a call of the case above it. A node is known by the number of the
call that first returned it, so the file changes where a front end says something else, not where the core numbers its
nodes otherwise. A question is recorded with its answer, which the core must give again. The first line is the version
of Unicode, since the running Python says what `\\w` holds.

Patterns, schemas and rules are read by crates that make their nodes without a call. Cases with one keep the calls that
readers in Python recorded until November 2026; such a case that is added later stands in no line. A case is known by
its number in its file, so new ones go to the end.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

from frisket._core import GrammarBuilder
from frisket.notations.choices import lower_choices
from tests.spec.cases import Case, cases

FILE = Path(__file__).with_name("lowered.jsonl")


class MadeWithoutCalls(Exception):
    """A crate makes the nodes of this part."""


class RecordingBuilder:
    """A builder that writes down what it is told."""

    def __init__(self) -> None:
        self.builder = GrammarBuilder()
        self.calls: list[list[Any]] = []

    def check(self, steps: int = 0, memory_bytes: int = 0) -> None:
        self.builder.check(steps, memory_bytes)

    def words(self, words: Any) -> int:
        self.calls.append(["words", [spelled(word) for word in sorted(words)]])
        return self.builder.words(words)


def spelled(data: bytes) -> str | list[int]:
    """Bytes as text where they are one."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        return list(data)


def lowered(case: Case) -> list[Any]:
    """The lines of a case; its root is None where nothing can be written.

    Raises MadeWithoutCalls for a case with a pattern, a schema or rules.
    """
    if case.pattern is not None or case.schema is not None or case.rules is not None:
        raise MadeWithoutCalls
    recording = RecordingBuilder()
    lower_choices(cast("GrammarBuilder", recording), case.choices)
    return [head(case, 0), *recording.calls]


def head(case: Case, root: int | None) -> dict[str, Any]:
    """A case's first line."""
    return {"case": case.name, "accepts": case.accepts, "rejects": case.rejects, "root": root}


def kept() -> dict[str, list[Any]]:
    """The lines of each case as they are in the file."""
    found: dict[str, list[Any]] = {}
    name = ""
    for line in map(json.loads, FILE.read_text(encoding="utf-8").split("\n")[1:-1]):
        name = line["case"] if isinstance(line, dict) else name
        found.setdefault(name, []).append(line)
    return found


def written() -> Iterator[str]:
    """The file's lines."""
    before = kept()
    yield _line({"unicode": unicodedata.unidata_version})
    for case in cases():
        if case.refused is not None:  # there is nothing to replay
            continue
        try:
            lines = lowered(case)
        except MadeWithoutCalls:
            if case.name not in before:
                continue
            first, *calls = before[case.name]
            lines = [head(case, first["root"]), *calls]
        yield from map(_line, lines)


def _line(said: Any) -> str:
    return json.dumps(said, ensure_ascii=False, separators=(",", ":")) + "\n"


if __name__ == "__main__":
    FILE.write_text("".join(written()), encoding="utf-8")
