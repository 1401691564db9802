"""Part × a whole text → the spans of its captures.

If the text has several readings, the first one counts: parts choose from left to right. A choice takes its first option
that fits, a repetition one more round, and any other part its longest text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TypeAlias

from frisket.errors import LimitExceededError
from frisket.limit import Meter
from frisket.notations.combination.parse import BYTES, STEPS, Parse, Units, may_be_empty, most
from frisket.notations.combination.part import Capture, Choice, Label, Part, Repeat, Seq, Tags, Template, Until

#: A capture's name, begin and end; both places count units.
Found: TypeAlias = tuple[str, int, int]

#: (the parts that one more round or tag reads, with their places; (count, place) after it).
_Way: TypeAlias = tuple[list[tuple[Part, int, int]], tuple[int, int]]


def spans(part: Part, units: Units, meter: Meter) -> list[Found] | None:
    """The captures of a whole text, ordered by begin; None if the part does not match."""
    parse = Parse(units, meter)
    try:
        if len(units) not in parse.ends(part, 0):
            return None
        return list(_Captures(parse).of(part, 0, len(units)))
    except RecursionError:
        raise LimitExceededError("the parts nest too deeply to find captures", hint="use fewer levels") from None


class _Captures:
    def __init__(self, parse: Parse) -> None:
        self.parse = parse

    def of(self, part: Part, begin: int, end: int) -> Iterator[Found]:
        """The captures of the first reading of a part that matches from `begin` to `end`."""
        match part:
            case Capture(name, item):
                yield name, begin, end
                yield from self.of(item, begin, end)
            case Label(_, item):
                yield from self.of(item, begin, end)
            case Seq():
                yield from self._of_items(part, begin, end)
            case Choice(items):
                yield from self.of(next(item for item in items if end in self.parse.ends(item, begin)), begin, end)
            case Repeat():
                rounds = partial(self._rounds_in_order, part)
                yield from self._path(begin, rounds, lambda count, place: count >= part.low and place == end)
            case Until(name=str(name)):
                middle = next(middle for middle, stop in self.parse.until(part, begin) if stop == end)
                yield name, begin, middle
            case Template(_, whole):
                yield from self.of(whole, begin, end)
            case Tags():
                tags = partial(self._tags_in_order, part)
                yield from self._path(
                    begin, tags, lambda count, place: end in set(self.parse.tags_end(part, count, place))
                )

    def _of_items(self, part: Seq, begin: int, end: int) -> Iterator[Found]:
        """The captures of a sequence: each item takes the longest text that lets the rest match."""
        leading = [{end}]
        for item, places in zip(reversed(part.items), reversed(self.parse.middles(part, begin)[:-1]), strict=True):
            leading.append({place for place in places if not leading[-1].isdisjoint(self.parse.ends(item, place))})
        for item, after in zip(part.items, reversed(leading[:-1]), strict=True):
            middle = max(after & self.parse.ends(item, begin))
            yield from self.of(item, begin, middle)
            begin = middle

    def _path(
        self, begin: int, ways: Callable[[int, int], Iterator[_Way]], is_end: Callable[[int, int], bool]
    ) -> Iterator[Found]:
        """The captures of the first sequence of rounds or tags that reaches the end, found by backtracking."""
        dead: set[tuple[int, int]] = set()
        path: list[_Way] = []
        stack = [(0, begin, ways(0, begin))]
        while stack:
            self.parse.meter.spend(STEPS, BYTES)
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
                yield from self.of(part, start, end)

    def _rounds_in_order(self, part: Repeat, count: int, place: int) -> Iterator[_Way]:
        """Further rounds, those with the longest texts first."""
        if part.high is not None and count >= part.high:
            return
        for middle in sorted(self.parse.begins(part, count, place), reverse=True):
            between = [(part.separator, place, middle)] if part.separator is not None and count else []
            for end in sorted(self.parse.ends(part.item, middle), reverse=True):
                self.parse.meter.spend(STEPS)
                if end > place or count < may_be_empty(part):
                    yield [*between, (part.item, middle, end)], (min(count + 1, most(part)), end)

    def _tags_in_order(self, part: Tags, count: int, place: int) -> Iterator[_Way]:
        """Further tags in the order of the list, each with its longest texts first."""
        order = {id(content): number for number, (_, content) in enumerate(part.tags)}
        ways = list(self.parse.next_tag(part, count, place))
        for content, behind, after in sorted(ways, key=lambda way: (order[id(way[0])], -way[2][1])):
            yield [(content, behind, after[1])], after
