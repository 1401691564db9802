"""A thread → how long it was ready and had no processor, as Linux counts it: what other processes took of a time."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable


def waiting() -> Callable[[], float]:
    """A call that gives the seconds in which this thread was ready and had no processor. It keeps Python's lock."""
    # PyDLL calls C without releasing the lock; `os.pread` would release it and wait to get it back.
    library = ctypes.PyDLL(None)
    file = os.open("/proc/thread-self/schedstat", os.O_RDONLY)
    buffer = ctypes.create_string_buffer(100)

    def waited() -> float:
        count = library.pread(file, buffer, 100, 0)
        return int(buffer.raw[:count].split()[1]) / 1e9

    return waited
