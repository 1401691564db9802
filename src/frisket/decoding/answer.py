"""Steps → an answer: what is known of it while it is made, and the whole of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from frisket.decoding.loop import FinishReason, Step
from frisket.errors import LimitExceededError
from frisket.events.event import Event, EventReader, TokenSpans
from frisket.events.partial_object import partial_object
from frisket.events.partial_value import PartialValue
from frisket.outline import OutlineEvents, Reader
from frisket.pressure import PressureReport
from frisket.token_name import token_names

if TYPE_CHECKING:
    from frisket._core import Matcher
    from frisket.grammar import Grammar
    from frisket.vocabulary import Vocabulary

T = TypeVar("T")

#: A representation shows at most so many characters of the text.
_SHOWN = 80


@dataclass(frozen=True, repr=False)
class Generation(Generic[T]):
    """An answer and how it came about."""

    text: str
    steps: tuple[Step, ...]
    finish_reason: FinishReason
    grammar: Grammar
    limit: int
    vocabulary: Vocabulary
    draft: str | None = None
    """The answer in free text that the model read before its own, if a strategy had it written."""

    @property
    def tokens(self) -> list[int]:
        """The ids of the text; the end-of-sequence token, if the model gave one, is in `steps` only."""
        return [step.token for step in self.steps if not step.ends]

    @property
    def calls(self) -> int:
        """How often the network was called: once for the prompt, and once for each token or draft that was read."""
        return sum(step.called for step in self.steps)

    @property
    def budgeted(self) -> int:
        """How many tokens `max_tokens` decided: the one drawn first would have left too few to finish the text.

        Where this is not 0, the answer may say less than the model would have with more tokens: a number has fewer
        digits, a list fewer items. A whole answer then has the `finish_reason` `"budget"`. It has it with 0, too, where
        the tokens ran out just when the text was whole, and more could have followed.
        """
        return sum(step.budgeted for step in self.steps)

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

    @cached_property
    def report(self) -> PressureReport:
        """What the mask did to the model's wishes, in all, by path and by step; as JSON and as a page.

        answer = frisket.stream(model, prompt, Ticket).generation()
        print(answer.report.total.nats, list(answer.report.paths)[:3])
        """
        return PressureReport.of(self, self.vocabulary)

    @property
    def whole(self) -> bool:
        """Whether the text is a complete text of the grammar, and not one that was cut and may happen to look so."""
        return self.finish_reason in ("end", "budget") or (
            self.finish_reason == "stop" and self.grammar.accepts(self.text)
        )

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
                hint='pass on_budget="finish" or a larger max_tokens, shorten the prompt (both share the context), '
                "bound the schema (maxLength, maxItems), or pass allow_partial=True for the text as it is",
            )
        result: T = self.grammar.value(self.text)
        return result

    def __repr__(self) -> str:
        text = repr(self.text if len(self.text) <= _SHOWN else self.text[: _SHOWN - 1] + "…")
        return f"<Generation {text}, {len(self.steps)} steps, finish_reason {self.finish_reason!r}>"

    def _repr_html_(self) -> str:
        return self.report._repr_html_()


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
        self._outline: OutlineEvents | None = None
        #: How many of the steps `_partial` or `_outline` has been fed.
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
        if self._is_whole:
            self._partial.finish()
        return self._partial.value

    @property
    def _is_whole(self) -> bool:
        """Whether the answer has ended as a whole text of the grammar."""
        return self._finish_reason in ("end", "budget")

    @property
    def partial(self) -> T | None:
        """The answer so far as an object of the type that was asked for, unvalidated, with None for what is missing;
        of a template its object, of tools a `Message`, of `think` a `Thought`; for other targets the same as `value`.

            for _ in (answer := frisket.stream(model, prompt, Triage)):
                show(answer.partial)  # Triage(priority='hi', category=None), Triage(priority='high', category=None) …
        """
        made: Callable[[list[Any]], T] | None = getattr(self._grammar._value, "partial", None)
        if made is not None:
            return made(self._parts())
        tp, known = self._grammar.type, self.value
        return cast("T | None", known if tp is None else partial_object(tp, known))

    def events(self) -> Iterator[Event]:
        """What happens in the document while its steps are made: `Opened`, `Grew` and `Closed`.

            for event in frisket.stream(model, prompt, Triage).events():
                if isinstance(event, Closed) and event.path == ("priority",):
                    page_somebody(event.value)

        `Closed.tokens` says which steps wrote the value. Begin before the first step is taken. In a template, a
        combination, and a message with calls of tools, paths begin with the names of the parts: `Events` says more. A
        special token has no byte.
        """
        reader, spans = self._event_reader(), TokenSpans()
        for step in self:
            spans.take(len(step.data))
            if not step.ends:
                reader.feed(self._piece(step))
            yield from map(spans.with_tokens, reader.told())
        if self._is_whole:
            reader.finish()
        yield from map(spans.with_tokens, reader.told())

    def _event_reader(self) -> EventReader | OutlineEvents:
        if self._grammar.schema is not None:
            return EventReader()
        if not self._grammar._has_outline:
            raise TypeError("events are those of JSON documents and named parts: ask for a type, or read the steps")
        return self._outline_events()

    def _outline_events(self) -> OutlineEvents:
        matcher = self._matcher
        special = matcher.compiled.vocabulary.special
        return OutlineEvents(Reader(self._grammar._outline, special, limits=matcher.limits))

    def _piece(self, step: Step) -> Any:
        """What a step wrote; of a special token its names."""
        is_token = not step.data and self._grammar.schema is None
        return token_names(self._matcher.compiled.vocabulary, step.token) if is_token else step.data

    def _parts(self) -> list[tuple[tuple[str, ...], Any]]:
        """The values of the named parts so far."""
        if self._outline is None:
            self._outline = self._outline_events()
        for step in self._seen[self._fed :]:
            if not step.ends:
                self._outline.feed(self._piece(step))
        self._fed = len(self._seen)
        if self._is_whole:
            self._outline.finish()
        return self._outline.values

    def _repr_html_(self) -> str:
        from frisket.markup import notebook, shown

        state = f"{len(self._seen)} steps so far" if self._finish_reason is None else f"ended: {self._finish_reason}"
        return notebook(f"<pre>{shown(self.text)}</pre>", f'<p class="quiet">{state}</p>')

    @property
    def matcher(self) -> Matcher:
        """The position after the steps so far, a fork: to see what may come next, or how the text would be closed."""
        return self._matcher.fork()

    def generation(self) -> Generation[T]:
        """The result; makes the steps that are still to be made."""
        for _ in self:
            pass
        assert self._finish_reason is not None
        vocabulary = self._matcher.compiled.vocabulary
        return Generation(self.text, tuple(self._seen), self._finish_reason, self._grammar, self._limit, vocabulary)
