"""Array → FRK302 unbounded-array: nothing says how many items may come.

After each item, going on is as easy as stopping. A model that has nothing left to list may repeat itself.

Before:

```json
{"type": "array", "items": {"type": "string"}}
```

After:

```json
{"type": "array", "items": {"type": "string"}, "maxItems": 10}
```

**Finds** arrays without `maxItems`, `enum` or `const`. Tuples without further items, and arrays of unique items of an
enum, are bounded. Most arrays of most schemas are not: the rule runs only if it is selected.

**Fix**: none; only the author knows how many items are enough. `JSONSchemaOptions(max_items=…)` bounds all arrays.

**Evidence** (opinion): this follows from how masks work; how often a model goes on depends on the model.
"""

from __future__ import annotations

from collections.abc import Iterator

from frisket.lint.bound import says
from frisket.lint.document import Document, Subschema
from frisket.lint.finding import Finding
from frisket.lint.rule import Rule


def check(document: Document) -> Iterator[Finding]:
    """Every array without a bound."""
    for place in document.places:
        said = place.said.get("type")
        if (said == "array" or (isinstance(said, list) and "array" in said)) and not _is_bounded(document, place):
            yield RULE.finding(place.pointer, "the array has no greatest number of items", "add maxItems")


def _is_bounded(document: Document, place: Subschema) -> bool:
    if says(document, place, "maxItems", "enum", "const"):
        return True
    for one in document.conjuncts(place):
        said = one.said
        tuple_ends = "additionalItems" if isinstance(said.get("items"), list) else "items"
        if said.get(tuple_ends) is False or said.get("unevaluatedItems") is False:
            return True
        item = document.at(said.get("items"))
        if said.get("uniqueItems") is True and item is not None and document.values(item) is not None:
            return True
    return False


RULE = Rule("FRK302", "unbounded-array", "opinion", check, default=False)
