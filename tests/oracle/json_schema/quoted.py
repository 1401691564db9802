"""Conditions on a string → the node of the JSON strings that meet them; or the limit that they reach, by keyword."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from frisket.errors import LimitExceededError
from frisket.json_schema.options import ESCAPES
from tests.oracle.json_schema import string
from tests.oracle.json_schema.value import STRING

if TYPE_CHECKING:
    from tests.oracle.json_schema.algebra import Algebra
    from tests.oracle.json_schema.lower import Lowering


def quoted(lowering: Lowering, atoms: tuple[string.StringAtom, ...]) -> int | None:
    if not atoms:
        return lowering.builder.quoted(spelled(lowering, lowering.builder.any_text()), lowering.options.escapes)
    nesting, _ = string.nested(lowering.builder, atoms)
    others = tuple(atom for atom in atoms if atom != string.Length(1, None))
    if nesting is not None and string.nested(lowering.builder, others)[1]:
        node = nesting.build(lowering.builder, lowering.options.escapes, len(others) < len(atoms))
        lowering.structural.add(node)
        return node
    if nesting is not None:
        lowering.unsupported(
            lowering.where(), nesting.name, f"{nesting.name} beside other conditions on the text is not enforced"
        )
        atoms = tuple(atom for atom in atoms if not isinstance(atom, string.Nested))
    try:
        found = string.lower(lowering.builder, atoms)
    except LimitExceededError as error:
        raise _located(lowering, error, atoms) from error
    if found is None:
        return None
    lowering.recursive = lowering.recursive or len(atoms) > 1
    if string.listed(lowering.builder, atoms)[0] is None:
        found = spelled(lowering, found)
    return lowering.builder.quoted(found, lowering.options.escapes)


def quoted_union(lowering: Lowering, alternatives: tuple[tuple[Any, ...], ...]) -> list[int | None]:
    """A union of strings, joined before it is quoted."""
    nesting = [atoms for atoms in alternatives if string.nested(lowering.builder, atoms)[0] is not None]
    if nesting:
        return [lowering.part("string", STRING, atoms) for atoms in alternatives]
    nodes = []
    for atoms in alternatives:
        try:
            node = string.lower(lowering.builder, atoms)
        except LimitExceededError as error:
            raise _located(lowering, error, atoms) from error
        is_listed = string.listed(lowering.builder, atoms)[0] is not None
        nodes.append(node if node is None or is_listed else spelled(lowering, node))
    alive = list(dict.fromkeys(node for node in nodes if node is not None))
    if not alive:
        return []
    return [lowering.builder.quoted(lowering.builder.alt(alive), lowering.options.escapes)]


def spelled(lowering: Lowering, texts: int) -> int:
    """Of texts that no schema lists, those that the escapes of the options can spell."""
    builder, letters = lowering.builder, lowering.options.escape_letters
    if set(letters) == set(ESCAPES):
        return texts
    needed = {0x22: '"', 0x5C: "\\", 8: "b", 9: "t", 10: "n", 12: "f", 13: "r"}
    kept = [byte for byte in range(256) if needed.get(byte, "u" if byte < 32 else "") in letters]
    lowering.recursive = True
    return builder.and_([texts, builder.repeat(builder.byte_class([(one, one) for one in kept]), 0)])


def _located(lowering: Lowering, error: LimitExceededError, atoms: tuple[string.StringAtom, ...]) -> LimitExceededError:
    """The same limit, where in the schema it was reached, and which keywords together reach it."""
    if error.where is not None or error.code != LimitExceededError.code:
        return error
    asked = dict.fromkeys(_spoken(lowering.algebra, atom) for atom in atoms)
    excluded = any(isinstance(atom, string.Matches) and not atom.positive for atom in atoms)
    change = "anyOf, unlike oneOf, lets a text meet several alternatives" if excluded else "drop one of them"
    return LimitExceededError(
        f"a text that meets {', '.join(asked)}: {error.message}",
        where=lowering.where(),
        hint=f"{change}; or {error.hint}" if error.hint else change,
    )


def _spoken(algebra: Algebra, atom: string.StringAtom) -> str:
    """A condition on a text as a message names it: by its keyword."""
    if isinstance(atom, string.Length):
        return "minLength" if atom.most is None else "maxLength" if not atom.least else "minLength and maxLength"
    if isinstance(atom, string.Among):
        said = "enum"
    elif isinstance(atom, string.Nested):
        said = atom.name
    else:
        formats = (name for (name, _), known in algebra.formats.items() if string.is_of(known, atom))
        patterns = (ascii(pattern)[:60] for pattern, node in algebra.patterns.items() if node == atom.node)
        said = next((f"format {name}" for name in formats), None) or f"pattern {next(patterns, '')}".rstrip()
    return said if atom.positive else f"not {said}"
