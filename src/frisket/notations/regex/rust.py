"""`\\d`, `\\s` and `\\w` of Rust's crate `regex` → code points."""

from __future__ import annotations

from functools import cache

from frisket._core import front_end
from frisket.notations.regex.unicode import CharSet


@cache
def rust_class(letter: str) -> CharSet:
    """The class of `d`, `s` or `w`."""
    return tuple(front_end.rust_class(letter))
