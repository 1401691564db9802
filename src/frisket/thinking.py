"""Reasoning between markers × answer → Grammar; rendered prompt → whether it has begun or ended the reasoning."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any, Generic, TypedDict, TypeVar, cast, overload

from frisket import _core
from frisket.argument_name import explain_slips
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


#: Arguments of `think` as other calls name them → what to write instead.
_SLIPS = {
    "()": 'write think(target), where the target is a type, a schema, a list of texts or a Grammar, as in think(["a"])',
    "*": "everything but the target is named, as in think(target, max_chars=400)",
    **dict.fromkeys(("target", "schema", "type", "grammar", "final", "choices"), "write it first: think(target)"),
    **dict.fromkeys(
        ("budget", "budget_tokens", "thinking_budget", "max_thinking_tokens", "max_length"),
        "bound the reasoning by max_chars: a token of English text has about four characters",
    ),
    "max_thinking_chars": "write max_chars={value}",
    **dict.fromkeys(("thinking", "enabled", "enable_thinking"), 'write mode="on", "off" or "auto"'),
    **dict.fromkeys(("start_tag", "begin", "open", "think_start"), "write start={value}"),
    **dict.fromkeys(("end_tag", "close", "stop", "think_end"), "write end={value}"),
    **dict.fromkeys(("model", "tokenizer"), "write vocabulary=model.vocabulary"),
}


class Thinking(Enum):
    """The state of reasoning at the end of a rendered prompt."""

    OPEN = "open"
    """The prompt ends inside reasoning, and the model continues it."""
    CLOSED = "closed"
    """The prompt has reasoning that has ended; templates write this to switch reasoning off."""
    BEGUN = "begun"
    """The prompt ends with the beginning of an answer, after the reasoning, and the model continues the answer."""
    ABSENT = "absent"
    """The prompt has neither, so the model decides."""

    @classmethod
    def of_prompt(cls, prompt: str, start: str = "<think>", end: str = "</think>", turn: str | None = None) -> Thinking:
        r"""The state at the prompt's end, ignoring white space.

        >>> Thinking.of_prompt("<|im_start|>assistant\n<think>\n")
        <Thinking.OPEN: 'open'>
        >>> Thinking.of_prompt("<|im_start|>assistant\n<think>\n\n</think>\n\n").value
        'closed'

        `turn` is the text that begins the model's turn. With it, everything in the prompt after it counts, such as the
        first words of the reasoning. Without it, only a marker at the very end counts, since a user's message may
        contain one, too.

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
    """An answer and the reasoning before it; `reasoning` is None if there was none."""

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
    """The place of reasoning in a text, and the texts that it may contain."""

    start: str = "<think>"
    end: str = "</think>"
    mode: Mode = "auto"
    prompt: Thinking = Thinking.ABSENT
    special: frozenset[str] = frozenset()
    """Special tokens that are a marker, or occur in one."""
    forbidden: tuple[str, ...] = ()
    max_chars: int | None = None
    has_gap: bool = True
    """Whether white space may stand between the end and the answer."""
    leads: bool = False
    """Whether that white space may also come in a text without reasoning, since its end may be in the prompt."""
    calls: str = ""
    """The beginnings of calls inside reasoning, if calls are allowed there."""
    repeats: bool = False
    """Whether more reasoning, with its own markers, may follow."""

    @property
    def has_ended(self) -> bool:
        """Whether the reasoning has ended in the prompt."""
        return self.prompt in (Thinking.CLOSED, Thinking.BEGUN)

    def lower(self, builder: _core.GrammarBuilder, answer: int, calls: Sequence[int] = ()) -> int:
        """The node of the reasoning and the answer after it; `calls` may stand inside reasoning, and end the text."""
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
        """(the reasoning in a text of the grammar, the place where the answer begins)."""
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
@explain_slips("think", _SLIPS)
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

    `answer` is a Grammar, or any other target of `generate`: a type, a schema, a list of texts.

    `mode`: with `on` the model must reason, with `off` it must not, with `auto` it may. `prompt` is the rendered prompt
    (or its state: `Thinking.of_prompt`). If it ends inside reasoning, the text continues that, or under `off` ends it
    at once; if it has ended the reasoning, none comes. `vocabulary` tells which markers are special tokens; by default
    they are text, which any tokens may spell. `max_chars` is the most characters of the reasoning. `max_tokens` is
    refused, since a grammar has no tokens.
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
    """Reads a text of reasoning and answer as a Thought."""

    reasoning: Reasoning
    answer: Grammar

    def __call__(self, text: str) -> Thought[Any]:
        if self.reasoning.end not in text and text.startswith(self.reasoning.start):
            raise MessageSyntaxError("the reasoning does not end", where=f"offset {len(text)}")
        reasoning, place = self.reasoning.split(text)
        return Thought(reasoning, self.answer.value(text[place:]))

    def partial(self, values: Iterable[tuple[tuple[str, ...], Any]]) -> Thought[Any]:
        """The thought so far; its answer is None until the answer has begun."""
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
