"""Object → FRK304 open-object: an object that lists its properties may hold any others.

JSON Schema lets every object have members that it does not list, with any value. A model may invent such members, and
the reader of the answer throws them away.

Before:

```json
{"type": "object", "properties": {"city": {"type": "string"}}}
```

After:

```json
{"type": "object", "properties": {"city": {"type": "string"}}, "additionalProperties": false}
```

**Finds** objects with `properties` if no subschema of the same value limits other members (`additionalProperties`,
`unevaluatedProperties`, `patternProperties`, `propertyNames`, `maxProperties`). Most objects of most schemas are so:
the rule runs only if it is selected. `JSONSchemaOptions(closed_objects=True)` closes all of them.

**Fix** (unsafe): `"additionalProperties": false`, if no other subschema applies to the same value.

**Evidence** (opinion): this follows from how masks work; how often a model invents members depends on the model.
"""

from __future__ import annotations

from collections.abc import Iterator

from frisket.lint.bound import says
from frisket.lint.document import Document
from frisket.lint.finding import Add, Finding, Fix
from frisket.lint.rule import Rule

CLOSING = ("additionalProperties", "unevaluatedProperties", "patternProperties", "propertyNames", "maxProperties")
#: Beside one of these, a closed object would forbid the members that other subschemas list.
COMBINING = ("allOf", "anyOf", "oneOf", "$ref", "if", "dependentSchemas", "dependencies")


def check(document: Document) -> Iterator[Finding]:
    """Every object that lists properties and allows others."""
    for place, table in document.tables():
        if not table or says(document, place, *CLOSING, "enum", "const"):
            continue
        fix = None
        if not any(word in place.said for word in COMBINING) and len(document.conjuncts(place)) == 1:
            fix = Fix("the object is closed", (Add(place.to("additionalProperties"), False),), safe=False)
        yield RULE.finding(
            place.pointer, "the object may hold members that it does not list", "add additionalProperties: false", fix
        )


RULE = Rule("FRK304", "open-object", "opinion", check, default=False)
