"""Content → what was made of it lately: bounded, least recently used first out, thread-safe."""

from __future__ import annotations

import marshal
from collections.abc import Hashable
from threading import Lock
from typing import Any, Generic, TypeVar

from frisket import _core

T = TypeVar("T")


class Recent(Generic[T]):
    """The results of at most `count` contents that weigh at most `weight` bytes together.

    >>> recent: Recent[int] = Recent(count=2, weight=1000)
    >>> key = content({"a": 1})
    >>> recent.put(key, 7, len(key))
    >>> recent.get(key), recent.get(content({"a": 2}))
    (7, None)

    Only results are kept: what ended in an error, a limit above all, is tried again the next time.
    """

    def __init__(self, *, count: int, weight: int) -> None:
        self.count = count
        self.weight = weight
        self._held = 0
        #: In the order of their last use.
        self._entries: dict[Hashable, tuple[T, int]] = {}
        self._lock = Lock()

    def get(self, key: Hashable) -> T | None:
        # What is not there is the usual case, and one look-up needs no lock.
        found = self._entries.get(key)
        if found is None:
            return None
        with self._lock:
            # Another thread may have put a newer one there in the meantime, or have pushed it out.
            newest = self._entries.pop(key, None)
            if newest is None:
                return found[0]
            self._entries[key] = newest
        return newest[0]

    def put(self, key: Hashable, value: T, weight: int) -> None:
        if weight > self.weight:
            return
        with self._lock:
            before = self._entries.pop(key, None)
            self._held += weight - (before[1] if before is not None else 0)
            self._entries[key] = (value, weight)
            while len(self._entries) > self.count or self._held > self.weight:
                _, gone = self._entries.pop(next(iter(self._entries)))
                self._held -= gone

    def clear(self) -> None:
        with self._lock:
            self._entries.clear()
            self._held = 0

    def __len__(self) -> int:
        return len(self._entries)


def content(value: Any) -> bytes | None:
    """A plain JSON value as bytes, the order of its keys included; equal values have equal bytes.

    None for what is not plain: a subclass, a Decimal, nesting beyond 2,000 levels.
    """
    found = _core.content(value)
    if found is not None:
        return found
    try:
        # Version 2 has no back-references: equal values have equal bytes, whoever else holds them. 1, 1.0 and True
        # differ.
        return marshal.dumps(value, 2)
    except ValueError:
        return None
