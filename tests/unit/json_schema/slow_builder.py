"""Builder calls → a recogniser that anybody can check by eye: every node maps a position to the set of its ends.

It stands in for the engine where a test wants to know what a front end asked for, not how fast it is answered.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, cast

from tests.oracle import regex as oracle

if TYPE_CHECKING:
    from frisket._core import GrammarBuilder

Ends = Callable[[bytes, int], frozenset[int]]


class SlowBuilder:
    """The same calls as `frisket._core.GrammarBuilder`; exponential where it has to be."""

    def __init__(self) -> None:
        self.nodes: list[Ends] = []
        self.known: dict[Any, int] = {}
        self.rules: dict[int, int] = {}
        self.memo: dict[tuple[int, bytes, int], frozenset[int]] = {}

    def make(self, key: Any, ends: Ends) -> int:
        if key not in self.known:
            self.known[key] = len(self.nodes)
            self.nodes.append(ends)
        return self.known[key]

    def ends(self, node: int, data: bytes, at: int) -> frozenset[int]:
        key = (node, data, at)
        found = self.memo.get(key)
        if found is None:
            self.memo[key] = frozenset()
            found = self.memo[key] = self.nodes[node](data, at)
        return found

    def check(self) -> None:
        """It has no limits."""

    def accepts(self, node: int, data: bytes) -> bool:
        return len(data) in self.ends(node, data, 0)

    def accepting(self, nodes: list[int], data: bytes) -> list[int]:
        return [place for place, node in enumerate(nodes) if self.accepts(node, data)]

    def empty(self) -> int:
        return self.make("empty", lambda data, at: frozenset())

    def epsilon(self) -> int:
        return self.literal(b"")

    def literal(self, data: bytes) -> int:
        return self.words([data])

    def words(self, words: Sequence[bytes]) -> int:
        key = tuple(words)
        return self.make(("words", key), lambda data, at: frozenset(at + len(w) for w in key if data.startswith(w, at)))

    def byte_class(self, ranges: Sequence[tuple[int, int]]) -> int:
        key = tuple(ranges)

        def ends(data: bytes, at: int) -> frozenset[int]:
            hit = at < len(data) and any(a <= data[at] <= b for a, b in key)
            return frozenset((at + 1,)) if hit else frozenset()

        return self.make(("bytes", key), ends)

    def char_class(self, ranges: Sequence[tuple[int, int]]) -> int:
        key = tuple(ranges)

        def ends(data: bytes, at: int) -> frozenset[int]:
            for width in range(1, 5):
                try:
                    char = data[at : at + width].decode()
                except UnicodeDecodeError:
                    continue
                if len(char) == 1 and len(data) >= at + width and any(a <= ord(char) <= b for a, b in key):
                    return frozenset((at + width,))
            return frozenset()

        return self.make(("chars", key), ends)

    def cat(self, nodes: Sequence[int]) -> int:
        key = tuple(nodes)

        def ends(data: bytes, at: int) -> frozenset[int]:
            front = frozenset((at,))
            for node in key:
                front = frozenset().union(*(self.ends(node, data, p) for p in front))
            return front

        return self.make(("cat", key), ends)

    seq = cat

    def alt(self, nodes: Sequence[int]) -> int:
        key = tuple(nodes)
        return self.make(("alt", key), lambda data, at: frozenset().union(*(self.ends(n, data, at) for n in key)))

    def repeat(self, node: int, min: int, max: int | None = None) -> int:
        def ends(data: bytes, at: int) -> frozenset[int]:
            found = set()
            front, count, seen = {at}, 0, set()
            while front:
                if count >= min:
                    found |= front
                    front -= seen
                    seen |= front
                if count == max:
                    break
                count += 1
                front = set().union(*(self.ends(node, data, p) for p in front))
                if count > len(data) + 2 and count > min:
                    break
            return frozenset(found)

        return self.make(("repeat", node, min, max), ends)

    def multiple(self, of: int, *, point: bool) -> int:
        def ends(data: bytes, at: int) -> frozenset[int]:
            found, number = {at} if of else set(), 0
            for end in range(at, len(data)):
                if not (data[end : end + 1].isdigit() or (point and data[end] == 0x2E)):
                    break
                number = number * 10 + data[end] - 0x30 if data[end] != 0x2E else number
                if of and number % of == 0:
                    found.add(end + 1)
            return frozenset(found)

        return self.make(("multiple", of, point), ends)

    def and_(self, nodes: Sequence[int]) -> int:
        key = tuple(nodes)

        def ends(data: bytes, at: int) -> frozenset[int]:
            found = self.ends(key[0], data, at)
            for node in key[1:]:
                found &= self.ends(node, data, at)
            return found

        return self.make(("and", key), ends)

    def not_(self, node: int) -> int:
        return self.make(
            ("not", node), lambda data, at: frozenset(range(at, len(data) + 1)) - self.ends(node, data, at)
        )

    def any_text(self) -> int:
        def ends(data: bytes, at: int) -> frozenset[int]:
            found = set()
            for end in range(at, len(data) + 1):
                try:
                    data[at:end].decode()
                    found.add(end)
                except UnicodeDecodeError:
                    pass
            return frozenset(found)

        return self.make("any_text", ends)

    def bounded(self, node: int, min: int, max: int | None) -> int:
        def ends(data: bytes, at: int) -> frozenset[int]:
            lengths = {end: len(data[at:end].decode("utf-8", "replace")) for end in self.ends(node, data, at)}
            return frozenset(e for e, n in lengths.items() if n >= min and (max is None or n <= max))

        return self.make(("bounded", node, min, max), ends)

    def regex(self, pattern: str, *, dialect: Any, search: bool = False, flags: str = "") -> int:
        """By the oracle's reader, call by call."""
        return oracle.lower_regex(cast("GrammarBuilder", self), pattern, dialect=dialect, search=search, flags=flags)

    def quoted(self, node: int, escapes: str = "raw") -> int:
        def ends(data: bytes, at: int) -> frozenset[int]:
            end = string_end(data, at)
            if end is None:
                return frozenset()
            try:
                text = json.loads(data[at:end].decode()).encode()
            except (ValueError, UnicodeEncodeError):
                return frozenset()
            return frozenset((end,)) if self.accepts(node, text) else frozenset()

        return self.make(("quoted", node, escapes), ends)

    def is_empty(self, node: int) -> bool:
        return node == self.known.get("empty")

    def disjoint(self, left: int, right: int) -> bool:
        return False

    def rule(self, name: str) -> int:
        number = len(self.nodes)
        self.nodes.append(lambda data, at: self.ends(self.rules[number], data, at))
        return number

    def define(self, rule: int, body: int) -> None:
        self.rules[rule] = body

    def object(
        self,
        properties: Sequence[tuple[str, bool, Sequence[tuple[int, int]]]],
        extras: Sequence[tuple[int, Sequence[tuple[int, int]]]],
        *,
        open: int,
        close: int,
        colon: int,
        comma: int,
        empty: int,
        min_properties: int = 0,
        max_properties: int | None = None,
        required_marks: int = 0,
        clauses: Sequence[tuple[int, int]] = (),
        implies: Sequence[tuple[int, int]] = (),
        any_order: bool = False,
        extras_last: bool = True,
        orders: Sequence[Sequence[int]] = (),
        escapes: str = "raw",
    ) -> int:
        places = {key: i for i, (key, _, _) in enumerate(properties)}
        lists = orders or [range(len(properties))]

        def fits(seen: tuple[str, ...], marks: int) -> bool:
            if marks & required_marks != required_marks or len(seen) < min_properties:
                return False
            if any(premises & marks == premises and not conclusions & marks for premises, conclusions in clauses):
                return False
            if any(needed and key not in seen for key, needed, _ in properties):
                return False
            return all(properties[b][0] in seen for a, b in implies if properties[a][0] in seen)

        def late(place: int, seen: tuple[str, ...]) -> bool:
            came = [places[key] for key in seen if key in places]
            return any(
                place in order and any(other in list(order)[list(order).index(place) :] for other in came)
                for order in lists
            )

        def ends(data: bytes, at: int) -> frozenset[int]:
            found = set(self.ends(empty, data, at)) if fits((), 0) else set()
            stack = [(p, (), False, 0) for p in self.ends(open, data, at)]
            while stack:
                p, seen, last, marks = stack.pop()
                end = string_end(data, p)
                if end is None or len(seen) == max_properties:
                    continue
                key = json.loads(data[p:end].decode())
                if key in seen:
                    continue
                place = places.get(key)
                if place is not None:
                    if not any_order and (last or late(place, seen)):
                        continue
                    values = list(properties[place][2])
                else:
                    text = key.encode("utf-8", "surrogatepass")
                    values = [v for keys, alternatives in extras if self.accepts(keys, text) for v in alternatives]
                    last = extras_last
                for after in self.ends(colon, data, end):
                    for value, mark in values:
                        for stop in self.ends(value, data, after):
                            now = (*seen, key)
                            if fits(now, marks | mark):
                                found |= self.ends(close, data, stop)
                            stack += [(q, now, last, marks | mark) for q in self.ends(comma, data, stop)]
            return frozenset(found)

        number = len(self.nodes)
        self.nodes.append(ends)
        return number

    def array(
        self,
        prefix: Sequence[int],
        rest: int | None,
        *,
        open: int,
        close: int,
        comma: int,
        empty: int,
        min_items: int = 0,
        max_items: int | None = None,
        unique: bool = False,
    ) -> int:
        prefix = tuple(prefix)

        def ends(data: bytes, at: int) -> frozenset[int]:
            found = set(self.ends(empty, data, at)) if min_items == 0 else set()
            stack = [(p, 0, ()) for p in self.ends(open, data, at)]
            while stack:
                p, count, values = stack.pop()
                node = prefix[count] if count < len(prefix) else rest
                if node is None or count == max_items:
                    continue
                for stop in self.ends(node, data, p):
                    now = values
                    if unique:
                        value = canonical(json.loads(data[p:stop]))
                        if value in values:
                            continue
                        now = (*values, value)
                    if count + 1 >= min_items:
                        found |= self.ends(close, data, stop)
                    stack += [(q, count + 1, now) for q in self.ends(comma, data, stop)]
            return frozenset(found)

        number = len(self.nodes)
        self.nodes.append(ends)
        return number


def string_end(data: bytes, at: int) -> int | None:
    if data[at : at + 1] != b'"':
        return None
    position = at + 1
    while position < len(data):
        if data[position] == 0x5C:
            position += 2
        elif data[position] == 0x22:
            return position + 1
        else:
            position += 1
    return None


def canonical(value: Any) -> Any:
    if isinstance(value, bool) or value is None:
        return ("literal", value)
    if isinstance(value, dict):
        return ("object", tuple(sorted((k, canonical(v)) for k, v in value.items())))
    if isinstance(value, list):
        return ("array", tuple(map(canonical, value)))
    return value
