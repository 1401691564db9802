"""Readings of a growing text → events of its named values, once all readings agree on them."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from frisket.errors import GrammarError
from frisket.events.event import Closed, Event, EventReader, Grew, Opened, PythonEventReader, joined
from frisket.outline.leaf import ends
from frisket.outline.reader import Entry, Reader, Thread, Value

if TYPE_CHECKING:
    from frisket.notations.combination.part import Part


class _Next(NamedTuple):
    """A value of one reading that another reading contradicts, and the place up to which its text is certain."""

    value: Value
    end: int


class OutlineEvents:
    """The events of a text: those of its JSON values, with names before their paths, and of its named texts.

    >>> from frisket.parts import capture, seq, text
    >>> events = OutlineEvents(Reader(seq("<", capture("t", text(forbidden=[">"])), ">")._outline))
    >>> events.feed(b"<caf\\xc3")
    >>> events.told()
    [Opened(path=('t',), kind='string', start=1), Grew(path=('t',), text='caf')]
    >>> events.feed(b"\\xa9>")
    >>> events.told()
    [Grew(path=('t',), text='é'), Closed(path=('t',), value='café', start=1, end=6, tokens=None)]

    Nothing is taken back: if the text has several readings, an event waits until all readings have it. `finish` chooses
    the first reading.
    """

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._events: list[Event] = []
        #: The last entry that all readings share.
        self._agreed: Entry | None = None
        self._leaf: _Leaf | None = None
        #: Open values of parts, with their members.
        self._open: list[tuple[Value, dict[str, Any]]] = []
        #: Complete values that no other value contains.
        self._whole: list[tuple[tuple[str, ...], Any]] = []

    def feed(self, piece: bytes | str | frozenset[str]) -> None:
        """Read more text; a set of names is a special token. GrammarError if the text begins no text of the grammar."""
        self._reader.feed(piece.encode("utf-8", "surrogatepass") if isinstance(piece, str) else piece)
        threads = self._reader.threads
        if not threads:
            raise GrammarError(
                "no text of the grammar begins so", where=f"byte {self._reader.dead}", code="text-rejected"
            )
        # Readings that may end here count only if nothing else may come.
        self._agree([thread for thread in threads if thread.leaf is not None] or threads)

    def finish(self) -> None:
        """End the text, and choose the first reading that may end here."""
        self._agree([thread for thread in self._reader.threads if thread.leaf is None][:1])

    def told(self) -> list[Event]:
        """The events since the last call."""
        events, self._events = self._events, []
        return list(joined(events))

    @property
    def values(self) -> list[tuple[tuple[str, ...], Any]]:
        """The values so far in order, each with its names; the last ones may be open. Nothing is invented."""
        leaf = [] if self._leaf is None else [(self._leaf.names, self._leaf.value)]
        if not self._open:
            return [*self._whole, *leaf]
        value, members = self._open[0]
        if value.reads != "record":
            return [*self._whole, (value.names, self._reader.text(value.begin).decode("utf-8", "ignore"))]
        inner = {names[-1]: known for names, known in leaf if names[:-1] == value.names}
        return [*self._whole, (value.names, {**members, **inner})]

    def _agree(self, threads: list[Thread]) -> None:
        """Emit events for the entries common to all readings, and for the text in which they agree."""
        if not threads:
            return
        found = [self._entries_since(thread.found) for thread in threads]
        shared = 0
        while all(shared < len(entries) and entries[shared] is found[0][shared] for entries in found):
            shared += 1
        for entry in found[0][:shared]:
            self._events += self._event(entry)
            self._agreed = entry
        nexts = [self._next(thread, entries[shared:]) for thread, entries in zip(threads, found, strict=True)]
        first = nexts[0]
        if first is not None and all(each is not None and each.value == first.value for each in nexts):
            self._events += self._grown(first.value, min(each.end for each in nexts if each is not None))

    def _entries_since(self, entry: Entry | None) -> list[Entry]:
        """The entries of a reading since the last event, in order."""
        entries = []
        while entry is not None and entry is not self._agreed:
            entries.append(entry)
            entry = entry.before
        return entries[::-1]

    def _next(self, thread: Thread, entries: list[Entry]) -> _Next | None:
        if entries:
            value, end = entries[0].value, entries[0].end
            return _Next(value, end) if end is not None and _is_leaf(value) else None
        if thread.leaf is None or not _is_leaf(thread.value):
            return None
        here = len(self._reader.units)
        return _Next(thread.value, here - _held(thread.leaf, self._reader, thread.value.begin))

    # -- events ------------------------------------------------------------------------------------------------------
    def _event(self, entry: Entry) -> Iterator[Event]:
        value, start = entry.value, self._reader.offset(entry.value.begin)
        if _is_leaf(value):
            assert entry.end is not None
            yield from self._grown(value, entry.end)
            assert self._leaf is not None
            for event in self._leaf.finish():
                yield from self._kept(event)
            if not self._open:
                self._whole.append((value.names, self._leaf.value))
            self._leaf = None
        elif entry.end is None:
            self._open.append((value, {}))
            yield Opened(value.names, "object" if value.reads == "record" else "string", start)
        else:
            _, members = self._open.pop()
            text = self._reader.text(value.begin, entry.end).decode("utf-8", "replace")
            end = self._reader.offset(entry.end)
            whole = members if value.reads == "record" else text
            if not self._open:
                self._whole.append((value.names, whole))
            yield from self._kept(Closed(value.names, whole, start, end))

    def _grown(self, value: Value, end: int) -> Iterator[Event]:
        """The events of a leaf's text up to a unit."""
        if self._leaf is None:
            self._leaf = _Leaf(value, self._reader.offset(value.begin))
        for event in self._leaf.feed(self._reader.text(self._leaf.fed, max(end, self._leaf.fed))):
            yield from self._kept(event)
        self._leaf.fed = max(end, self._leaf.fed)

    def _kept(self, event: Event) -> Iterator[Event]:
        """The event; a closed value is also stored as a member of the value around it."""
        if isinstance(event, Closed) and self._open:
            names = self._open[-1][0].names
            if event.path[:-1] == names and len(event.path) > len(names):
                self._open[-1][1][str(event.path[-1])] = event.value
        yield event


class _Leaf:
    """The events of one value without names in it."""

    def __init__(self, value: Value, start: int) -> None:
        self.names, self.start = value.names, start
        self.fed = value.begin
        readers: dict[str, Any] = {"json": EventReader, "python": PythonEventReader}
        self.reader = readers.get(value.reads or "", _TextReader)()

    @property
    def value(self) -> Any:
        """The value so far; None before it begins."""
        return self.reader.value

    def feed(self, data: bytes) -> Iterator[Event]:
        self.reader.feed(data)
        return map(self._placed, self.reader.told())

    def finish(self) -> Iterator[Event]:
        self.reader.finish()
        return map(self._placed, self.reader.told())

    def _placed(self, event: Event) -> Event:
        """The event with offsets in the whole text instead of in the value."""
        path = (*self.names, *event.path)
        if isinstance(event, Opened):
            return replace(event, path=path, start=event.start + self.start)
        if isinstance(event, Closed):
            return replace(event, path=path, start=event.start + self.start, end=event.end + self.start)
        return replace(event, path=path)


class _TextReader:
    """Makes the events of a plain text."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._pieces: list[str] = []
        self._length = 0
        self._events: list[Event] = [Opened((), "string", 0)]

    def feed(self, data: bytes) -> None:
        self._length += len(data)
        self._add(self._decoder.decode(data))

    def finish(self) -> None:
        self._add(self._decoder.decode(b"", final=True))
        self._events.append(Closed((), "".join(self._pieces), 0, self._length))

    def told(self) -> list[Event]:
        events, self._events = self._events, []
        return events

    @property
    def value(self) -> str:
        return "".join(self._pieces)

    def _add(self, text: str) -> None:
        if text:
            self._pieces.append(text)
            self._events.append(Grew((), text))


def _is_leaf(value: Value) -> bool:
    return value.reads in ("json", "python", "text")


def _held(leaf: Part, reader: Reader, begin: int) -> int:
    """The number of bytes at the end that may belong to the marker that ends the leaf."""
    markers = [end.encode() for end in ends(leaf)]
    if not markers:
        return 0
    text = reader.text(max(begin, len(reader.units) - max(map(len, markers))))
    lengths = (length for marker in markers for length in range(1, len(marker)) if text.endswith(marker[:length]))
    return max(lengths, default=0)
