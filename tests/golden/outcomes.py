"""Texts that are slightly wrong → what is said of each: `outcomes/*.txt`, written by `python -m tests.golden`.

Every edit of one sign is tried on small grammars and patterns, and every keyword with values of all kinds. Messages are
listed with the first texts that end in each, so a change of a message, of its hint or of its place shows.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from frisket import Grammar, Limits
from frisket.errors import FrisketError
from tests.spec.cases import Case, cases

OUTCOMES = Path(__file__).with_name("outcomes")

#: Signs that mean something in some notation: each is put in at some place of each text.
SIGNS = "\"'[](){}<>|/\\^-*+?.,;:=#%!_~&@$ \n0a1é"
#: Characters of a text at most: an edit is tried at each of them.
LONGEST = 70
#: Grammars of a notation.
MOST = 10


def edits(text: str) -> list[str]:
    """The text without each of its characters, and with a sign before each: another one from place to place."""
    found = [text]
    for at in range(len(text) + 1):
        found.append(text[:at] + text[at + 1 :])
        found += [text[:at] + SIGNS[(at * 7 + turn * 19) % len(SIGNS)] + text[at:] for turn in (0, 1)]
    return list(dict.fromkeys(found))


def said(make: Callable[[], object]) -> str | None:
    """The error's place, message and hint; None if there is no error."""
    try:
        make()
    except FrisketError as error:
        return f"{error.where or '-'}\t{error.message}\t{error.hint or '-'}"
    return None


def listed(outcomes: Iterable[tuple[str, str | None]]) -> str:
    """Each message with its hint, then the texts that end in it, each with its place."""
    by_message: dict[str, list[str]] = {}
    accepted = 0
    for text, outcome in outcomes:
        if outcome is None:
            accepted += 1
            continue
        place, message, hint = outcome.split("\t", 2)
        by_message.setdefault(f"{message}\n  hint: {hint}", []).append(f"    {place}  {text!a}")
    lines = [f"{accepted} texts are read"]
    for message in sorted(by_message):
        texts = by_message[message]
        lines += [message, *texts[:2], *([f"    and {len(texts) - 2} more"] if len(texts) > 2 else [])]
    return "\n".join(lines) + "\n"


def of_notation(notation: str) -> str:
    """What is said of grammars of a notation with one sign more or less."""
    found: list[tuple[str, str | None]] = []
    for case in chosen(notation):
        make = getattr(Grammar, f"from_{notation}")
        options = case.options
        for text in edits(getattr(case, notation)):
            found.append((text, said(lambda: make(text, **options, limits=Limits(steps=10**5)))))  # noqa: B023
    return listed(found)


def chosen(notation: str) -> list[Case]:
    """Short grammars of the spec cases, spread over the file."""
    short = [case for case in cases() if getattr(case, notation) is not None and case.refused is None]
    short = [case for case in short if 12 < len(getattr(case, notation)) <= LONGEST]
    return short[:: max(1, len(short) // MOST)][:MOST]


PATTERNS = [
    r"^[a-c\d]+(?:x|y){2,3}?$", r"(?<n>a)(?=b)\bc", r"\u{1F600}\x41\cJ\t", r"(?i:a)[^\W_]*.", r"\p{L}{2}\P{Lu}|\-",
    r"(?P<n>a+)(?!b)\Z", r"[]a-][^]]", r"a{,3}b{2,}c{4}", r"(?s).(?#c)\A", r"[[:alpha:]&&a]", r"\N{DASH}\U0001F600\07",
]  # fmt: skip


def of_patterns(dialect: str) -> str:
    """What is said of patterns with one sign more or less."""
    texts = [text for pattern in PATTERNS for text in edits(pattern)]
    return listed((text, said(lambda: Grammar.from_regex(text, dialect=dialect))) for text in texts)  # type: ignore[arg-type]  # noqa: B023


KEYWORDS = [
    *("type", "enum", "const", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
    *("minLength", "maxLength", "pattern", "format", "contentEncoding", "contentMediaType", "items"),
    *("prefixItems", "additionalItems", "unevaluatedItems", "minItems", "maxItems", "uniqueItems"),
    *("contains", "minContains", "maxContains", "properties", "patternProperties", "additionalProperties"),
    *("unevaluatedProperties", "required", "minProperties", "maxProperties", "propertyNames", "dependentRequired"),
    *("dependentSchemas", "dependencies", "$ref", "$dynamicRef", "$recursiveRef", "allOf", "anyOf"),
    *("oneOf", "not", "if", "then", "else", "$schema", "$id", "id", "$anchor", "$dynamicAnchor"),
    *("$recursiveAnchor", "$vocabulary", "$defs", "definitions"),
]
VALUES: list[Any] = [
    *(None, True, False, 0, -1, 1.5, 3, "", "a", "[", "#/a", "strnig", [], ["a"], ["a", "a"], [1], [{}], [[]]),
    *({}, {"a": 1}, {"a": {}}, {"a": ["b"]}, {"[": {}}, {"a": "b"}),
]
DRAFTS = ["http://json-schema.org/draft-04/schema#", "http://json-schema.org/draft-07/schema#",
          "https://json-schema.org/draft/2019-09/schema", "https://json-schema.org/draft/2020-12/schema"]  # fmt: skip


def of_schemas(draft: str) -> str:
    """What is said of every keyword with a value of every kind, at a place of its own."""
    found = []
    for keyword in KEYWORDS:
        for value in VALUES:
            below = {"properties": {"p": {keyword: value}}}
            schema = {"$schema": draft, **below} if keyword != "$schema" else {"$schema": value}
            text = json.dumps({keyword: value})
            found.append((text, said(lambda: Grammar.from_json_schema(schema))))  # noqa: B023
    return listed(found)


FILES: dict[str, Callable[[], str]] = {
    **{f"notation_{name}": (lambda name=name: of_notation(name)) for name in ("gbnf", "abnf", "ebnf", "lark")},
    **{f"pattern_{name}": (lambda name=name: of_patterns(name)) for name in ("python", "ecma")},
    **{f"schema_{number}": (lambda draft=draft: of_schemas(draft)) for number, draft in enumerate(DRAFTS)},
}
