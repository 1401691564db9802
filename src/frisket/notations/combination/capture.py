"""Part × a whole text → the spans of its captures, by an exact parse.

A text that can be read in one way has one answer. Of several readings the first is taken: parts choose from left to
right; a choice takes its first option that fits, a repetition one more round, every other part its longest text.

The parse is top-down with memory (Norvig, *Techniques for automatic memoization with applications to context-free
parsing*, 1991): where a part can end, from each place at which it may begin. Grammars in other notations are read by
the engine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

from frisket.errors import LimitExceededError
from frisket.notations.combination import free_text
from frisket.notations.combination.part import (
    AnyTokens,
    Capture,
    Choice,
    FreeText,
    Lit,
    Part,
    Repeat,
    Seq,
    Special,
    Tags,
    Template,
    Until,
    Whole,
)

#: Ends that a parse may remember, about a hundred bytes each.
_MAX_ENDS = 1_000_000

#: Units of a text: its bytes, and the names of its special tokens.
Units = Sequence[int | str]


@dataclass(frozen=True)
class _Round:
    """A repetition after some rounds; `count` stands still where more rounds change nothing."""

    part: Repeat
    count: int


@dataclass(frozen=True)
class _Rest:
    """The items of a sequence from one on."""

    part: Seq
    at: int


_State = Part | _Round | _Rest

#: What one more round or tag reads, and (count, place) behind it.
_Way: TypeAlias = tuple[list[tuple[Part, int, int]], tuple[int, int]]


def spans(part: Part, units: Units) -> list[tuple[str, int, int]] | None:
    """(name, begin, end) of each capture in order of their begins, in units; None if the part does not match."""
    parse = _Parse(units)
    try:
        if len(units) not in parse.ends(part, 0):
            return None
        return list(parse.captures(part, 0, len(units)))
    except RecursionError:
        raise LimitExceededError(
            "the text nests too deeply to find its captures", hint="capture fewer rounds of a repetition"
        ) from None


class _Parse:
    def __init__(self, units: Units) -> None:
        self.units = units
        self.length = len(units)
        #: Bytes before each unit that is none, and at the end: free text and other grammars go on to there.
        self.stops = [at for at, unit in enumerate(units) if isinstance(unit, str)] + [len(units)]
        self.data = bytes(unit if isinstance(unit, int) else 0 for unit in units)
        self._known: dict[tuple[int, int, int], frozenset[int]] = {}
        self._kept = 0
        self._alive: list[_State] = []

    def ends(self, state: _State, begin: int) -> frozenset[int]:
        """Where the texts end that begin there."""
        key = self._key(state, begin)
        found = self._known.get(key)
        if found is None:
            found = frozenset(self._ends(state, begin))
            self._kept += len(found) + 1
            if self._kept > _MAX_ENDS:
                raise LimitExceededError(
                    f"finding the captures takes more than {_MAX_ENDS:,} steps",
                    hint="let fewer parts of free text follow each other",
                )
            self._known[key] = found
        return found

    @staticmethod
    def _key(state: _State, begin: int) -> tuple[int, int, int]:
        # The tree of parts outlives the parse, so that the identity of a part is its own.
        match state:
            case _Round(part, count):
                return id(part), count + 1, begin
            case _Rest(part, at):
                return id(part), at + 1, begin
        return id(state), 0, begin

    def _ends(self, state: _State, begin: int) -> Iterator[int]:
        match state:
            case Lit(text):
                if self._has(text.encode(), begin):
                    yield begin + len(text.encode())
            case Special(name):
                if begin < self.length and self.units[begin] == name:
                    yield begin + 1
            case Whole(grammar):
                yield from (begin + length for length in grammar.core.ends(self._run(begin)))
            case Seq():
                yield from self.ends(_Rest(state, 0), begin)
            case _Rest(part, at):
                if at == len(part.items):
                    yield begin
                else:
                    for middle in self.ends(part.items[at], begin):
                        yield from self.ends(_Rest(part, at + 1), middle)
            case Choice(items):
                for item in items:
                    yield from self.ends(item, begin)
            case Repeat():
                yield from self.ends(_Round(state, 0), begin)
            case _Round():
                yield from self._rounds(state, begin)
            case Capture(_, item):
                yield from self.ends(item, begin)
            case Template(_, whole):
                yield from self.ends(whole, begin)
            case FreeText() | AnyTokens():
                yield from self._text_ends(_strings_of(state), _bounds(state), begin)
            case Until():
                yield from (end for _, end in self._until(state, begin))
            case Tags():
                yield from self._tags(state, begin)

    def _run(self, begin: int) -> bytes:
        """The bytes up to the next special token."""
        return self.data[begin : next(stop for stop in self.stops if stop >= begin)]

    def _has(self, text: bytes, begin: int) -> bool:
        return self._run(begin).startswith(text)

    # -- repetitions -------------------------------------------------------------------------------------------------
    def _rounds(self, state: _Round, begin: int) -> Iterator[int]:
        """Where a repetition ends that has had some rounds: what is behind each further round, found once."""
        agenda, seen = [(state.count, begin)], {(state.count, begin)}
        for count, place in agenda:
            if count >= state.part.low:
                yield place
            for follow in self._next_round(state.part, count, place):
                if follow not in seen:
                    seen.add(follow)
                    agenda.append(follow)

    def _next_round(self, part: Repeat, count: int, place: int) -> Iterator[tuple[int, int]]:
        """(rounds, place) behind one more round."""
        if part.high is not None and count >= part.high:
            return
        for middle in self._begins(part, count, place):
            for end in self.ends(part.item, middle):
                if end > place or count < _may_be_empty(part):
                    yield min(count + 1, _most(part)), end

    def _begins(self, part: Repeat, count: int, place: int) -> Iterable[int]:
        """Where the next round may begin: behind a separator, if one comes first."""
        return [place] if part.separator is None or count == 0 else self.ends(part.separator, place)

    # -- free text ---------------------------------------------------------------------------------------------------
    def _text_ends(self, strings: Sequence[bytes], bounds: tuple[int, int | None], begin: int) -> Iterator[int]:
        """Where a free text may end: before the first of the strings is whole, between two characters."""
        run = self._run(begin)
        stop = min((at + len(string) for string in strings if (at := run.find(string)) >= 0), default=len(run) + 1)
        valid = _valid_utf8(run[: stop - 1])
        low, high = bounds
        chars = 0
        for length in range(valid + 1):
            if length == len(run) or run[length] & 0xC0 != 0x80:
                if chars >= low and (high is None or chars <= high):
                    yield begin + length
                chars += 1

    def _until(self, part: Until, begin: int) -> Iterator[tuple[int, int]]:
        """(end of the text, end of the trigger)."""
        words = [trigger.text for trigger in part.triggers if isinstance(trigger, Lit)]
        for place, trigger in self._dispatched(words, part.forbidden, (part.min_chars, part.max_chars), begin):
            if trigger is not None:
                yield place, place + len(trigger.encode())
            elif any(isinstance(each, Special) and self.units[place] == each.name for each in part.triggers):
                yield place, place + 1

    def _dispatched(
        self, triggers: Sequence[str], forbidden: Sequence[str], bounds: tuple[int, int | None], begin: int
    ) -> Iterator[tuple[int, str | None]]:
        """Where a free text ends, and the trigger that ends it; None for a special token, whichever it is."""
        run = self._run(begin)
        strings = [(string.encode(), string) for string in (*triggers, *forbidden)]
        ends = set(self._text_ends([data for data, _ in strings], bounds, begin))
        stop = begin + len(run)
        if stop < self.length and stop in ends:
            yield stop, None
        found = [(at + len(data), -len(data), string) for data, string in strings if (at := run.find(data)) >= 0]
        if found:
            end, length, string = min(found)
            if string not in forbidden and begin + end + length in ends:
                yield begin + end + length, string

    def _tags(self, part: Tags, begin: int) -> Iterator[int]:
        agenda, seen = [(0, begin)], {(0, begin)}
        for count, place in agenda:
            yield from self._tags_end(part, count, place)
            for *_, follow in self._next_tag(part, count, place):
                if follow not in seen:
                    seen.add(follow)
                    agenda.append(follow)

    def _tags_end(self, part: Tags, count: int, place: int) -> Iterator[int]:
        """Where all ends, without another tag."""
        if count < part.at_least:
            return
        if part.text_after or count == 0:
            strings = [string.encode() for string in (*part.triggers, *part.forbidden)]
            yield from self._text_ends(strings, (0, part.max_chars), place)
        else:
            yield place

    def _next_tag(self, part: Tags, count: int, place: int) -> Iterator[tuple[Part, int, tuple[int, int]]]:
        """(what follows the begin, where that is, (tags, place) behind it) of each reading of one more tag."""
        if part.at_most is not None and count >= part.at_most:
            return
        for at, trigger in self._dispatched(part.triggers, part.forbidden, (0, part.max_chars), place):
            for begin, content in part.tags:
                if isinstance(begin, Special):
                    if trigger is not None or self.units[at] != begin.name:
                        continue
                    behind = at + 1
                else:
                    if trigger is None or free_text.trigger_of(begin.text, part.triggers) != trigger:
                        continue
                    if not self._has(begin.text.encode(), at):
                        continue
                    behind = at + len(begin.text.encode())
                for end in self.ends(content, behind):
                    yield content, behind, (min(count + 1, _most(part)), end)

    # -- captures ----------------------------------------------------------------------------------------------------
    def captures(self, part: Part, begin: int, end: int) -> Iterator[tuple[str, int, int]]:
        """The captures of the first reading of a part that matches from `begin` to `end`."""
        match part:
            case Capture(name, item):
                yield name, begin, end
                yield from self.captures(item, begin, end)
            case Seq(items):
                for at, item in enumerate(items):
                    rest = _Rest(part, at + 1)
                    middle = next(m for m in sorted(self.ends(item, begin), reverse=True) if end in self.ends(rest, m))
                    yield from self.captures(item, begin, middle)
                    begin = middle
            case Choice(items):
                yield from self.captures(next(item for item in items if end in self.ends(item, begin)), begin, end)
            case Repeat():
                rounds = partial(self._rounds_in_order, part)
                yield from self._path(begin, rounds, lambda count, place: count >= part.low and place == end)
            case Until(name=str(name)):
                middle = next(middle for middle, stop in self._until(part, begin) if stop == end)
                yield name, begin, middle
            case Template(_, whole):
                yield from self.captures(whole, begin, end)
            case Tags():
                tags = partial(self._tags_in_order, part)
                yield from self._path(begin, tags, lambda count, place: end in set(self._tags_end(part, count, place)))

    def _path(
        self, begin: int, ways: Callable[[int, int], Iterator[_Way]], is_end: Callable[[int, int], bool]
    ) -> Iterator[tuple[str, int, int]]:
        """The captures of the first sequence of rounds or tags that leads to an end, by a search that goes back."""
        dead: set[tuple[int, int]] = set()
        path: list[_Way] = []
        stack = [(0, begin, ways(0, begin))]
        while stack:
            count, place, left = stack[-1]
            way = next((way for way in left if way[1] not in dead), None)
            if way is not None:
                path.append(way)
                stack.append((*way[1], ways(*way[1])))
                continue
            if is_end(count, place):
                break
            dead.add((count, place))
            stack.pop()
            if path:
                path.pop()
        for read, _ in path:
            for part, start, end in read:
                yield from self.captures(part, start, end)

    def _rounds_in_order(self, part: Repeat, count: int, place: int) -> Iterator[_Way]:
        """Further rounds, the longest first."""
        if part.high is not None and count >= part.high:
            return
        separated = part.separator is not None and count > 0
        for middle in sorted(self._begins(part, count, place), reverse=True):
            between = [(part.separator, place, middle)] if separated and part.separator is not None else []
            for end in sorted(self.ends(part.item, middle), reverse=True):
                if end > place or count < _may_be_empty(part):
                    yield [*between, (part.item, middle, end)], (min(count + 1, _most(part)), end)

    def _tags_in_order(self, part: Tags, count: int, place: int) -> Iterator[_Way]:
        """Further tags: in the order of the list, each with its longest text first."""
        order = {id(content): number for number, (_, content) in enumerate(part.tags)}
        ways = list(self._next_tag(part, count, place))
        for content, behind, after in sorted(ways, key=lambda way: (order[id(way[0])], -way[2][1])):
            yield [(content, behind, after[1])], after


def _may_be_empty(part: Repeat) -> int:
    """How many of the first rounds may read nothing: of later ones such a round changes nothing. A separator can follow
    the first round only."""
    return max(part.low, int(part.separator is not None))


def _most(part: Repeat | Tags) -> int:
    """The count at which counting ends: beyond the least, and without a most, only whether there was one matters."""
    low, high = (part.low, part.high) if isinstance(part, Repeat) else (part.at_least, part.at_most)
    return max(low, 1) if high is None else high


def _strings_of(part: FreeText | AnyTokens) -> list[bytes]:
    return [string.encode() for string in part.forbidden] if isinstance(part, FreeText) else []


def _bounds(part: FreeText | AnyTokens) -> tuple[int, int | None]:
    return (part.min_chars, part.max_chars) if isinstance(part, FreeText) else (0, None)


def _valid_utf8(data: bytes) -> int:
    """The length of the longest beginning that is UTF-8."""
    try:
        data.decode()
    except UnicodeDecodeError as error:
        return error.start
    return len(data)
