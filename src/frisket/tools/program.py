"""Family × tools × choice → the node of a whole message."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from frisket.notations.combination.outline import embedded, named
from frisket.thinking import Reasoning, Thinking
from frisket.tools import wire
from frisket.tools.arguments import Arguments
from frisket.tools.family import Family
from frisket.tools.template import Hole, Piece, Text, literal_pieces, pieces_of, without_prefix

if TYPE_CHECKING:
    from frisket._core import GrammarBuilder
    from frisket.grammar import Grammar


@dataclass(frozen=True)
class Program:
    """The allowed forms of one message."""

    family: Family
    """The format, whose `special` holds only markers that are special tokens in the vocabulary."""
    tools: tuple[Arguments, ...]
    forbidden: tuple[str, ...]
    """Markers that free text must not contain."""
    text: bool = True
    """Whether a message may have no call, and text around calls."""
    calls: bool = True
    """Whether a message may have calls."""
    parallel: bool = True
    final: Grammar | None = None
    reasoning: Reasoning | None = None

    @property
    def has_begun(self) -> bool:
        """Whether the prompt has begun the answer: it ends with the marker of text, or of text before calls."""
        return self.reasoning is not None and self.reasoning.prompt is Thinking.BEGUN

    def lower(self, builder: GrammarBuilder) -> int:
        """The node of all messages."""
        body = _Body(self, builder)
        answer = body.message()
        if self.reasoning is None:
            return answer
        holds_calls = self.family.thinking_holds_calls and self.calls and bool(self.tools)
        return self.reasoning.lower(builder, answer, [body.section()] if holds_calls else [])


class _Body:
    """The message after its reasoning."""

    def __init__(self, program: Program, builder: GrammarBuilder) -> None:
        self.program = program
        self.family = program.family
        self.builder = builder
        self._arguments = [
            (tool.tool.name, named(builder, tool.tool.name, tool.lower(builder), "record")) for tool in program.tools
        ]

    def message(self) -> int:
        program, builder = self.program, self.builder
        found = []
        goes_on = not program.has_begun or (self.family.preamble or ("",))[0] == self.family.content[0]
        if program.calls and program.tools and goes_on:
            found.append(self._with_calls())
        if program.text or program.final is not None:
            found.append(self._answer())
        return builder.alt(found)

    def _answer(self) -> int:
        """A message without a call."""
        others = () if self.program.has_begun else self.family.other_content
        return self.builder.alt([self._answer_in(around) for around in (self.family.content, *others)])

    def _answer_in(self, around: tuple[str, str]) -> int:
        begin, end = self._around(around)
        if self.program.final is not None:
            middle = [embedded(self.builder, self.program.final), wire.lower(self.builder, end)]
        else:
            middle = [self._text(end, starts=True)]
        return self.builder.seq([wire.lower(self.builder, begin), *middle])

    def _with_calls(self) -> int:
        """A message with at least one call."""
        builder, family, program = self.builder, self.family, self.program
        with_text = program.text and program.final is None
        if family.content[0] or family.opener:
            section = self.section()
            if family.preamble is None:
                return section
            begin, end = self._around(family.preamble)
            alone = [] if program.has_begun else [section]
            if with_text:
                preamble = builder.seq([wire.lower(builder, begin), self._text(end)])
                return builder.alt([*alone, builder.seq([preamble, section])])
            # Some templates write the markers of text before every call, with no text between them.
            empty = builder.seq([wire.lower(builder, begin), wire.lower(builder, end)])
            marked = [builder.seq([empty, section])] if family.has_empty_preamble or program.has_begun else []
            return builder.alt([*alone, *marked])
        trigger = self._literal(family.trigger)
        rest = self.section(family.trigger, alone=with_text and family.text_between)
        # Where text may follow the last call, templates end the message with a line break, under every choice.
        last = builder.seq([rest, wire.lower(builder, [Hole("ws")])]) if family.text_between else rest
        if not (with_text and family.text_before):
            return builder.seq([wire.lower(builder, trigger), last])
        before = self._text(trigger)
        if not family.text_between:
            return builder.seq([before, last])
        if not program.parallel:
            return builder.seq([before, rest, self._text([])])
        return builder.seq([builder.repeat(builder.seq([before, rest]), 1), self._text([])])

    def _text(self, end: list[Piece], *, starts: bool = False) -> int:
        """Free text and its end; `starts` if the text begins the message."""
        builder = self.builder
        text = builder.any_text()
        if starts and self.family.opener and self.program.calls and self.program.tools:
            blanks = builder.repeat(builder.byte_class([(0x09, 0x0A), (0x0D, 0x0D), (0x20, 0x20)]), 0)
            call = builder.cat([blanks, builder.literal(self.family.opener.encode()), builder.not_(builder.empty())])
            text = builder.and_([text, builder.not_(call)])
        return wire.delimited(builder, "content", text, self.program.forbidden, end)

    def section(self, begun: str = "", *, alone: bool = False) -> int:
        """One section of calls, or of one call if `alone`; `begun` is the part of it that the prompt already has."""
        builder, family = self.builder, self.family
        pieces = pieces_of(family.calls, family.special)
        middle = pieces.index(Hole("calls"))
        before, after = pieces[:middle], pieces[middle + 1 :]
        if before:
            before, begun = without_prefix(before, begun), ""
        first = calls = self._call(begun)
        if self.program.parallel and family.parallel and not (alone and not middle):
            separator = builder.alt([wire.lower(builder, self._literal(text)) for text in family.separators])
            another = builder.seq([separator, self._call() if begun else first])
            calls = builder.seq([first, builder.repeat(another, 0)])
        return builder.seq([wire.lower(builder, before), calls, wire.lower(builder, after)])

    def _call(self, begun: str = "") -> int:
        """One call of any tool, in any of the ways to write it."""
        templates = [without_prefix(pieces_of(call, self.family.special), begun) for call in self.family.call]
        return self.builder.alt([self._templated(pieces) for pieces in templates])

    def _templated(self, pieces: tuple[Piece, ...]) -> int:
        builder = self.builder
        name, arguments = pieces.index(Hole("name")), pieces.index(Hole("arguments"))
        between, after = list(pieces[name + 1 : arguments]), pieces[arguments + 1 :]
        joint = ""
        if between and isinstance(between[0], Text):
            joint = between.pop(0).text  # type: ignore[union-attr]
        # Some templates write the name twice, so the second place depends on the tool, too.
        tools = [
            ((name + joint).encode(), builder.seq([self._pieces(between, name), node]))
            for name, node in self._arguments
        ]
        return builder.seq([self._pieces(pieces[:name]), _branches(builder, tools), self._pieces(after)])

    def _pieces(self, pieces: tuple[Piece, ...] | list[Piece], name: str = "") -> int:
        return wire.lower(self.builder, pieces, {"id": self._id, "name": lambda: self.builder.literal(name.encode())})

    def _id(self) -> int:
        from frisket.notations.regex import lower_regex

        return lower_regex(self.builder, self.family.id)

    def _around(self, markers: tuple[str, str]) -> tuple[list[Piece], list[Piece]]:
        """The markers around text, without the first one if the prompt already has it."""
        return [] if self.program.has_begun else self._literal(markers[0]), self._literal(markers[1])

    def _literal(self, marker: str) -> list[Piece]:
        return list(literal_pieces(marker, self.family.special))


def _branches(builder: GrammarBuilder, continued: Sequence[tuple[bytes, int]]) -> int:
    """The node of (a text, the node after it) for each pair, with common beginnings read once (a radix tree)."""
    whole = [node for text, node in continued if not text]
    below: dict[int, list[tuple[bytes, int]]] = {}
    for text, node in continued:
        if text:
            below.setdefault(text[0], []).append((text, node))
    for group in below.values():
        shared = _common_prefix([text for text, _ in group])
        rest = _branches(builder, [(text[len(shared) :], node) for text, node in group])
        whole.append(builder.seq([builder.literal(shared), rest]))
    return builder.alt(whole)


def _common_prefix(texts: Sequence[bytes]) -> bytes:
    first, last = min(texts), max(texts)
    length = next((at for at, (one, other) in enumerate(zip(first, last, strict=False)) if one != other), len(first))
    return first[:length]
