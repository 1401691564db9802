"""A text of the grammar → Message."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from frisket.tools import wire
from frisket.tools.arguments import Arguments
from frisket.tools.message import Message, ToolCall
from frisket.tools.program import Program
from frisket.tools.template import Hole, Piece, pieces_of

#: A call that was read: its end, its identifier, the tool, the arguments.
_Read = tuple[int, str, Arguments | None, dict[str, Any]]


class Parser:
    """Parses the texts of one program, in which each special token is written as its name.

    The grammar has accepted the text before, so here the markers alone tell the alternatives apart.
    """

    def __init__(self, program: Program) -> None:
        self.program = program
        self.family = program.family
        # Longer names first: one name may begin another.
        self.tools = sorted(program.tools, key=lambda tool: -len(tool.tool.name))

    def message(self, text: str) -> Message:
        """The parts of a message."""
        program, family = self.program, self.family
        text = family.content[0] + text if program.has_begun else text
        reasoning, place = (None, 0) if program.reasoning is None else program.reasoning.split(text)
        calls: list[ToolCall] = []
        content: list[str] = []
        if family.content[0] or family.opener:
            preamble = family.preamble
            if preamble and text.startswith(preamble[0], place) and preamble[1] in text[place:]:
                begun = place + len(preamble[0])
                ends = text.index(preamble[1], begun)
                after = ends + len(preamble[1])
                closed = self._section(text, after, calls)
                if closed > after:  # a call follows the text; an answer may have the same markers
                    content.append(text[begun:ends])
                    place = closed
            else:
                place = self._section(text, place, calls)
            if place < len(text) or not (calls or content):
                content.append(self._bare(text[place:]))
        else:
            trigger = family.trigger
            if program.final is not None:
                # Either calls or an answer: an answer may contain the marker that announces calls.
                place = self._section(text, place, calls)
            while (
                program.final is None and program.calls and program.tools and (begun := text.find(trigger, place)) >= 0
            ):
                closed = self._section(text, begun, calls)
                if closed == begun:  # no call: the end of an answer has the same beginning
                    break
                content.append(text[place:begun])
                place = closed
            content.append(self._bare(text[place:]))
        said = "".join(part for part in content if part.strip()).strip()
        if program.final is not None and said:
            return Message(reasoning, said, calls, program.final.value(said))
        return Message(reasoning, said or None, calls)

    def _bare(self, text: str) -> str:
        """The text of an answer, without the markers around it."""
        for begin, end in (*self.family.other_content, self.family.content):
            if text.startswith(begin) and text.endswith(end) and len(text) >= len(begin) + len(end):
                return text[len(begin) : len(text) - len(end)]
        return text

    def _section(self, text: str, place: int, calls: list[ToolCall]) -> int:
        """Read the calls of a section, if one begins here; the place where it ends."""
        if not (self.program.calls and self.program.tools):
            return place
        pieces = pieces_of(self.family.calls)
        middle = pieces.index(Hole("calls"))
        begun = wire.skip(text, place, pieces[:middle])
        found = None if begun is None else self._call(text, begun)
        if found is None:
            return place
        while found is not None:
            end, identifier, tool, arguments = found
            assert tool is not None
            calls.append(ToolCall(identifier or f"call_{len(calls)}", tool.tool.name, arguments, tool.tool))
            found = next(
                (
                    call
                    for separator in sorted(self.family.separators, key=len, reverse=True)
                    if text.startswith(separator, end) and (call := self._call(text, end + len(separator))) is not None
                ),
                None,
            )
        closed = wire.skip(text, end, pieces[middle + 1 :])
        assert closed is not None, "the grammar ends what it begins"
        return closed

    def _call(self, text: str, place: int) -> _Read | None:
        for template in self.family.call:
            for found in self._pieces(text, place, pieces_of(template), "", None, {}):
                return found
        return None

    def _pieces(
        self,
        text: str,
        place: int,
        pieces: tuple[Piece, ...],
        identifier: str,
        tool: Arguments | None,
        arguments: dict[str, Any],
    ) -> Iterator[_Read]:
        """All ways to read a call's pieces at a place: there are several if one tool's name begins another's."""
        if not pieces:
            yield place, identifier, tool, arguments
            return
        piece, *others = pieces
        rest = tuple(others)
        if piece == Hole("name"):
            for candidate in self.tools if tool is None else [tool]:
                if text.startswith(candidate.tool.name, place):
                    end = place + len(candidate.tool.name)
                    yield from self._pieces(text, end, rest, identifier, candidate, arguments)
        elif piece == Hole("id"):
            match = re.compile(self.family.id).match(text, place)
            if match is not None:
                yield from self._pieces(text, match.end(), rest, match[0], tool, arguments)
        elif piece == Hole("arguments"):
            assert tool is not None
            read = tool.read(text, place)
            if read is not None:
                yield from self._pieces(text, read[1], rest, identifier, tool, read[0])
        else:
            end_of_piece = wire.skip(text, place, [piece])
            if end_of_piece is not None:
                yield from self._pieces(text, end_of_piece, rest, identifier, tool, arguments)
