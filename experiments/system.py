"""The worked systems → inputs that training never saw, with their answers, and what an answer is worth."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import jsonschema_rs

import frisket
from frisket.models.prompt import property_names

NAMES = ("triage", "tutor", "orders", "agent")
ROOT = Path(__file__).parents[1]
#: What an answer may be, from bad to good.
OUTCOMES = ("does not parse", "breaks the schema", "valid but wrong", "right")


@dataclass(frozen=True)
class Case:
    input: str
    answer: Any


@dataclass(frozen=True)
class System:
    """One worked system."""

    name: str

    @cached_property
    def schema(self) -> dict[str, Any]:
        return frisket.examples.load(self.name)

    @cached_property
    def grammar(self) -> frisket.Grammar:
        return frisket.Grammar.from_json_schema(self.schema)

    @cached_property
    def keys(self) -> list[str]:
        return property_names(self.schema)

    @cached_property
    def _validator(self) -> Any:
        return jsonschema_rs.validator_for(self.schema)

    def heldout(self, count: int | None = None) -> list[Case]:
        """The 200 inputs that every evaluation uses, or the first of them."""
        lines = (ROOT / "examples" / self.name / "heldout.jsonl").read_text(encoding="utf-8").splitlines()[:count]
        return [Case(**json.loads(line)) for line in lines]

    def drawn(self, count: int, seed: int) -> list[Case]:
        """So many different inputs of combinations that training never saw, from the streams that it read."""
        return [Case(one.text, one.answer) for one in streams().evaluation(self.name, count, seed)]

    def parsed(self, text: str) -> Any:
        """The value of an answer; None if it does not parse or breaks the schema."""
        try:
            value = json.loads(text)
        except ValueError:
            return None
        return value if self._validator.is_valid(value) else None

    def outcome(self, text: str, answer: Any) -> str:
        try:
            value = json.loads(text)
        except ValueError:
            return OUTCOMES[0]
        if not self._validator.is_valid(value):
            return OUTCOMES[1]
        return OUTCOMES[2 + (value == answer)]

    def complaint(self, text: str) -> str | None:
        """What is wrong with an answer, in the words that the model's training used; None if nothing is."""
        try:
            value = json.loads(text)
        except ValueError as error:
            return str(error)
        return None if self._validator.is_valid(value) else "the answer does not match the schema"


def streams() -> Any:
    """The streams of training/data.py."""
    # The module puts the sources on the path, too, where the extension may not lie: no one else is to look there.
    before = [*sys.path]
    sys.path.insert(0, str(ROOT / "training"))
    try:
        import data
    finally:
        sys.path[:] = before
    return data


def leaves(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """The scalars of a value with their paths.

    >>> list(leaves({"a": [1, "x"], "b": {}}))
    [(('a', 0), '1'), (('a', 1), '"x"')]
    """
    if isinstance(value, dict):
        for key, one in value.items():
            yield from leaves(one, (*path, key))
    elif isinstance(value, list):
        for place, one in enumerate(value):
            yield from leaves(one, (*path, place))
    else:
        yield path, json.dumps(value)


def field_f1(wanted: Any, given: Any) -> float:
    """The harmonic mean of precision and recall over leaves; `None` is no answer.

    >>> round(field_f1({"a": 1, "b": 2}, {"a": 1, "c": 3, "d": 4}), 3), field_f1({"a": 1}, None)
    (0.4, 0.0)
    """
    want, got = set(leaves(wanted)), set() if given is None else set(leaves(given))
    return 2 * len(want & got) / (len(want) + len(got)) if want or got else 1.0
