"""Content → the result that was recently made from it: a bounded, thread-safe LRU cache.

This is the native class under its public name. A compile spends most of its time on reading new schemas, so a look-up
must be fast.

    >>> recent: Recent[int] = Recent(count=2, weight=1000)
    >>> key = content({"a": 1})
    >>> recent.put(key, 7, len(key))
    >>> recent.get(key), recent.get(content({"a": 2}))
    (7, None)

Only results are kept. A call that failed, for example at a limit, is tried again the next time.
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
