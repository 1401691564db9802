"""`\\d`, `\\s` and `\\w` of Rust's crate `regex` → code points."""

from __future__ import annotations

from functools import cache

from frisket.notations.regex.ast import Chars, parse
from tests.oracle.regex.unicode import CharSet


@cache
def rust_class(letter: str) -> CharSet:
    """The class of `d`, `s` or `w`: the engine's own, which a test of its own holds against Python's properties."""
    found = parse(f"\\{letter}", "rust")
    assert isinstance(found, Chars)
    return found.ranges
