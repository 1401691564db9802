"""Bytes of tokens → the place in a JSON document before each of them, read when it is first asked for.

While an answer is made, the network has the processor's caches for itself: to read a token then takes ten times as long
as to read it afterwards, together with all others.
"""

from __future__ import annotations

from threading import Lock

from frisket.explanation.place import Path
from frisket.partial_value import PartialValue


class Document:
    """The pieces of a document, and the keys and indexes that lead to what is being written after each of them.

    >>> document = Document(b'{"sizes": [')
    >>> document.append(b'"L"')
    >>> document[0], document[1], len(document)
    (('sizes',), ('sizes',), 2)

    A place is a function of the text up to there, as `Matcher.path` is. Thread-safe.
    """

    def __init__(self, text: bytes) -> None:
        self._pieces = [text]
        self._places: list[Path] = []
        self._reader = PartialValue()
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._pieces)

    def append(self, piece: bytes) -> None:
        self._pieces.append(piece)

    def __getitem__(self, index: int) -> Path:
        with self._lock:
            places = self._places
            while len(places) <= index:
                self._reader.feed(self._pieces[len(places)])
                place = self._reader.path
                # Most tokens stay in a value: their places are one object.
                places.append(places[-1] if places and places[-1] == place else place)
            return places[index]

    def __getstate__(self) -> list[bytes]:
        return self._pieces

    def __setstate__(self, pieces: list[bytes]) -> None:
        Document.__init__(self, b"")
        self._pieces = list(pieces)
