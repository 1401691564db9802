"""Part × a whole text → the places where the part can end, for each place where it may begin.

A top-down parse with memory (Norvig, *Techniques for automatic memoization with applications to context-free parsing*,
1991), which is exact even for ambiguous parts. The engine reads grammars in other notations.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

from frisket.limit import Meter
from frisket.notations.combination import free_text
from frisket.notations.combination.part import (
    AnyTokens,
    Capture,
    Choice,
    FreeText,
    Label,
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
from frisket.notations.ends import sentence_ends

#: Limit steps and bytes for each end of a part, and for each round of a repetition.
STEPS, BYTES = 50, 150
#: Limit steps for an end that was found before, and per character of free text.
_STEPS_PER_END = 10
_STEPS_PER_CHARACTER = 5

#: Units of a text: its bytes, and for each special token the set of its names.
Units: TypeAlias = Sequence[int | frozenset[str]]


class Parse:
    """The parse of one text by any number of parts."""

    def __init__(self, units: Units, meter: Meter) -> None:
        self.units = units
        self.meter = meter
        self.length = len(units)
        #: Places of special tokens, and the end; free text and other grammars cannot continue beyond the next of these.
        self.stops = [at for at, unit in enumerate(units) if not isinstance(unit, int)] + [len(units)]
        self.data = bytes(unit if isinstance(unit, int) else 0 for unit in units)
        self._known: dict[tuple[int, int], frozenset[int]] = {}

    def ends(self, part: Part, begin: int) -> frozenset[int]:
        """The places at which the part's texts that start at `begin` end."""
        key = id(part), begin  # the tree outlives the parse, so no id is used twice
        found = self._known.get(key)
        if found is None:
            found = frozenset(self._ends(part, begin))
            self.meter.spend(STEPS * (len(found) + 1), BYTES * (len(found) + 1))
            self._known[key] = found
        return found

    def _ends(self, part: Part, begin: int) -> Iterator[int]:
        match part:
            case Lit(text):
                if self._has(text.encode(), begin):
                    yield begin + len(text.encode())
            case Special(name):
                if self.is_special(name, begin):
                    yield begin + 1
            case Whole(grammar):
                lengths, _ = sentence_ends(grammar.core, self._run(begin), self.meter)
                yield from (begin + length for length in lengths)
            case Seq():
                yield from self.middles(part, begin)[-1]
            case Choice(items):
                for item in items:
                    yield from self.ends(item, begin)
            case Repeat():
                yield from self._rounds(part, begin)
            case Capture(_, item) | Label(_, item):
                yield from self.ends(item, begin)
            case Template(_, whole):
                yield from self.ends(whole, begin)
            case FreeText() | AnyTokens():
                yield from self._text_ends(_strings_of(part), _bounds(part), begin)
            case Until():
                yield from (end for _, end in self.until(part, begin))
            case Tags():
                yield from self._tags(part, begin)

    def _run(self, begin: int) -> bytes:
        """The bytes up to the next special token."""
        return self.data[begin : next(stop for stop in self.stops if stop >= begin)]

    def is_special(self, name: str, place: int) -> bool:
        """Whether the special token `name` stands at this place."""
        unit = self.units[place] if place < self.length else 0
        return not isinstance(unit, int) and name in unit

    def _has(self, text: bytes, begin: int) -> bool:
        return self._run(begin).startswith(text)

    # -- repetitions -------------------------------------------------------------------------------------------------
    def middles(self, part: Seq, begin: int) -> list[set[int]]:
        """The places between the items of a sequence, from its begin to its ends."""
        found = [{begin}]
        for item in part.items:
            found.append({end for place in found[-1] for end in self.ends(item, place)})
        return found

    def _rounds(self, part: Repeat, begin: int) -> Iterator[int]:
        """The places at which a repetition can end; each (rounds, place) is expanded once."""
        agenda, seen = [(0, begin)], {(0, begin)}
        for count, place in agenda:
            self.meter.spend(STEPS, BYTES)
            if count >= part.low:
                yield place
            for follow in self._next_round(part, count, place):
                if follow not in seen:
                    seen.add(follow)
                    agenda.append(follow)

    def _next_round(self, part: Repeat, count: int, place: int) -> Iterator[tuple[int, int]]:
        """Each (rounds, place) that one more round can lead to."""
        if part.high is not None and count >= part.high:
            return
        for middle in self.begins(part, count, place):
            ends = self.ends(part.item, middle)
            self.meter.spend(_STEPS_PER_END * len(ends))
            for end in ends:
                if end > place or count < may_be_empty(part):
                    yield min(count + 1, most(part)), end

    def begins(self, part: Repeat, count: int, place: int) -> Iterable[int]:
        """The places at which the next round may begin, after the separator if there must be one."""
        return [place] if part.separator is None or count == 0 else self.ends(part.separator, place)

    # -- free text ---------------------------------------------------------------------------------------------------
    def _text_ends(self, strings: Sequence[bytes], bounds: tuple[int, int | None], begin: int) -> Iterator[int]:
        """The places at which a free text may end: between characters, and before any of the strings is complete."""
        run = self._run(begin)
        self.meter.spend(_STEPS_PER_CHARACTER * len(run))
        stop = min((at + len(string) for string in strings if (at := run.find(string)) >= 0), default=len(run) + 1)
        valid = _valid_utf8(run[: stop - 1])
        low, high = bounds
        chars = 0
        for length in range(valid + 1):
            if length == len(run) or run[length] & 0xC0 != 0x80:
                if chars >= low and (high is None or chars <= high):
                    yield begin + length
                chars += 1

    def until(self, part: Until, begin: int) -> Iterator[tuple[int, int]]:
        """Each (end of the text, end of the trigger) of a free text with its trigger."""
        words = [trigger.text for trigger in part.triggers if isinstance(trigger, Lit)]
        for place, trigger in self._dispatched(words, part.forbidden, (part.min_chars, part.max_chars), begin):
            if trigger is not None:
                yield place, place + len(trigger.encode())
            elif any(isinstance(each, Special) and self.is_special(each.name, place) for each in part.triggers):
                yield place, place + 1

    def _dispatched(
        self, triggers: Sequence[str], forbidden: Sequence[str], bounds: tuple[int, int | None], begin: int
    ) -> Iterator[tuple[int, str | None]]:
        """Each end of a free text with the trigger that ends it; the trigger is None for any special token."""
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
            self.meter.spend(STEPS, BYTES)
            yield from self.tags_end(part, count, place)
            for *_, follow in self.next_tag(part, count, place):
                if follow not in seen:
                    seen.add(follow)
                    agenda.append(follow)

    def tags_end(self, part: Tags, count: int, place: int) -> Iterator[int]:
        """The places at which the whole part ends if no further tag comes."""
        if count < part.at_least:
            return
        if part.text_after or count == 0:
            strings = [string.encode() for string in (*part.triggers, *part.forbidden)]
            yield from self._text_ends(strings, (0, part.max_chars), place)
        else:
            yield place

    def next_tag(self, part: Tags, count: int, place: int) -> Iterator[tuple[Part, int, tuple[int, int]]]:
        """Each reading of one more tag: the tag's content, its place, and the (tags, place) behind the tag."""
        if part.at_most is not None and count >= part.at_most:
            return
        for at, trigger in self._dispatched(part.triggers, part.forbidden, (0, part.max_chars), place):
            self.meter.spend(_STEPS_PER_END * len(part.tags))
            for begin, content in part.tags:
                if isinstance(begin, Special):
                    if trigger is not None or not self.is_special(begin.name, at):
                        continue
                    behind = at + 1
                else:
                    if trigger is None or free_text.trigger_of(begin.text, part.triggers) != trigger:
                        continue
                    if not self._has(begin.text.encode(), at):
                        continue
                    behind = at + len(begin.text.encode())
                for end in self.ends(content, behind):
                    yield content, behind, (min(count + 1, most(part)), end)


def may_be_empty(part: Repeat) -> int:
    """The number of first rounds that may be empty; a later empty round would change nothing. After an empty first
    round there can still be a separator."""
    return max(part.low, int(part.separator is not None))


def most(part: Repeat | Tags) -> int:
    """The number up to which rounds must be counted: `high`, or else `low`, but at least 1."""
    low, high = (part.low, part.high) if isinstance(part, Repeat) else (part.at_least, part.at_most)
    return max(low, 1) if high is None else high


def _strings_of(part: FreeText | AnyTokens) -> list[bytes]:
    return [string.encode() for string in part.forbidden] if isinstance(part, FreeText) else []


def _bounds(part: FreeText | AnyTokens) -> tuple[int, int | None]:
    return (part.min_chars, part.max_chars) if isinstance(part, FreeText) else (0, None)


def _valid_utf8(data: bytes) -> int:
    """The length of the longest prefix that is valid UTF-8."""
    try:
        data.decode()
    except UnicodeDecodeError as error:
        return error.start
    return len(data)
