"""Choices of tokens, each linked to the one before it → the steps of an answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from frisket import Generation, Step
from frisket.extension import Document, FinishReason, Text, token_name

if TYPE_CHECKING:
    from frisket.extension import Beginning, Task


@dataclass(frozen=True)
class Choice:
    """A chosen token, and what was known at that place. Branches of a search share the choices before they part."""

    before: Choice | None
    token: int
    logprob: float
    log_feasible: float
    allowed: int
    favourite: int
    overruled: bool
    called: bool = True


def choices(last: Choice | None) -> list[Choice]:
    """All choices from the first to this one."""
    found = []
    while last is not None:
        found.append(last)
        last = last.before
    return found[::-1]


def tokens(last: Choice | None) -> list[int]:
    return [choice.token for choice in choices(last)]


def spelled(task: Task, ids: list[int]) -> bytes:
    """The text of tokens, with special ones as their names, as in `Step.text`."""
    vocabulary, eos = task.vocabulary, set(task.vocabulary.eos)
    written = (one for one in ids if one not in eos)
    return b"".join(vocabulary.token(one) or (token_name(vocabulary, one) or "").encode() for one in written)


def generation(task: Task, beginning: Beginning, last: Choice | None, reason: FinishReason) -> Generation[Any]:
    """The answer, with the steps that the decode loop would make for these tokens."""
    vocabulary, head = task.vocabulary, beginning.head
    eos = set(vocabulary.eos)
    document = None if task.grammar.schema is None else Document(b"")
    text, steps, made = Text(), list[Step](), choices(last)
    for place, choice in enumerate(made):
        ends = choice.token in eos
        own = b"" if ends else vocabulary.token(choice.token) or b""
        data, head = own[len(head) :], head[len(own) :]
        new = text.feed(data)
        if not own and not ends:
            new += text.feed((token_name(vocabulary, choice.token) or "").encode())
        pieces = 0 if document is None else len(document)
        if document is not None:
            document.append(data)
        if place == len(made) - 1:
            new += text.flush()
        steps.append(
            Step(
                token=choice.token,
                text=new,
                logprob=choice.logprob,
                log_feasible=choice.log_feasible,
                allowed=choice.allowed,
                favourite=choice.favourite,
                overruled=choice.overruled,
                ends=ends,
                data=data,
                called=choice.called,
                _document=document,
                _pieces=pieces,
            )
        )
    written = "".join(step.text for step in steps)
    return Generation(written, tuple(steps), reason, task.grammar, beginning.limit, vocabulary, draft=task.draft)
