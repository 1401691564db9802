"""Chat template × family → the differences between what the template writes and what the masks and the parser allow."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from frisket import Grammar, Vocabulary
from frisket.errors import EngineError, FrisketError
from frisket.thinking import Thinking
from frisket.tools import Family, Message, Tools, family

from .case import CASES, TOOLS, Case
from .rendering import Rendering, Turn, without_empty_reasoning

CHOICES = ("auto", "required", "named", "single")
MODES = ("on", "off", "closed")


@dataclass(frozen=True, order=True)
class Difference:
    """One case that does not pass in one setting."""

    case: str
    kind: str
    """`masked`: a byte is refused; `endless`: the end is; `misread`: the parts differ; `refused`: the tool is."""
    choice: str
    mode: str
    detail: str = field(compare=False)


@dataclass
class Verdict:
    """What became of all cases of one template and one family."""

    judged: int = 0
    differences: list[Difference] = field(default_factory=list)
    unwritten: dict[str, str] = field(default_factory=dict)
    """Name of a case → why the template does not write it."""


def judge(
    template: str,
    wanted: Family | str,
    *,
    cases: Iterable[Case] = CASES,
    choices: Iterable[str] = CHOICES,
    modes: Iterable[str] = MODES,
    variables: dict[str, Any] | None = None,
) -> Verdict:
    """Hold one template's text against one family. `variables` are what else the template reads."""
    return _Judge(template, wanted if isinstance(wanted, Family) else family(wanted), variables).verdict(
        list(cases), list(choices), list(modes)
    )


class _Judge:
    def __init__(self, template: str, wanted: Family, variables: dict[str, Any] | None) -> None:
        self.family = wanted
        self.rendering = Rendering(template, wanted, variables)
        self.tools = Tools(TOOLS, policy="reject")
        self.refused = {
            report.name: report.places[0][1] if report.places else "no reason"
            for report in self.tools.report(wanted)
            if report.status == "refused"
        }
        special = sorted(wanted.special)
        ids = {name: 256 + place for place, name in enumerate([*special, "<end>"])}
        tokens = [*(bytes([value]) for value in range(256)), *(None for _ in ids)]
        self.vocabulary = Vocabulary.from_bytes(tokens, special=ids, eos="<end>")
        names = sorted(special, key=len, reverse=True)
        self._special = re.compile(f"({'|'.join(map(re.escape, names))})") if names else None
        self._grammars: dict[tuple[Any, ...], tuple[Grammar, Any]] = {}

    def verdict(self, cases: list[Case], choices: list[str], modes: list[str]) -> Verdict:
        verdict = Verdict()
        for mode in modes:
            if not self._is_possible(mode):
                continue
            for case in cases:
                if case.calls and self.rendering.style is None:
                    verdict.unwritten[case.name] = "the template writes no calls"
                    continue
                try:
                    turn = self.rendering.turn(case, mode == "on")
                except EngineError as error:
                    verdict.unwritten[case.name] = error.message
                    continue
                for choice in choices:
                    if _is_allowed(case, choice):
                        verdict.judged += 1
                        verdict.differences += self._differences(case, turn, choice, mode)
        return verdict

    def _is_possible(self, mode: str) -> bool:
        if mode == "on":
            return self.rendering.reasoning_key is not None
        return mode == "off" or self.family.thinking is not None

    def _differences(self, case: Case, turn: Turn, choice: str, mode: str) -> Iterator[Difference]:
        lost = [name for name, _ in case.calls if name in self.refused]
        if lost:
            yield Difference(case.name, "refused", choice, mode, f"{lost[0]}: {self.refused[lost[0]]}")
            return
        text = turn.text
        said: Thinking | None = None
        if self.family.thinking is not None:
            said = self.family.prompt_says(turn.prompt)
            if mode == "closed" and said not in (Thinking.CLOSED, Thinking.BEGUN):
                text, said = without_empty_reasoning(text, self.family), Thinking.CLOSED
        thinking = {"on": "on", "off": "off", "closed": "auto"}[mode] if self.family.thinking else "auto"
        if mode == "on" and case.reasoning not in text:
            thinking = "auto"
        named = case.calls[0][0] if choice == "named" else choice
        try:
            grammar, compiled = self._grammar(named, thinking, said)
        except FrisketError as error:
            yield Difference(case.name, "refused", choice, mode, error.message)
            return
        found = self._masked(compiled, text)
        if found is not None:
            yield Difference(case.name, *found[:1], choice, mode, found[1])
            return
        try:
            message = grammar.value(text)
        except FrisketError as error:
            yield Difference(case.name, "misread", choice, mode, error.message)
            return
        wrong = _misread(case, message, text, mode)
        if wrong is not None:
            yield Difference(case.name, "misread", choice, mode, wrong)

    def _grammar(self, choice: str, thinking: Any, said: Thinking | None) -> tuple[Grammar, Any]:
        key = (choice, thinking, said)
        if key not in self._grammars:
            grammar = Grammar.from_tools(
                self.tools,
                self.family,
                choice="auto" if choice == "single" else choice,
                parallel=choice != "single",
                thinking=thinking,
                prompt=said,
            )
            self._grammars[key] = grammar, grammar.compile(self.vocabulary)
        return self._grammars[key]

    def _masked(self, compiled: Any, text: str) -> tuple[str, str] | None:
        matcher = compiled.matcher()
        parts = self._special.split(text) if self._special else [text]
        place = 0
        for part in parts:
            tokens = [self.vocabulary.special[part]] if part in self.vocabulary.special else list(part.encode())
            for token in tokens:
                if not matcher.try_advance(token):
                    data = text.encode()
                    before, after = data[:place].decode("utf-8", "ignore"), data[place:].decode("utf-8", "ignore")
                    return "masked", f"{after[:30]!r} after {before[-40:]!r}"
                place += len(part) if part in self.vocabulary.special else 1
        return None if matcher.can_end else ("endless", f"the end after {text[-40:]!r}")


def _is_allowed(case: Case, choice: str) -> bool:
    """Whether the choice allows the case: `required` and a tool's name allow calls and nothing else."""
    if choice == "required":
        return bool(case.calls) and case.content is None
    if choice == "named":
        return len(case.calls) == 1 and case.content is None
    return choice == "auto" or len(case.calls) < 2


def _misread(case: Case, message: Message, text: str, mode: str) -> str | None:
    """How the parts of a message differ from the case, as far as the template wrote them."""
    content = case.content if case.content and case.content in text else None
    if message.content != content:
        return f"the text is {message.content!r}"
    reasoning = case.reasoning if mode == "on" and case.reasoning in text else None
    if message.reasoning != reasoning:
        return f"the reasoning is {message.reasoning!r}"
    calls = [(call.name, call.arguments) for call in message.calls]
    # Some templates write either the text of a message or its calls.
    written = case.calls if any(name in text for name, _ in case.calls) else ()
    if _canonical(calls) != _canonical(written):
        return f"the calls are {calls!r}"
    return None


def _canonical(calls: Iterable[tuple[str, Any]]) -> str:
    """The calls as JSON, in which 3.0 is 3."""
    return json.dumps([(name, _with_integers(values)) for name, values in calls], sort_keys=True)


def _with_integers(value: Any) -> Any:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, dict):
        return {key: _with_integers(item) for key, item in value.items()}
    return [_with_integers(item) for item in value] if isinstance(value, list) else value
