"""Mutants × a seed → a sample, by a hash of each: a change of the code replaces only the mutants that it touches."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from hashlib import blake2b
from typing import TypeVar

T = TypeVar("T")


def sampled(everything: Sequence[T], name: Callable[[T], str], size: int, seed: int) -> list[T]:
    """So many of them. Those of one name are told apart by their order."""
    before: Counter[str] = Counter()
    ranked: list[tuple[bytes, T]] = []
    for one in everything:
        called = name(one)
        ranked.append((blake2b(f"{seed} {before[called]} {called}".encode()).digest(), one))
        before[called] += 1
    return [one for _, one in sorted(ranked, key=lambda pair: pair[0])[:size]]
