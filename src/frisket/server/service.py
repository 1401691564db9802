"""Prompt and parameters of a request × the model → the events of its answers."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from threading import Lock

from frisket import CompiledGrammar, Sampler
from frisket.errors import TokenRejectedError
from frisket.extension import Budget, Compiler, Wanted, property_names, token_name
from frisket.models import Model
from frisket.options import OnBudget, Style
from frisket.server.failure import Failure
from frisket.server.job import Ended, Event, Failed, Job, Prompt, Written, advance
from frisket.server.metrics import Metrics
from frisket.server.reply import TextReply, ToolReply
from frisket.server.scheduler import Scheduler
from frisket.server.settings import Settings
from frisket.server.share import Share
from frisket.server.span import Span, begun, span
from frisket.server.tool import ToolOutput
from frisket.server.turn import Turns
from frisket.tools import family

logger = logging.getLogger(__name__)

#: Memory for all bodies, as a multiple of the largest body. Python objects take up to ten times a body's size.
BODIES = 16


@dataclass
class Wish:
    """The part of a request that does not depend on the prompt, as a route has read it."""

    max_tokens: int | None
    sampler: Sampler
    seed: int
    choices: int = 1
    stop: Sequence[str] = ()
    top: int = 0
    bias: Mapping[int, float] = field(default_factory=dict)
    on_budget: OnBudget = "finish"
    min_tokens: int = 0
    head: Sequence[str | int] = ()
    """The beginning of the answer that the prompt already has: texts and special tokens."""
    scores: bool = False
    """Whether the log-probabilities of the prompt's tokens are requested, too."""


@dataclass(frozen=True)
class Plan:
    """The result of planning a request, made outside the event loop."""

    ids: Sequence[int]
    grammar: CompiledGrammar | None
    wish: Wish
    budget: Budget
    output: ToolOutput | None = None
    """The structured output of the messages, if tools or reasoning are requested."""


@dataclass
class Answers:
    """The answers to one prompt, still in progress."""

    prompt_tokens: int
    events: AsyncIterator[tuple[int, Event]]
    tokens: int = field(default=0)


class Service:
    """One model, its scheduler, and the state that its requests share."""

    def __init__(self, model: Model, settings: Settings) -> None:
        family(settings.tool_family)  # raises for an unknown name before the first request
        self.model, self.settings = model, settings
        self.vocabulary = model.vocabulary
        self.compiler = Compiler(lambda _: self.vocabulary, limits=settings.limits)
        self.scheduler = Scheduler(max_active=settings.max_active, max_queued=settings.max_queued)
        self.turns = Turns(settings.max_active + settings.max_queued)
        self.bodies = Share(BODIES * settings.max_body_bytes)
        self._model_lock = Lock()
        self.metrics = Metrics(self.scheduler, self.compiler, self.vocabulary)

    def check_model(self, name: str) -> None:
        if name != self.settings.name:
            raise Failure(
                404,
                f"there is no model {name!r}",
                code="model-not-found",
                where="/model",
                hint=f"it is {self.settings.name!r}",
            )

    def compile(self, wanted: Wanted | None) -> CompiledGrammar | None:
        """The compiled grammar of a request. Refusing a hostile one takes a while."""
        if wanted is None:
            return None
        began = time.perf_counter()
        try:
            with span("compile", {"frisket.kind": wanted.kind}):
                return self.compiler.compile(wanted)
        finally:
            self.metrics.compiling.observe(time.perf_counter() - began)

    def keys(self, grammar: CompiledGrammar | None) -> list[str] | None:
        """The property names that a prompt mentions; the same as in `frisket.generate`."""
        schema = None if grammar is None else grammar.grammar.schema
        return None if schema is None else property_names(schema)

    def described(self, grammar: CompiledGrammar | None, style: Style | None) -> tuple[str, str] | None:
        """(description of the answer for the prompt, its style); None if no style is requested."""
        if style is None or grammar is None:
            return None
        return style, grammar.grammar.describe(style, limits=grammar.limits)

    def encode(self, text: str) -> list[int]:
        """The tokens of a prompt. A text too long for the context is refused before it is tokenized."""
        if len(text) > self.model.context * self._longest:
            raise Failure(
                400, f"the prompt has {len(text):,} characters; the model reads at most {self.model.context:,} tokens",
                code="limit", where="/prompt", hint="shorten the prompt, or use a model with a longer context",
            )  # fmt: skip
        return self.model.encode(text)

    @cached_property
    def _longest(self) -> int:
        """Length of the longest token, in bytes."""
        return max(len(self.vocabulary.token(token) or b"") for token in range(self.vocabulary.size))

    def checked(self, ids: list[int]) -> list[int]:
        """The token ids of a client, if all are in range; otherwise a Failure."""
        wrong = [token for token in ids if not 0 <= token < self.vocabulary.size]
        if wrong or not ids:
            raise Failure(
                400,
                f"{wrong[0]} is no token" if wrong else "a prompt has at least one token",
                code="request",
                where="/prompt",
            )
        return ids

    def plan(
        self, ids: Sequence[int], grammar: CompiledGrammar | None, wish: Wish, output: ToolOutput | None = None
    ) -> Plan:
        """The plan of a request; a Failure if it exceeds the limits."""
        if wish.choices > self.settings.max_choices:
            raise Failure(400, f"n is at most {self.settings.max_choices}", code="limit", where="/n")
        budget = self._budget(ids, wish)
        if grammar is not None:
            matcher = grammar.matcher()
            try:
                advance(matcher, wish.head)
            except TokenRejectedError as error:
                raise Failure(
                    400, f"the last message begins no answer: {error.message}", code="request", where="/head",
                    hint="let the message be the beginning of a text of the schema or grammar",
                ) from error  # fmt: skip
            budget.check(matcher)
        return Plan(ids, grammar, wish, budget, output)

    def answers(self, client: str, plans: Sequence[Plan]) -> Answers:
        """Begin the answers to all prompts of a request, or none. The events can be read once; the first `n` answers
        are those of the first prompt, and so on."""
        loop, queue = asyncio.get_running_loop(), asyncio.Queue[tuple[int, Event]]()
        jobs = [job for plan in plans for job in self._jobs(plan)]
        for number, job in enumerate(jobs):
            job.deliver = partial(_put, loop, queue, number)
        self.scheduler.submit(jobs, client)
        count = sum(len(plan.ids) for plan in plans)
        writing = begun("generate", {"gen_ai.request.model": self.settings.name, "gen_ai.usage.input_tokens": count})
        self.metrics.prompt_tokens.inc(count)
        answers = Answers(count, _nothing())
        answers.events = self._events(jobs, queue, answers, writing)
        return answers

    def _jobs(self, plan: Plan) -> list[Job]:
        grammar, wish, output, settings = plan.grammar, plan.wish, plan.output, self.settings
        prompt = Prompt(self.model, plan.ids, uses=wish.choices, lock=self._model_lock)
        stop: Sequence[str] = wish.stop
        make_reply: Callable[[], TextReply] = TextReply
        if grammar is not None and output is not None:
            # In messages with calls, stop strings end the content only.
            head = "".join(
                token_name(self.vocabulary, part) or "" if isinstance(part, int) else part for part in wish.head
            )
            stop, make_reply = (
                (),
                partial(ToolReply, grammar.grammar, output, stop=wish.stop, head=head, limits=settings.limits),
            )
        return [
            Job(
                prompt, grammar, self.vocabulary, budget=plan.budget, sampler=wish.sampler, seed=wish.seed + number,
                stop=stop, top=wish.top, make_reply=make_reply, head=wish.head, scores=wish.scores,
                is_empty=wish.max_tokens == 0, bias=wish.bias, cpu_seconds=settings.cpu_seconds,
            )
            for number in range(wish.choices)
        ]  # fmt: skip

    def _budget(self, ids: Sequence[int], wish: Wish) -> Budget:
        if wish.max_tokens is not None and wish.max_tokens > self.settings.max_tokens:
            raise Failure(
                400, f"an answer has at most {self.settings.max_tokens:,} tokens here", code="limit",
                where="/max_tokens", hint="ask for fewer, or start the server with a larger --max-tokens",
            )  # fmt: skip
        budget = Budget(wish.max_tokens or self.settings.max_tokens, wish.on_budget)
        if wish.max_tokens == 0:
            return budget
        budget = budget.within(self.model.context, len(ids))
        if wish.min_tokens > budget.max_tokens:
            raise Failure(400, f"min_tokens is at most {budget.max_tokens}, as many as the answer may have",
                          code="limit", where="/min_tokens")  # fmt: skip
        return replace(budget, min_tokens=wish.min_tokens)

    async def _events(
        self, jobs: list[Job], queue: asyncio.Queue[tuple[int, Event]], answers: Answers, writing: Span
    ) -> AsyncIterator[tuple[int, Event]]:
        began, left, budgeted = time.perf_counter(), len(jobs), 0
        outcomes: list[str] = []
        try:
            while left:
                number, event = await queue.get()
                if isinstance(event, Failed):
                    outcomes.append("failed")
                    raise self._failure(event.error)
                if isinstance(event, Ended):
                    left -= 1
                    outcomes.append("whole" if event.whole else "cut")
                    budgeted += event.budgeted
                elif isinstance(event, Written):
                    if not answers.tokens:
                        self.metrics.first.observe(time.perf_counter() - began)
                    answers.tokens += 1
                    self.metrics.count(event.step, masked=jobs[0].grammar is not None)
                yield number, event
        finally:
            # The client has left or was refused: cancel its jobs.
            for job in jobs:
                job.cancel()
            outcomes += ["left"] * (len(jobs) - len(outcomes))
            writing.set_attribute("gen_ai.usage.output_tokens", answers.tokens)
            writing.set_attribute("frisket.outcomes", outcomes)
            writing.set_attribute("frisket.budgeted", budgeted)
            writing.end()
            if jobs[0].grammar is not None:
                for outcome in outcomes:
                    self.metrics.answers.labels(outcome).inc()
            self.metrics.request.observe(time.perf_counter() - began)

    def _failure(self, error: BaseException) -> Failure:
        failure = Failure.of(error)
        if failure.status >= 500:
            logger.error("an answer failed", exc_info=error)
        return failure


def _put(loop: asyncio.AbstractEventLoop, queue: asyncio.Queue[tuple[int, Event]], number: int, event: Event) -> None:
    loop.call_soon_threadsafe(queue.put_nowait, (number, event))


async def _nothing() -> AsyncIterator[tuple[int, Event]]:
    return
    yield
