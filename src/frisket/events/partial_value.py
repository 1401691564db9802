"""JSON text as it grows → its value so far.

A stream shows tokens, which may cut a document anywhere. The value so far depends only on the text, and not on where
tokens cut it.
"""

from __future__ import annotations

import ast
import codecs
import contextlib
import json
import re
from collections.abc import Mapping
from typing import Any, ClassVar

_BLANKS = re.compile(r"[ \t\n\r]*")
_PLAIN = re.compile(r'[^"\\\x00-\x1f]+')
_NUMERAL = re.compile(r"[-+0-9.eE]*")
_ESCAPE = re.compile(r'\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})')
_ESCAPE_BEGUN = re.compile(r"\\(?:u[0-9a-fA-F]{0,3})?")
_HIGH = re.compile(r"\\u[dD][89abAB]")
_LOW = re.compile(r"\\u[dD][c-fC-F][0-9a-fA-F]{2}")
_SINGLE = re.compile(r"[^'\\]+")
_PYTHON_ESCAPE = re.compile(r"\\(?:x[0-9a-f]{2}|u[0-9a-f]{4}|U[0-9a-f]{8}|[^xuU])")
_LOW_BEGUN = re.compile(r"(?:\\(?:u(?:[dD](?:[c-fC-F][0-9a-fA-F]?)?)?)?)?")


class PartialValue:
    """The value of a JSON document so far; nothing is invented, and nothing is ever taken back.

    >>> partial = PartialValue()
    >>> for piece in (b'{"size": "lar', b'ge", "count": 1', b'2, "extras": ["milk"'):
    ...     partial.feed(piece)
    ...     print(partial.value, partial.path)
    {'size': 'lar'} ('size',)
    {'size': 'large'} ('count',)
    {'size': 'large', 'count': 12, 'extras': ['milk']} ('extras',)

    Objects and arrays appear when they open, with the members and items that have begun. A text appears when it opens,
    with its characters so far; an incomplete character or escape is held back. A number, true, false and null appear
    when they are complete, since 1 may become 12. Feed it the bytes of tokens (`Step.data`), or text.
    """

    #: Quotes that begin a string; JSON has one kind.
    _quotes: ClassVar[str] = '"'
    _words: ClassVar[Mapping[str, Any]] = {"true": True, "false": False, "null": None}

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        self._frames: list[_Frame] = []
        self._state = _VALUE
        #: Text that was read but not parsed: an incomplete escape, or a number or word that may continue.
        self._held = ""
        self._read = 0
        #: Bytes of the document before the current text.
        self._bytes = 0
        #: Characters of the open string.
        self._pieces: list[str] = []
        self._root: Any = None
        #: Quote that ends the open string.
        self._quote = '"'

    @property
    def whole(self) -> bool:
        """Whether the document is complete; a top-level number is complete only after `finish`."""
        return self._state == _END

    @property
    def path(self) -> tuple[str | int, ...]:
        """The keys and indices that lead to the innermost open value."""
        return tuple([frame.key for frame in self._frames if frame.key is not None])

    @property
    def value(self) -> Any:
        """The value so far; None before it begins.

        Later calls of `feed` do not change the result. It takes time for each member of the arrays and objects that are
        still open.
        """
        if not self._frames and self._state != _TEXT:
            return self._root
        open_value: Any = "".join(self._pieces) if self._state == _TEXT else _NOTHING
        for frame in reversed(self._frames):
            open_value = frame.with_open(open_value)
        return open_value

    def feed(self, data: bytes | str) -> None:
        """Read more of the document: bytes (a character may be broken between two calls), or text.

        Raises ValueError for a text that is not JSON.
        """
        text = self._decoder.decode(data) if isinstance(data, bytes) else data
        text, self._held = self._held + text, ""
        place = 0
        while place < len(text):
            after = _STEPS[self._state](self, text, place)
            if after is None:
                self._held = text[place:]
                break
            place = after
        self._read += place
        self._bytes += len(text[:place].encode("utf-8", "surrogatepass"))

    def finish(self) -> None:
        """End the document: a top-level number that can end here is complete now."""
        if self._state == _NUMBER and not self._frames:
            with contextlib.suppress(ValueError):
                self._number(self._held + " ", 0)
                self._held = ""

    # -- steps: text × place → the place behind the parsed text, None if more text must come ----------------------
    def _value(self, text: str, place: int) -> int | None:
        place = _after_blanks(text, place)
        if place == len(text):
            return place
        char = text[place]
        frame = self._frames[-1] if self._frames else None
        if char == "]" and self._state == _ITEM:
            return self._close(text, place)
        if frame is not None and isinstance(frame.container, list):
            frame.key = len(frame.container)
        self._opens(text, place)
        if char in "{[":
            self._frames.append(_Frame({} if char == "{" else []))
            self._state = _KEY if char == "{" else _ITEM
            return place + 1
        if char in self._quotes:
            self._pieces = []
            self._quote = char
            self._state = _TEXT
            return place + 1
        self._state = _NUMBER if char in "-0123456789" else _WORD
        return place

    def _key(self, text: str, place: int) -> int | None:
        place = _after_blanks(text, place)
        if place == len(text):
            return place
        if text[place] == "}" and self._state == _KEY:
            return self._close(text, place)
        self._expect(text, place, '"')
        self._pieces = []
        self._quote = '"'
        self._state = _NAME
        return place + 1

    def _text(self, text: str, place: int) -> int | None:
        char = text[place]
        if self._quote == "'" and char != "'":
            return self._single_quoted(text, place)
        if char == self._quote:
            said = "".join(self._pieces)
            if self._state == _NAME:
                self._pieces = [said]
                self._state = _COLON
            else:
                self._put(said, text, place + 1)
            return place + 1
        if char != "\\":
            run = _PLAIN.match(text, place)
            if run is None:
                raise self._wrong(text, place)
            self._piece(run[0])
            return run.end()
        escape = _ESCAPE.match(text, place)
        if escape is None:
            if _ESCAPE_BEGUN.fullmatch(text, place):
                return None
            raise self._wrong(text, place)
        end = escape.end()
        if _HIGH.match(text, place):
            low = _LOW.match(text, end)
            if low is not None:
                end = low.end()
            elif _LOW_BEGUN.fullmatch(text, end):
                return None
        self._piece(json.loads(f'"{text[place:end]}"'))
        return end

    def _single_quoted(self, text: str, place: int) -> int | None:
        """Read more of a string in Python's single quotes."""
        run = _SINGLE.match(text, place)
        if run is not None:
            self._piece(run[0])
            return run.end()
        escape = _PYTHON_ESCAPE.match(text, place)
        if escape is None:
            return None
        self._piece(ast.literal_eval(f"'{escape[0]}'"))
        return escape.end()

    def _number(self, text: str, place: int) -> int | None:
        numeral = _NUMERAL.match(text, place)
        assert numeral is not None
        if numeral.end() == len(text):
            return None
        try:
            number = json.loads(numeral[0])
        except json.JSONDecodeError:
            raise self._wrong(text, place) from None
        self._put(number, text, numeral.end())
        return numeral.end()

    def _word(self, text: str, place: int) -> int | None:
        for word, meaning in self._words.items():
            if text.startswith(word, place):
                self._put(meaning, text, place + len(word))
                return place + len(word)
            if word.startswith(text[place:]):
                return None
        raise self._wrong(text, place)

    def _colon(self, text: str, place: int) -> int | None:
        place = _after_blanks(text, place)
        if place == len(text):
            return place
        self._expect(text, place, ":")
        self._frames[-1].key = self._pieces[0]
        self._state = _VALUE
        return place + 1

    def _next(self, text: str, place: int) -> int | None:
        place = _after_blanks(text, place)
        if place == len(text):
            return place
        frame = self._frames[-1]
        is_array = isinstance(frame.container, list)
        if text[place] == ("]" if is_array else "}"):
            return self._close(text, place)
        self._expect(text, place, ",")
        if isinstance(frame.container, list):
            frame.key = len(frame.container)
        self._state = _VALUE if is_array else _NEXT_KEY
        return place + 1

    def _end(self, text: str, place: int) -> int | None:
        place = _after_blanks(text, place)
        if place < len(text):
            raise self._wrong(text, place)
        return place

    # -- hooks, which `event` overrides -------------------------------------------------------------------------
    def _opens(self, text: str, place: int) -> None:
        """A value begins at this place."""

    def _grows(self, piece: str) -> None:
        """The open string has more characters."""

    def _closes(self, value: Any, text: str, end: int) -> None:
        """The innermost value is complete and ends before this place."""

    # -- helpers of the steps -----------------------------------------------------------------------------------
    def _put(self, value: Any, text: str, end: int) -> None:
        """Store a complete value."""
        self._closes(value, text, end)
        if not self._frames:
            self._root = value
            self._state = _END
            return
        frame = self._frames[-1]
        frame.put(value)
        self._state = _NEXT

    def _close(self, text: str, place: int) -> int:
        self._put(self._frames.pop().container, text, place + 1)
        return place + 1

    def _piece(self, piece: str) -> None:
        """Append to the open string or key."""
        self._pieces.append(piece)
        if self._state == _TEXT:
            self._grows(piece)

    def _expect(self, text: str, place: int, char: str) -> None:
        if text[place] != char:
            raise self._wrong(text, place)

    def _wrong(self, text: str, place: int) -> ValueError:
        return ValueError(f"not JSON from character {self._read + place}: {text[place : place + 20]!r}")


class PartialPython(PartialValue):
    """The partial value of an argument in a Python call: JSON's or Python's words, and either kind of quotes."""

    _quotes = "\"'"
    _words: ClassVar[Mapping[str, Any]] = {**PartialValue._words, "True": True, "False": False, "None": None}


class _Frame:
    """An open array or object, and the key or index of its open member."""

    __slots__ = ("container", "key")

    def __init__(self, container: dict[str, Any] | list[Any]) -> None:
        self.container = container
        self.key: str | int | None = None

    def put(self, value: Any) -> None:
        if isinstance(self.container, list):
            self.container.append(value)
        else:
            assert isinstance(self.key, str)
            self.container[self.key] = value
        self.key = None

    def with_open(self, value: Any) -> Any:
        """The container so far, including its open member's value."""
        if value is _NOTHING:
            return self.container.copy()
        if isinstance(self.container, list):
            return [*self.container, value]
        return {**self.container, self.key: value}


def _after_blanks(text: str, place: int) -> int:
    found = _BLANKS.match(text, place)
    return place if found is None else found.end()


_NOTHING = object()
(_VALUE, _ITEM, _KEY, _NEXT_KEY, _TEXT, _NAME, _NUMBER, _WORD, _COLON, _NEXT, _END) = range(11)
_STEPS = (
    PartialValue._value,
    PartialValue._value,
    PartialValue._key,
    PartialValue._key,
    PartialValue._text,
    PartialValue._text,
    PartialValue._number,
    PartialValue._word,
    PartialValue._colon,
    PartialValue._next,
    PartialValue._end,
)
