"""The name of a family, a model's name or its id → the name of the family whose format the model writes.

A model's name matches an id if its parts (words, versions, sizes) occur in the id in the same order.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence

from frisket.errors import UnknownFamilyError

#: A part of a name: a size such as 30B, a version such as 3.5, or a word.
_PART = re.compile(r"\d+(?:\.\d+)*[bm](?![a-z])|\d+(?:\.\d+)*|[a-z]+|\+")
_ASIDE = re.compile(r"\(.*?\)")
#: Least similarity (0 to 1) of the letters of two names for a suggestion.
_NEAR = 0.7


def find_family(said: str, models: Mapping[str, str]) -> str:
    """The name of the family; `models` lists the models of each. UnknownFamilyError suggests a similar name."""
    name = re.sub(r"[-. ]", "_", said.lower())
    if name in models:
        return name
    parts = _parts(said.rpartition("/")[2])
    ranks = {family: rank for family, listed in models.items() if (rank := _rank(parts, listed)) is not None}
    best = [family for family, rank in ranks.items() if rank == max(ranks.values())]
    if len(best) == 1:
        return best[0]
    if best:
        hint = f"models of that name write as {' or '.join(best)}: name the family"
    else:
        near = _near(name, list(models))
        hint = f"{f'did you mean {near}? ' if near else ''}known are {', '.join(models)}; "
        hint += "of another model give the text of its chat template"
    raise UnknownFamilyError(f"no family of models is called {said!r}", hint=hint)


def _rank(parts: Sequence[str], listed: str) -> tuple[int, int, int] | None:
    """The rank of a family's best model (number of parts, place, length of the parts); None if none matches."""
    ranks = []
    for model in _ASIDE.sub("", listed).split(", "):
        wanted = _parts(model)
        places = _places(parts, wanted)
        if places is not None:
            ranks.append((len(wanted), -places[0], sum(map(len, wanted))))
    return max(ranks, default=None)


def _places(parts: Sequence[str], wanted: Sequence[str]) -> list[int] | None:
    """The place of each wanted part among the parts, in ascending order; None if one is missing."""
    places: list[int] = []
    for part in wanted:
        try:
            places.append(parts.index(part, places[-1] + 1 if places else 0))
        except ValueError:
            return None
    return places or None


def _parts(name: str) -> list[str]:
    return _PART.findall(re.sub(r"(?<=\d)[_p](?=\d)", ".", name.lower()))


def _near(name: str, families: Sequence[str]) -> str | None:
    """The family to suggest for an unknown name: similar letters and equal numbers."""
    letters = {family: re.sub(r"[^a-z]", "", family) for family in families}
    numbers = re.findall(r"\d+", name)
    likely = [family for family in families if not numbers or re.findall(r"\d+", family) == numbers]
    near = difflib.get_close_matches(re.sub(r"[^a-z]", "", name), [letters[one] for one in likely], n=1, cutoff=_NEAR)
    return next((family for family in likely if near and letters[family] == near[0]), None)
