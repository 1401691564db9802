"""Content → the result that was recently made from it: a bounded, thread-safe LRU cache.

A compile spends most of its time on reading new schemas, so a look-up must be fast.

    >>> recent: Recent[int] = Recent(count=2, weight=1000)
    >>> key = content({"a": 1})
    >>> recent.put(key, 7, len(key))
    >>> recent.get(key), recent.get(content({"a": 2}))
    (7, None)

Only results are kept. A call that failed, for example at a limit, is tried again the next time.
"""

from __future__ import annotations

import marshal
from collections.abc import Hashable
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from frisket._core import front_end

if TYPE_CHECKING:
    from frisket.limit import Limits

__all__ = ["Recent", "content"]

T = TypeVar("T")


class Recent(Generic[T]):
    """At most `count` results of about `weight` bytes together; the least recently used is dropped first.

    Thread-safe without a lock, which a child of a fork would inherit: each step is one call of a dict. A result that
    one thread looks up is missing for a moment to all others, which make it again; a sum of two threads may be lost.
    """

    __slots__ = ("_entries", "_held", "count", "weight")

    def __init__(self, *, count: int, weight: int) -> None:
        self.count = count
        self.weight = weight
        self._held = 0
        #: key → (result, its weight), in the order of their last use
        self._entries: dict[Hashable, tuple[T, int]] = {}

    def __len__(self) -> int:
        return len(self._entries)

    def get(self, key: Hashable, /) -> T | None:
        """The result of a key; None if it was dropped or never put."""
        entry = self._entries.pop(key, None)
        if entry is None:
            return None
        self._entries[key] = entry
        return entry[0]

    def put(self, key: Hashable, value: T, weight: int, /) -> None:
        """Keep a result, unless it alone weighs more than the cache holds."""
        if weight > self.weight:
            return
        entries = self._entries
        before = entries.pop(key, None)
        entries[key] = value, weight
        self._held += weight if before is None else weight - before[1]
        while len(entries) > self.count or self._held > self.weight:
            try:
                gone = entries.pop(next(iter(entries)), None)
            except StopIteration:
                self._held = 0
                return
            except RuntimeError:
                # Another thread changed the dict in between.
                continue
            self._held -= 0 if gone is None else gone[1]

    def clear(self) -> None:
        """Forget everything."""
        self._entries.clear()
        self._held = 0


def content(value: Any, limits: Limits | None = None) -> bytes | None:
    """A plain JSON value as bytes, including the order of its keys; equal values have equal bytes.

    None if the value is not plain: a subclass, a Decimal, or more than 2,000 levels deep. LimitExceededError for more
    than 32 MB, if the seconds of `limits` run out, or if they are cancelled.
    """
    found = front_end.content(value, limits)
    if found is not None:
        return found
    try:
        # Version 2 of marshal has no back-references, so equal values have equal bytes whatever refers to them. 1, 1.0
        # and True differ.
        return marshal.dumps(value, 2)
    except ValueError:
        return None
