"""Random schemas × documents near them × two validators → how often frisket says something else than both.

    python -m tests.conformance.invented --cases 100000             all keywords, a few at a time
    python -m tests.conformance.invented --source conjunctions      schemas of another source, of MaskBench among them
    python -m tests.conformance.invented --only 4711 --show 50      one case, with its schema

A case is a number and gives the same schema and documents everywhere. Its documents are what walks under the grammar
write, the values that the schema names, small ones of every type, and small changes of all these. Options:
`JSONSchemaOptions.free()`, so that no spelling is left out but what its page names. A schema that frisket calls
unsatisfiable must have no valid document; one that it refuses is counted under the error's code.
"""

from __future__ import annotations

import argparse
import copy
import json
import random
import sys
import warnings
from collections.abc import Iterator
from typing import Any

from frisket import Grammar, Vocabulary
from frisket.errors import FrisketError, UnsatisfiableSchemaError
from frisket.json_schema import JSONSchemaOptions
from tests.conformance.converse import mutate, restyle
from tests.conformance.judge import Judges, NoJudge
from tests.conformance.random_schemas import SOURCES, schema_of
from tests.conformance.sweep import Tally

FAILURES = ("valid REFUSED", "invalid ACCEPTED")
OPTIONS = JSONSchemaOptions.free(max_exponent_digits=3, max_integer_digits=330)
PIECES = ['{"', '":', '","', '"a"', '"b"', '"ab"', '"x-1"', '"c"', '"type"', '"kind"', "[1", "],", "true", "null", "},"]
VOCABULARY = Vocabulary.from_bytes([*(bytes([byte]) for byte in range(256)), *map(str.encode, PIECES), b""], eos=271)
SMALL: list[Any] = [
    None, True, 0, 1, -5, 17, 1.5, 0.25, "", "a", "ab", "xyz", [], [1], ["a", 1], [None, None], {}, {"a": 1},
    {"a": {}, "b": "x"}, {"type": "a", "kind": 1, "c": None},
]  # fmt: skip
#: Walks for each schema, their most tokens, and changes of each document.
WALKS, TOKENS, CHANGES = 4, 60, 2


def main(arguments: list[str] | None = None) -> int:
    asked = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    asked.add_argument("--cases", type=int, default=1000)
    asked.add_argument("--first", type=int, default=0, help="the first case's number")
    asked.add_argument("--source", choices=tuple(SOURCES), default="keywords")
    asked.add_argument("--only", type=int, help="this case alone")
    asked.add_argument("--show", type=int, default=20, help="how many failures to print")
    chosen = asked.parse_args(arguments)
    numbers = range(chosen.first, chosen.first + chosen.cases) if chosen.only is None else [chosen.only]
    total = Tally()
    for done, number in enumerate(numbers, 1):
        if chosen.only is not None:
            print(json.dumps(schema_of(chosen.source, number)))
        total.add(check(chosen.source, number))
        if sys.stderr.isatty() and done % 100 == 0:
            wrong = sum(total.counts[kind] for kind in FAILURES)
            print(f"\r{done:,} of {len(numbers):,}, {wrong} wrong", end="", file=sys.stderr)
    print(f"schemas: {len(numbers):,}, from number {numbers[0]} on")
    total.show(chosen.show, (*FAILURES, "limits"))
    return int(any(total.counts[kind] for kind in FAILURES))


def check(source: str, number: int) -> Tally:
    """Every document of one schema of a source, as the grammar and both validators judge it."""
    return judged(schema_of(source, number), random.Random(f"documents {number}"), f"{number}")


def judged(schema: Any, draw: random.Random, name: str) -> Tally:
    """Random documents of a schema, as the grammar and both validators judge them; `name` is told with examples."""
    tally = Tally()
    grammar = None
    try:
        grammar = Grammar.from_json_schema(schema, OPTIONS)
    except UnsatisfiableSchemaError:
        tally.counts["unsatisfiable schemas"] += 1
    except FrisketError as error:
        tally.counts[f"schemas refused ({error.code})"] += 1
        return tally
    try:
        judges = Judges(schema)
    except NoJudge:
        tally.counts["schemas without a judge"] += 1
        return tally
    is_narrowed = grammar is not None and grammar.report is not None and bool(grammar.report.narrowed)
    missed = "valid, left out by a narrowed keyword" if is_narrowed else "valid REFUSED"
    texts = documents(schema, grammar, draw)
    while True:
        try:
            text = next(texts, None)
            if text is None:
                return tally
            accepted = grammar is not None and grammar.accepts(text)
        except FrisketError as error:
            tally.note(f"limits reached ({error.code})", name)
            return tally
        try:
            wrong, explained = judges.wrong(text.encode())
            if accepted and wrong and judges.refused_by_all(text.encode()):
                tally.note("invalid ACCEPTED", f"{name}: {text[:300]}")
            elif not accepted and not wrong and not explained:
                tally.note(missed, f"{name}: {text[:300]}")
            elif (wrong and accepted) or explained:
                tally.counts["the validators differ"] += 1
            else:
                tally.counts["valid accepted" if accepted else "invalid refused"] += 1
        except NoJudge:
            tally.counts["documents without a judge"] += 1


def documents(schema: Any, grammar: Grammar | None, draw: random.Random) -> Iterator[str]:
    values = [*SMALL, *named(schema)]
    if grammar is not None:
        for _ in range(WALKS):
            text = walk(grammar, draw)
            yield text
            values.append(json.loads(text))
    for value in values:
        changed = [mutate(copy.deepcopy(value), draw) for _ in range(CHANGES)]
        for one in (value, *changed):
            yield restyle(one, draw, whole_floats=False) if draw.random() < 0.2 else json.dumps(one)


def named(schema: Any) -> Iterator[Any]:
    """The values of `const` and `enum` anywhere in a schema."""
    if isinstance(schema, list):
        for part in schema:
            yield from named(part)
    elif isinstance(schema, dict):
        yield from schema.get("enum", ()) if isinstance(schema.get("enum"), list) else ()
        for part in schema.values():
            yield from named(part)


def walk(grammar: Grammar, draw: random.Random) -> str:
    """A document of the grammar, drawn token by token, then ended the shortest way."""
    matcher = grammar.compile(VOCABULARY).matcher()
    written = b""
    for _ in range(draw.randrange(TOKENS)):
        token = draw.choice(matcher.allowed())
        if token in VOCABULARY.eos:
            break
        matcher.advance(token)
        written += VOCABULARY.token(token) or b""
    return (written + (matcher.completion() or b"")).decode()


if __name__ == "__main__":
    warnings.simplefilter("ignore", FutureWarning)
    sys.exit(main())
