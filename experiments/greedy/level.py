"""Worked system × form → answers of the embedded model that the form fights a little, or much."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import frisket
from experiments.greedy.likeliest import likeliest
from frisket import Generation, Grammar, JSONSchemaOptions
from frisket.decoding.task import Task
from frisket.errors import LimitExceededError
from frisket.strategies import Beams

ROOT = Path(__file__).parents[2]
SYSTEMS = {"tutor": ("verb", "tense", "person"), "triage": ("priority", "category", "needs_human")}
"""System → the properties that are asked for, in the order that the model knows."""
RENAMED = {
    "verb": "word",
    "tense": "time",
    "person": "who",
    "priority": "urgency",
    "category": "topic",
    "needs_human": "escalate",
}
WORKED = ("tutor", "triage", "orders", "agent")
MAX_TOKENS, OWN_TOKENS = 60, 200
Json = Mapping[str, Any]


@dataclass(frozen=True)
class Form:
    """A way to write the same answers."""

    about: str
    options: JSONSchemaOptions = JSONSchemaOptions()  # noqa: RUF009 (frozen)
    backwards: bool = False
    renamed: tuple[int, ...] = ()
    """Which of the properties have other names."""
    upper: tuple[int, ...] = ()
    """Which have values in upper case."""

    def schema(self, system: str) -> dict[str, Any]:
        parts = frisket.examples.load(system)["properties"]
        properties = {}
        for name in self._names(system):
            part = parts[name]
            if "enum" in part:
                part = {"enum": [self._value(system, name, one) for one in part["enum"]]}
            properties[self._key(system, name)] = part
        return {
            "type": "object",
            "properties": properties,
            "required": list(properties),
            "additionalProperties": False,
        }

    def wanted(self, system: str, answer: Json) -> dict[str, Any]:
        """The right answer, in this form."""
        return {self._key(system, name): self._value(system, name, answer[name]) for name in SYSTEMS[system]}

    def _names(self, system: str) -> tuple[str, ...]:
        return SYSTEMS[system][::-1] if self.backwards else SYSTEMS[system]

    def _key(self, system: str, name: str) -> str:
        return RENAMED[name] if SYSTEMS[system].index(name) in self.renamed else name

    def _value(self, system: str, name: str, value: Any) -> Any:
        shouts = isinstance(value, str) and SYSTEMS[system].index(name) in self.upper
        return value.upper() if shouts else value


ALL = (0, 1, 2)
FORMS = {
    "own": Form("the form that the model was trained on"),
    "backwards": Form("the properties in the reverse order", backwards=True),
    "one upper": Form("the values of the second property in upper case", upper=(1,)),
    "one renamed": Form("another name for the second property", renamed=(1,)),
    "all upper": Form("all values in upper case", upper=ALL),
    "all renamed": Form("other names for all properties", renamed=ALL),
    "compact": Form("no white space", JSONSchemaOptions(whitespace="compact")),
    "everything": Form("all of these", JSONSchemaOptions(whitespace="compact"), True, ALL, ALL),
}


@dataclass(frozen=True)
class Answer:
    """One held-out input in one form. Arms are paired: all of them answer it."""

    system: str
    form: str
    place: int
    right: bool
    nats: float
    """Σ −log α of the greedy answer."""
    surprise: float
    """Its −log p under the model as it is."""
    doubt: float
    """Its −log q among the allowed tokens."""
    beams_right: bool = False
    likelier_right: bool = False
    """Of the likeliest answer that greedy, beams and the search have found."""
    proven: bool = False
    """Whether the search came to its end: that answer is then the likeliest of all."""
    missed: float = 0.0
    """How many nats greedy's answer is less likely than it."""


def measure(system: str, form: str, inputs: int, places: int) -> list[Answer]:
    """Greedy, four beams, and the likeliest answer, if it is found in so many places."""
    model, shape = frisket.models.embedded(), FORMS[form]
    grammar = Grammar.from_json_schema(shape.schema(system), shape.options)
    found = []
    for place, case in enumerate(_cases(system, inputs)):
        wanted = shape.wanted(system, case["answer"])
        task = Task(model, case["input"], grammar, max_tokens=MAX_TOKENS)
        greedy = frisket.stream(model, case["input"], grammar, max_tokens=MAX_TOKENS).generation()
        beams, best = _beams(task), likeliest(task, places)
        known = [(_before_end(one), one.text) for one in (greedy, beams) if one is not None]
        if best is not None:
            known.append((best.logprob, best.text))
        logprob, text = max(known, key=lambda one: one[0])
        found.append(
            replace(
                _answer(system, form, place, greedy, wanted),
                beams_right=beams is not None and _parsed(beams.text) == wanted,
                likelier_right=_parsed(text) == wanted,
                proven=best is not None,
                missed=logprob - known[0][0],
            )
        )
    return found


def measure_own(system: str, form: str, inputs: int, drawn: bool) -> list[Answer]:
    """A worked system as it is, greedily or drawn at temperature 1. `form` names the rows."""
    model = frisket.models.embedded()
    grammar = Grammar.from_json_schema(frisket.examples.load(system))
    sampler = frisket.Sampler() if drawn else frisket.Sampler.GREEDY
    found = []
    for place, case in enumerate(_cases(system, inputs)):
        answer = frisket.stream(
            model, case["input"], grammar, max_tokens=OWN_TOKENS, sampler=sampler, seed=place
        ).generation()
        found.append(_answer(system, form, place, answer, case["answer"]))
    return found


def _beams(task: Task) -> Generation[Any] | None:
    """The answer of four beams; None if none of them ends within the tokens."""
    try:
        return Beams(4).answer(task, 0)
    except LimitExceededError:
        return None


def _cases(system: str, inputs: int) -> list[dict[str, Any]]:
    lines = (ROOT / "examples" / system / "heldout.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines[:inputs]]


def _answer(system: str, form: str, place: int, answer: Generation[Any], wanted: Json) -> Answer:
    nats = answer.report.total.nats
    right = _parsed(answer.text) == wanted
    return Answer(system, form, place, right, nats, -answer.logprob, -answer.masked_logprob)


def _parsed(text: str) -> Any:
    """None for a text that was cut."""
    try:
        return json.loads(text)
    except ValueError:
        return None


def _before_end(answer: Generation[Any]) -> float:
    """The log-probability of the text, without the end: the search asks for none where nothing else may follow."""
    return sum(step.logprob for step in answer.steps if not step.ends)
