"""`anyOf` or `oneOf` → its alternatives that are objects, and their discriminators."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from frisket.lint.document import Document, Subschema, canonical


@dataclass(eq=False)
class Branch:
    """One alternative that describes an object."""

    place: Subschema
    members: dict[str, Subschema]
    required: set[str]
    constants: dict[str, frozenset[str]]
    """Properties that list their values, with these in canonical JSON."""
    closed: bool
    """Whether it allows only the members that it describes."""


@dataclass(eq=False)
class Union:
    """A place whose value is one of several kinds of objects."""

    place: Subschema
    keyword: str
    branches: list[Branch]

    @property
    def discriminators(self) -> list[str]:
        """Properties whose values differ in each branch, in the order of the first branch."""
        first, *others = self.branches
        shared = [name for name in first.constants if all(name in other.constants for other in others)]
        return [name for name in shared if self._is_disjoint(name)]

    def _is_disjoint(self, name: str) -> bool:
        values = [branch.constants[name] for branch in self.branches]
        return sum(map(len, values)) == len(frozenset().union(*values))


def unions(document: Document) -> Iterator[Union]:
    """Every place with at least two alternatives that list properties."""
    for place in document.places:
        for keyword in ("anyOf", "oneOf"):
            alternatives = place.said.get(keyword)
            if isinstance(alternatives, list) and len(alternatives) > 1:
                places = [document.at(one) for one in alternatives]
                branches = [_branch(document, one) for one in places if one is not None]
                listed = [branch for branch in branches if branch.members]
                if len(listed) > 1:
                    yield Union(place, keyword, listed)


def _branch(document: Document, place: Subschema) -> Branch:
    members = document.members(place)
    constants = {}
    for name, member in members.items():
        values = document.values(member)
        if values:
            constants[name] = frozenset(map(canonical, values))
    closed = any(one.said.get("additionalProperties") is False for one in document.applied(place))
    return Branch(place, members, document.required(place), constants, closed)
