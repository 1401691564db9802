"""Object → FRK105 late-member: an open object may be past an optional member when the model comes to write it.

Members come in the order of `properties`; members that the object does not list come last. A model that leaves out
`forecast` and writes `days` cannot go back. If it then begins the key `"forecast`, the object reads a member that it
does not list: no token may close the key there, and the model must go on to a name such as `"forecast_2`.

Before:

```json
{
  "type": "object",
  "properties": {"forecast": {"type": "string"}, "days": {"type": "integer"}},
  "required": ["days"]
}
```

After:

```json
{
  "type": "object",
  "properties": {"forecast": {"type": "string"}, "days": {"type": "integer"}},
  "required": ["days"],
  "additionalProperties": false
}
```

**Finds** objects with an optional property before a required one that allow any other member: nothing that applies to
the same value has `additionalProperties`, `unevaluatedProperties`, `propertyNames` or `maxProperties`, or only as
`true`. FRK104 handles schemas whose names a tool has sorted: their members come in any order.

**Fix** (unsafe): `"additionalProperties": false`, if no other subschema applies to the same value.
`JSONSchemaOptions(closed_objects=True)` closes all such objects, and `property_order="any"` lets a member come late. A
model never leaves out a required property.

**Evidence** (opinion): this follows from how masks work; how often a model leaves a member out first depends on the
model.
"""

from __future__ import annotations

from collections.abc import Iterator

from frisket.lint.document import Document, Subschema, quoted, strings
from frisket.lint.finding import Add, Finding, Fix, Replace
from frisket.lint.order import is_sorted_table
from frisket.lint.rule import Rule
from frisket.lint.rules.open_object import CLOSING, COMBINING


def check(document: Document) -> Iterator[Finding]:
    """Every open object with an optional property before a required one."""
    if document.is_sorted:
        return
    for place, table in document.tables():
        if not _is_open(document, place) or is_sorted_table(place):
            continue
        required = {name for one in document.conjuncts(place) for name in strings(one.said.get("required"))}
        names = [name for name, said in table.items() if said is not False and not name.startswith("$")]
        last = max((at for at, name in enumerate(names) if name in required), default=0)
        late = next((name for name in names[:last] if name not in required), None)
        if late is None:
            continue
        fix = None
        if not any(word in place.said for word in COMBINING) and len(document.conjuncts(place)) == 1:
            pointer = place.to("additionalProperties")
            edit = Replace(pointer, False) if "additionalProperties" in place.said else Add(pointer, False)
            fix = Fix("the object is closed", (edit,), safe=False)
        yield RULE.finding(
            place.to("properties", late),
            f"a model that leaves {quoted(late)} out and wants it later must invent a key that begins so",
            'add additionalProperties: false, require the property, or compile with property_order="any"',
            fix,
        )


def _is_open(document: Document, place: Subschema) -> bool:
    """Whether any member may come beside those that are listed."""
    words = ("enum", "const", *CLOSING)
    said = [(word, one.said[word]) for one in document.conjuncts(place) for word in words if word in one.said]
    return all(value is True or word == "patternProperties" for word, value in said)


RULE = Rule("FRK105", "late-member", "opinion", check)
