"""Property → FRK402 dead-property: no document can ever hold a property that the schema describes.

Before:

```json
{
  "allOf": [{"type": "object", "properties": {"name": {"type": "string"}}, "additionalProperties": false}],
  "properties": {"age": {"type": "integer"}}
}
```

After:

```json
{
  "allOf": [{"type": "object", "properties": {"name": {"type": "string"}}}],
  "properties": {"age": {"type": "integer"}},
  "unevaluatedProperties": false
}
```

**Finds** properties that another keyword forbids at every place where they could come: `additionalProperties: false`
in another part of the same object, since it sees only the properties beside it; a type other than object; values that
all have a wrong type; and up to draft 7 all keywords beside `$ref`, which are ignored.

**Fix**: none, since only the author knows the intention. Close the whole object with `unevaluatedProperties`, or list
the properties where the object is closed.

**Evidence** (published): [A Tour of JSON
Schema](https://tour.json-schema.org/content/07-Miscellaneous/01-Extending-Closed-Schemas-with-unevaluatedProperties)
shows the trap.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

from frisket import FrisketError
from frisket.lint.document import Document, Subschema, common_types, strings, table
from frisket.lint.finding import Finding
from frisket.lint.rule import Rule

if TYPE_CHECKING:
    from frisket import Grammar

#: Keywords of an object that are ignored beside `$ref`.
SHADOWED = ("properties", "required", "additionalProperties", "patternProperties")

#: Limit steps of compiling a pattern, and of reading a name by it.
_STEPS_PER_PATTERN = 1_000


def check(document: Document) -> Iterator[Finding]:
    """Every property that no document can have."""
    for place in document.places:
        if place.said is not place.schema:
            idle = [word for word in SHADOWED if word in place.schema]
            if idle and isinstance(place.schema["$ref"], str):
                yield RULE.finding(
                    place.to(idle[0]),
                    f"{idle[0]} counts nowhere: up to draft 7 everything beside $ref is ignored",
                    "put the reference into allOf",
                )
            continue
        properties = table(place.said, "properties")
        if not properties:
            continue
        ways = document.ways(place)
        if ways is None:
            continue  # so far as is known, a document can have it
        contexts = [document.along(way) for way in ways]
        if all(_has_no_objects(context) for context in contexts):
            yield RULE.finding(
                place.to("properties"),
                "properties are listed where no object can come",
                'say "type": "object", or put the properties into items',
            )
            continue
        for name, schema in properties.items():
            if schema is False:
                continue
            killers = [_killer(document, context, way, name) for context, way in zip(contexts, ways, strict=True)]
            if all(killer is not None for killer in killers):
                yield RULE.finding(
                    place.to("properties", name),
                    f'"{name}" can never come: {killers[0]}',
                    "close the object with unevaluatedProperties instead, or list the property where it is closed",
                )
            elif _has_no_value(document, document.at(schema)):
                yield RULE.finding(
                    place.to("properties", name),
                    f'"{name}" can never come: its values have another type than it says',
                    "correct the type, or the values",
                )


def _has_no_objects(context: list[Subschema]) -> bool:
    types = common_types(context)
    return types is not None and "object" not in types


def _killer(document: Document, context: list[Subschema], way: list[Subschema], name: str) -> str | None:
    """The keyword that forbids the property in one context, in words for a message."""
    for one in context:
        if _forbids(document, one, name):
            return f"{one.to('additionalProperties')} is false, and the property is not listed there"
        for keyword in ("anyOf", "oneOf"):
            branches = one.said.get(keyword)
            if isinstance(branches, list) and branches:
                places = [document.at(branch) for branch in branches]
                if not any(place in way for place in places) and all(
                    place is not None and any(_forbids(document, part, name) for part in document.applied(place))
                    for place in places
                ):
                    return f"no alternative of {one.to(keyword)} allows it"
    return None


def _forbids(document: Document, place: Subschema, name: str) -> bool:
    if name in table(place.said, "properties"):
        return False
    if place.said.get("additionalProperties") is not False:
        return False
    patterns = table(place.said, "patternProperties")
    document.meter.spend(_STEPS_PER_PATTERN * len(patterns))
    return not any(_matches(pattern, name) for pattern in patterns)


def _matches(pattern: str, name: str) -> bool:
    try:
        return _texts(pattern).accepts(json.dumps(name))
    except FrisketError:  # the pattern cannot be read, so it may allow the name
        return True


@lru_cache(maxsize=256)
def _texts(pattern: str) -> Grammar:
    """The strings that a pattern allows; compiling one pattern takes little time."""
    from frisket import Grammar, JSONSchemaOptions

    return Grammar.from_json_schema({"type": "string", "pattern": pattern}, JSONSchemaOptions(escapes="free"))


def _has_no_value(document: Document, place: Subschema | None) -> bool:
    if place is None or not strings([place.said.get("type")]):
        return False
    return document.values(place) == []


RULE = Rule("FRK402", "dead-property", "published", check)
