"""Steps → an answer: `Stream` while the steps are made, `Generation` when all are there."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from frisket.decoding.loop import FinishReason, Step
from frisket.errors import LimitExceededError
from frisket.events.event import Event, EventReader, TokenSpans
from frisket.events.partial_object import partial_object
from frisket.events.partial_value import PartialValue
from frisket.foreign_name import explain_names
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


@explain_names
@dataclass(frozen=True, repr=False)
class Generation(Generic[T]):
    """A whole answer with its steps and the reason for its end."""

    text: str
    steps: tuple[Step, ...]
    finish_reason: FinishReason
    grammar: Grammar
    limit: int
    vocabulary: Vocabulary
    draft: str | None = None
    """The answer in free text that the model read before this one, where the strategy asked for a draft first."""

    @property
    def tokens(self) -> list[int]:
        """The token ids of the text, without the end-of-sequence token; `steps` has that one, too."""
        return [step.token for step in self.steps if not step.ends]

    @property
    def calls(self) -> int:
        """How often the network was called: once for the prompt, and once for each token or draft that was read."""
        return sum(step.called for step in self.steps)

    @property
    def budgeted(self) -> int:
        """How many tokens `max_tokens` decided: the token drawn first left too few tokens to finish the text.

        Where this is not 0, the answer may say less than it would with more tokens: a number has fewer digits, a list
        fewer items. The `finish_reason` of a whole answer is then `"budget"`. It is also `"budget"` if the last token
        made the text whole, and more text could have followed.
        """
        return sum(step.budgeted for step in self.steps)

    @property
    def logprob(self) -> float:
        """The natural log-probability of all steps under the model alone."""
        return sum(step.logprob for step in self.steps)

    @property
    def masked_logprob(self) -> float:
        """The natural log-probability of all steps among the allowed tokens; `logprob` less this is the mask's cost."""
        return sum(step.masked_logprob for step in self.steps)

    @property
    def feasible(self) -> list[float]:
        """For each step, the probability that the model itself gave to all allowed tokens together."""
        return [step.feasible for step in self.steps]

    @cached_property
    def report(self) -> PressureReport:
        """The pressure of the mask along the answer: in all, by path and by step; as JSON and as a page.

        answer = frisket.stream(model, prompt, Ticket).generation()
        print(answer.report.total.nats, list(answer.report.paths)[:3])
        """
        return PressureReport.of(self, self.vocabulary)

    @property
    def whole(self) -> bool:
        """Whether the text is whole: the answer ended by itself, or the grammar accepts it up to the stop string."""
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
        return f"<Generation {_shown(self.text)}, {len(self.steps)} steps, finish_reason {self.finish_reason!r}>"

    def _repr_html_(self) -> str:
        return self.report._repr_html_()


@explain_names
class Stream(Iterator[Step], Generic[T]):
    """The steps of an answer as they are made, and the value so far after each. Not thread-safe."""

    def __init__(self, steps: Iterator[Step], grammar: Grammar, limit: int, matcher: Matcher) -> None:
        self._steps = steps
        self._grammar = grammar
        self._limit = limit
        self._matcher = matcher
        self._seen: list[Step] = []
        self._finish_reason: FinishReason | None = None
        self._partial = PartialValue()
        self._outline: OutlineEvents | None = None
        #: How many steps `_partial` or `_outline` has read.
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
        """The text so far: whole characters, none of which is taken back later."""
        return "".join(step.text for step in self._seen)

    @property
    def value(self) -> Any:
        """The answer so far as a JSON value, None before it begins; where the answer is no JSON, the text so far.

            for _ in (answer := frisket.stream(model, prompt, Triage)):
                show(answer.value)  # {}, {"priority": "hi"}, {"priority": "high"}, {"priority": "high", "tags": []} …

        Members that are still to come are missing, and nothing is invented: see `PartialValue`. It is a property,
        without parentheses; `generation().value()` is the whole answer, as the type that was asked for.
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
        """The answer so far as an object of the target's type, not validated, with None for members still to come.

        A template gives its object, tools a `Message`, `think` a `Thought`. All other targets give the same as `value`.

            for _ in (answer := frisket.stream(model, prompt, Triage)):
                show(answer.partial)  # Triage(priority='hi', category=None), Triage(priority='high', category=None) …
        """
        made: Callable[[list[Any]], T] | None = getattr(self._grammar._value, "partial", None)
        if made is not None:
            return made(self._parts())
        tp, known = self._grammar.type, self.value
        return cast("T | None", known if tp is None else partial_object(tp, known))

    def events(self) -> Iterator[Event]:
        """The events of the document while its steps are made: `Opened`, `Grew` and `Closed`.

            for event in frisket.stream(model, prompt, Triage).events():
                if isinstance(event, Closed) and event.path == ("priority",):
                    page_somebody(event.value)

        `Closed.tokens` says which steps wrote the value. Steps that were taken before are read, too. In a template, a
        combination, or a message with tool calls, a path begins with the names of the parts: see `Events`. Special
        tokens add no bytes to the text.
        """
        reader, spans = self._event_reader(), TokenSpans()
        for step in chain(tuple(self._seen), self):
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
        """The text of a step as a reader takes it: its bytes, or the names of a special token."""
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

    @property
    def _state(self) -> str:
        return f"{len(self._seen)} steps so far" if self._finish_reason is None else f"ended: {self._finish_reason}"

    def __repr__(self) -> str:
        return f"<Stream {_shown(self.text)}, {self._state}>"

    def _repr_html_(self) -> str:
        from frisket.markup import notebook, shown

        return notebook(f"<pre>{shown(self.text)}</pre>", f'<p class="quiet">{self._state}</p>')

    @property
    def matcher(self) -> Matcher:
        """A fork of the matcher after the steps so far: it tells what may come next, or how the text would close."""
        return self._matcher.fork()

    def generation(self) -> Generation[T]:
        """The whole answer; makes the steps that are still missing."""
        for _ in self:
            pass
        assert self._finish_reason is not None
        vocabulary = self._matcher.compiled.vocabulary
        return Generation(self.text, tuple(self._seen), self._finish_reason, self._grammar, self._limit, vocabulary)


def _shown(text: str) -> str:
    """The text as a `repr` shows it."""
    return repr(text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…")
