"""Mutants × a seed → a sample, by a hash of each: a change of the code replaces only the mutants that it touches."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from hashlib import blake2b

from .mutant import Mutant


def sampled(everything: Sequence[Mutant], size: int, seed: int, again: frozenset[str]) -> list[Mutant]:
    """So many of them, or those with the keys `again` alone, if there are any. Equal keys are told apart by order."""
    if again:
        return [mutant for mutant in everything if mutant.key in again]
    before: Counter[str] = Counter()
    ranked: list[tuple[bytes, int]] = []
    for place, mutant in enumerate(everything):
        ranked.append((blake2b(f"{seed} {before[mutant.key]} {mutant.key}".encode()).digest(), place))
        before[mutant.key] += 1
    return [everything[place] for _, place in sorted(ranked)[:size]]
