"""A keyword less × the language: every keyword that the report calls enforced must make a difference.

    python -m tests.conformance.mutation                    50 keywords each of one schema in ten, MaskBench and suite
    python -m tests.conformance.mutation --sample 1 --keywords 100000       all of them, and all of their keywords
    python -m tests.conformance.mutation --schemas Glaive   those whose name holds the text
    python -m tests.conformance.mutation --resume file      goes on where that file ends, and writes to it

Each keyword is taken out in turn. A *witness* is a document that the grammar of one of the two schemas accepts and that
of the other does not; a validator must say the same of it. Candidates: the documents that come with the schema, walks
under the grammars of what only one of the two accepts (`difference`), walks under both grammars, and mutations of all
these; where the whole difference is more than the algebra takes, walks are led to the place (`difference.led`). A
keyword is *redundant* if no value satisfies one of the two and not the other: the algebra finds both differences empty,
of whole documents or already of the place alone. What is neither is *undecided*.
"""

from __future__ import annotations

import contextlib
import copy
import json
import random
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from frisket.json_pointer import find
from tests.conformance import difference
from tests.conformance.converse import mutate
from tests.conformance.judge import Judges, NoJudge
from tests.conformance.sweep import Subject, Tally, parser, sweep
from tests.conformance.walk import MANNERS, DeadEnd, Hints, Late, Table, Walker

SECONDS = 30
FAILURES = ("disputed",)
DEPENDENCIES = ("dependencies", "dependentRequired")
#: What holds schemas for others to refer to, and what says how to read them.
SILENT = ("$schema", "$defs", "definitions")


def keywords(schema: Any, grammar: Any) -> Iterator[tuple[str, str]]:
    """The keywords of the document itself (not of metaschemas) that are reported as enforced: pointer and name."""
    for entry in grammar.report.entries:
        if entry.status == "enforced" and entry.keyword not in SILENT:
            part = find(schema, entry.pointer)
            if isinstance(part, dict) and entry.keyword in part:
                yield entry.pointer, entry.keyword


def check(subject: Subject, walker: Walker, *, seed: int, most: int) -> Tally:
    """The verdict on every enforced keyword of a schema, or on so many of them."""
    from frisket.errors import FrisketError

    tally = Tally()
    schema = subject.schema
    if not isinstance(schema, dict):
        return tally
    compiled = _compiler(subject)
    try:
        grammar = compiled(schema)
        judges = _judges(subject, schema)
    except (FrisketError, NoJudge) as error:
        tally.counts[f"schemas left out ({type(error).__name__})"] += 1
        return tally
    chance = random.Random(f"{seed}/{subject.name}")
    tally.counts["schemas"] += 1
    found = list(keywords(schema, grammar))
    for pointer, keyword in found if len(found) <= most else chance.sample(found, most):
        name = f"{subject.name}: {pointer or '(root)'} {keyword}"
        walker.until = time.monotonic() + SECONDS
        verdict, evidence = _verdict(subject, pointer, keyword, (compiled, grammar, judges), walker, chance)
        tally.note(verdict, f"{name}: {evidence}")
    return tally


def _compiler(subject: Subject) -> Callable[..., Any]:
    from frisket import Grammar
    from frisket.json_schema import JSONSchemaOptions

    formats: Any = subject.formats

    def compiled(schema: Any, *, relaxed: bool = False) -> Any:
        options = JSONSchemaOptions(property_order="any", numbers="free", formats=formats, relaxed=relaxed)
        return Grammar.from_json_schema(schema, options, subject.registry)

    return compiled


def _judges(subject: Subject, schema: Any) -> Judges:
    return Judges(schema, formats=subject.formats == "assert", registry=subject.registry)


def _verdict(
    subject: Subject,
    pointer: str,
    keyword: str,
    here: tuple[Callable[..., Any], Any, Judges],
    walker: Walker,
    chance: random.Random,
) -> tuple[str, str]:
    from frisket.errors import FrisketError, LimitExceededError, UnsatisfiableSchemaError, UnsupportedSchemaError

    compiled, grammar, judges = here
    schema = subject.schema
    changed = difference.without(schema, pointer, keyword)
    other: Any = None
    try:
        other_judges = _judges(subject, changed)
        other = compiled(changed)
    except UnsatisfiableSchemaError:
        return "witness", "nothing satisfies the schema without it"
    except UnsupportedSchemaError as error:
        if any(" is not among the documents given" in reason for _, reason in error.places):
            return "witness", "without it a reference leads nowhere"
    except LimitExceededError:
        pass
    except NoJudge as error:
        if "ValidationError" in str(error):
            return "witness", "without it this is no schema"
        return "undecided", str(error)[:100]
    except FrisketError as error:
        return "undecided", f"the schema without it is refused: {str(error)[:100]}"
    # What cannot be compiled without the keyword is judged by the validator alone.
    accepts = other.accepts if other is not None else other_judges.accepts
    sides = (other, grammar) if other is not None else (grammar,)
    disputed = ""
    for text in _candidates(subject, pointer, keyword, compiled, sides, walker, chance):
        if text is None:
            return "redundant", "no value satisfies one and not the other"
        if time.monotonic() > walker.until:
            break
        try:
            said = grammar.accepts(text), accepts(text)
            if said[0] != said[1]:
                if (judges.accepts(text), other_judges.accepts(text)) == said:
                    return "witness", text.decode()[:300]
                disputed = disputed or text.decode()[:300]
        except (FrisketError, NoJudge):  # a limit: no answer
            continue
    return ("disputed", disputed) if disputed else ("undecided", "")


def _candidates(
    subject: Subject,
    pointer: str,
    keyword: str,
    compiled: Callable[..., Any],
    sides: tuple[Any, ...],
    walker: Walker,
    chance: random.Random,
) -> Iterator[bytes | None]:
    """Texts that may tell the two grammars apart, the likeliest first; None once it is proven that none does."""
    schema = subject.schema
    hints = hints_of(schema)
    seen = list(subject.valid)
    for document in seen:
        yield _written(document)
    for _ in range(20):
        yield _written(mutate(copy.deepcopy(chance.choice(seen)), chance)) if seen else b""
    yield from _apart(difference.alone(schema, pointer, keyword), compiled, walker, chance, seen, budgets=())
    for probed in (True, False) if keyword == "maxLength" else (False, True):
        if way := difference.led(schema, pointer, keyword, probed=probed):
            yield from _apart(way, compiled, walker, chance, seen, proves=False)
    if keyword == "uniqueItems":
        yield from (_written(doubled) for document in seen for doubled in with_a_twin(document))
    yield from _walks(sides, hints, walker, chance, [60] * 8, seen)
    if both := difference.whole(schema, difference.without(schema, pointer, keyword), pointer):
        yield from _apart(both, compiled, walker, chance, seen)
    for _ in range(400):
        if time.monotonic() > walker.until or not seen:
            return
        yield _written(stretched(copy.deepcopy(chance.choice(seen)), bounds(schema), chance))
    yield from _walks(sides, hints, walker, chance, [60] * 40, seen)
    for _ in range(600):
        if time.monotonic() > walker.until or not seen:
            return
        yield _written(mutate(copy.deepcopy(chance.choice(seen)), chance))


def _apart(
    pair: tuple[Any, Any],
    compiled: Callable[..., Any],
    walker: Walker,
    chance: random.Random,
    seen: list[Any],
    *,
    budgets: Sequence[int] = (0, 4, 8, 16, 32, 64),
    proves: bool = True,
) -> Iterator[bytes | None]:
    """Walks under the grammars of what only one of two schemas accepts; None if there are none."""
    from frisket.errors import FrisketError, UnsatisfiableSchemaError, UnsupportedSchemaError

    empty = 0
    for only in pair:
        grammar = None
        try:
            grammar = compiled(only)
        except UnsatisfiableSchemaError:
            empty += 1
        except UnsupportedSchemaError:  # what is not exact shows nothing, but may be walked
            with contextlib.suppress(FrisketError):
                grammar = compiled(difference.repeatable(only), relaxed=True)
        except FrisketError:
            continue
        if grammar is not None:
            yield from _walks((grammar,), hints_of(only), walker, chance, budgets, seen)
    if empty == 2 and proves:
        yield None


def bounds(schema: Any) -> list[int]:
    """The upper bounds of counts that a schema names."""
    names = ("maxItems", "maxLength", "maxProperties", "maxContains")
    found = {part.get(name) for _, part in difference.places(schema, "") for name in names}
    return sorted(int(value) for value in found if isinstance(value, (int, float)) and value < 70_000)


def stretched(value: Any, counts: list[int], chance: random.Random) -> Any:
    """The document with one array, object or text of one more than some bound."""
    count = (chance.choice(counts) if counts else 1) + 1
    if isinstance(value, (dict, list)) and value and chance.random() < 0.6:
        key = chance.choice(list(value) if isinstance(value, dict) else range(len(value)))
        value[key] = stretched(value[key], counts, chance)
    elif isinstance(value, dict):
        value.update((f"x{number}", None) for number in range(count - len(value)))
    elif isinstance(value, list) and value:
        first = value[0]
        for number in range(len(value), count):
            other = {str: f"{first}{number}", int: number, float: number + 0.5}.get(type(first), first)
            value.append(chance.choice([first, other]) if number == len(value) - 1 else other)
    elif isinstance(value, str):
        value = value + (value[-1:] or "x") * (count - len(value))
    return value


def with_a_twin(value: Any) -> Iterator[Any]:
    """The document with the first item of one of its arrays twice, array by array."""
    if isinstance(value, list):
        if value:
            yield [value[0], *value]
        for index, item in enumerate(value):
            yield from ([*value[:index], changed, *value[index + 1 :]] for changed in with_a_twin(item))
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from ({**value, key: changed} for changed in with_a_twin(item))


def hints_of(schema: Any) -> Hints:
    """What a schema speaks of, the names that only dependencies name among it."""
    tables = [part[name] for _, part in difference.places(schema, "") for name in DEPENDENCIES if name in part]
    lists = [value for table in tables if isinstance(table, dict) for value in table.values()]
    names = [name for value in lists if isinstance(value, list) for name in value]
    return Hints.from_schema([schema, {"required": names}])


def _walks(
    grammars: tuple[Any, ...],
    hints: Hints,
    walker: Walker,
    chance: random.Random,
    budgets: Sequence[int],
    seen: list[Any],
) -> Iterator[bytes]:
    """A walk with each of the budgets, manner by manner; with a budget of 0 it is the shortest text."""
    from frisket.errors import FrisketError

    try:
        matchers = [grammar.core.compile(walker.table.core) for grammar in grammars]
        for number, budget in enumerate(budgets):
            matcher = matchers[number // 2 % len(matchers)].matcher()
            text = walker.walk(matcher, chance, MANNERS[number % len(MANNERS)], budget, hints)
            yield text
            seen.append(json.loads(text))
    except (Late, DeadEnd, FrisketError):
        return


def _written(document: Any) -> bytes:
    return json.dumps(document, ensure_ascii=False).encode("utf-8", "replace")


def main(arguments: list[str] | None = None) -> int:
    asked = parser("Every enforced keyword makes a difference")
    asked.set_defaults(sample=10)
    asked.add_argument("--keywords", type=int, default=50, help="at most so many of each schema, chosen by the seed")
    asked.add_argument("--verbose", action="store_true", help="what is undecided")
    chosen = asked.parse_args(arguments)
    shown = (*FAILURES, "undecided") if chosen.verbose else FAILURES
    play = partial(check, walker=Walker(Table.small()), seed=chosen.seed, most=chosen.keywords)
    return sweep(chosen, play, FAILURES, shown)


if __name__ == "__main__":
    sys.exit(main())
