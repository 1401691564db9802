"""Matcher → what may come next, in a few words."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from frisket.errors import TokenRejectedError

if TYPE_CHECKING:
    from frisket._core import Matcher

#: Most continuations that are listed in full; if there are more, only their first characters are named.
_MOST = 12
_LONGEST = 40

_BLANKS = frozenset(b" \t\n\r")
_PRINTABLE = frozenset(range(0x20, 0x7F))

#: Kind of characters → their first bytes; a kind is named only if all of them are allowed.
_KINDS: tuple[tuple[str, frozenset[int]], ...] = (
    ("a digit", frozenset(b"0123456789")),
    ("a letter", frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")),
    ("a character beyond ASCII", frozenset(range(0xC2, 0xF5))),
)


def takes(matcher: Matcher, data: bytes) -> bool:
    """Advance the matcher by the text, if it may come next; return whether it could."""
    try:
        matcher.advance_bytes(data)
    except TokenRejectedError:
        return False
    return True


def next_bytes(matcher: Matcher) -> list[int]:
    """The bytes that may come next, ascending."""
    fork = matcher.fork()
    found = []
    for value in range(256):
        if takes(fork, bytes([value])):
            found.append(value)
            fork.rollback(1)
    return found


def expected(matcher: Matcher) -> tuple[str, ...]:
    """Continuations of the text: a few texts in quotes, or kinds of characters; and whether the text may end.

    Each text is continued while there is only one possibility.
    """
    if matcher.ended:
        return ("the end",)
    left = set(next_bytes(matcher))
    said = []
    if len(left & _PRINTABLE) > len(_PRINTABLE) * 3 // 4:
        said, left = ["almost any character"], set()
    for name, kind in _KINDS:
        if kind <= left:
            said.append(name)
            left -= kind
    if left & _BLANKS:
        said.append("white space")
        left -= _BLANKS
    if len(left) <= _MOST:
        said += [_continuation(matcher, value) for value in sorted(left)]
    else:
        said += _runs(sorted(left))
    if matcher.can_end:
        said.append("the end")
    return tuple(said) or ("a special token",)


def _runs(values: list[int]) -> list[str]:
    """The ascending bytes as text; a run of three or more shows only its first and last."""
    said = []
    # Values with the same difference to their list index form one run.
    for _, group in groupby(enumerate(values), key=lambda pair: pair[1] - pair[0]):
        run = [value for _, value in group]
        if len(run) > 2:
            said.append(f"{_character(run[0])} to {_character(run[-1])}")
        else:
            said += [_character(value) for value in run]
    return said


def _continuation(matcher: Matcher, value: int) -> str:
    fork = matcher.fork()
    fork.advance_bytes(bytes([value]))
    text = bytes([value]) + fork.forced_bytes()
    shown = text[:_LONGEST].decode("utf-8", "backslashreplace")
    return repr(shown)[:-1] + ("…'" if len(text) > _LONGEST else "'")


def _character(value: int) -> str:
    return repr(chr(value)) if value < 0x80 else f"byte 0x{value:02x}"
