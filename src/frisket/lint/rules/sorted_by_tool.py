"""Properties → FRK104 sorted-by-tool: the names are in alphabetical order, so nobody chose what a model writes first.

Maps of Go and Rust, serializers that sort keys, and some registries lose the order that an author chose. Masks then
leave the order to the model (`JSONSchemaOptions.property_order`), and hosted APIs use the alphabetical order.

Before:

```json
{
  "type": "object",
  "properties": {
    "answer": {"type": "integer"},
    "question": {"type": "string"},
    "steps": {"type": "string"},
    "unit": {"type": "string"}
  },
  "required": ["question", "steps", "answer"]
}
```

After:

```json
{
  "type": "object",
  "properties": {
    "question": {"type": "string"},
    "steps": {"type": "string"},
    "answer": {"type": "integer"},
    "unit": {"type": "string"}
  },
  "required": ["question", "steps", "answer"]
}
```

**Finds** a schema whose names are all in alphabetical order and too many for chance (for example ten in one object),
and an object with four or more properties in alphabetical order whose `required` has another order.

**Fix** (safe): the properties take the order of `required`, and properties that it does not name come last. If
`required` is sorted, too, the author's order is lost: write it again, or make the tool keep it.

**Evidence** (published): [instructor 1285](https://github.com/567-labs/instructor/issues/1285) and [Gemini's cookbook
354](https://github.com/google-gemini/cookbook/issues/354) report sorted schemas that put answers before their reasons.
The cost of that order is measured in
[experiments/order](https://github.com/frisket/frisket/tree/main/experiments/order).
"""

from __future__ import annotations

from collections.abc import Iterator

from frisket.lint.document import Document, strings
from frisket.lint.finding import Finding
from frisket.lint.order import is_sorted_table, reordered
from frisket.lint.rule import Rule


def check(document: Document) -> Iterator[Finding]:
    """The document, if all its names are sorted, and every sorted object whose `required` has another order."""
    if document.is_sorted:
        yield RULE.finding(
            "",
            "all names of this schema are in alphabetical order: a tool sorted them",
            "write the properties in the order in which they should be thought of",
        )
    for place, table in document.tables():
        if is_sorted_table(place):
            asked = [name for name in dict.fromkeys(strings(place.said["required"])) if name in table]
            names = [*asked, *(name for name in table if name not in asked)]
            yield RULE.finding(
                place.to("properties"),
                "the properties are in alphabetical order, and `required` has another one",
                "give the properties the order of `required`",
                reordered(place, names, "the properties take the order of `required`"),
            )


RULE = Rule("FRK104", "sorted-by-tool", "published", check)
