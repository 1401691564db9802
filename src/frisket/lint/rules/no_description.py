"""Property → FRK401 no-description: a name alone does not say what is meant, and nothing else does.

The name and the type are all that a model sees of a property without a description. `value` and `t2` may mean
anything; a `timeout` may be in seconds or in milliseconds.

Before:

```json
{"type": "object", "properties": {"timeout": {"type": "integer"}}}
```

After:

```json
{"type": "object", "properties": {"timeout": {"type": "integer", "description": "in milliseconds"}}}
```

**Finds** properties without `description`, `title`, `examples`, `enum`, `const` and `format` (references included)
that

* have a name of one or two letters that is no common word, numbered or not (`p`, `t2`, `p11`), except single letters
  beside each other, as in a formula;
* have a name that fits any value (`data`, `value`, `field3` …), hold a scalar, and have no property such as `name`,
  `type` or `unit` beside them that says what the value belongs to (a `value` may belong to the property around it);
* are numbers without bounds whose name needs a unit and has none (`timeout`, `weight`, `distance` …), except two sides
  of a shape.

**Fix**: none; describe the property, or name it by its meaning (`timeout_ms`).

**Evidence** (opinion): masks carry no descriptions; a prompt does (`Grammar.describe`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from frisket.lint.document import Document, Subschema
from frisket.lint.finding import Finding
from frisket.lint.rule import Rule
from frisket.lint.word import KNOWN_SHORT, QUANTITY, SIDES, VAGUE, VALUE, is_among, words

SAID = ("description", "title", "examples", "example", "enum", "const", "format", "pattern", "$comment", "default")
BOUNDS = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")
SCALARS = frozenset(("string", "integer", "number", "boolean", "null"))
#: Sibling properties that tell what a vaguely named value refers to.
SUBJECTS = frozenset(
    (
        *("name", "key", "id", "field", "label", "type", "unit", "units", "code", "metric", "attribute", "operator"),
        *("parameter", "property", "currency", "kind", "variable", "title"),
    )
)
#: Limit steps of looking at the name of a property.
_STEPS_PER_NAME = 20
#: Letters of coordinates and axes, which are numbered by habit.
AXES = frozenset("xyz")
_NUMBERED = re.compile(r"([A-Za-z]+)[_-]?\d{1,3}")


def check(document: Document) -> Iterator[Finding]:
    """Every property whose meaning a reader can only guess."""
    for place, table in document.tables():
        for name, schema in table.items():
            member = document.at(schema)
            reason = _unclear(document, place, member, name) if member is not None else None
            if reason is not None:
                yield RULE.finding(
                    place.to("properties", name),
                    f'"{name}" {reason}, and nothing describes it',
                    "describe it, or call it by its meaning",
                )


def _others(document: Document, holder: Subschema, name: str) -> Iterator[str]:
    """The other properties of an object; each call is charged for all of them."""
    properties = holder.said["properties"]
    document.meter.spend(_STEPS_PER_NAME * len(properties))
    return (one for one in properties if one != name)


def _unclear(document: Document, holder: Subschema, place: Subschema, name: str) -> str | None:
    types = document.types(place)
    if types is None or not types <= SCALARS:
        return None
    if any(one.schema.get(word) is not None for one in document.applied(place) for word in SAID):
        return None
    numbered = _NUMBERED.fullmatch(name)
    stem = numbered[1] if numbered else name
    if len(name) == 1 and any(len(one) == 1 for one in _others(document, holder, name)):
        return None  # letters of a formula: a, b, c; r, g, b; w, h
    if len(stem) < 3 and stem.isalpha() and stem.lower() not in KNOWN_SHORT | AXES:
        return "is too short a name to say what it means"
    if holder.name is not None and is_among(stem, VALUE):
        return None  # the value of the property that holds it
    if is_among(stem, VAGUE):
        others = (words(one).rpartition(" ")[2] for one in _others(document, holder, name))
        if SUBJECTS.isdisjoint(others):
            return "is a name for any value"
    numeric = types <= {"integer", "number", "null"}
    if is_among(name, SIDES) and any(is_among(one, SIDES) for one in _others(document, holder, name)):
        return None
    if numeric and is_among(name, QUANTITY) and not any(word in place.said for word in BOUNDS):
        return "is a number whose unit is not said"
    return None


RULE = Rule("FRK401", "no-description", "opinion", check)
