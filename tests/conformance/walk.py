"""Matcher × manner × seed → one document, written token by token under the masks.

A walk has a budget of steps. Within it a manner chooses among the allowed tokens, and manners are made to invite
trouble: love of white space, of digits, of escapes, of the longest token. Beyond the budget `Matcher.completion` says
the shortest way out: no walk stops in the middle, so a dead end cannot hide behind a time limit.
"""

from __future__ import annotations

import json
import random
import re
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import sre_parse

Bits = NDArray[np.bool_]

#: Letters of a way out whose masks are looked at.
SHOWN = 200

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


@dataclass(frozen=True)
class Hints:
    """What a schema speaks of, as it stands inside a JSON string, the closing quote included.

    A walker needs them to get anywhere: letters drawn by chance hardly ever spell a required name, or /request/.
    """

    keys: tuple[bytes, ...]
    texts: tuple[bytes, ...]

    @classmethod
    def from_schema(cls, schema: Any) -> Hints:
        required: dict[str, None] = {}
        named: dict[str, None] = {}
        texts: dict[str, None] = {}

        def visit(part: Any) -> None:
            if isinstance(part, list):
                for item in part:
                    visit(item)
            elif isinstance(part, dict):
                for word, found in (("required", required), ("properties", named)):
                    if isinstance(part.get(word), (list, dict)):
                        found.update((name, None) for name in part[word] if isinstance(name, str))
                for pattern in part.get("patternProperties") or ():
                    named.setdefault(example(pattern))
                if isinstance(part.get("pattern"), str):
                    texts.setdefault(example(part["pattern"]))
                for item in part.values():
                    visit(item)

        visit(schema)

        def spelled(names: Any) -> tuple[bytes, ...]:
            return tuple(json.dumps(name, ensure_ascii=False).encode("utf-8", "replace")[1:] for name in names)[:3000]

        return cls(spelled({**required, **named}), spelled(texts))


def example(pattern: str) -> str:
    """A short text that the pattern probably finds; what it cannot read is left out."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return _example(
                sre_parse.parse(_ECMA_ONLY.sub(lambda found: _ECMA_ONLY_EXAMPLES.get(found[0], "a"), pattern))
            )
        except (sre_parse.error, OverflowError, RecursionError):
            return ""


_ECMA_ONLY = re.compile(r"\\[pP]\{[^}]*\}|\\c[A-Za-z]|\(\?<(?![=!])")
_ECMA_ONLY_EXAMPLES = {"(?<": "(?P<"}


def _example(parts: Any) -> str:
    written = ""
    for kind, value in parts:
        name = str(kind)
        if name == "LITERAL":
            written += chr(value)
        elif name == "NOT_LITERAL":
            written += "b" if value == ord("a") else "a"
        elif name == "ANY":
            written += "a"
        elif name == "IN":
            written += _member(value)
        elif name in ("MAX_REPEAT", "MIN_REPEAT"):
            written += _example(value[2]) * min(value[0], 200)
        elif name == "SUBPATTERN":
            written += _example(value[3])
        elif name == "BRANCH":
            written += _example(value[1][0])
    return written


def _member(items: Any) -> str:
    names = {"CATEGORY_DIGIT": "0", "CATEGORY_WORD": "a", "CATEGORY_SPACE": " "}
    if str(items[0][0]) == "NEGATE":
        return "a"
    kind, value = items[0]
    if str(kind) == "CATEGORY":
        return names.get(str(value), "-")
    return chr(value[0] if isinstance(value, tuple) else value)


class Late(Exception):
    """The clock ran out in the middle of a walk."""


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
        self.by_byte = np.array([self.single.get(value, self.end) for value in range(256)])
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
        self.until = float("inf")
        """When walks end with Late, by `time.monotonic`."""
        self._liked = {manner.name: manner.liked(table) if manner.liked else None for manner in MANNERS}

    def walk(
        self, matcher: Any, chance: random.Random, manner: Manner, budget: int, hints: Hints | None = None
    ) -> bytes:
        """A whole text. Raises DeadEnd."""
        table, liked = self.table, self._liked[manner.name]
        hints = hints or Hints((), ())
        text = bytearray()
        place = Place(b"")
        for _ in range(budget):
            self._watch()
            known = hints.keys if place.at_key else hints.texts if place.at_text else ()
            if known and chance.random() < 0.6:
                written = self._spell(matcher, chance.choice(known))
                text += written
                place.read(written)
                if written:
                    continue
            allowed = table.allowed(matcher)
            if allowed[table.end]:
                allowed[table.end] = False
                if chance.random() < manner.ends or not allowed.any():
                    return bytes(text)
            tokens = np.flatnonzero(allowed)
            if not len(tokens):
                raise DeadEnd(f"nothing may follow {bytes(text)!r}")
            if liked is not None and chance.random() < manner.zeal:
                wanted = tokens[liked[tokens]]
                tokens = wanted if len(wanted) else tokens
            token = self._pick(tokens, manner.pick, chance)
            matcher.advance(token)
            text += table.tokens[token]
            place.read(table.tokens[token])
        return self._finish(matcher, bytes(text))

    def _watch(self) -> None:
        if time.monotonic() > self.until:
            raise Late

    def _spell(self, matcher: Any, wanted: bytes) -> bytes:
        """As much of a text as the masks allow, byte by byte."""
        for count, letter in enumerate(wanted):
            token = self.table.single[letter]
            if not self.table.allowed(matcher)[token]:
                return wanted[:count]
            matcher.advance(token)
        return wanted

    def _pick(self, tokens: Any, pick: str, chance: random.Random) -> int:
        if pick == "longest" and chance.random() < 0.8:
            lengths = self.table.lengths[tokens]
            tokens = tokens[lengths >= max(1, int(lengths.max()) - 1)]
        elif pick == "rarest" and chance.random() < 0.8:
            first = self.table.first[tokens]
            count = np.bincount(first, minlength=257)[first]
            tokens = tokens[count == count.min()]
        return int(tokens[chance.randrange(len(tokens))])

    def _finish(self, matcher: Any, text: bytes) -> bytes:
        """The shortest way out; at first letter by letter, so that the masks on it are looked at, too."""
        rest = matcher.completion()
        if rest is None:
            raise DeadEnd(f"no text ends what begins with {text!r}")
        for letter in rest[:SHOWN]:
            if not self.table.allowed(matcher)[self.table.single[letter]]:
                raise DeadEnd(
                    f"the mask forbids {bytes([letter])!r}, with which {rest!r} begins or goes on, after {text!r}"
                )
            matcher.advance(self.table.single[letter])
        matcher.advance_bytes(rest[SHOWN:])
        if not matcher.can_end:
            raise DeadEnd(f"{text + rest!r} is no end")
        return text + bytes(rest)


class Place:
    """Where a text stands in JSON's own grammar, as far as hints depend on it."""

    def __init__(self, text: bytes) -> None:
        self.in_string = False
        self.at_key = False
        """Whether the last letter opened the string of a key."""
        self.at_text = False
        """Whether it opened another string."""
        self._escaped = False
        self._open: list[int] = []
        self._last = 0
        self.read(text)

    def read(self, text: bytes) -> None:
        for letter in text:
            self.at_key = self.at_text = False
            if self._escaped:
                self._escaped = False
            elif self.in_string:
                self._escaped = letter == 0x5C
                self.in_string = letter != 0x22
                self._last = letter
            elif letter == 0x22:
                self.in_string = True
                self.at_key = self._open[-1:] == [0x7B] and self._last in b"{,"
                self.at_text = not self.at_key
            elif letter in b"{[":
                self._open.append(letter)
                self._last = letter
            elif letter in b"}]":
                self._open[-1:] = []
                self._last = letter
            elif letter not in b" \t\n\r":
                self._last = letter
