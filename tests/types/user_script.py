"""What a user writes, as type checkers and Python see it: `test_user_script.py` runs all three on this file."""

import asyncio
import pickle
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, Field
from typing_extensions import Unpack, assert_type

import frisket
from frisket import Grammar, JSONSchemaOptions, Limits, Matcher, Vocabulary
from frisket.errors import StrategyError
from frisket.events import Closed
from frisket.logits.numpy import allocate_bitmask, allowed, apply_mask
from frisket.options import Options
from frisket.parts import choice, json, seq, template
from frisket.strategies import Beams, Exact

Priority = Literal["low", "high"]


class Ticket(BaseModel):
    priority: Priority
    tags: list[Literal["mail", "desk"]] = Field(max_length=2)


@dataclass
class Point:
    x: int
    y: int


def values(model: frisket.models.Model, prompt: str) -> None:
    """A value has the type that was asked for."""
    sampler = frisket.Sampler(temperature=0.5)
    options: dict[str, int] = {"seed": 3, "max_tokens": 200}

    ticket = frisket.generate(model, prompt, Ticket, sampler=sampler, seed=options["seed"])
    assert_type(ticket, Ticket)
    print(ticket.priority.upper(), [tag.title() for tag in ticket.tags])

    point = frisket.generate(model, prompt, Point, max_tokens=options["max_tokens"])
    assert_type(point, Point)
    print(point.x + point.y)

    answer = frisket.generate(model, prompt, Literal["yes", "no"])
    assert_type(answer, Literal["yes", "no"])
    word = frisket.generate(model, prompt, ["red", "green"])
    assert_type(word, str)
    code = frisket.generate(model, prompt, re.compile("[A-Z]{3}-[0-9]{2}"))
    assert_type(code, str)
    print(answer, word, code)

    parsed = frisket.generate(model, prompt, {"type": "array", "items": {"type": "boolean"}, "maxItems": 2})
    assert_type(parsed, Any)

    messages = [{"role": "system", "content": "Open a ticket."}, {"role": "user", "content": prompt}]
    called = frisket.generate(model, messages, tools=[Ticket], choice="required", parallel=False)
    assert_type(called, frisket.tools.Message)
    result = {"role": "tool", "tool_call_id": called.calls[0].id, "content": "opened"}
    assert_type(frisket.generate(model, [*messages, called, result], Literal["yes", "no"]), Literal["yes", "no"])


def steps(model: frisket.models.Model, prompt: str) -> None:
    """A stream yields steps, and knows the type of its value."""
    answer = frisket.stream(model, prompt, Ticket)
    assert_type(answer, frisket.Stream[Ticket])
    for step in answer:
        assert_type(step, frisket.Step)
        print(step.text, end="", flush=True)
    generation = answer.generation()
    assert_type(generation, frisket.Generation[Ticket])
    assert_type(generation.value(), Ticket)
    assert_type(generation.tokens, list[int])
    print(generation.finish_reason, f"{generation.logprob:.2f}")


def ask(model: frisket.models.Model, prompt: str, **options: Unpack[Options]) -> Point:
    """A function of one's own passes options on, and they are checked as those of `generate`."""
    return frisket.generate(model, prompt, Point, **options)


def thoughts(model: frisket.models.Model, prompt: str) -> None:
    """What a target stands for goes through reasoning, parts and templates."""
    thought = frisket.generate(model, prompt, frisket.think(Ticket, mode="off"))
    assert_type(thought, frisket.Thought[Ticket])
    print(thought.reasoning, thought.answer.priority)
    colour = frisket.think(["red", "green"], max_chars=20)
    assert_type(colour, Grammar[frisket.Thought[str]])
    form = template("x={x} y={y}", Point)
    assert_type(form.value("x=1 y=2"), Point)
    line = seq("at ", json(Point), choice(".", "!"))
    assert_type(line, Grammar[str])
    assert_type(Grammar.from_type(Point).value('{"x": 1, "y": 2}'), Point)
    # A grammar of a narrower type serves where one of a wider type is asked for.
    wider: Grammar[Ticket | Point] = Grammar.from_type(Point)
    print(colour.accepts("red"), line.accepts('at {"x": 1, "y": 2}.'), wider.accepts("{}"))


def several(model: frisket.models.Model, prompt: str) -> None:
    """Many prompts, several answers to one, and a strategy."""
    tickets = frisket.generate_many(model, [prompt, "The desk is gone"], Ticket, max_tokens=100)
    assert_type(tickets, list[Ticket])
    found = frisket.sample(model, prompt, Ticket, 2, strategy=Exact(), seed=1)
    assert_type(found[0].value, frisket.Generation[Ticket])
    print(sum(found.weights), {one.value.value().priority for one in found})
    best = frisket.generate(model, prompt, Priority, strategy=Beams(2), on_step=lambda step: print(step.text))
    assert_type(best, Literal["low", "high"])
    try:
        ask(model, prompt, strategy=Beams(2), guard=frisket.Guard())
    except StrategyError as error:
        print(error.where)


async def later(model: frisket.models.Model, prompt: str) -> None:
    """The twins for an event loop."""
    ticket = await frisket.agenerate(model, prompt, Ticket, on_step=lambda step: None)
    assert_type(ticket, Ticket)
    answer = frisket.astream(model, prompt, Ticket)
    assert_type(answer, frisket.AsyncStream[Ticket])
    async for event in answer.events():
        if isinstance(event, Closed) and event.path == ("priority",):
            print(event.value, event.tokens)
    assert_type(answer.partial, Ticket | None)
    assert_type((await answer.generation()).value(), Ticket)


def grammars() -> Iterator[Grammar]:
    """Every constructor, with what it takes beside."""
    yield Grammar.from_choices(["low", "high"])
    yield Grammar.from_regex("[a-z]+", dialect="ecma", search=True)
    yield Grammar.from_regex(re.compile("[a-z]+"), limits=Limits(steps=10**8, seconds=5.0))
    yield Grammar.from_json_schema('{"type": "integer"}')
    yield Grammar.from_json_schema({"type": "string"}, JSONSchemaOptions(whitespace="compact", indent=2))
    yield Grammar.from_json_schema(True)
    yield Grammar.from_type(Ticket)
    yield Grammar.from_type(list[Point])


def masks(grammar: Grammar, vocabulary: Vocabulary) -> None:
    """The loop of one's own: masks as numpy's arrays, logits with −∞ in them."""
    compiled = grammar.compile(vocabulary)
    assert_type(compiled.vocabulary, Vocabulary)
    assert compiled.vocabulary is vocabulary
    matcher = compiled.matcher()
    assert_type(matcher, Matcher)
    bitmask = allocate_bitmask(2, vocabulary.size)
    frisket.fill_masks([matcher, matcher.fork()], bitmask)
    matcher.fill_mask(bitmask, row=1)
    assert_type(matcher.mask(), NDArray[np.uint32])
    logits: NDArray[np.float32] = np.zeros((2, vocabulary.size), dtype=np.float32)
    apply_mask(logits, bitmask)
    legal = allowed(bitmask, logits.shape)
    token = int(legal[0].argmax())
    if matcher.try_advance(token):
        matcher.rollback(1)
    ending: bytes | None = matcher.completion()
    if ending is not None:
        matcher.advance_bytes(ending)
    assert matcher.can_end
    print(repr(matcher), compiled.limits.steps)


def main() -> None:
    model = frisket.models.embedded()
    values(model, "A letter was lost")
    steps(model, "A letter was lost")
    thoughts(model, "A letter was lost")
    several(model, "A letter was lost")
    asyncio.run(later(model, "A letter was lost"))
    print(ask(model, "Where?", max_tokens=60, sampler=frisket.Sampler(temperature=0.5)))
    for grammar in grammars():
        masks(grammar, model.vocabulary)
        again: Grammar = pickle.loads(pickle.dumps(grammar))
        assert again == grammar and len({again, grammar}) == 1
    report = Grammar.from_type(Ticket).report
    if report is not None:
        print([entry.keyword for entry in report.entries], report.exact)
    try:
        Grammar.from_json_schema({"type": "integer", "minimum": 2, "maximum": 1})
    except frisket.FrisketError as error:
        print(error.code, error.where, error.hint)


if __name__ == "__main__":
    main()
