"""Grammars that the engine reads = grammars that Python reads: the same rules; what Python refuses, the engine leaves.

Each grammar of the spec is read as it is, and with some of its characters gone, doubled or exchanged.
"""

from __future__ import annotations

import random
from typing import Any

import pytest

from frisket import FrisketError, Limits
from frisket._core import GrammarBuilder
from frisket.notations.gbnf import parse_gbnf
from frisket.notations.production.lower import lower_productions
from frisket.notations.production.source import Source
from tests.spec.cases import Case, cases

CASES = [case for case in cases() if case.gbnf is not None]
#: What stands in grammars, in place of a character or beside one.
SIGNS = [*"|()[]{}*+?\"'/\\.:-~&<>!%#$^ \n\ta0Aé", "::=", "->", "//", '"i', "%ignore", "\\w", "..", "_", "]i", "(?:"]
EDITS = 12


def by_engine(builder: GrammarBuilder, case: Case, text: str) -> int | None:
    return builder.gbnf(text, case.options.get("root", "root"))


def by_python(builder: GrammarBuilder, case: Case, text: str) -> int:
    source = Source(text)
    return lower_productions(builder, source, parse_gbnf(source), case.options.get("root", "root"))


def outcome(read: Any, case: Case, text: str) -> str | None:
    """The rules, or what is wrong; None if they are for Python to read."""
    builder = GrammarBuilder(limits=Limits(steps=2_000_000))
    try:
        root = read(builder, case, text)
        return None if root is None else builder.build(root).dump()
    except FrisketError as error:
        return f"{error.code}: {error.message}"


def edited(text: str, rng: random.Random) -> str:
    at = rng.randrange(len(text) + 1)
    kind = rng.randrange(4)
    if kind == 0:
        return text[:at] + text[at + rng.randint(1, 3) :]
    if kind == 1:
        return text[:at] + rng.choice(SIGNS) + text[at:]
    if kind == 2:
        return text[:at] + rng.choice(SIGNS) + text[at + 1 :]
    other = rng.randrange(len(text) + 1)
    return text[:at] + text[min(at, other) : max(at, other)][:20] + text[at:]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name.replace("\n", " "))
def test_both_readers_make_the_same_rules(case: Case) -> None:
    rng = random.Random(case.name)
    text = case.gbnf or ""
    for each in [text, *(edited(text, rng) for _ in range(EDITS))]:
        said = outcome(by_engine, case, each)
        if said is not None:
            assert said == outcome(by_python, case, each), each


def test_most_grammars_are_read_by_the_engine() -> None:
    plain = [case for case in CASES if case.refused is None]
    read = [case for case in plain if outcome(by_engine, case, case.gbnf or "") is not None]
    assert len(read) > 0.9 * len(plain)


#: What the engine reads, construct by construct.
READ = (
    '"a" "b"', '"a" | "b"', '("a" | "b") "c"', '"a"*', '"a"+', '"a"?', '"a"{2}', '"a"{2,}', '"a"{2,4}', "[a-c]",
    "[^a-c]", ".", r'"\n\x41\u00e9\\"', "other", '( "a"\n  | "b" )', '"a" # comment', '("a" "b"){2} "c"', "[-a]",
)  # fmt: skip


@pytest.mark.parametrize("body", READ)
def test_the_engine_reads_each_construct(body: str) -> None:
    text = f'root ::= {body}\nother ::= "1"\n'
    case = Case(name="", gbnf=text)
    assert outcome(by_engine, case, text) == outcome(by_python, case, text)
