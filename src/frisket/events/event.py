"""JSON text as it grows → events: a value opens, its text grows, the value closes."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from frisket.events.partial_value import PartialPython, PartialValue

if TYPE_CHECKING:
    from frisket.grammar import Grammar
    from frisket.limit import Limits
    from frisket.outline import OutlineEvents

__all__ = ["Closed", "Event", "Events", "Grew", "Opened"]

Path: TypeAlias = tuple[str | int, ...]
Kind: TypeAlias = Literal["object", "array", "string", "number", "boolean", "null"]

_KINDS: dict[str, Kind] = {
    **{"{": "object", "[": "array", '"': "string", "'": "string"},
    **{"t": "boolean", "f": "boolean", "n": "null", "T": "boolean", "F": "boolean", "N": "null"},
}


@dataclass(frozen=True)
class Opened:
    """A value begins."""

    path: Path
    """The keys and indices that lead to it."""
    kind: Kind
    start: int
    """The place of its first byte in the document."""


@dataclass(frozen=True)
class Grew:
    """An open text has grown by `text`: decoded whole characters, which are never taken back."""

    path: Path
    text: str


@dataclass(frozen=True)
class Closed:
    """A value is complete. Under a mask it is also valid, so it can be used before the rest arrives."""

    path: Path
    value: Any
    start: int
    end: int
    """The place of its first byte and of the byte after its last."""
    tokens: tuple[int, int] | None = None
    """The step of the first byte, and the step after that of the last; None if steps are unknown (`Stream.events`)."""


Event: TypeAlias = Opened | Grew | Closed


class Events:
    """The events of a document as it grows. How it is cut into pieces changes only how a text's growth is divided.

    >>> events = Events()
    >>> for event in [*events.feed('{"size": "lar'), *events.feed('ge", "count": 12}')]:
    ...     print(event)
    Opened(path=(), kind='object', start=0)
    Opened(path=('size',), kind='string', start=9)
    Grew(path=('size',), text='lar')
    Grew(path=('size',), text='ge')
    Closed(path=('size',), value='large', start=9, end=16, tokens=None)
    Opened(path=('count',), kind='number', start=27)
    Closed(path=('count',), value=12, start=27, end=29, tokens=None)
    Closed(path=(), value={'size': 'large', 'count': 12}, start=0, end=30, tokens=None)

    A member that is written twice closes twice. ValueError for a text that is not JSON.

    If the texts of a `grammar` are not JSON, events are those of its named parts. Paths of JSON inside a part begin
    with the names of the part; any other named text is a string. Special tokens are written as their names.
    GrammarError, a ValueError, for a text that begins no text of the grammar.

    >>> from frisket.parts import template
    >>> events = Events(template("{name} has {sizes}", name=str, sizes=list[int]))
    >>> [(event.path, event.value) for event in events.feed("Ada has [4,") if isinstance(event, Closed)]
    [(('name',), 'Ada'), (('sizes', 0), 4)]

    If a text has several readings, an event waits until all readings have it; `finish` chooses the first reading.
    """

    def __init__(self, grammar: Grammar | None = None, *, limits: Limits | None = None) -> None:
        self._reader: EventReader | OutlineEvents = EventReader()
        if grammar is not None and grammar.schema is None:
            from frisket.outline import OutlineEvents, Reader

            self._reader = OutlineEvents(Reader(grammar._outline, is_written=True, limits=limits))

    def feed(self, data: bytes | str) -> list[Event]:
        """Read more of the document: bytes (a character may be broken between two calls), or text."""
        self._reader.feed(data)
        return self._reader.told()

    def finish(self) -> list[Event]:
        """End the document: a top-level number closes now."""
        self._reader.finish()
        return self._reader.told()


class TokenSpans:
    """The byte lengths of steps → for a value's bytes, the steps that wrote them."""

    def __init__(self) -> None:
        #: The offset behind each step's last byte.
        self._ends: list[int] = []

    def take(self, count: int) -> None:
        """Add a step of `count` bytes."""
        self._ends.append((self._ends[-1] if self._ends else 0) + count)

    def with_tokens(self, event: Event) -> Event:
        if not isinstance(event, Closed):
            return event
        first = self._step(event.start)
        return replace(event, tokens=(first, self._step(event.end - 1) + 1 if event.end > event.start else first))

    def _step(self, place: int) -> int:
        """The step that wrote the byte at a place."""
        return bisect_right(self._ends, place)


class EventReader(PartialValue):
    """A reader of JSON that records events."""

    def __init__(self) -> None:
        super().__init__()
        self._events: list[Event] = []
        #: Offsets at which the open values begin, the outermost first.
        self._starts: list[int] = []
        #: A place in the current text, and the number of bytes before it; kept so that each byte is counted once.
        self._counted = 0, 0

    def feed(self, data: bytes | str) -> None:
        self._counted = 0, self._bytes
        super().feed(data)

    def finish(self) -> None:
        self._counted = 0, self._bytes
        super().finish()

    def told(self) -> list[Event]:
        events, self._events = self._events, []
        return list(joined(events))

    def _opens(self, text: str, place: int) -> None:
        byte = self._byte(text, place)
        self._starts.append(byte)
        self._events.append(Opened(self._place(), _KINDS.get(text[place], "number"), byte))

    def _grows(self, piece: str) -> None:
        self._events.append(Grew(self._place(), piece))

    def _closes(self, value: Any, text: str, end: int) -> None:
        self._events.append(Closed(self._place(), value, self._starts.pop(), self._byte(text, end)))

    def _byte(self, text: str, place: int) -> int:
        """The number of the document's bytes before a place; places must not decrease between calls."""
        start, count = self._counted
        count += len(text[start:place].encode("utf-8", "surrogatepass"))
        self._counted = place, count
        return count

    def _place(self) -> Path:
        """The path of the value that opens or closes: one step for each open value around it."""
        return self.path[: len(self._frames)]


class PythonEventReader(EventReader, PartialPython):
    """Events of an argument's value in a Python call."""


def joined(events: list[Event]) -> Iterator[Event]:
    """The events, with successive growths of one text joined into one event."""
    pieces: list[str] = []
    path: Path = ()
    for event in events:
        if isinstance(event, Grew):
            pieces.append(event.text)
            path = event.path
            continue
        if pieces:
            yield Grew(path, "".join(pieces))
            pieces = []
        yield event
    if pieces:
        yield Grew(path, "".join(pieces))
