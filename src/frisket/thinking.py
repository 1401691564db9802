"""Reasoning between markers × answer → Grammar; rendered prompt → whether reasoning has begun in it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any, Generic, TypedDict, TypeVar, cast, overload

from frisket import _core
from frisket.errors import MessageSyntaxError, UnsupportedSchemaError
from frisket.grammar import Grammar
from frisket.misuse import given
from frisket.notations.combination.outline import OutlineBuilder, embedded
from frisket.notations.combination.part import Part
from frisket.options import Mode
from frisket.origin import Origin
from frisket.target import as_grammar
from frisket.tools import wire
from frisket.tools.template import Hole, Piece, literal_pieces

if TYPE_CHECKING:
    from typing_extensions import TypeForm, Unpack

    from frisket.limit import Limits
    from frisket.vocabulary import Vocabulary

__all__ = ["Thinking", "Thought", "think"]

T = TypeVar("T")


class Thinking(Enum):
    """The state of reasoning at the end of a rendered prompt."""

    OPEN = "open"
    """The prompt ends inside of reasoning: the model goes on with it."""
    CLOSED = "closed"
    """The prompt holds reasoning that has ended, as templates write it to switch thinking off."""
    BEGUN = "begun"
    """The prompt ends with what begins an answer, after its reasoning: the model goes on with the text."""
    ABSENT = "absent"
    """The prompt leaves it to the model."""

    @classmethod
    def of_prompt(cls, prompt: str, start: str = "<think>", end: str = "</think>", turn: str | None = None) -> Thinking:
        r"""What the prompt says at its end, white space aside.

        >>> Thinking.of_prompt("<|im_start|>assistant\n<think>\n")
        <Thinking.OPEN: 'open'>
        >>> Thinking.of_prompt("<|im_start|>assistant\n<think>\n\n</think>\n\n").value
        'closed'

        `turn` is the text that begins the model's turn. With it, all that the prompt holds of the turn counts, such as
        the first words of the reasoning; without it, only a marker that ends the prompt, since a user may write one,
        too.

        >>> Thinking.of_prompt("<|im_start|>assistant\n<think>\nFirst,", turn="<|im_start|>assistant").value
        'open'
        """
        if turn is None:
            tail = prompt.rstrip()
            return (
                cls.OPEN if tail.endswith(start.rstrip()) else cls.CLOSED if tail.endswith(end.rstrip()) else cls.ABSENT
            )
        _, found, tail = prompt.rpartition(turn)
        begun, ended = tail.rfind(start), tail.rfind(end)
        if not found or begun == ended:
            return cls.ABSENT
        return cls.OPEN if begun > ended else cls.CLOSED


@dataclass(frozen=True)
class Thought(Generic[T]):
    """An answer, and the reasoning before it; None where there was none."""

    reasoning: str | None
    answer: T


class _Reasoning(TypedDict, total=False):
    """Keyword arguments of `think`."""

    start: str
    end: str
    mode: Mode
    prompt: str | Thinking | None
    vocabulary: Vocabulary | None
    max_chars: int | None
    limits: Limits | None


@dataclass(frozen=True)
class Reasoning:
    """Where reasoning stands in a text, and what may stand in it."""

    start: str = "<think>"
    end: str = "</think>"
    mode: Mode = "auto"
    prompt: Thinking = Thinking.ABSENT
    special: frozenset[str] = frozenset()
    """Which of the markers are special tokens, or hold them."""
    forbidden: tuple[str, ...] = ()
    max_chars: int | None = None
    has_gap: bool = True
    """Whether white space may stand between the end and the answer."""
    leads: bool = False
    """Whether that white space may also come where the text holds no reasoning: its end may stand in the prompt."""
    calls: str = ""
    """The beginnings of calls inside of reasoning, where they may stand there."""
    repeats: bool = False
    """Whether more reasoning may follow, with its own markers."""

    @property
    def has_ended(self) -> bool:
        """Whether the reasoning has ended in the prompt."""
        return self.prompt in (Thinking.CLOSED, Thinking.BEGUN)

    def lower(self, builder: _core.GrammarBuilder, answer: int, calls: Sequence[int] = ()) -> int:
        """The node of the reasoning and of the answer after it; `calls` may stand inside of it and end the message."""
        gap = self._gap()
        after = builder.seq([wire.lower(builder, gap), answer])
        answer = after if self.leads else answer
        if self.has_ended:
            return answer
        start, end = literal_pieces(self.start, self.special), self._end()
        opened = self.prompt is Thinking.OPEN
        if self.mode == "off":
            return builder.seq([wire.lower(builder, [Hole("ws"), *end]), after]) if opened else answer
        text = wire.delimited(builder, "reasoning", builder.any_text(), self.forbidden, end, max_chars=self.max_chars)
        first = wire.lower(builder, [*gap, *start])
        begun = builder.seq([first, text])
        more = [builder.repeat(begun, 0)] if self.repeats else []
        whole = builder.seq([text if opened else begun, *more, after])
        if calls:
            text = wire.delimited(
                builder, "reasoning", builder.any_text(), (self.end, *self.forbidden), [], max_chars=self.max_chars
            )
            inside = builder.seq([*([] if opened else [first]), text, *calls])
            whole = builder.alt([whole, inside])
        return whole if opened or self.mode == "on" else builder.alt([whole, answer])

    def split(self, text: str) -> tuple[str | None, int]:
        """The reasoning in a text of the grammar, and where the answer begins."""
        opened = self.prompt is Thinking.OPEN
        begun = 0 if opened else wire.skip(text, 0, [*self._gap(), *literal_pieces(self.start, ())])
        if begun is None or self.has_ended or (self.mode == "off" and not opened):
            return None, self._after_gap(text, 0) if self.leads else 0
        said = []
        while True:
            ends = text.find(self.end, begun)
            calls = text.find(self.calls, begun) if self.calls else -1
            if calls >= 0 and not 0 <= ends < calls:
                said.append(text[begun:calls].strip())
                return "\n".join(part for part in said if part) or None, calls
            said.append(text[begun:ends].strip())
            place = self._after_gap(text, ends + len(self.end))
            if not (self.repeats and text.startswith(self.start, place)):
                return "\n".join(part for part in said if part) or None, place
            begun = place + len(self.start)

    def _after_gap(self, text: str, place: int) -> int:
        after = wire.skip(text, place, self._gap())
        assert after is not None, "a gap may be empty"
        return after

    def _end(self) -> list[Piece]:
        return list(literal_pieces(self.end, self.special))

    def _gap(self) -> list[Piece]:
        return [Hole("ws")] if self.has_gap else []


@overload
def think(answer: Grammar[T] | type[T], **options: Unpack[_Reasoning]) -> Grammar[Thought[T]]: ...
@overload
def think(
    answer: list[str] | tuple[str, ...] | re.Pattern[str], **options: Unpack[_Reasoning]
) -> Grammar[Thought[str]]: ...
@overload
def think(answer: TypeForm[T], **options: Unpack[_Reasoning]) -> Grammar[Thought[T]]: ...
@overload
def think(answer: Mapping[str, Any] | bool, **options: Unpack[_Reasoning]) -> Grammar[Thought[Any]]: ...
def think(
    answer: Any,
    *,
    start: str = "<think>",
    end: str = "</think>",
    mode: Mode = "auto",
    prompt: str | Thinking | None = None,
    vocabulary: Vocabulary | None = None,
    max_chars: int | None = None,
    max_tokens: int | None = None,
    limits: Limits | None = None,
) -> Grammar[Thought[Any]]:
    r"""Reasoning between two markers, then a text of `answer`; the value is a `Thought`.

    >>> grammar = think(["yes", "no"])
    >>> grammar.accepts("<think>hm, 5 > 4</think>\n\nyes"), grammar.accepts("yes"), grammar.accepts("<think>hm")
    (True, True, False)
    >>> grammar.value("<think>hm, 5 > 4</think>\n\nyes")
    Thought(reasoning='hm, 5 > 4', answer='yes')

    `answer` is a Grammar, or whatever else `generate` takes as its target: a type, a schema, a list of texts.

    `mode`: with `on` the model must think, with `off` it must not, with `auto` it may. `prompt` is the rendered prompt
    (or what it says: `Thinking.of_prompt`). Where it ends inside of reasoning, the text goes on there, and `off` ends
    it at once; where it has ended it, no reasoning comes. `vocabulary` says which markers are special tokens; without
    it they are text, spelled by any tokens. `max_chars` bounds the reasoning: at the bound, its end must come.
    `max_tokens` is refused: a grammar knows no tokens.
    """
    if max_tokens is not None:
        raise UnsupportedSchemaError(
            "a grammar does not count tokens, so it cannot bound reasoning by them",
            where="max_tokens",
            hint="bound it by max_chars: a token of English text has about four characters",
        )
    if mode not in ("auto", "on", "off"):
        raise ValueError(f"mode is auto, on or off, not {given(mode)}")
    if not start or not end:
        raise ValueError("the markers of reasoning are texts of at least one character")
    if max_chars is not None and not hasattr(type(max_chars), "__index__"):
        raise TypeError(f"max_chars is an int or None, got {type(max_chars).__name__}")
    said = prompt if isinstance(prompt, Thinking) else Thinking.of_prompt(prompt or "", start, end)
    running = None if limits is None else limits.started()
    answer = as_grammar(answer, running)
    special = special_in((start, end), vocabulary)
    reasoning = Reasoning(start, end, mode, said, special, tuple(sorted(special)), max_chars)
    builder = _core.GrammarBuilder(limits=running)
    core = builder.build(reasoning.lower(builder, builder.embed(answer._core_within(running))))
    keywords = {"start": start, "end": end, "mode": mode, "vocabulary": vocabulary, "max_chars": max_chars,
                "prompt": None if said is Thinking.ABSENT else said}  # fmt: skip
    return Grammar(core, value=_Value(reasoning, answer), origin=Origin("_from_thinking", answer, keywords))


@dataclass(frozen=True)
class _Value:
    """A text of reasoning and answer → a Thought."""

    reasoning: Reasoning
    answer: Grammar

    def __call__(self, text: str) -> Thought[Any]:
        if self.reasoning.end not in text and text.startswith(self.reasoning.start):
            raise MessageSyntaxError("the reasoning does not end", where=f"offset {len(text)}")
        reasoning, place = self.reasoning.split(text)
        return Thought(reasoning, self.answer.value(text[place:]))

    def partial(self, values: Iterable[tuple[tuple[str, ...], Any]]) -> Thought[Any]:
        """The thought of the values so far; the answer is None until something of it is known."""
        known = dict(values)
        return Thought((known.get(("reasoning",)) or "").strip() or None, known.get(()))

    def outline(self) -> Part:
        """The reasoning and the answer as a tree of named parts."""
        outline = cast("_core.GrammarBuilder", OutlineBuilder(_core.GrammarBuilder()))
        return cast("Part", self.reasoning.lower(outline, embedded(outline, self.answer)))


def special_in(texts: Collection[str], vocabulary: Vocabulary | None) -> frozenset[str]:
    """The special tokens of a vocabulary that occur in any of the texts."""
    if vocabulary is None:
        return frozenset()
    return frozenset(name for name in vocabulary.special if name and any(name in text for text in texts))
