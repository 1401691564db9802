"""Schemas × options → where the front end and the oracle differ: language, errors, report.

    python -m tests.oracle.native                       every schema of MaskBench and of the official suite
    python -m tests.oracle.native --sample 20           one in twenty
    python -m tests.oracle.native --only suite --schemas ref/3 --show
    python -m tests.oracle.native --conjunctions 5000        random conjunctions of real, of the suite's and of random ones
    python -m tests.oracle.native --options free             other options: free, any, declared, compact, pretty, closed …

Two grammars of one dump are one language. Others are asked for the documents that come with the schema and for
mutations of these, each spelled in two ways.
"""

from __future__ import annotations

import argparse
import copy
import itertools
import json
import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any

from frisket import Vocabulary, _core, json_schema
from frisket.errors import FrisketError
from frisket.json_schema import DEFAULT, JSONSchemaOptions, Report
from tests.conformance import suite
from tests.conformance.converse import mutate
from tests.data import data_dir, maskbench
from tests.oracle.json_schema import compile_json_schema

MUTATIONS = 5
#: Texts that are drawn of each of two grammars.
WALKS = 20
#: A token for each byte.
BYTES = Vocabulary.from_bytes([*(bytes([value]) for value in range(256)), None], eos=[256])
#: Kinds of differences, the worst first.
KINDS = ("crash", "language", "error", "omissions", "narrowed", "notes", "message")


@dataclass(frozen=True, slots=True)
class Subject:
    """A schema with its documents."""

    name: str
    schema: Any
    documents: list[Any] = field(default_factory=list)
    options: JSONSchemaOptions = DEFAULT
    registry: Any = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one front end made of a schema."""

    grammar: _core.Grammar | None
    error: tuple[str, str | None] | None = None
    words: tuple[str, ...] = ()
    omissions: frozenset[tuple[str, str, str]] = frozenset()
    narrowed: frozenset[tuple[str, str, str]] = frozenset()
    notes: tuple[str, ...] = ()
    seconds: float = 0.0


def of_python(subject: Subject) -> Outcome:
    return _outcome(subject, compile_json_schema)


def of_native(subject: Subject) -> Outcome:
    return _outcome(subject, json_schema.compile_json_schema)


def _outcome(subject: Subject, compile_it: Callable[..., tuple[_core.Grammar, Report]]) -> Outcome:
    began = time.perf_counter()
    try:
        grammar, report = compile_it(subject.schema, subject.options, subject.registry)
    except FrisketError as error:
        return _failed(error, began)
    seconds = time.perf_counter() - began
    told = [
        frozenset((entry.pointer, entry.keyword, entry.slips) for entry in some)
        for some in (report.loosened, report.narrowed)
    ]
    return Outcome(grammar, None, (), *told, tuple(report.notes), seconds)


def _failed(error: FrisketError, began: float) -> Outcome:
    words = (error.message, error.hint or "", repr(getattr(error, "places", None)))
    return Outcome(None, (error.code, error.where), words, seconds=time.perf_counter() - began)


def differences(subject: Subject, python: Outcome, native: Outcome, *, seed: int) -> Iterator[tuple[str, str]]:
    """(kind, what differs)"""
    if python.error != native.error:
        yield "error", f"{python.error} {python.words[:1]}\n      native {native.error} {native.words[:1]}"
        return
    if python.words != native.words:
        pairs = zip(python.words, native.words, strict=True)
        yield "message", "\n      native ".join(next(pair for pair in pairs if pair[0] != pair[1]))
    if python.grammar is not None and native.grammar is not None:
        found = _told_apart(python.grammar, native.grammar, subject.documents, seed)
        if found is not None:
            yield "language", found
    for kind in ("omissions", "narrowed"):
        one, other = getattr(python, kind), getattr(native, kind)
        # Of copies, each side tells of those that it met.
        if {entry[1:] for entry in one} != {entry[1:] for entry in other}:
            yield kind, f"{sorted(one - other)}\n      native {sorted(other - one)}"
    if python.notes != native.notes:
        yield "notes", f"{python.notes}\n      native {native.notes}"


def _bare(grammar: _core.Grammar) -> str:
    """A dump without the names of rules."""
    return "\n".join(line for line in grammar.dump().splitlines() if not line.startswith("# "))


def difference(schema: Any, options: JSONSchemaOptions = DEFAULT, registry: Any = None) -> str | None:
    """What the front end and the oracle differ in, if anything."""
    subject = Subject("", schema, [], options, registry)
    told = differences(subject, of_python(subject), of_native(subject), seed=0)
    # Messages quote in two ways; tests/golden keeps those of the front end.
    return "; ".join(f"{kind}: {what}" for kind, what in told if kind != "message") or None


def _told_apart(python: _core.Grammar, native: _core.Grammar, documents: list[Any], seed: int) -> str | None:
    if _bare(python) == _bare(native):
        return None
    chance = random.Random(seed)
    walked = (text for grammar in (python, native) for text in _texts(grammar, chance))
    for data in itertools.chain(_spelled(documents, chance), walked):
        if python.accepts(data) != native.accepts(data):
            return f"Python {'accepts' if python.accepts(data) else 'refuses'} {data[:300]!r}"
    return None


def _spelled(documents: list[Any], chance: random.Random) -> Iterator[bytes]:
    """Documents and mutations of them, each in two layouts."""
    for document in documents:
        for round in range(MUTATIONS + 1):
            changed = copy.deepcopy(document)
            for _ in range(min(round, 3)):
                changed = mutate(changed, chance)
            for separators in ((",", ":"), (", ", ": ")):
                text = json.dumps(changed, separators=separators, ensure_ascii=False, default=float)
                with suppress(UnicodeEncodeError):
                    yield text.encode()


def _texts(grammar: _core.Grammar, chance: random.Random) -> Iterator[bytes]:
    """Texts of a grammar: random bytes that may come, then the shortest end."""
    compiled = grammar.compile(BYTES)
    for _ in range(WALKS):
        matcher = compiled.matcher()
        text = bytearray()
        for _ in range(chance.choice((3, 12, 40))):
            allowed = [token for token in matcher.allowed() if token < 256]
            if not allowed:
                break
            text.append(chance.choice(allowed))
            matcher.advance(text[-1])
        yield bytes(text) + (matcher.completion() or b"")


def subjects(only: str | None) -> Iterator[Subject]:
    folder = data_dir()
    if only != "suite":
        for entry in maskbench(folder):
            yield Subject(entry["id"], entry["schema"], [test["data"] for test in entry["tests"]])
    if only != "maskbench":
        for draft in suite.DRAFTS:
            registry = suite.registry(folder, draft)
            for case in suite.cases(folder, draft):
                formats: Any = case.formats
                options = JSONSchemaOptions(
                    property_order="any",
                    numbers="free",
                    max_integer_digits=330,
                    max_second_digits=40,
                    formats=formats,
                )
                documents = [_plain(test["data"]) for test in case.tests]
                yield Subject(f"suite {draft} {case.name}", case.schema, documents, options, registry)


#: Characters of a schema that enters a conjunction: long ones cost minutes and differ in nothing else.
LONGEST = 2_500
OPTIONS = {
    "default": DEFAULT,
    "free": JSONSchemaOptions.free(),
    "any": JSONSchemaOptions(property_order="any"),
    "declared": JSONSchemaOptions(property_order="declared"),
    "compact": JSONSchemaOptions(whitespace="compact", formats="openapi", nullable=True),
    "pretty": JSONSchemaOptions(whitespace="pretty", escapes="free"),
    "annotate": JSONSchemaOptions(formats="annotate"),
    "closed": JSONSchemaOptions(closed_objects=True, numbers="free"),
}


def conjunctions(first: int, count: int) -> Iterator[Subject]:
    """`allOf`, `anyOf`, `oneOf` and `not` of two or three schemas of one or several sources."""
    from tests.golden.invented import random_schema as invented
    from tests.property.test_front_end import random_schema as odd
    from tests.property.test_union import random_schema as union

    real: list[tuple[str, Any, list[Any]]] = []
    for subject in subjects(None):
        if isinstance(subject.schema, dict) and not (subject.name.startswith("suite") and "Ref" in subject.name):
            with suppress(TypeError, ValueError):
                if len(json.dumps(subject.schema)) <= LONGEST:
                    real.append((subject.name, subject.schema, subject.documents))
    of_suite = [each for each in real if each[0].startswith("suite")]
    of_bench = [each for each in real if not each[0].startswith("suite")]
    names = list(OPTIONS)
    for number in range(first, first + count):
        chance = random.Random(f"conjunction {number}")
        parts: list[Any] = []
        documents: list[Any] = []
        draft = chance.choice(
            ["https://json-schema.org/draft/2020-12/schema", "http://json-schema.org/draft-07/schema#"]
        )
        for place in range(chance.choice([2, 2, 3])):
            source = chance.randrange(5)
            if source < 2:
                _, schema, some = chance.choice(of_bench if source else of_suite)
                documents += some[:6]
            else:
                made = (
                    lambda: invented(chance),
                    lambda: odd(chance.randrange(10**9)),
                    lambda: union(chance.randrange(10**9)),
                )
                schema = made[source - 2]()
            schema = copy.deepcopy(schema)
            if isinstance(schema, dict) and "$ref" not in schema:
                schema.pop("$schema", None)
                schema.pop("id", None)
                schema = {"$defs": {"r": {"type": ["object", "null"]}}, **schema, "$id": f"http://parts.test/{place}"}
            parts.append(schema)
        if chance.random() < 0.3:
            parts[-1] = {"not": parts[-1]}
        keyword = chance.choice(["allOf", "allOf", "anyOf", "oneOf", "if"])
        whole: dict[str, Any] = {"$schema": draft}
        if keyword == "if":
            whole |= {"if": parts[0], "then": parts[1], "else": parts[-1]}
        else:
            whole[keyword] = parts
        options = OPTIONS[names[number % len(names)]]
        yield Subject(f"conjunction {number}", whole, documents[:12], options)


def _plain(value: Any) -> Any:
    if isinstance(value, Decimal):
        return float(value)
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return {key: _plain(item) for key, item in value.items()} if isinstance(value, dict) else value


def main(arguments: list[str] | None = None) -> int:
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--sample", type=int, default=1, help="one schema in so many")
    asked.add_argument("--first", type=int, default=0, help="where the sample begins")
    asked.add_argument("--only", choices=("maskbench", "suite"))
    asked.add_argument("--schemas", default="", help="those whose name holds the text")
    asked.add_argument("--conjunctions", type=int, default=0, help="so many, in place of the schemas themselves")
    asked.add_argument("--options", choices=tuple(OPTIONS), help="of MaskBench and of conjunctions")
    asked.add_argument("--relaxed", action="store_true", help="with what cannot be exact left out")
    asked.add_argument("--show", action="store_true", help="all differences, not only some of each kind")
    chosen = asked.parse_args(arguments)
    found: Counter[str] = Counter()
    seconds = [0.0, 0.0]
    count = same = 0
    made = conjunctions(chosen.first, chosen.conjunctions) if chosen.conjunctions else subjects(chosen.only)
    for number, subject in enumerate(made):
        if (not chosen.conjunctions and (number - chosen.first) % chosen.sample) or chosen.schemas not in subject.name:
            continue
        if chosen.options and not subject.name.startswith("suite"):
            subject = replace(subject, options=OPTIONS[chosen.options])
        if chosen.relaxed:
            options = JSONSchemaOptions(**{**subject.options.changes(), "relaxed": True})  # type: ignore[arg-type]
            subject = Subject(subject.name, subject.schema, subject.documents, options, subject.registry)
        count += 1
        python = of_python(subject)
        try:
            native = of_native(subject)
            told = list(differences(subject, python, native, seed=number))
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt):
                raise
            told = [("crash", f"{type(error).__name__}: {error}")]
        else:
            seconds = [seconds[0] + python.seconds, seconds[1] + native.seconds]
            if python.grammar is not None and native.grammar is not None:
                same += _bare(python.grammar) == _bare(native.grammar)
        for kind, what in told:
            found[kind] += 1
            if chosen.show or found[kind] <= 12:
                print(f"{kind:10} {subject.name}\n      {what}", flush=True)
    print(f"{count} schemas, {same} of one dump; Python {seconds[0]:.2f} s, native {seconds[1]:.2f} s")
    for kind in KINDS:
        print(f"{found[kind]:6} {kind}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
