"""Conditions on an object ↔ clauses over its members, of which complements and unions are clauses again.

"Some member breaks these fields" is a literal. The complement of "has a, and no member breaks F" is one clause of two
literals, where cases would be two. So conditions that an object may meet or not do not multiply.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from tests.oracle.json_schema.object import Breaks, Clause, Fields, Implies, ObjectAtom, Required, negate
from tests.oracle.json_schema.value import ANYTHING, NOTHING, OBJECT, Case, Goal

if TYPE_CHECKING:
    from tests.oracle.json_schema.algebra import Algebra

#: Clauses of a union. More of them cost an object more than the cases that they stand for.
CLAUSES = 16


def clauses_of(algebra: Algebra, atoms: Iterable[ObjectAtom]) -> tuple[list[Clause], list[ObjectAtom]]:
    """The conjunction of the atoms as clauses, and the atoms that no clause can say."""
    atoms = list(atoms)
    needed = {key: None for atom in atoms if isinstance(atom, Required) for key in atom.keys}
    found: list[Clause] = []
    others: list[ObjectAtom] = []
    asked: dict[str, Goal] = {}
    for atom in atoms:
        if isinstance(atom, Fields):
            own, fields = parted(algebra, atom, needed)
            for key, goal in own.items():
                asked[key] = algebra.both(asked.get(key, ANYTHING), goal)
            if fields.patterns or fields.rest or any(fields.names.values()):
                found.append(Clause((literal(algebra, fields),), ()))
        elif isinstance(atom, Breaks):
            found.append(Clause((), (literal(algebra, atom.fields),)))
        elif isinstance(atom, Implies):
            found.append(Clause((algebra.single(atom.key, NOTHING),), (algebra.single(atom.needs, NOTHING),)))
        elif isinstance(atom, Clause):
            found.append(atom)
        elif not isinstance(atom, Required):
            others.append(atom)
    # That a key is there with such a value is one literal.
    found += [Clause((), (algebra.single(key, algebra.negated(asked.get(key, ANYTHING))),)) for key in needed]
    return list(dict.fromkeys(found)), others


def parted(algebra: Algebra, fields: Fields, needed: Iterable[str]) -> tuple[dict[str, Goal], Fields]:
    """What fields ask of required keys, and what they ask of others."""
    asked = {key: fields.names[key] for key in needed if fields.names.get(key)}
    if fields.patterns or not asked:
        return {}, fields
    known = fields, *asked
    if known not in algebra.halves:
        names = {key: ANYTHING if key in asked else goal for key, goal in fields.names.items()}
        algebra.halves[known] = Fields(names, (), fields.rest, lists=fields.lists, opens=fields.opens)
    return asked, algebra.halves[known]


def literal(algebra: Algebra, fields: Fields) -> Fields:
    """The fields that stand for all that ask the same of one key."""
    key = fields.only()
    return fields if key is None else algebra.single(key, fields.names[key])


def condition(clause: Clause) -> ObjectAtom:
    """A clause as the atom that says the same, where one is simpler."""
    premises, conclusions = clause.premises, clause.conclusions
    if not premises and len(conclusions) == 1:
        key = _key_of(conclusions[0])
        return Breaks(conclusions[0]) if key is None else Required((key,), stated=False)
    if len(premises) == 1 and not conclusions:
        return premises[0]
    if len(premises) == len(conclusions) == 1:
        cause, effect = _key_of(premises[0]), _key_of(conclusions[0])
        if cause is not None and effect is not None:
            return Implies(cause, effect)
    return clause


def _key_of(fields: Fields) -> str | None:
    """The key whose presence breaks the fields, if nothing else does."""
    key = fields.only()
    return key if key is not None and fields.names[key] == NOTHING else None


def outside(algebra: Algebra, atoms: tuple[ObjectAtom, ...]) -> list[tuple[ObjectAtom, ...]]:
    """The alternatives, each a conjunction, that together are the complement of a conjunction: mostly one clause."""
    clauses, others = clauses_of(algebra, atoms)
    found: list[tuple[ObjectAtom, ...]] = [each for atom in others for each in negate(algebra, atom)]
    premises: list[Fields] = []
    conclusions: list[Fields] = []
    for clause in clauses:
        if len(clause.premises) + len(clause.conclusions) > 1:
            found.append(_broken(clause))
        else:
            # What a clause asks for is what its complement excludes.
            premises += clause.conclusions
            conclusions += clause.premises
    if premises or conclusions:
        whole = _clause(premises, conclusions)
        found.append(() if whole is None else (condition(whole),))
    return found


def _broken(clause: Clause) -> tuple[ObjectAtom, ...]:
    """The complement of a clause."""
    met = [condition(Clause((), (fields,))) for fields in clause.premises]
    return (*met, *clause.conclusions)


def _clause(premises: Iterable[Fields], conclusions: Iterable[Fields]) -> Clause | None:
    """The clause of these literals; None if it always holds."""
    clause = Clause(tuple(dict.fromkeys(premises)), tuple(dict.fromkeys(conclusions)))
    return None if set(clause.premises) & set(clause.conclusions) else clause


def joined(algebra: Algebra, cases: list[Case]) -> list[Case]:
    """Cases with the same union, among them one of objects if few clauses say so."""
    inside = [case for case in cases if case.mask & OBJECT]
    if len(cases) < 2 or not inside:
        return cases
    atoms = _union(algebra, [case.objects for case in inside])
    if atoms is None:
        return cases
    rest = [case.among(~OBJECT) for case in cases if case.mask & ~OBJECT]
    rest = algebra.least(list({case.key(): case for case in rest}.values()))
    if not rest:
        return [Case(OBJECT, objects=atoms)]
    # Types have their own conditions, so one of the cases takes the objects in.
    first = rest[0]
    return [Case(first.mask | OBJECT, first.numbers, first.strings, first.arrays, atoms), *rest[1:]]


def _union(algebra: Algebra, conjunctions: list[tuple[ObjectAtom, ...]]) -> tuple[ObjectAtom, ...] | None:
    """One conjunction that says what some of the conjunctions say; None if that takes many clauses."""
    if () in conjunctions:
        return ()
    common = [atom for atom in conjunctions[0] if all(atom in other for other in conjunctions[1:])]
    found: list[Clause] | None = None
    for atoms in conjunctions:
        clauses, others = clauses_of(algebra, [atom for atom in atoms if atom not in common])
        if others:
            return None
        if found is None:
            found = clauses
            continue
        pairs = (
            _clause(left.premises + right.premises, left.conclusions + right.conclusions)
            for left in found
            for right in clauses
        )
        found = list(dict.fromkeys(clause for clause in pairs if clause is not None))
        if len(found) > CLAUSES:
            return None
    return (*common, *[condition(clause) for clause in found or ()])
