"""Texts that are slightly wrong → what is said of each: `outcomes/*.txt`, written by `python -m tests.golden`.

Every edit of one sign is tried on small grammars and patterns, and every keyword with values of all kinds. Messages are
listed with the first text that ends in each, so a change of a message, of its hint or of its place shows.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from frisket import Grammar, JSONSchemaOptions, Limits
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
    """Each message with its hint, then the first text that ends in it, with the place."""
    by_message: dict[str, list[str]] = {}
    accepted = 0
    for text, outcome in outcomes:
        if outcome is None:
            accepted += 1
            continue
        place, message, hint = outcome.split("\t", 2)
        by_message.setdefault(f"{message}\n  hint: {hint}", []).append(f"    {place}  {text[:LONGEST]!a}")
    lines = [f"{accepted} texts are read"]
    for message in sorted(by_message):
        texts = by_message[message]
        lines += [message, texts[0], *([f"    and {len(texts) - 1} more"] if len(texts) > 1 else [])]
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
    *({}, {"a": 1}, {"a": {}}, {"a": ["b"]}, {"[": {}}, {"a": "b"}, 12345678901, 1e-12, 1e40, r"(a)\1", "http://x.y/z"),
    *(
        {r"(a)\1": {}},
        "dat",
        "byte",
        "int32",
        "base64",
        "application/json",
        "idn-email",
        [{"type": "a"}, {"maxlength": 1}],
    ),
]
DRAFTS = ["http://json-schema.org/draft-04/schema#", "http://json-schema.org/draft-07/schema#",
          "https://json-schema.org/draft/2019-09/schema", "https://json-schema.org/draft/2020-12/schema"]  # fmt: skip


def of_schemas(draft: str) -> str:
    """What is said of every keyword with a value of every kind, at a place of its own."""
    found = []
    for keyword in (*KEYWORDS, "nullable", "maxlength", "x-a", "discriminator"):
        for value in VALUES:
            below = {"properties": {"p": {keyword: value}}}
            schema = {"$schema": draft, **below} if keyword != "$schema" else {"$schema": value}
            text = json.dumps({keyword: value})
            found.append((text, noted(schema, JSONSchemaOptions())))
            if keyword in ("format", "pattern", "multipleOf", "uniqueItems", "contentMediaType", "nullable"):
                for changes in ({"relaxed": True}, {"formats": "openapi"}, {"formats": "annotate"}, {"nullable": True}):
                    found.append((f"{text} {changes}", noted(schema, JSONSchemaOptions(**changes))))  # type: ignore[arg-type]
    return listed(found)


def noted(schema: Any, options: JSONSchemaOptions) -> str | None:
    """The error, or what the report says beside that keywords are enforced; None if it says no more."""
    outcome = said(lambda: Grammar.from_json_schema(schema, options))
    if outcome is not None:
        return outcome
    report = Grammar.from_json_schema(schema, options).report
    assert report is not None
    lines = [line for line in str(report).splitlines() if not line.startswith("ok ") or ":" in line]
    return f"report\t{'; '.join(lines)}\t{'; '.join(report.notes) or '-'}" if lines or report.notes else None


OBJECT = {"type": "object", "properties": {"x": {"type": "integer"}, "y": {"type": "string"}}, "required": ["x"]}


def _tag(begin: Any, content: Any, end: Any) -> dict[str, Any]:
    return {"type": "tag", "begin": begin, "content": content, "end": end}


CONST, ANY = {"type": "const_string", "value": "ab"}, {"type": "any_text", "excludes": ["no"], "max_chars": 3}
INNER = [_tag("<f=a>", CONST, "</f>"), _tag("<f=b>", {"type": "any_text"}, ["</f>", "."])]
RULES = [["@a", CONST], ["@b", {"type": "regex", "pattern": "b+"}]]
FORMS: list[dict[str, Any]] = [
    ANY, *INNER, {"type": "grammar", "grammar": 'root ::= "a" root | "b"'}, {"type": "regex", "pattern": "a|b{2}"},
    {"type": "sequence", "elements": [CONST, ANY]}, {"type": "or", "elements": [CONST, ANY]},
    {"type": "plus", "content": CONST}, {"type": "repeat", "min": 1, "max": 2, "content": CONST},
    {"type": "triggered_tags", "triggers": ["<f="], "tags": INNER, "at_least_one": False, "stop_after_first": True},
    {"type": "triggered_tags", "triggers": ["<f=a", "<f=b"], "tags": INNER, "at_least_one": True, "excludes": ["no"]},
    {"type": "tags_with_separator", "tags": INNER, "separator": ",", "at_least_one": True, "stop_after_first": False},
    {"type": "dispatch", "rules": RULES, "loop": False}, _tag({"type": "token", "token": "<b>"}, ANY, "</b>"),
    {"type": "dispatch", "rules": RULES, "excludes": ["x"]}, {"type": "any_tokens", "exclude_tokens": ["<x>", 3]},
    {"type": "token_triggered_tags", "trigger_tokens": ["<b>"], "exclude_tokens": ["<x>"],
     "tags": [_tag({"type": "token", "token": "<b>"}, CONST, {"type": "token", "token": "<e>"})]},
    {"type": "token_dispatch", "rules": [["<b>", CONST]], "loop": True},
    *({"type": "json_schema", "json_schema": OBJECT, "style": style, "any_order": True} for style in
      ("json", "qwen_xml", "minimax_xml", "deepseek_xml", "glm_xml", "cohere_xml", "kimi_k3_xml")),
    {"type": "json_schema", "json_schema": OBJECT, "max_whitespace_cnt": 2, "any_order": False},
    {"type": "qwen_xml_parameter", "json_schema": OBJECT},
]  # fmt: skip
#: Structural tags of every kind, and of the older one.
TAGS: list[Any] = [{"type": "structural_tag", "format": form} for form in FORMS]
TAGS.append({"triggers": ["<f"], "structures": [{"begin": "<f=a>", "schema": OBJECT, "end": "</f>"}]})


def changes(value: Any) -> list[Any]:
    """The value with each of its parts left out, and with another value in its place."""
    found = [value]
    for key in value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
        less = {name: part for name, part in value.items() if name != key} if isinstance(value, dict) else [
            part for at, part in enumerate(value) if at != key
        ]  # fmt: skip
        found.append(less)
        others = [*(None, True, False, -1, 0, 2, 2.5, "", "ab", "<f", [], [""], ["a"], {}), *changes(value[key])[1:]]
        for other in others:
            if isinstance(value, dict):
                found.append({**value, key: other})
            else:
                found.append([*value[:key], other, *value[key + 1 :]])
    return found


def of_tags() -> str:
    """What is said of structural tags with one part changed."""
    texts = [json.dumps(changed) for tag in TAGS for changed in changes(tag)]
    return listed((text, said(lambda: Grammar.from_structural_tag(text))) for text in texts)  # noqa: B023


FILES: dict[str, Callable[[], str]] = {
    **{f"notation_{name}": (lambda name=name: of_notation(name)) for name in ("gbnf", "abnf", "ebnf", "lark")},
    **{f"pattern_{name}": (lambda name=name: of_patterns(name)) for name in ("python", "ecma")},
    "structural_tag": of_tags,
    **{f"schema_{number}": (lambda draft=draft: of_schemas(draft)) for number, draft in enumerate(DRAFTS)},
}
