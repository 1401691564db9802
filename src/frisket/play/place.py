"""Place of an error, a keyword or a finding → line and column in the typed text."""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cached_property

from frisket.lint.json_text import JSONText

_LINE = re.compile(r"(\d+):(\d+)")
_OFFSET = re.compile(r"offset (\d+)")


class Places:
    """The places of one text; lines and columns begin at 1.

    >>> places = Places('{"a":\\n  [1]}', is_json=True)
    >>> places.of("/a/0"), places.of("2:1"), places.of("offset 3"), places.of("tool 0")
    ((2, 4), (2, 1), (1, 4), None)
    """

    def __init__(self, text: str, *, is_json: bool) -> None:
        self._text, self._is_json = text, is_json

    def of(self, where: str | None) -> tuple[int, int] | None:
        """(line, column) of a place; None if it is not in the text."""
        if where is None:
            return None
        if match := _LINE.fullmatch(where):
            return int(match[1]), int(match[2])
        if match := _OFFSET.fullmatch(where):
            return self._at(int(match[1]))
        if self._json is not None and (where == "" or where.startswith("/")):
            return self._at(self._json.nodes(where)[-1].entry)
        return None

    @cached_property
    def _json(self) -> JSONText | None:
        if not self._is_json:
            return None
        try:
            return JSONText(self._text)
        except (ValueError, IndexError, AssertionError):
            return None  # the text is not JSON; the error itself has line and column

    @cached_property
    def _lines(self) -> list[int]:
        """The offset at which each line begins."""
        return [0, *(match.end() for match in re.finditer("\n", self._text))]

    def _at(self, offset: int) -> tuple[int, int]:
        line = bisect_right(self._lines, min(offset, len(self._text)))
        return line, min(offset, len(self._text)) - self._lines[line - 1] + 1
