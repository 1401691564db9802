"""Models × requests → answers, which are kept so that users can go back in them."""

from __future__ import annotations

import asyncio
import inspect
import secrets
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from threading import Lock
from typing import Any

from starlette.concurrency import run_in_threadpool

from frisket import CompiledGrammar, FrisketError, Sampler
from frisket.extension import Budget, Task, described, property_names
from frisket.models import Model
from frisket.play.answer import Answer
from frisket.play.body import Ask, Run, Search
from frisket.play.check import compiled
from frisket.play.plan import Moment, Plan
from frisket.play.search import Finder
from frisket.play.settings import Settings
from frisket.server.failure import Failure
from frisket.strategies.spelling import read_strategy

#: Seconds of steps that a fast model sends in one message.
MOMENT = 0.02
#: Seconds between two progress messages of a search.
TOLD = 0.2


class Loaded:
    """A model that is loaded on first use and used by one thread at a time."""

    def __init__(self, name: str, load: Callable[[], Model]) -> None:
        self.name, self._load = name, load
        self._lock = Lock()
        self.asking = asyncio.Lock()
        self.model: Model | None = None

    def get(self) -> Model:
        with self._lock:
            if self.model is None:
                self.model = self._load()
            return self.model


class Kept:
    """An answer, its model, its source, and its current run, if any."""

    def __init__(self, answer: Answer, loaded: Loaded, ask: Ask) -> None:
        self.answer, self.loaded, self.ask = answer, loaded, ask
        self.running = asyncio.Lock()


class Service:
    """The state shared by the routes."""

    def __init__(self, models: Mapping[str, Callable[[], Model]], settings: Settings) -> None:
        self.settings = settings
        self.models = {name: Loaded(name, load) for name, load in models.items()}
        self._kept: OrderedDict[str, Kept] = OrderedDict()

    def loaded(self, name: str) -> Loaded:
        found = self.models.get(name)
        if found is None:
            raise Failure(
                404, f"there is no model {name!r}", code="model-not-found", where="/model",
                hint=f"there are {', '.join(self.models)}; start with --model for another one",
            )  # fmt: skip
        return found

    def fits(self, text: str) -> None:
        """A Failure for a schema, pattern or grammar that is too large."""
        if len(text.encode("utf-8", "surrogatepass")) > self.settings.max_source_bytes:
            raise Failure(
                413, f"the text has more than {self.settings.max_source_bytes:,} bytes", code="limit", where="/text",
                hint="make it smaller, or start with a larger --max-source-bytes",
            )  # fmt: skip

    def admit(self, ask: Ask) -> tuple[Loaded, CompiledGrammar]:
        """The model and the grammar of an answer; a Failure for what is too large."""
        self.fits(ask.text)
        if len(ask.prompt.encode("utf-8", "surrogatepass")) > self.settings.max_prompt_bytes:
            raise Failure(
                413, f"the prompt has more than {self.settings.max_prompt_bytes:,} bytes", code="limit", where="/prompt"
            )
        if ask.max_tokens > self.settings.max_tokens:
            raise Failure(
                400, f"an answer has at most {self.settings.max_tokens:,} tokens here", code="limit",
                where="/max_tokens", hint="ask for fewer, or start with a larger --max-tokens",
            )  # fmt: skip
        loaded = self.loaded(ask.model)
        vocabulary = loaded.get().vocabulary
        return loaded, compiled(ask.notation, ask.text, ask.options, self.settings.limits, vocabulary)

    def begin(self, ask: Ask) -> tuple[str, Kept]:
        """A new answer, before its first step."""
        loaded, grammar = self.admit(ask)
        model = loaded.get()
        schema = grammar.grammar.schema
        prompt, keys = ask.prompt, None if schema is None else property_names(schema)
        if ask.describe:
            prompt, keys = (
                described(prompt, ask.describe, grammar.grammar.describe(ask.describe, limits=grammar.limits)),
                None,
            )
        drafted = {} if ask.draft is None else {"draft": ask.draft}
        if drafted and "draft" not in inspect.signature(model.prompt).parameters:
            raise Failure(400, "the prompt of this model has no place for a draft", code="strategy", where="/draft")
        ids = model.encode(model.prompt(prompt, keys, **drafted))
        budget = Budget(ask.max_tokens, ask.on_budget).within(model.context, len(ids))
        plan = Plan(grammar, ids, Sampler(temperature=ask.temperature), ask.seed, budget, ask.masked)
        kept = Kept(Answer(model, plan), loaded, ask)
        name = secrets.token_urlsafe(12)
        self._kept[name] = kept
        while len(self._kept) > self.settings.max_answers:
            self._kept.popitem(last=False)
        return name, kept

    def kept(self, name: str) -> Kept:
        found = self._kept.get(name)
        if found is None:
            raise Failure(
                404, "this answer is not kept any more", code="answer-gone",
                hint="begin it anew: the same request gives the same answer",
            )  # fmt: skip
        self._kept.move_to_end(name)
        return found

    def forget(self, name: str) -> None:
        self._kept.pop(name, None)

    async def run(self, kept: Kept, run: Run) -> AsyncIterator[list[tuple[int, Moment]]]:
        """The steps as they are made, batched for a fast model. Closing the iterator stops the model."""
        answer = kept.answer
        async with kept.running:
            if run.back is not None:
                if run.back > len(answer.moments):
                    raise Failure(400, f"there are {len(answer.moments)} steps", code="request", where="/back")
                await run_in_threadpool(answer.back, run.back)
            steps = _steps(answer, run)
            end: BaseException | None = None
            while end is None:
                async with kept.loaded.asking:
                    made, end = await run_in_threadpool(_some, steps)
                if made:
                    yield made
            if isinstance(end, FrisketError):
                raise end

    def finder(self, ask: Search) -> tuple[Loaded, Finder]:
        """The search of a strategy, before it begins; a text beyond the budget is cut, as in `frisket.generate`."""
        loaded, grammar = self.admit(ask)
        task = Task(
            loaded.get(), ask.prompt, grammar.grammar, max_tokens=ask.max_tokens, on_budget="cut",
            sampler=Sampler(temperature=ask.temperature) if ask.temperature else None, describe=ask.describe or False,
            jump_forward=False,
        )  # fmt: skip
        return loaded, Finder(task, read_strategy(ask.strategy), ask.seed)

    async def search(self, loaded: Loaded, finder: Finder) -> AsyncIterator[dict[str, Any]]:
        """The progress of a search at intervals, and then its result. Closing the iterator stops the search."""

        async def found() -> dict[str, Any]:
            async with loaded.asking:
                return await run_in_threadpool(finder.run)

        work = asyncio.ensure_future(found())
        # Retrieve the exception, since nobody else may, and asyncio would log it.
        work.add_done_callback(lambda done: done.cancelled() or done.exception())
        try:
            while not (await asyncio.wait({work}, timeout=TOLD))[0]:
                yield {"progress": finder.progress()}
            yield work.result()
        finally:
            finder.watch.stopped = True

    async def next(self, kept: Kept) -> Any:
        """The look at the end of an answer."""
        async with kept.running, kept.loaded.asking:
            return await run_in_threadpool(kept.answer.next)


def _steps(answer: Answer, run: Run) -> Iterator[tuple[int, Moment]]:
    for token in run.tokens:
        at = len(answer.moments)
        yield at, answer.take(token, chosen=run.by_hand is None or at in run.by_hand)
    left = answer.plan.max_tokens + 1 if run.steps is None else run.steps
    for _ in range(left):
        at = len(answer.moments)
        found = answer.advance()
        if found is None:
            return
        yield at, found


def _some(
    steps: Iterator[tuple[int, Moment]],
) -> tuple[list[tuple[int, Moment]], BaseException | None]:
    """The steps made within `MOMENT`, and what ended them: StopIteration, an error, or None if more may come."""
    made: list[tuple[int, Moment]] = []
    began = time.perf_counter()
    try:
        while not made or time.perf_counter() - began < MOMENT:
            made.append(next(steps))
    except (StopIteration, FrisketError) as end:
        return made, end
    return made, None
