"""Named parts × a growing text → all readings of the text so far, the preferred one first.

A reading is a thread of an ordered simulation (Thompson, *Regular expression search algorithm*, 1968; in the order of
R. Cox, *Regular expression matching: the virtual machine approach*, 2009), with a stack of the parts still to come.
Readings with equal stacks are one. Matchers of the engine read the leaves.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from frisket import _core
from frisket.errors import VocabularyError
from frisket.events.partial_value import PartialPython, PartialValue
from frisket.limit import Limits, Meter
from frisket.notations.combination.lower import build_part
from frisket.notations.combination.part import Capture, Label, Lit, Part, Rules, Special, Until
from frisket.outline.leaf import Reads, ends
from frisket.outline.place import Place
from frisket.outline.stack import Stack, Stacks

if TYPE_CHECKING:
    from collections.abc import Mapping

#: Limit steps and bytes for each reading at each place, and for each stack.
_STEPS, _BYTES = 100, 600
#: Most readings that are kept; those with the lowest preference are dropped.
MOST = 256

#: One unit of a text: a byte, or the names of a special token.
Unit: TypeAlias = int | frozenset[str]


class Value(NamedTuple):
    """A piece of the text that has a value of its own, or whose named parts make up a value."""

    names: tuple[str, ...]
    begin: int
    """The unit at which it begins."""
    reads: Reads


class Entry(NamedTuple):
    """A value that a reading has found, linked to the one found before; readings share the beginning of this list."""

    before: Entry | None
    value: Value
    end: int | None
    """The unit behind the value, without a marker that ends it; None when a value made of parts begins."""


@dataclass(slots=True, eq=False)
class Thread:
    """One reading: its current leaf, and the parts to come after it. Without a leaf the text has ended."""

    leaf: Part | None
    behind: Stack | None
    value: Value
    found: Entry | None
    matcher: _core.Matcher | None = None
    #: The JSON value so far, and the unit up to which it was read.
    partial: PartialValue | None = None
    fed: int = 0


class Reader:
    """The readings of a text that grows by bytes and special tokens.

    >>> from frisket.parts import capture, json, seq
    >>> reader = Reader(seq("size: ", capture("size", json({"type": "array"})))._outline)
    >>> reader.feed(b"size: [1, ")
    >>> str(reader.place)
    'size/1'

    `special` are the special tokens of a vocabulary; if the outline `is_written`, the text has their names instead.
    Each call of `feed` may take the `limits`; with a `meter`, all calls together may take what it has left.
    """

    def __init__(
        self,
        outline: Part,
        special: Mapping[str, int] | None = None,
        *,
        is_written: bool = False,
        limits: Limits | None = None,
        meter: Meter | None = None,
    ) -> None:
        self._limits = limits if meter is None else meter.limits
        self._is_one_call = meter is not None
        self._meter = meter or Meter(limits)
        self._held = 0
        self.units: list[Unit] = []
        #: The places of special tokens among the units.
        self.specials: list[int] = []
        self._dead: int | None = None
        self._stacks = Stacks(self._hold, is_written=is_written)
        self._letters = _letters(tuple(sorted((special or {}).items())))
        self._ids = self._letters.special
        self._compiled: dict[int, _core.CompiledGrammar | None] = {}
        #: `id` of a mask → (the mask, whether it allows more than the end); keeping the mask keeps its id unique.
        self._masks: dict[int, tuple[object, bool]] = {}
        self.threads: list[Thread] = []
        self._expand([(self._stacks.of_part(outline), None)], self.threads, set())

    def feed(self, piece: bytes | frozenset[str]) -> None:
        """Read more of the text: its bytes, or all names of one special token. LimitExceededError beyond the limits."""
        if not self._is_one_call:
            self._meter = Meter(self._limits)
            self._meter.spend(0, self._held)
        for unit in piece if isinstance(piece, bytes) else (piece,):
            self._step(unit)

    @property
    def dead(self) -> int | None:
        """The offset of the first byte that no text of the outline allows."""
        return None if self._dead is None else self.offset(self._dead)

    @property
    def first(self) -> Thread | None:
        """The first reading that stands in a leaf."""
        return next((thread for thread in self.threads if thread.leaf is not None), None)

    @property
    def place(self) -> Place:
        """The place of the first reading; empty if no part has a name, or no text begins with this one."""
        thread = self.first
        return Place((), ()) if thread is None else Place(thread.value.names, self._path(thread))

    def text(self, begin: int, end: int | None = None) -> bytes:
        """The bytes of some units."""
        return bytes(unit for unit in self.units[begin:end] if isinstance(unit, int))

    def offset(self, unit: int) -> int:
        """The number of bytes before a unit."""
        return unit - bisect_left(self.specials, unit)

    def _path(self, thread: Thread) -> tuple[str | int, ...]:
        if thread.value.reads not in ("json", "python"):
            return ()
        if thread.partial is None:
            thread.partial = PartialValue() if thread.value.reads == "json" else PartialPython()
            thread.fed = thread.value.begin
        thread.partial.feed(self.text(thread.fed))
        thread.fed = len(self.units)
        return thread.partial.path

    def _hold(self, count: int) -> None:
        """Spend the limits' steps and bytes for some stacks or readings."""
        self._held += _BYTES * count
        self._meter.spend(_STEPS * count, _BYTES * count)

    # -- one more unit -----------------------------------------------------------------------------------------------
    def _step(self, unit: Unit) -> None:
        if not isinstance(unit, int):
            self.specials.append(len(self.units))
        self.units.append(unit)
        threads: list[Thread] = []
        seen: set[int] = set()
        self._meter.spend(_STEPS * len(self.threads))
        for thread in self.threads:
            goes_on, may_end = self._reads(thread, unit)
            if goes_on:
                threads.append(thread)
            if may_end:
                self._expand(self._stacks_behind(thread), threads, seen)
        self.threads = threads[:MOST]
        if not threads and self._dead is None:
            self._dead = len(self.units) - 1

    def _reads(self, thread: Thread, unit: Unit) -> tuple[bool, bool]:
        """(whether the reading's leaf may continue after the unit, whether it may end there)."""
        leaf, matcher = thread.leaf, thread.matcher
        if isinstance(leaf, Lit):
            at, data = len(self.units) - 1 - thread.value.begin, leaf.text.encode()
            is_next = data[at] == unit
            return is_next and at + 1 < len(data), is_next and at + 1 == len(data)
        if isinstance(leaf, Special):
            return False, not isinstance(unit, int) and leaf.name in unit
        token = unit if isinstance(unit, int) else next((self._ids[name] for name in unit if name in self._ids), None)
        if matcher is None or token is None or not matcher.try_advance(token):
            return False, False
        return (self._has_more(matcher), True) if matcher.can_end else (True, False)

    def _has_more(self, matcher: _core.Matcher) -> bool:
        """Whether anything other than the end may come."""
        mask = matcher.mask()
        known = self._masks.get(id(mask))
        if known is None:
            end = self._letters.eos[0]
            rest = mask.copy()
            rest[end >> 5] &= ~(1 << (end & 31)) & 0xFFFFFFFF
            known = self._masks[id(mask)] = mask, bool(rest.any())
        return known[1]

    def _compile(self, leaf: Part) -> _core.CompiledGrammar | None:
        """The compiled rules of a leaf; None if they need a special token that the vocabulary lacks."""
        if id(leaf) not in self._compiled:
            limits = self._meter.limits
            core = leaf.core if isinstance(leaf, Rules) else build_part(leaf, limits)
            try:
                self._compiled[id(leaf)] = core.compile(self._letters, limits=self._limits)
            except VocabularyError:
                self._compiled[id(leaf)] = None
        return self._compiled[id(leaf)]

    # -- what may follow ---------------------------------------------------------------------------------------------
    def _expand(self, ways: list[tuple[Stack | None, Entry | None]], threads: list[Thread], seen: set[int]) -> None:
        """Append the readings of stacks, each at its next leaf; skip stacks that were expanded at this place before."""
        agenda = ways[::-1]
        here = len(self.units)
        while agenda:
            stack, found = agenda.pop()
            self._meter.spend(_STEPS)
            if id(stack) in seen:
                continue
            seen.add(id(stack))
            if stack is None:
                threads.append(Thread(None, None, Value((), here, None), found))
            elif stack.kind == "close":
                kind = self._stacks.reads_parts(stack.part)
                entry = found if kind is None else Entry(found, Value(stack.names, stack.number, kind), here)
                agenda.append((stack.below, entry))
            elif self._stacks.is_leaf(stack):
                agenda += self._begin(stack, found, threads)
            else:
                follows = self._stacks.follows(stack, here)
                label = self._stacks.opened(stack.part) if stack.kind == "part" else None
                if isinstance(label, (Label, Capture)) and (kind := self._stacks.reads_parts(label)) is not None:
                    found = Entry(found, Value((*stack.names, label.name), here, kind), None)
                agenda += [(follow, found) for follow in reversed(follows)]

    def _begin(
        self, stack: Stack, found: Entry | None, threads: list[Thread]
    ) -> list[tuple[Stack | None, Entry | None]]:
        """Append a reading that begins with a leaf; return the stack after the leaf if the leaf may be empty."""
        leaf = self._stacks.opened(stack.part)
        thread = Thread(leaf, stack.below, Value(stack.names, len(self.units), self._stacks.reads(stack)), found)
        if isinstance(leaf, Lit) and not leaf.text:
            return self._stacks_behind(thread)
        if isinstance(leaf, (Lit, Special)):
            threads.append(thread)
            return []
        compiled = self._compile(leaf)
        if compiled is None:
            return []
        threads.append(thread)
        self._hold(1)
        thread.matcher = compiled.matcher()
        return self._stacks_behind(thread)[::-1] if thread.matcher.can_end else []

    def _stacks_behind(self, thread: Thread) -> list[tuple[Stack | None, Entry | None]]:
        """The stack behind a leaf that ends here."""
        leaf, found, here = thread.leaf, thread.found, len(self.units)
        assert leaf is not None
        if thread.value.reads is not None:
            found = Entry(found, thread.value, here - self._marker(leaf, thread.value.begin))
        behind = thread.behind
        if behind is None or behind.kind != "trigger":
            return [(behind, found)]
        last = self.units[-1]
        names = frozenset[str]() if isinstance(last, int) else last
        text = self.text(thread.value.begin) if isinstance(last, int) else b""
        return [(stack, found) for stack in self._stacks.tags_begun(behind, text, names)]

    def _marker(self, leaf: Part, begin: int) -> int:
        """The number of units in the marker that ended a leaf."""
        if len(self.units) > begin and not isinstance(self.units[-1], int):
            return int(isinstance(leaf, Until))
        text = self.text(begin)
        return max((len(end.encode()) for end in ends(leaf) if text.endswith(end.encode())), default=0)


@lru_cache(maxsize=8)
def _letters(special: tuple[tuple[str, int], ...]) -> _core.Vocabulary:
    """A vocabulary of all bytes, the end, and every name of the special tokens."""
    ids = {token: place for place, token in enumerate(sorted({token for _, token in special}), 257)}
    names = {f"<[{token}]>": place for token, place in ids.items()} | {name: ids[token] for name, token in special}
    tokens = [*(bytes([value]) for value in range(256)), *([None] * (1 + len(ids)))]
    return _core.Vocabulary(tokens, special=names, eos=[256])
