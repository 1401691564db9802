"""Many grammars → a short fingerprint of each: `fingerprints.tsv`, written by `python -m tests.golden`.

A fingerprint is of what the front end makes, node for node: how many calls of the builder, and a digest of them. It
shows that a change meant to make nothing different makes nothing different; the tests of languages say what is right.
"""

from __future__ import annotations

import hashlib
import json
import random
import unicodedata
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, cast

from frisket import Grammar, JSONSchemaOptions, Limits
from frisket._core import GrammarBuilder
from frisket.errors import FrisketError
from frisket.json_schema import lower_json_schema
from tests.golden.outcomes import LONGEST, PATTERNS, TAGS, changes, edits
from tests.spec.cases import cases
from tests.spec.lowered import RecordingBuilder

FINGERPRINTS = Path(__file__).with_name("fingerprints.tsv")
#: How many random schemas there are.
SCHEMAS = 200

OPTIONS: list[dict[str, Any]] = [
    {}, {"whitespace": "compact"}, {"property_order": "any"}, {"whitespace": "pretty", "indent": 3},
    {"numbers": "free"}, {"escapes": "free", "whitespace": "free"}, {"property_order": "declared"},
    {"closed_objects": True}, {"separators": (", ", ": ")}, {"max_whitespace": 3}, {"max_items": 3},
    {"forbidden_texts": ("</x>", "ab")}, {"formats": "python"}, {"formats": "openapi"}, {"formats": "annotate"},
    {"nullable": True}, {"relaxed": True}, {"leading_space": True}, {"escape_letters": '"\\nt'},
    {"max_integer_digits": 5, "max_fraction_digits": 2, "max_exponent_digits": 2},
    {"max_second_digits": 2, "max_exponent_digits": 0},
]  # fmt: skip
TEXTS = ["a", "b", "ab", "x-1", "", "é", '"', "2024-01-31", "10.0.0.1"]
NAMES = ["a", "b", "ab", "x-1", "c", "type", "kind"]
KEYS = ["^a", "b$", "^x-", "^(a|c)$", "1"]
FORMATS = [
    "date",
    "time",
    "date-time",
    "duration",
    "uuid",
    "ipv4",
    "email",
    "hostname",
    "json-pointer",
    "int32",
    "byte",
]


def random_schema(rng: random.Random, depth: int = 3) -> Any:
    """A schema of any keywords, a few at a time."""
    if depth == 0 or rng.random() < 0.08:
        return rng.choice([True, {}, {"type": "null"}, {"type": "string"}, {"type": "integer"}, {"$ref": "#/$defs/r"}])
    found: dict[str, Any] = {}
    for _ in range(rng.choice((1, 1, 2, 2, 3))):
        rng.choice(WRITERS)(rng, found, depth - 1)
    return found


def _numbers(rng: random.Random, found: dict[str, Any], depth: int) -> None:
    found["type"] = rng.choice(("integer", "number", ["number", "string"]))
    found[rng.choice(("minimum", "exclusiveMinimum"))] = rng.choice((0, 1, -5, 0.5, 17, -0.25, 1000))
    if rng.random() < 0.6:
        found[rng.choice(("maximum", "exclusiveMaximum"))] = rng.choice((17, 100, 1234, 20.5, 1e6))
    if rng.random() < 0.4:
        found["multipleOf"] = rng.choice((1, 2, 3, 0.5, 0.01, 7, 10, 12))


def _texts(rng: random.Random, found: dict[str, Any], depth: int) -> None:
    kind = rng.randrange(4)
    found["type"] = "string"
    if kind == 0:
        found |= {"minLength": rng.randrange(4), "maxLength": rng.randrange(3, 9)}
    elif kind == 1:
        found["pattern"] = rng.choice(("^a+$", "b", "^[a-z]{2,5}$", "^(x|yz)*", r"\d$", "^é|[^a]$"))
    elif kind == 2:
        found["format"] = rng.choice(FORMATS)
    else:
        found |= {"pattern": "^[ab]*$", "maxLength": rng.randrange(1, 6), "not": {"const": rng.choice(TEXTS)}}


def _values(rng: random.Random, found: dict[str, Any], depth: int) -> None:
    values = [*TEXTS, 1, 0, -3, 1.5, 2.0, 1e30, True, False, None, [], [1, "a"], {}, {"a": 1, "b": [None]}]
    found["enum"] = rng.sample(values, rng.randrange(1, 5))


def _object(rng: random.Random, found: dict[str, Any], depth: int) -> None:
    names = rng.sample(NAMES, rng.randrange(5))
    found |= {"type": "object", "properties": {name: random_schema(rng, depth) for name in names}}
    more: list[dict[str, Any]] = [
        {"required": rng.sample(NAMES, rng.randrange(3))}, {"additionalProperties": rng.choice((False, True))},
        {"additionalProperties": random_schema(rng, depth)}, {"minProperties": rng.randrange(4)},
        {"patternProperties": {rng.choice(KEYS): random_schema(rng, depth)}}, {"maxProperties": rng.randrange(5)},
        {"propertyNames": rng.choice(({"maxLength": 2}, {"pattern": "^a"}, {"enum": NAMES}, {"not": {"const": "a"}}))},
        {"dependentRequired": {rng.choice(NAMES): rng.sample(NAMES, 2)}}, {"unevaluatedProperties": False},
        {"dependentSchemas": {rng.choice(NAMES): random_schema(rng, depth)}},
    ]  # fmt: skip
    for one in rng.sample(more, rng.randrange(4)):
        found |= one


def _array(rng: random.Random, found: dict[str, Any], depth: int) -> None:
    found["type"] = "array"
    more: list[dict[str, Any]] = [
        {"items": random_schema(rng, depth)}, {"prefixItems": [random_schema(rng, depth) for _ in range(2)]},
        {"minItems": rng.randrange(4)}, {"maxItems": rng.randrange(5)}, {"unevaluatedItems": False},
        {"contains": random_schema(rng, depth), "minContains": rng.randrange(3), "maxContains": rng.randrange(2, 4)},
        {"uniqueItems": True, "items": {"enum": rng.sample([1, 2, "a", "b", None, [1]], 3)}},
    ]  # fmt: skip
    for one in rng.sample(more, rng.randrange(1, 4)):
        found |= one


def _combined(rng: random.Random, found: dict[str, Any], depth: int) -> None:
    keyword = rng.choice(("allOf", "anyOf", "oneOf", "not", "if", "$ref"))
    if keyword == "not":
        found["not"] = random_schema(rng, depth)
    elif keyword == "if":
        found |= {
            word: random_schema(rng, depth) for word in ("if", *rng.choice((("then",), ("else",), ("then", "else"))))
        }
    elif keyword == "$ref":
        found["$ref"] = "#/$defs/r"
    else:
        found[keyword] = [random_schema(rng, depth) for _ in range(rng.choice((1, 2, 2, 3)))]


WRITERS: list[Callable[[random.Random, dict[str, Any], int], None]] = [
    _numbers, _texts, _values, _object, _object, _array, _combined, _combined,
]  # fmt: skip


def schemas() -> Iterator[tuple[Any, dict[str, Any]]]:
    """Random schemas, each with options."""
    for seed in range(SCHEMAS):
        rng = random.Random(seed)
        schema = random_schema(rng)
        if rng.random() < 0.6 or not isinstance(schema, dict):  # what nothing meets is then left out of an object
            schema = {"properties": {"p": schema, "q": random_schema(rng)}}
        schema["$defs"] = {"r": {"type": ["object", "null"], "properties": {"a": {"$ref": "#/$defs/r"}}}}
        yield schema, OPTIONS[seed % len(OPTIONS)] if rng.random() < 0.7 else {}


class Recorder(RecordingBuilder):
    """Writes down, too, what no spec case asks for."""

    def restrict_strings(self, node: int) -> None:
        self.builder.restrict_strings(node)
        self.calls.append(["restrict_strings", self.number(node)])


def of_schema(schema: Any, options: dict[str, Any]) -> str:
    """The calls that lower the schema, or the code of what refuses it."""
    recording = Recorder()
    try:
        lower_json_schema(cast("GrammarBuilder", recording), schema, JSONSchemaOptions(**options))
    except FrisketError as error:
        return f"{error.code} {error.where}"
    # Sets of texts are asked about in the order of their hashes.
    asked = sorted(json.dumps(call) for call in recording.calls if call[0] == "accepts")
    made = [call for call in recording.calls if call[0] != "accepts"]
    return f"{len(recording.calls)} {digest(json.dumps([made, asked]))}"


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


def _every() -> Iterator[tuple[str, Callable[[], str]]]:
    for number, (schema, options) in enumerate(schemas()):
        yield f"schema {number}", partial(of_schema, schema, options)
    limits = Limits(steps=10**5)
    for notation in ("gbnf", "abnf", "ebnf", "lark"):
        found = [case for case in cases() if getattr(case, notation) is not None and case.refused is None]
        for number, case in enumerate(found):
            text = getattr(case, notation)
            if len(text) <= 2 * LONGEST:
                read = partial(getattr(Grammar, f"from_{notation}"), **case.options, limits=limits)
                yield f"{notation} {number}", partial(of_texts, read, edits(text))
    for dialect in ("python", "ecma"):
        for number, pattern in enumerate(PATTERNS):
            yield f"{dialect} {number}", partial(of_texts, partial(Grammar.from_regex, dialect=dialect), edits(pattern))
    for number, tag in enumerate(TAGS):
        yield f"tag {number}", partial(of_texts, Grammar.from_structural_tag, list(map(json.dumps, changes(tag))))


#: Each grammar's name, and what makes its fingerprint.
EVERY = dict(_every())


def lines() -> Iterator[str]:
    """The file's lines."""
    yield f"unicode\t{unicodedata.unidata_version}"
    for name, make in EVERY.items():
        yield f"{name}\t{make()}"
