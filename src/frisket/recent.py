"""Content → what was made of it lately: bounded, least recently used first out, thread-safe.

The engine's own class under its public name: what a compile takes is mostly what it reads for the first time, and a
look-up is on its way.

    >>> recent: Recent[int] = Recent(count=2, weight=1000)
    >>> key = content({"a": 1})
    >>> recent.put(key, 7, len(key))
    >>> recent.get(key), recent.get(content({"a": 2}))
    (7, None)

Only results are kept: what ended in an error, a limit above all, is tried again the next time.
"""

from __future__ import annotations

import marshal
from typing import TYPE_CHECKING, Any

from frisket._core import front_end
from frisket._core.front_end import Recent

if TYPE_CHECKING:
    from frisket.limit import Limits

__all__ = ["Recent", "content"]


def content(value: Any, limits: Limits | None = None) -> bytes | None:
    """A plain JSON value as bytes, the order of its keys included; equal values have equal bytes.

    None for what is not plain: a subclass, a Decimal, nesting beyond 2,000 levels. LimitExceededError beyond 32 MB, and
    where the seconds of `limits` are over or they were cancelled.
    """
    found = front_end.content(value, limits)
    if found is not None:
        return found
    try:
        # Version 2 has no back-references: equal values have equal bytes, whoever else holds them. 1, 1.0 and True
        # differ.
        return marshal.dumps(value, 2)
    except ValueError:
        return None
