"""Conditions on a string's decoded text → a regular node."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Literal, NamedTuple

from frisket.errors import LimitExceededError

if TYPE_CHECKING:
    from frisket._core import GrammarBuilder


class Length(NamedTuple):
    """Between `least` and `most` code points."""

    least: int
    most: int | None
    kind: str = "string Length"


ANY_LENGTH = Length(0, None)


class Matches(NamedTuple):
    """The text is (or is not) in a regular language.

    All texts of `node` are in it; `written` is what is written of them, if that is not all. Where the language holds
    more than `node`, it holds nothing outside what `outer` makes, and `check`, if known, decides single texts.
    """

    node: int
    positive: bool
    written: int | None = None
    outer: Callable[[], int] | None = None
    check: Callable[[str], bool] | None = None
    kind: str = "string Matches"

    def bound(self, *, outer: bool) -> int:
        """The node whose texts (or all others) certainly meet the condition; if `outer`, nothing else meets it."""
        return self.node if self.outer is None or self.positive != outer else self.outer()


class Among(NamedTuple):
    values: frozenset[str]
    positive: bool
    kind: str = "string Among"


class Nested(NamedTuple):
    """The text is (or is not) in a language that nests: `build` makes whole JSON strings, `check` decides one text."""

    name: str
    build: Callable[[GrammarBuilder, str, bool], int]
    check: Callable[[str], bool]
    positive: bool
    kind: str = "string Nested"


StringAtom = Length | Matches | Among | Nested


def is_of(known: Matches | Nested | None, atom: Matches) -> bool:
    """Whether the condition asks for the language, or for its complement."""
    return isinstance(known, Matches) and known.node == atom.node


def negate(atom: StringAtom) -> list[StringAtom]:
    """The alternatives that together are the complement."""
    if isinstance(atom, Length):
        shorter = [Length(0, atom.least - 1)] if atom.least > 0 else []
        return [*shorter, *([Length(atom.most + 1, None)] if atom.most is not None else [])]
    if isinstance(atom, Matches):
        return [atom._replace(positive=not atom.positive)]
    if isinstance(atom, Nested):
        return [Nested(atom.name, atom.build, atom.check, not atom.positive)]
    return [Among(atom.values, not atom.positive)]


def is_void(builder: GrammarBuilder, atoms: tuple[StringAtom, ...]) -> bool:
    """Whether certainly no text is left; False if that takes too long to find out."""
    if not atoms:
        return False
    texts, regular = listed(builder, atoms, outer=True)
    if texts is not None:
        return not texts
    if any(isinstance(atom, Nested) for atom in atoms):
        opposites = {(atom.name, not atom.positive) for atom in atoms if isinstance(atom, Nested)}
        if any((atom.name, atom.positive) in opposites for atom in atoms if isinstance(atom, Nested)):
            return True
        atoms = tuple(atom for atom in atoms if not isinstance(atom, Nested))
        return is_void(builder, atoms)
    least, most = bounds(atoms)
    if most is not None and most < least:
        return True
    if regular < 2:
        return False
    if contradict(atoms):
        return True
    if any(isinstance(atom, Matches) and atom.outer is not None for atom in atoms):
        return _is_empty(builder, _joined(builder, atoms, least, most, "outer"))
    node = lower(builder, atoms)
    return node is None or _is_empty(builder, node)


def lower(builder: GrammarBuilder, atoms: tuple[StringAtom, ...]) -> int | None:
    """The node of decoded texts, or None if clearly none is left. Nested atoms must have been taken out (`nested`)."""
    if not atoms:
        return builder.any_text()
    if len(atoms) == 1 and isinstance(atoms[0], Matches) and atoms[0].positive:
        return atoms[0].node if atoms[0].written is None else atoms[0].written
    texts, _ = listed(builder, atoms)
    if texts is not None:
        return builder.words(texts) if texts else None
    least, most = bounds(atoms)
    if (most is not None and most < least) or contradict(atoms):
        return None
    if any(isinstance(atom, Matches) and atom.positive and atom.written is not None for atom in atoms):
        node = _joined(builder, atoms, least, most, "written")
        if not _is_empty(builder, node):
            return node
    return _joined(builder, atoms, least, most, "inner")


def contradict(atoms: tuple[StringAtom, ...]) -> bool:
    """Whether a text is asked to be in a language and outside it: the bounds of a narrowed one leave that open."""
    negated = {atom.node for atom in atoms if isinstance(atom, Matches) and not atom.positive}
    return any(isinstance(atom, Matches) and atom.positive and atom.node in negated for atom in atoms)


def _joined(
    builder: GrammarBuilder,
    atoms: tuple[StringAtom, ...],
    least: int,
    most: int | None,
    bound: Literal["written", "inner", "outer"],
) -> int:
    """The node of what meets all atoms, none of which lists its texts.

    `inner`: all of the node certainly meets them; `written`: and is written; `outer`: nothing outside it meets them.
    """
    nodes: list[int] = []
    complements: list[int] = []
    for atom in atoms:
        if isinstance(atom, Matches):
            node = atom.bound(outer=bound == "outer")
            if not atom.positive:
                complements.append(builder.not_(node))
            else:
                nodes.append(atom.written if bound == "written" and atom.written is not None else node)
        elif isinstance(atom, Among):
            complements.append(builder.not_(builder.words(encoded(atom.values))))
    if complements and not nodes:
        nodes.append(builder.any_text())
    nodes += complements
    node = builder.and_(nodes) if nodes else builder.any_text()
    return node if least == 0 and most is None else builder.bounded(node, least, most)


def _is_empty(builder: GrammarBuilder, node: int) -> bool:
    """Whether certainly no text is left; False if that takes too long to find out."""
    try:
        return builder.is_empty(node)
    except LimitExceededError:
        builder.check()
        return False


def nested(builder: GrammarBuilder, atoms: tuple[StringAtom, ...]) -> tuple[Nested | None, bool]:
    """The language that the texts must nest in, if any and if they are not listed; and whether that is all there is."""
    found = [atom for atom in atoms if isinstance(atom, Nested)]
    if not found or any(isinstance(atom, Among) and atom.positive for atom in atoms):
        return None, True
    return found[0], found[0].positive and all(atom == found[0] or trivial(atom) for atom in atoms)


def trivial(atom: StringAtom) -> bool:
    return isinstance(atom, Length) and atom.least == 0 and atom.most is None


def bounds(atoms: tuple[StringAtom, ...]) -> tuple[int, int | None]:
    least, most = 0, None
    for atom in atoms:
        if isinstance(atom, Length):
            least = max(least, atom.least)
            if atom.most is not None:
                most = atom.most if most is None else min(most, atom.most)
    return least, most


def listed(
    builder: GrammarBuilder, atoms: tuple[StringAtom, ...], *, outer: bool = False
) -> tuple[list[bytes] | None, int]:
    """All texts if some atom lists them (see `holds`); and how many atoms are regular."""
    values: frozenset[str] | None = None
    regular = 0
    for atom in atoms:
        if isinstance(atom, Among) and atom.positive:
            values = atom.values if values is None else values & atom.values
        else:
            regular += atom != ANY_LENGTH
    if values is None:
        return None, regular
    if regular:
        values = frozenset(value for value in values if all(holds(builder, atom, value, outer=outer) for atom in atoms))
    return encoded(values), regular


def holds(builder: GrammarBuilder, atom: StringAtom, value: str, *, outer: bool = False) -> bool:
    """Whether a text certainly meets the condition; if `outer`, whether it may."""
    if isinstance(atom, Length):
        return atom.least <= len(value) and (atom.most is None or len(value) <= atom.most)
    if isinstance(atom, Among):
        return (value in atom.values) == atom.positive
    if isinstance(atom, Nested):
        return atom.check(value) == atom.positive
    if atom.check is not None:
        return atom.check(value) == atom.positive
    return builder.accepts(atom.bound(outer=outer), value.encode("utf-8", "surrogatepass")) == atom.positive


def encoded(values: frozenset[str]) -> list[bytes]:
    """UTF-8, in no order; a lone surrogate has none, so no UTF-8 text can spell such a value."""
    try:
        return list(map(str.encode, values))
    except UnicodeEncodeError:
        return [value.encode() for value in values if not any("\ud800" <= c <= "\udfff" for c in value)]
