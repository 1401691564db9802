"""Tokens → the place in the answer before each token, found when it is first asked for.

Places are found after the answer. While it is made, the network fills the processor's caches, and reading one token
takes ten times as long.
"""

from __future__ import annotations

from functools import cached_property
from threading import Lock
from typing import TYPE_CHECKING, Any

from frisket.events.partial_value import PartialValue
from frisket.outline import Place, Reader
from frisket.token_name import token_names

if TYPE_CHECKING:
    from frisket.matcher import Matcher


class Document:
    """The pieces of a text, and the place in the document after each of them.

    >>> document = Document(b'{"sizes": [')
    >>> document.append(b'"L"')
    >>> str(document[0]), str(document[1]), len(document)
    ('/sizes', '/sizes', 2)

    The place depends on the text so far only, as `Matcher.path` does. `reader` reads texts that are not JSON. A special
    token is a piece, too: the set of its names. Thread-safe.
    """

    def __init__(self, text: bytes, reader: _Named | None = None) -> None:
        self._pieces: list[bytes | frozenset[str]] = [text]
        self._places: list[Place] = []
        self._reader = _Json() if reader is None else reader
        self._lock = Lock()

    @classmethod
    def of(cls, matcher: Matcher) -> Document | None:
        """The document of a matcher's text so far; None if the grammar has no names and no paths."""
        grammar = matcher.compiled.grammar
        if grammar is None:
            return None
        if grammar.schema is not None:
            return cls(matcher.text)
        return cls(b"", _Named(matcher)) if grammar._has_outline else None

    def __len__(self) -> int:
        return len(self._pieces)

    def append(self, piece: bytes | frozenset[str]) -> None:
        self._pieces.append(piece)

    def __getitem__(self, index: int) -> Place:
        with self._lock:
            places = self._places
            while len(places) <= index:
                self._reader.feed(self._pieces[len(places)])
                place = self._reader.place
                # Most tokens stay inside one value: equal places share one object.
                places.append(places[-1] if places and places[-1] == place else place)
            return places[index]

    def __getstate__(self) -> list[Place]:
        return [self[index] for index in range(len(self))]

    def __setstate__(self, places: list[Place]) -> None:
        Document.__init__(self, b"")
        self._pieces *= len(places)
        self._places = places


class _Named:
    """The places of a text that has named parts; its reader is made when a place is first asked for."""

    def __init__(self, matcher: Matcher) -> None:
        self._compiled, self._inputs = matcher.compiled, matcher.inputs

    @cached_property
    def _reader(self) -> Reader:
        vocabulary = self._compiled.vocabulary
        reader = Reader(self._compiled.grammar._outline, vocabulary.special, limits=self._compiled.limits)
        for piece in self._inputs:
            reader.feed(token_names(vocabulary, piece) if isinstance(piece, int) else piece)
        return reader

    def feed(self, piece: bytes | frozenset[str]) -> None:
        self._reader.feed(piece)

    @property
    def place(self) -> Place:
        return self._reader.place


class _Json:
    """The places of a JSON document."""

    def __init__(self) -> None:
        self._partial = PartialValue()

    def feed(self, piece: Any) -> None:
        if isinstance(piece, bytes):
            self._partial.feed(piece)

    @property
    def place(self) -> Place:
        return Place((), self._partial.path)
