"""Goals → the keys that meet them: which texts, as a node, and whether a given text does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from frisket.errors import LimitExceededError
from tests.oracle.json_schema import string
from tests.oracle.json_schema.value import STRING, Case, Goal

if TYPE_CHECKING:
    from tests.oracle.json_schema.algebra import Algebra


def key_texts(algebra: Algebra, goal: Goal) -> int | None:
    """The regular node of strings that meet a goal, or None if there are none."""
    if goal not in algebra.texts_of_keys:
        cases = algebra.looked_into(goal)
        if cases is None:
            raise LimitExceededError("propertyNames refers to the schema that it stands in", where=algebra.where(goal))
        algebra.texts_of_keys[goal] = _texts_of(algebra, cases)
    return algebra.texts_of_keys[goal]


def key_fits(algebra: Algebra, goal: Goal, text: str, *, outer: bool = False) -> bool:
    """Whether a key certainly meets a goal, or if `outer`, may; True also where that is being expanded."""
    cases = algebra.looked_into(goal)
    return cases is None or any(
        case.mask & STRING and all(string.holds(algebra.builder, atom, text, outer=outer) for atom in case.strings)
        for case in cases
    )


def _texts_of(algebra: Algebra, cases: list[Case]) -> int | None:
    nodes = [string.lower(algebra.builder, _regular(algebra, case.strings)) for case in cases if case.mask & STRING]
    alive = list(dict.fromkeys(node for node in nodes if node is not None))
    if not alive:
        return None
    return algebra.builder.alt(alive)


def _regular(algebra: Algebra, atoms: tuple[string.StringAtom, ...]) -> tuple[string.StringAtom, ...]:
    """What is regular of the conditions on a key; the rest is noted."""
    nesting, _ = string.nested(algebra.builder, atoms)
    if nesting is None:
        return atoms
    algebra.unsupported(
        algebra.where(), nesting.name, f"{nesting.name} is not enforced on keys; any key could slip through"
    )
    return tuple(atom for atom in atoms if not isinstance(atom, string.Nested))
