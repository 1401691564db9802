"""Model × prompt × type → a value of that type."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, TypeVar, overload

from frisket.decoding.draft import drafter
from frisket.decoding.loop import FinishReason, Step, decode
from frisket.decoding.sampler import GREEDY, Sampler
from frisket.errors import LimitExceededError
from frisket.grammar import Grammar
from frisket.models.prompt import described, property_names
from frisket.partial_value import PartialValue

if TYPE_CHECKING:
    from typing_extensions import TypeForm

    from frisket._core import Matcher
    from frisket.description import Style
    from frisket.models.protocol import Model

T = TypeVar("T")


@overload
def generate(
    model: Model,
    prompt: str,
    target: type[T],
    *,
    max_tokens: int = ...,
    sampler: Sampler = ...,
    seed: int = ...,
    stop: Sequence[str] = ...,
    jump_forward: bool = ...,
    describe: bool | Style = ...,
    on_step: Callable[[Step], object] | None = ...,
    allow_partial: bool = ...,
) -> T: ...
@overload
def generate(
    model: Model,
    prompt: str,
    target: list[str] | tuple[str, ...] | re.Pattern[str],
    *,
    max_tokens: int = ...,
    sampler: Sampler = ...,
    seed: int = ...,
    stop: Sequence[str] = ...,
    jump_forward: bool = ...,
    describe: bool | Style = ...,
    on_step: Callable[[Step], object] | None = ...,
    allow_partial: bool = ...,
) -> str: ...
@overload
def generate(
    model: Model,
    prompt: str,
    target: TypeForm[T],
    *,
    max_tokens: int = ...,
    sampler: Sampler = ...,
    seed: int = ...,
    stop: Sequence[str] = ...,
    jump_forward: bool = ...,
    describe: bool | Style = ...,
    on_step: Callable[[Step], object] | None = ...,
    allow_partial: bool = ...,
) -> T: ...
@overload
def generate(
    model: Model,
    prompt: str,
    target: Grammar | Mapping[str, Any] | bool,
    *,
    max_tokens: int = ...,
    sampler: Sampler = ...,
    seed: int = ...,
    stop: Sequence[str] = ...,
    jump_forward: bool = ...,
    describe: bool | Style = ...,
    on_step: Callable[[Step], object] | None = ...,
    allow_partial: bool = ...,
) -> Any: ...
def generate(
    model: Model,
    prompt: str,
    target: Any,
    *,
    max_tokens: int = 512,
    sampler: Sampler = GREEDY,
    seed: int = 0,
    stop: Sequence[str] = (),
    jump_forward: bool = True,
    describe: bool | Style = False,
    on_step: Callable[[Step], object] | None = None,
    allow_partial: bool = False,
) -> Any:
    """The model's answer as a value: of the type `target`, parsed JSON for a schema (dict or bool), or the text.

        ticket = frisket.generate(frisket.models.embedded(), "My card was charged twice", Triage)

    `target` is a type (a class, `Literal["a", "b"]`, `int | None` …), a JSON Schema, a list of texts to choose from, a
    compiled regular expression or a Grammar. Greedy unless a `sampler` says otherwise; one `seed` is one answer.
    `on_step` sees every step as it is made. An answer that was cut (by `max_tokens`, the context or a stop string)
    before it was whole is a LimitExceededError, or with `allow_partial` the text as far as it got; `stream` returns
    everything that is known about it.

    `describe` writes the schema into the prompt, as `Grammar.describe` words it (True: as TypeScript), where the model
    otherwise reads the names of the properties alone.

    `jump_forward`: text that must come next is read in one call of the network with the token before it, where the
    model's sessions can (`DraftSession`). Each token is still the one that the sampler chooses from the model's logits,
    so answers stay what they are, as far as a network computes the same for tokens together as one by one.
    """
    answer = stream(
        model,
        prompt,
        target,
        max_tokens=max_tokens,
        sampler=sampler,
        seed=seed,
        stop=stop,
        jump_forward=jump_forward,
        describe=describe,
    )
    for step in answer:
        if on_step is not None:
            on_step(step)
    result = answer.generation()
    if not result.whole and allow_partial:
        return result.text
    return result.value()


@overload
def stream(
    model: Model,
    prompt: str,
    target: type[T],
    *,
    max_tokens: int = ...,
    sampler: Sampler = ...,
    seed: int = ...,
    stop: Sequence[str] = ...,
    jump_forward: bool = ...,
    describe: bool | Style = ...,
) -> Stream[T]: ...
@overload
def stream(
    model: Model,
    prompt: str,
    target: list[str] | tuple[str, ...] | re.Pattern[str],
    *,
    max_tokens: int = ...,
    sampler: Sampler = ...,
    seed: int = ...,
    stop: Sequence[str] = ...,
    jump_forward: bool = ...,
    describe: bool | Style = ...,
) -> Stream[str]: ...
@overload
def stream(
    model: Model,
    prompt: str,
    target: TypeForm[T],
    *,
    max_tokens: int = ...,
    sampler: Sampler = ...,
    seed: int = ...,
    stop: Sequence[str] = ...,
    jump_forward: bool = ...,
    describe: bool | Style = ...,
) -> Stream[T]: ...
@overload
def stream(
    model: Model,
    prompt: str,
    target: Grammar | Mapping[str, Any] | bool,
    *,
    max_tokens: int = ...,
    sampler: Sampler = ...,
    seed: int = ...,
    stop: Sequence[str] = ...,
    jump_forward: bool = ...,
    describe: bool | Style = ...,
) -> Stream[Any]: ...
def stream(
    model: Model,
    prompt: str,
    target: Any,
    *,
    max_tokens: int = 512,
    sampler: Sampler = GREEDY,
    seed: int = 0,
    stop: Sequence[str] = (),
    jump_forward: bool = True,
    describe: bool | Style = False,
) -> Stream[Any]:
    """An iterator over the steps of an answer; its `generation()` is the whole result.

        for step in (answer := frisket.stream(model, prompt, Triage)):
            print(step.text, end="", flush=True)
        ticket = answer.generation().value()

    The prompt is read at once, tokens are made as they are asked for.
    """
    grammar = target if isinstance(target, Grammar) else _grammar(target)
    keys = None if grammar.schema is None else property_names(grammar.schema)
    if describe:
        style: Style = "typescript" if describe is True else describe
        prompt, keys = described(prompt, style, grammar.describe(style)), None
    prompt_ids = model.encode(model.prompt(prompt, keys))
    room = model.context - len(prompt_ids)
    if room < 1:
        raise LimitExceededError(
            f"the prompt has {len(prompt_ids)} tokens; the model has room for {model.context}, the answer included",
            where="prompt",
            hint="shorten the prompt, or use a model with a longer context",
        )
    compiled = grammar.compile(model.vocabulary)
    limit = min(max_tokens, room)
    session = model.start(prompt_ids)
    matcher = compiled.matcher()
    steps = decode(
        session,
        matcher,
        compiled.vocabulary,
        max_tokens=limit,
        sampler=sampler,
        seed=seed,
        stop=stop,
        drafter=drafter(model, session) if jump_forward else None,
    )
    return Stream(steps, grammar, limit, matcher)


@dataclass(frozen=True)
class Generation(Generic[T]):
    """An answer and how it came about."""

    text: str
    steps: tuple[Step, ...]
    finish_reason: FinishReason
    grammar: Grammar = field(repr=False)
    limit: int = field(repr=False)

    @property
    def tokens(self) -> list[int]:
        """The ids of the text; the end-of-sequence token, if the model gave one, is in `steps` only."""
        return [step.token for step in self.steps if not step.ends]

    @property
    def calls(self) -> int:
        """How often the network was called: once for the prompt, and once for each token or draft that was read."""
        return sum(step.called for step in self.steps)

    @property
    def logprob(self) -> float:
        """The natural log-probability of all steps under the model as it is."""
        return sum(step.logprob for step in self.steps)

    @property
    def masked_logprob(self) -> float:
        """The same among the allowed tokens; the difference is what the mask cost, step by step."""
        return sum(step.masked_logprob for step in self.steps)

    @property
    def feasible(self) -> list[float]:
        """For each step, the probability that the model itself gave to all allowed tokens together."""
        return [step.feasible for step in self.steps]

    @property
    def whole(self) -> bool:
        """Whether the text is a complete text of the grammar, and not one that was cut and may happen to look so."""
        return self.finish_reason == "end" or (self.finish_reason == "stop" and self.grammar.accepts(self.text))

    def value(self) -> T:
        """The text as a value of the type; LimitExceededError if it was cut before it was whole."""
        if not self.whole:
            count = len(self.tokens)
            if self.finish_reason == "stop":
                raise LimitExceededError(
                    f"a stop string came after {count} tokens, before the text was whole",
                    where=f"token {count}",
                    hint="choose a stop string that cannot occur inside the text",
                )
            raise LimitExceededError(
                f"the limit of {self.limit} tokens cut the text before its end",
                where=f"token {count}",
                hint="raise max_tokens, shorten the prompt (both share the context), bound the schema (maxLength, "
                "maxItems), or pass allow_partial=True for the text as it is",
            )
        result: T = self.grammar.value(self.text)
        return result


class Stream(Iterator[Step], Generic[T]):
    """Steps as they are made, and what is known of the answer after each. Not thread-safe."""

    def __init__(self, steps: Iterator[Step], grammar: Grammar, limit: int, matcher: Matcher) -> None:
        self._steps = steps
        self._grammar = grammar
        self._limit = limit
        self._matcher = matcher
        self._seen: list[Step] = []
        self._finish_reason: FinishReason | None = None
        self._partial = PartialValue()
        #: How many of the steps `_partial` has been fed.
        self._fed = 0

    def __next__(self) -> Step:
        try:
            step = next(self._steps)
        except StopIteration as end:
            if self._finish_reason is None:
                self._finish_reason = end.value
            raise StopIteration from None
        self._seen.append(step)
        return step

    @property
    def text(self) -> str:
        """The text so far: whole characters, nothing that is taken back later."""
        return "".join(step.text for step in self._seen)

    @property
    def value(self) -> Any:
        """The answer so far as a JSON value, None before anything of it is known; of other notations, the text so far.

            for _ in (answer := frisket.stream(model, prompt, Triage)):
                show(answer.value)  # {}, {"priority": "hi"}, {"priority": "high"}, {"priority": "high", "tags": []} …

        What is missing is not there, and nothing is invented: see `PartialValue`. `generation().value()` is the answer
        as the type that was asked for.
        """
        if self._grammar.schema is None:
            return self.text
        for step in self._seen[self._fed :]:
            self._partial.feed(step.text)
        self._fed = len(self._seen)
        if self._finish_reason == "end":
            self._partial.finish()
        return self._partial.value

    @property
    def matcher(self) -> Matcher:
        """The position after the steps so far, a fork: to see what may come next, or how the text would be closed."""
        return self._matcher.fork()

    def generation(self) -> Generation[T]:
        """The result; makes the steps that are still to be made."""
        for _ in self:
            pass
        assert self._finish_reason is not None
        return Generation(self.text, tuple(self._seen), self._finish_reason, self._grammar, self._limit)


def _grammar(target: Any) -> Grammar:
    if isinstance(target, Mapping | bool):
        return Grammar.from_json_schema(target)
    if isinstance(target, re.Pattern):
        return Grammar.from_regex(target)
    if isinstance(target, list | tuple):
        return Grammar.from_choices(target)
    if isinstance(target, str):
        raise TypeError("a str is ambiguous here: use Grammar.from_json_schema, from_regex, or a list for choices")
    return Grammar.from_type(target)
