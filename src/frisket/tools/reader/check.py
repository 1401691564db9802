"""Family × template → notes, or an error for the first message that the two write differently.

The messages are not the reader's probes: they have values that are hard to write, calls without arguments, several
calls, and text and reasoning beside calls. Each is rendered in all modes of reasoning, and read by the family's
grammar.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from frisket.errors import FrisketError, UnreadableTemplateError
from frisket.thinking import Thinking
from frisket.tools.family import Family
from frisket.tools.reader.probe import CONTENT, MODES, REASONING, Call, Probe, Said, Turn, schema_of
from frisket.tools.reader.turn import Frame

#: Argument values for the check: difficult texts, and each type.
_VALUES: tuple[Any, ...] = (
    "Ibis nest", "", "  two  blanks ", "\nlines\n\n of text\n", "12", "null", "True", "é 東京 😀", 'it\'s "so" \\n',
    "<b>&</b>",
    0, -3, 2.5, 3.0, 1e22, 1e-07, True, False, None,
    [], ["a", "b c", "it's"], [1, None, True], [{"k": True, "m": None}],
    {}, {"k": "x", "m": [1, {"n": False}], "o": None},
)  # fmt: skip


@dataclass(frozen=True)
class Case:
    """One message of the assistant, and its name for errors."""

    name: str
    said: Said


def _cases() -> Iterator[Case]:
    call, bare = Call("zebra_finch", {"aardvark": "x", "buffalo": 2}), Call("yellow_jay", {}, "kFxTqLmRb")
    yield Case("text", Said(CONTENT))
    yield Case("text of two lines", Said(f"{CONTENT}.\n\n{CONTENT}."))
    yield Case("reasoning and text", Said(CONTENT, REASONING))
    yield Case("a call", Said(calls=(call,)))
    yield Case("a call without arguments", Said(calls=(bare,)))
    yield Case("two calls", Said(calls=(call, bare)))
    yield Case("reasoning and a call", Said(reasoning=REASONING, calls=(call,)))
    yield Case("text and a call", Said(CONTENT, calls=(call,)))
    yield Case("text and two calls", Said(CONTENT, calls=(call, bare)))
    for value in _VALUES:
        yield Case(f"the value {value!r}", Said(calls=(Call("zebra_finch", {"aardvark": value}),)))


CASES = tuple(_cases())


def check(probe: Probe, frame: Frame, family: Family) -> list[str]:
    """Notes on what the template writes and the family cannot.

    UnreadableTemplateError for the first message that the family does not read as the template writes it.
    """
    notes: dict[str, None] = {}
    for case in CASES:
        if case.said.reasoning and family.thinking is None:
            continue
        turns = list(probe.reasoned(case.said) if case.said.reasoning else map(probe.turn, [case.said] * 3, MODES))
        for turn in dict.fromkeys(turns):
            if turn is None:
                continue
            prompt, text = as_generated(turn, frame, family)
            if not _is_whole(case.said, text):
                continue
            problem = _problem(case.said, prompt, text, family)
            if problem is not None and family.arguments == "python" and not _is_python(text):
                notes["the template writes texts with quotes or line breaks so that they are no Python"] = None
            elif problem is not None:
                raise UnreadableTemplateError(
                    f"the template writes {case.name} as {text!r}; {problem}",
                    where=case.name,
                    hint="name the family, if the model has one",
                )
    return list(notes)


def as_generated(turn: Turn, frame: Frame, family: Family) -> tuple[Thinking, str]:
    """The prompt's state of reasoning, and the text that the model has to write after it, without the stop token."""
    prompt, text = turn.prompt, turn.text
    if not turn.follows_prompt:
        message = frame.message(turn)
        prompt, text = (turn.head, text) if message is None else (frame.header, message)
    said = Thinking.ABSENT
    if family.thinking is not None:
        start, end = family.thinking
        said = family.prompt_says(prompt)
        bare = text.lstrip()
        if not turn.follows_prompt and bare.removeprefix(start).lstrip().startswith(end):
            # Empty reasoning in an earlier turn was written by the prompt, not by the model.
            said, text = Thinking.CLOSED, bare.partition(end)[2]
        elif said is Thinking.OPEN and end not in text:
            said = Thinking.CLOSED
    places = [place for stop in family.stops if (place := text.find(stop)) >= 0]
    return said, text[: min(places)] if places else text


def _is_whole(said: Said, text: str) -> bool:
    """Whether the rendering has all calls of a message: some templates leave calls out."""
    names = [call.name for call in said.calls]
    return all(text.count(name) >= names.count(name) for name in names) and (bool(names) or said.content in text)


def _is_python(text: str) -> bool:
    """Whether a text holds calls in Python's syntax."""
    found = re.search(r"\[.*\]", text, re.DOTALL)
    try:
        ast.parse(found[0] if found else text)
    except SyntaxError:
        return False
    return True


def _problem(said: Said, prompt: Thinking, text: str, family: Family) -> str | None:
    """The difference between the family's grammar or parser and the template; None if they agree."""
    from frisket.grammar import Grammar

    tools = [{"name": call.name, "parameters": schema_of(call.arguments)} for call in said.calls]
    for choice in ("auto", "required") if tools and not said.content else ("auto",):
        try:
            grammar = Grammar.from_tools(tools, family, choice=choice, prompt=prompt)
            message = grammar.value(text)
        except FrisketError as error:
            return f"with the choice {choice!r} {error.message}"
        calls = [(call.name, call.arguments) for call in message.calls]
        if calls != [(call.name, dict(call.arguments)) for call in said.calls]:
            return f"the calls were read as {calls!r}"
        # Some templates write the text before a call as reasoning.
        for part, parts, read in (
            (said.reasoning, (message.reasoning,), message.reasoning),
            (said.content, (message.content, message.reasoning if tools else None), message.content),
        ):
            if (part and part in text and part not in parts) or (read and not (said.reasoning or said.content)):
                return f"the text was read as {message.content!r}, the reasoning as {message.reasoning!r}"
    return None
