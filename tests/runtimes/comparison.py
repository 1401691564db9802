"""Walks × programs → how many masks there were, and where one differs from the Python package's."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from frisket import Matcher
from frisket.compiled_schema import compiled_lately
from frisket.errors import FrisketError
from tests.runtimes.program import Program
from tests.runtimes.walks import METASCHEMA, NOTATIONS, Walk, vocabulary


@dataclass
class Comparison:
    """Of each source of walks: walks, positions, grammars that all refuse, and those that only Python reads.

    Differences are said in words.
    """

    walks: Counter[str] = field(default_factory=Counter)
    positions: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    python_alone: Counter[str] = field(default_factory=Counter)
    differences: list[str] = field(default_factory=list)


def compare(walks: Iterable[Walk], programs: Sequence[Program], most: int) -> Comparison:
    """Compares masks word by word until there were so many positions."""
    result = Comparison()
    for walk in walks:
        if result.positions.total() >= most:
            break
        tokens = walk.tokens
        for program in programs:
            program.send(walk, tokens)
        matcher = _matcher(walk)
        takes = {program: program.takes() for program in programs}
        result.walks[walk.source] += 1
        result.refused[walk.source] += matcher is None and not any(takes.values())
        if matcher is not None and not any(takes.values()) and _is_pythons(walk):
            result.python_alone[walk.source] += 1
            continue
        for program, is_taken in takes.items():
            if is_taken != (matcher is not None):
                verb = "takes" if is_taken else "refuses"
                result.differences.append(f"{program.name} {verb} {_shown(walk)}, and Python does not")
        readers = [program for program, is_taken in takes.items() if is_taken]
        if matcher is not None:
            result.positions[walk.source] += _read(walk, tokens, matcher, readers, result.differences)
        elif readers:
            # Nothing says how many masks they write.
            raise AssertionError(result.differences[-1])
    return result


def _matcher(walk: Walk) -> Matcher | None:
    try:
        compiled = NOTATIONS[walk.notation](walk.grammar).compile(vocabulary())
    except FrisketError:
        return None
    # Each walk compiles anew, as the programs do.
    compiled_lately.clear()
    return compiled.matcher()


def _read(
    walk: Walk, tokens: Sequence[int], matcher: Matcher, programs: Sequence[Program], differences: list[str]
) -> int:
    """Reads the masks of one walk; how many there were."""
    for place, token in enumerate([*tokens, None]):
        own = matcher.mask()
        expected = own.tobytes()
        for program in programs:
            if program.mask() != expected:
                differences.append(f"{program.name}: another mask after {matcher.text!r} under {_shown(walk)}")
        if token is None or not int(own[token >> 5]) >> (token & 31) & 1:
            return place + 1
        matcher.advance(token)
    raise AssertionError("the last place has no token")


def _is_pythons(walk: Walk) -> bool:
    """Whether the grammar may have what is not in the crate (docs/how-to/from-rust.md).

    These are references to metaschemas, which Python finds among installed packages.
    """
    return METASCHEMA in walk.grammar


def _shown(walk: Walk) -> str:
    return f"{walk.notation} {walk.grammar[:200]!r}"
