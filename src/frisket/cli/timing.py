"""Schemas × a vocabulary → the times of all compiles, masks and commits, measured in Python."""

from __future__ import annotations

import gc
import random
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from frisket.cli import source
from frisket.errors import FrisketError
from frisket.grammar import Grammar
from frisket.matcher import Matcher
from frisket.vocabulary import Vocabulary


@dataclass
class Bench:
    """All measured times, in µs."""

    size: int
    loading: float
    memory: int
    compiles: list[float] = field(default_factory=list)
    masks: list[float] = field(default_factory=list)
    warm: list[float] = field(default_factory=list)
    commits: list[float] = field(default_factory=list)
    kept: list[float] = field(default_factory=list)
    """Bytes of each compiled grammar after its documents were written."""
    slowest: list[tuple[float, str, str]] = field(default_factory=list)
    """(time, name of the schema, text before it) of each schema's slowest mask."""
    refused: list[tuple[str, str]] = field(default_factory=list)

    def add(
        self,
        name: str,
        schema: Any,
        vocabulary: Vocabulary,
        documents: Sequence[Sequence[int]] | None,
        draw: random.Random,
        walks: int,
        most: int,
    ) -> None:
        """Compile a schema, and write its documents, or random ones, twice: the second time is warm."""
        bitmask = np.zeros(vocabulary.mask_words, dtype=np.uint32)
        with _quiet():
            began = time.perf_counter_ns()
            try:
                with source.named(name):
                    compiled = Grammar.from_json_schema(schema).compile(vocabulary)
                compiled.matcher().fill_mask(bitmask)
            except FrisketError as error:
                self.refused.append((name, f"{type(error).__name__}: {error.message}"))
                return
            self.compiles.append((time.perf_counter_ns() - began) / 1e3)
            longest = (0.0, name, "")
            for number in range(walks if documents is None else len(documents)):
                given = None if documents is None else documents[number]
                taken, masks, commits = walk(compiled.matcher(), vocabulary, bitmask, given, draw, most)
                self.masks += masks
                self.commits += commits
                if masks and max(masks) > longest[0]:
                    place = masks.index(max(masks))
                    before = b"".join(vocabulary.token(token) or b"" for token in taken[:place])
                    longest = (max(masks), name, before.decode("utf-8", "replace"))
                self.warm += walk(compiled.matcher(), vocabulary, bitmask, taken, draw, most)[1]
            self.slowest.append(longest)
        self.kept.append(float(compiled.memory_bytes))

    def warm_up(self, vocabulary: Vocabulary) -> None:
        """Import modules and build the vocabulary's tables, so that no measurement includes this."""
        schema = {"type": "object", "properties": {"warm": {"type": "string", "format": "date-time", "pattern": "a"}}}
        matcher = Grammar.from_json_schema(schema).compile(vocabulary).matcher()
        matcher.fill_mask(np.zeros(vocabulary.mask_words, dtype=np.uint32))

    def described(self) -> dict[str, Any]:
        """The results as JSON values: the table's figures, the slowest masks, the refusals."""
        return {
            "schemas": len(self.compiles),
            "vocabulary": {"size": self.size, "ms": round(self.loading, 1), "bytes": self.memory},
            "us": {title: summary(times) for title, times in self.rows()},
            "bytes": summary(self.kept),
            "slowest": [{"us": round(took, 1), "schema": name, "after": text} for took, name, text in self.worst(5)],
            "refused": [{"schema": name, "reason": reason} for name, reason in self.refused],
        }

    def rows(self) -> list[tuple[str, list[float]]]:
        return [
            ("compile + first mask", self.compiles),
            ("mask, cold", self.masks),
            ("mask, warm", self.warm),
            ("commit", self.commits),
        ]

    def worst(self, count: int) -> list[tuple[float, str, str]]:
        return sorted(self.slowest, reverse=True)[:count]


def walk(
    matcher: Matcher,
    vocabulary: Vocabulary,
    bitmask: np.ndarray[Any, np.dtype[np.uint32]],
    tokens: Sequence[int] | None,
    draw: random.Random,
    most: int,
) -> tuple[list[int], list[float], list[float]]:
    """(tokens taken, µs of masks, µs of commits) for given tokens, as far as allowed, or for random allowed ones."""
    clock = time.perf_counter_ns
    taken: list[int] = []
    masks: list[float] = []
    commits: list[float] = []
    while len(taken) < (most if tokens is None else len(tokens)):
        began = clock()
        matcher.fill_mask(bitmask)
        masks.append((clock() - began) / 1e3)
        token = _any(bitmask, matcher, vocabulary, draw, len(taken)) if tokens is None else tokens[len(taken)]
        if token is None or not int(bitmask[token >> 5]) >> (token & 31) & 1:
            break
        began = clock()
        matcher.advance(token)
        commits.append((clock() - began) / 1e3)
        taken.append(token)
    return taken, masks, commits


def _any(
    bitmask: np.ndarray[Any, np.dtype[np.uint32]],
    matcher: Matcher,
    vocabulary: Vocabulary,
    draw: random.Random,
    step: int,
) -> int | None:
    """A random allowed token, None at the end; the longer the text, the more likely a token that closes it."""
    if matcher.can_end and draw.random() < 0.5:
        return None
    allowed = np.flatnonzero(np.unpackbits(bitmask.view(np.uint8), bitorder="little"))
    for _ in range(8):
        token = int(draw.choice(allowed))
        text = vocabulary.token(token)
        if text is not None and (text[:1] in b'"}],' or draw.random() > step / 60):
            return token
    return next((int(token) for token in allowed if vocabulary.token(int(token)) is not None), None)


class Cutter:
    """Text → tokens, always the longest that fits. A tokenizer may choose others of its tokens."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary
        self.ids: dict[bytes, int] = {}
        self.longest = 0

    def cut(self, text: bytes) -> list[int]:
        if not self.ids:
            for token in range(self.vocabulary.size):
                if data := self.vocabulary.token(token):
                    self.ids.setdefault(data, token)
            self.longest = min(64, max(map(len, self.ids), default=0))
        tokens: list[int] = []
        at = 0
        while at < len(text):
            ends = range(min(len(text), at + self.longest), at, -1)
            end = next((end for end in ends if text[at:end] in self.ids), None)
            if end is None:
                break  # no token spells this byte, so the document is cut here
            tokens.append(self.ids[text[at:end]])
            at = end
        return tokens


@contextmanager
def _quiet() -> Iterator[None]:
    """Disable garbage collection during a measurement."""
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def summary(values: Sequence[float]) -> dict[str, float]:
    """Number, mean, percentiles and maximum of the values; only the number if there are none."""
    if not values:
        return {"count": 0}
    found = {name: float(np.percentile(values, q)) for name, q in (("p50", 50), ("p90", 90), ("p99", 99))}
    found = {"count": len(values), "mean": float(np.mean(values)), **found, "max": float(np.max(values))}
    return {name: round(value, 2) for name, value in found.items()}
