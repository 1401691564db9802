"""Matcher × manner × seed → one document, written token by token under the masks.

A walk has a budget of steps. Within it a manner chooses among the allowed tokens, and manners are made to invite
trouble: love of white space, of digits, of escapes, of the longest token. Beyond the budget `finish` leads the shortest
way out that it can find: no walk stops in the middle, so a dead end cannot hide behind a time limit.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Bits = NDArray[np.bool_]

PIECES = [
    b'": ',
    b'": "',
    b'", "',
    b'{"',
    b'"}',
    b'"},{"',
    b'": {"',
    b"[[",
    b"]]",
    b"[]",
    b"{}",
    b"},",
    b"],",
    b"0.",
    b"00",
    b"12",
    b"2024-02-29",
    b"e+",
    b"E-0",
    b'\\"',
    b"\\\\",
    b"\\u00",
    b"\\ud83d\\ude",
    b"tr",
    b"true",
    b"null",
    b"false, ",
    b"\n  ",
    b"   ",
    b"\n\n\n",
    b"the",
    b"example.com",
    b"https://",
    b"\xc3\xa9",
    b"\xf0\x9f\x98",
    b"\xe2\x82\xac1",
]


class DeadEnd(Exception):
    """A position that the masks led to and that nothing may follow."""


class Table:
    """A vocabulary with what the manners ask of its tokens, as arrays over the ids."""

    def __init__(self, tokens: list[bytes | None]) -> None:
        from frisket._core import Vocabulary

        self.end = len(tokens)
        self.tokens: list[bytes] = [token or b"" for token in tokens]
        self.core = Vocabulary([*tokens, None], special={"<end>": self.end}, eos=[self.end])
        self.size = self.end + 1
        self.lengths = np.array([*map(len, self.tokens), 0], dtype=np.int32)
        self.first = np.array([*(token[0] if token else 256 for token in self.tokens), 256], dtype=np.int32)
        self.single = {token[0]: index for index, token in enumerate(self.tokens) if len(token) == 1}
        self.words = np.zeros(self.core.mask_words, dtype=np.uint32)

    @classmethod
    def small(cls) -> Table:
        """Every byte, and pieces that cross JSON's seams."""
        return cls([*(bytes([value]) for value in range(256)), *PIECES])

    def begins(self, letters: bytes) -> Bits:
        return np.isin(self.first, list(letters))

    def holds(self, wanted: Callable[[bytes], bool]) -> Bits:
        return np.array([*map(wanted, self.tokens), False])

    def allowed(self, matcher: Any) -> Bits:
        matcher.fill_mask(self.words)
        bits: Bits = np.unpackbits(self.words.view(np.uint8), bitorder="little")[: self.size].view(np.bool_)
        return bits


@dataclass(frozen=True)
class Manner:
    """How a walker chooses. `liked`: tokens it takes with probability `zeal` while the budget lasts."""

    name: str
    liked: Callable[[Table], Bits] | None = None
    zeal: float = 0.6
    ends: float = 0.3
    pick: str = "even"


def _begins(letters: bytes) -> Callable[[Table], Bits]:
    return lambda table: table.begins(letters)


MANNERS = [
    Manner("even"),
    Manner("white", _begins(b" \n\t\r"), 0.7),
    Manner("digits", _begins(b"0123456789.eE+-"), 0.85),
    Manner("quotes", _begins(b'"\\'), 0.7),
    Manner("escapes", _begins(b"\\u0123456789abcdefABCDEF"), 0.8),
    Manner("deep", _begins(b"[{"), 0.9, ends=0.1),
    Manner("words", _begins(b"abcdefghijklmnopqrstuvwxyz_-:/.@"), 0.8),
    Manner("longest", None, pick="longest"),
    Manner("rarest", None, pick="rarest"),
    Manner("foreign", lambda table: table.holds(lambda token: any(value > 127 for value in token)), 0.6),
    Manner("many", _begins(b","), 0.9, ends=0.05),
    Manner("short", _begins(b'"}]'), 0.95, ends=0.9),
]


class Walker:
    """One vocabulary's walks; `manner` is one of MANNERS."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self._liked = {manner.name: manner.liked(table) if manner.liked else None for manner in MANNERS}

    def walk(self, matcher: Any, chance: random.Random, manner: Manner, budget: int) -> tuple[bytes, bool]:
        """The text, and whether it is whole. Raises DeadEnd."""
        table, liked = self.table, self._liked[manner.name]
        text = bytearray()
        for _ in range(budget):
            allowed = table.allowed(matcher)
            if allowed[table.end]:
                allowed[table.end] = False
                if chance.random() < manner.ends or not allowed.any():
                    return bytes(text), True
            tokens = np.flatnonzero(allowed)
            if not len(tokens):
                raise DeadEnd(f"nothing may follow {bytes(text)!r}")
            if liked is not None and chance.random() < manner.zeal:
                wanted = tokens[liked[tokens]]
                tokens = wanted if len(wanted) else tokens
            token = self._pick(tokens, manner.pick, chance)
            matcher.advance(token)
            text += table.tokens[token]
        return self._finish(matcher, bytes(text), chance)

    def _pick(self, tokens: Any, pick: str, chance: random.Random) -> int:
        if pick == "longest" and chance.random() < 0.8:
            lengths = self.table.lengths[tokens]
            tokens = tokens[lengths >= max(1, int(lengths.max()) - 1)]
        elif pick == "rarest" and chance.random() < 0.8:
            first = self.table.first[tokens]
            count = np.bincount(first, minlength=257)[first]
            tokens = tokens[count == count.min()]
        return int(tokens[chance.randrange(len(tokens))])

    def _finish(self, matcher: Any, text: bytes, chance: random.Random) -> tuple[bytes, bool]:
        """The greedy way out; where it runs in circles, other ways from the same place, ever less greedy."""
        for attempt in range(12):
            fork = matcher.fork()
            written = self._way_out(fork, text, chance, attempt)
            if written is not None:
                return written, True
        return text, False

    def _way_out(self, matcher: Any, text: bytes, chance: random.Random, attempt: int) -> bytes | None:
        table = self.table
        place = Place(text)
        written = bytearray(text)
        limit = len(text) * 4 + (2000 if attempt < 6 else 8000)
        doubt = 0.06 * attempt
        while len(written) < limit:
            forced = matcher.forced_bytes()
            if forced:
                matcher.advance_bytes(forced)
                written += forced
                place.read(forced)
                continue
            allowed = table.allowed(matcher)
            if allowed[table.end]:
                return bytes(written)
            letters = [value for value, token in table.single.items() if allowed[token]]
            if not letters:
                if allowed.any():  # only pieces may follow: the vocabulary lacks single bytes
                    return None
                raise DeadEnd(f"nothing may follow {bytes(written)!r}")
            letter = place.best(letters, chance, doubt)
            matcher.advance(table.single[letter])
            written.append(letter)
            place.read(bytes([letter]))
        return None


class Place:
    """Where a text stands in JSON's own grammar, as far as the way out depends on it."""

    def __init__(self, text: bytes) -> None:
        self.in_string = False
        self.escaped = False
        self.read(text)

    def read(self, text: bytes) -> None:
        for letter in text:
            if self.escaped:
                self.escaped = False
            elif self.in_string and letter == 0x5C:
                self.escaped = True
            elif letter == 0x22:
                self.in_string = not self.in_string

    def best(self, letters: list[int], chance: random.Random, doubt: float) -> int:
        """The letter that promises the earliest end; with `doubt`, now and then another."""
        if chance.random() >= doubt:
            for group in IN_STRING if self.in_string else OUTSIDE:
                found = [letter for letter in letters if letter in group]
                if found:
                    return chance.choice(found)
        return chance.choice(letters)


# A string: its end; then plain letters before what opens an escape. Elsewhere: close before going on, write the short
# values first, an array before an object (its members may be required); white space and a longer number come last.
IN_STRING = [b'"', b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.:/@ ", bytes(range(0x5B)), b"\\"]
OUTSIDE = [b"}", b"]", b":", b",", b"nt", b"f", b'"', b"0123456789", b"[", b"-", b"{", b"eE.+", b" \t\n\r"]
