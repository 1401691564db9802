"""Many grammars → a short fingerprint of each: `fingerprints.tsv`, written by `python -m tests.golden`.

A fingerprint is of what the front end makes, node for node: how many nodes, and a digest of them. It shows that a
change meant to make nothing different makes nothing different; the tests of languages say what is right.
"""

from __future__ import annotations

import hashlib
import json
import random
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from frisket import Grammar, JSONSchemaOptions, Limits
from frisket.errors import FrisketError
from frisket.json_schema import compile_json_schema
from tests.draft import FORMATS, OTHER_FORMATS
from tests.golden.invented import random_lark, random_pattern, schemas
from tests.golden.outcomes import LONGEST, PATTERNS, TAGS, changes, edits
from tests.spec.cases import cases

FINGERPRINTS = Path(__file__).with_name("fingerprints.tsv")


def of_schema(schema: Any, options: dict[str, Any]) -> str:
    """A digest of the schema's rules and one of its report, or the code and place of what refuses it."""
    try:
        grammar, report = compile_json_schema(schema, JSONSchemaOptions(**options))
    except FrisketError as error:
        return f"{error.code} {error.where}"
    entries = " ".join(f"{one.pointer}#{one.keyword} {one.status} {one.slips} {one.note}" for one in report.entries)
    return f"{f'{grammar.node_count} {grammar.fingerprint:032x}'[:24]} {digest(entries)}"


def _with_format(name: str) -> Iterator[tuple[Any, dict[str, Any]]]:
    """A format by every option for formats, alone, bounded, and among what is excluded."""
    beside: list[dict[str, Any]] = [{}, {"maxLength": 9}, {"pattern": "^[0-9a]"}, {"enum": ["a", "10.0.0.1", "1"]}]
    for formats in ("assert", "openapi", "python"):
        for one in beside:
            yield {"type": "string", "format": name, **one}, {"formats": formats}
        yield {"type": "string", "minLength": 1, "format": name}, {"formats": formats, "escapes": "free"}
    yield {"type": "string", "not": {"format": name}, "maxLength": 3}, {}
    yield {"format": name, "type": ["string", "integer"]}, {"max_second_digits": 0, "max_integer_digits": 3}


def of_schemas(asked: Iterable[tuple[Any, dict[str, Any]]]) -> str:
    """One digest of several schemas."""
    made = [of_schema(schema, options) for schema, options in asked]
    return f"{len(made)} {digest(' '.join(made))}"


def digest(text: str) -> str:
    return hashlib.blake2b(text.encode(), digest_size=6).hexdigest()


def of_texts(make: Callable[[str], Grammar], texts: list[str]) -> str:
    """How many of the texts are grammars, and a digest of all their rules."""
    rules = []
    for text in texts:
        try:
            rules.append(make(text).dump())
        except FrisketError as error:
            rules.append(f"{error.code} {error.where}")
    return f"{sum(rule.startswith('root') for rule in rules)} of {len(texts)} {digest(chr(0).join(rules))}"


def of_transcripts(make: Callable[[str], Grammar], texts: list[str]) -> str:
    """A digest of the same rules in GBNF and in the W3C's EBNF."""
    found = []
    for text in texts:
        try:
            grammar = make(text)
        except FrisketError:
            continue
        for write in (Grammar.to_gbnf, Grammar.to_ebnf):
            try:
                found.append(write(grammar))
            except FrisketError as error:
                found.append(str(error))
    return f"{len(found)} {digest(chr(0).join(found))}"


def _every() -> Iterator[tuple[str, Callable[[], str]]]:
    for number, (schema, options) in enumerate(schemas()):
        yield f"schema {number}", partial(of_schema, schema, options)
    for name in sorted((*FORMATS, *OTHER_FORMATS)):
        yield f"format {name}", partial(of_schemas, list(_with_format(name)))
    limits = Limits(steps=10**5)
    for notation in ("gbnf", "abnf", "ebnf", "lark"):
        found = [case for case in cases() if getattr(case, notation) is not None and case.refused is None]
        for number, case in enumerate(found):
            text = getattr(case, notation)
            if len(text) <= 2 * LONGEST:
                read = partial(getattr(Grammar, f"from_{notation}"), **case.options, limits=limits)
                yield f"{notation} {number}", partial(of_texts, read, edits(text))
                yield f"{notation} {number} said", partial(of_transcripts, read, edits(text)[::3])
    for dialect in ("python", "ecma"):
        for number, pattern in enumerate(PATTERNS):
            yield f"{dialect} {number}", partial(of_texts, partial(Grammar.from_regex, dialect=dialect), edits(pattern))
    rng = random.Random(7)
    for dialect in ("python", "ecma"):
        for number in range(30):
            patterns = [random_pattern(rng) for _ in range(10)]
            read = partial(Grammar.from_regex, dialect=dialect, search=bool(number % 2), limits=limits)
            yield f"random {dialect} {number}", partial(of_texts, read, patterns)
    for number in range(40):
        read = partial(Grammar.from_lark, limits=limits)
        yield f"random lark {number}", partial(of_texts, read, [random_lark(rng) for _ in range(5)])
    for number, tag in enumerate(TAGS):
        yield f"tag {number}", partial(of_texts, Grammar.from_structural_tag, list(map(json.dumps, changes(tag))))


#: Each grammar's name, and what makes its fingerprint.
EVERY = dict(_every())


def lines() -> Iterator[str]:
    """The file's lines."""
    yield f"unicode\t{unicodedata.unidata_version}"
    for name, make in EVERY.items():
        yield f"{name}\t{make()}"
