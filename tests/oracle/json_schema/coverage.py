"""Schema × options → its keywords that ask nothing of a document: annotations, and words that no draft knows.

JSON Schema bids every implementation ignore what it does not know. Whoever wrote `requried` meant something, though, so
the report names such a word and the keyword that is spelled like it. Nothing here is run by a compile.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from contextlib import suppress
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from frisket.errors import InvalidSchemaError
from frisket.json_schema.report import Entry
from frisket.lint.resolve import DRAFT4, DRAFT7, Documents, Resource, UnresolvedReference, subschemas
from tests.oracle.json_schema.formats import FORMATS, find_format, numeric_format
from tests.oracle.json_schema.keywords import KEYWORDS, RULES
from tests.oracle.json_schema.semantic import DRAFT_NAMES
from tests.oracle.json_schema.value import NUMBER, STRING, TYPES

if TYPE_CHECKING:
    from frisket.json_schema.options import JSONSchemaOptions

#: What names, describes or holds schemas, in JSON Schema and OpenAPI: nobody takes it for a condition, so it is not
#: listed.
METADATA = frozenset(
    (
        *("$schema", "$id", "id", "$anchor", "$dynamicAnchor", "$recursiveAnchor", "$vocabulary"),
        *("$defs", "definitions", "$comment", "title", "description", "default", "examples"),
        *("deprecated", "readOnly", "writeOnly", "example", "externalDocs", "xml"),
    )
)
#: Annotations that look like conditions.
ANNOTATIONS = {
    "contentEncoding": "contents are annotated; draft 7 asserts base64",
    "contentMediaType": "contents are annotated; draft 7 asserts application/json",
    "contentSchema": "contents are annotated",
    "discriminator": "OpenAPI's; the alternatives tell themselves apart",
}
#: Keywords that ask nothing without another one.
NEEDS = {"then": "if", "else": "if", "minContains": "contains", "maxContains": "contains"}
#: What a word that nobody knows may have been meant for: keywords, and formats.
WORDS = tuple(sorted(KEYWORDS | dict.fromkeys(METADATA)))
NAMES = tuple(sorted(name for name, known in FORMATS.items() if known.vocabulary == "json-schema"))
#: Words of more letters are not compared.
LONG = 64
#: How alike two words are, of 1, for the one to be taken for the other.
ALIKE = 0.8


def asides(documents: Documents, options: JSONSchemaOptions) -> Iterator[Entry]:
    """Every keyword of every place that asks nothing, and what is to be said of some that do.

    All of the schema is walked, places that no value ever comes to included, and what its references lead to.
    """
    pointers: set[str] = set()
    held: set[int] = set()
    stack: list[tuple[Any, Resource, str]] = [(documents.root.contents, documents.root, documents.root.pointer)]
    while stack:
        schema, resource, pointer = stack.pop()
        if not isinstance(schema, dict) or pointer in pointers:
            continue
        pointers.add(pointer)
        with suppress(InvalidSchemaError):  # nobody read the name of a place that no value comes to
            resource = documents.inside(schema, resource, pointer)
        yield from _of_place(schema, resource, pointer, options)
        # A dict may stand at several places, and hold itself: what is below it is looked at once.
        if id(schema) not in held:
            held.add(id(schema))
            stack += [(below, resource, where) for below, where in subschemas(schema, pointer)]
            for keyword in ("$ref", "$dynamicRef", "$recursiveRef"):
                if isinstance(reference := schema.get(keyword), str):
                    with suppress(UnresolvedReference, InvalidSchemaError):
                        stack.append(documents.resolve(reference, resource))


def _of_place(schema: dict[str, Any], resource: Resource, pointer: str, options: JSONSchemaOptions) -> Iterator[Entry]:
    draft = resource.draft
    rules = RULES[draft, resource.asserts]
    shadowed = draft <= DRAFT7 and "$ref" in schema
    for keyword, value in schema.items():
        if not isinstance(keyword, str) or keyword in METADATA:
            continue
        if keyword in rules:
            if shadowed and keyword != "$ref":
                yield Entry(pointer, keyword, "annotation", note="up to draft 7 nothing counts beside $ref")
            elif keyword == "format" and isinstance(value, str):
                yield _format(schema, draft, pointer, value, options)
            elif (note := _idle(schema, draft, keyword, value, options)) is not None:
                yield Entry(pointer, keyword, "annotation", note=note)
        elif keyword == "nullable":
            if value is True and not (options.nullable and "type" in schema):
                said = "asks nothing without type" if options.nullable else "JSONSchemaOptions(nullable=True) reads it"
                yield Entry(pointer, keyword, "annotation", note=f"OpenAPI 3.0's; {said}")
        elif keyword in ANNOTATIONS:
            yield Entry(pointer, keyword, "annotation", note=ANNOTATIONS[keyword])
        elif keyword.startswith("x-"):
            yield Entry(pointer, keyword, "annotation", note="an extension")
        elif keyword in KEYWORDS:
            _, first, last = KEYWORDS[keyword]
            if first <= draft <= last:
                yield Entry(pointer, keyword, "annotation", note="the metaschema leaves out what asserts it")
            else:
                drafts = f"draft {DRAFT_NAMES[first]}" + (f" to {DRAFT_NAMES[last]}" if last > first else "")
                note = f"a keyword of {drafts}; this is read as draft {DRAFT_NAMES[draft]}"
                yield Entry(pointer, keyword, "unknown", note=note)
        else:
            meant = alike(keyword, WORDS)
            yield Entry(
                pointer, keyword, "unknown", note=f"did you mean {meant}?" if meant else "no keyword of any draft"
            )


def _format(schema: dict[str, Any], draft: int, pointer: str, name: str, options: JSONSchemaOptions) -> Entry:
    """What becomes of a format: enforced or an annotation."""

    def annotation(note: str) -> Entry:
        return Entry(pointer, "format", "annotation", note=f"{name}: {note}")

    if options.formats == "annotate":
        return annotation("formats are annotations, as the options say")
    wide = options.formats in ("openapi", "python")
    kind = "numbers" if numeric_format(name) is not None else "texts"
    if numeric_format(name, openapi=wide) is None and find_format(name, draft=DRAFT_NAMES[draft], openapi=wide) is None:
        if kind == "numbers" or name in FORMATS:
            return annotation('a format of OpenAPI or Pydantic; formats="openapi" enforces it')
        meant = alike(name, NAMES)
        return annotation(f"no format of JSON Schema{f'; did you mean {meant}?' if meant else ''}")
    if not _mask(schema.get("type")) & (NUMBER if kind == "numbers" else STRING):
        return annotation(f"it says something of {kind}, and there can be none")
    known = FORMATS.get(name)
    if known is not None and known.note is not None:
        return Entry(pointer, "format", "enforced", note=known.note(options))
    return Entry(pointer, "format", "enforced")


def _idle(schema: dict[str, Any], draft: int, keyword: str, value: Any, options: JSONSchemaOptions) -> str | None:
    """Why a keyword of the draft asks nothing here; None if it asks something."""
    needed = NEEDS.get(keyword)
    if needed is not None and needed not in schema:
        return f"asks nothing without {needed}"
    if keyword == "additionalItems" and not isinstance(schema.get("items"), list):
        return "asks nothing without a list of items"
    if keyword in ("exclusiveMinimum", "exclusiveMaximum") and draft == DRAFT4:
        bound = keyword.removeprefix("exclusive").lower()
        return None if bound in schema else f"asks nothing without {bound}"
    if keyword in ("contentEncoding", "contentMediaType"):
        asserted = "base64" if keyword == "contentEncoding" else "application/json"
        if options.formats == "annotate":
            return "contents are annotations, as the options say"
        return None if value == asserted else f"only {asserted} is asserted"
    return None


def _mask(said: Any) -> int:
    """The types that `type` admits."""
    names = said if isinstance(said, list) else [said]
    mask = 0
    for name in names:
        mask |= TYPES.get(name, NUMBER | STRING) if isinstance(name, str) else NUMBER | STRING
    return mask


@lru_cache(maxsize=1024)
def alike(word: str, words: tuple[str, ...]) -> str | None:
    """The word that is spelled most like this one, capitals, dashes and the dollar aside; None if none is."""
    by_bare = {_bare(other): other for other in words}
    found = difflib.get_close_matches(_bare(word), by_bare, n=1, cutoff=ALIKE) if len(word) < LONG else ()
    return by_bare[found[0]] if found else None


def _bare(word: str) -> str:
    return word.replace("-", "").replace("_", "").replace("$", "").casefold()
