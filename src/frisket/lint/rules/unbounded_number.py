"""Number → FRK303 unbounded-number: nothing says how large, or how small, a number may be.

The mask can enforce a bound that the author knows: a share is at most 1, a rating at most 5, an age at least 0.

Before:

```json
{"type": "object", "properties": {"rating": {"type": "integer"}}}
```

After:

```json
{"type": "object", "properties": {"rating": {"type": "integer", "minimum": 1, "maximum": 5}}}
```

**Finds** numbers without a lower bound or without an upper one, and without `enum` or `const`. `JSONSchemaOptions`
always bounds the number of digits. Most numbers of most schemas have no bounds: the rule runs only if it is selected.

**Fix**: none; only the author knows the range.

**Evidence** (published): without bounds, numbers were reported whose digits went on until the tokens ran out
([Gemini's cookbook 1288](https://github.com/google-gemini/cookbook/issues/1288)).
"""

from __future__ import annotations

from collections.abc import Iterator

from frisket.lint.bound import says
from frisket.lint.document import Document, strings
from frisket.lint.finding import Finding
from frisket.lint.rule import Rule


def check(document: Document) -> Iterator[Finding]:
    """Every number without bounds."""
    for place in document.places:
        said = place.said.get("type")
        if not {"integer", "number"}.intersection([said] if isinstance(said, str) else strings(said)):
            continue
        if says(document, place, "enum", "const"):
            continue
        low = says(document, place, "minimum", "exclusiveMinimum")
        high = says(document, place, "maximum", "exclusiveMaximum")
        if not (low and high):
            missing = "upper bound" if low else "lower bound" if high else "bounds"
            keywords = "maximum" if low else "minimum" if high else "minimum and maximum"
            yield RULE.finding(place.pointer, f"the number has no {missing}", f"add {keywords}")


RULE = Rule("FRK303", "unbounded-number", "published", check, default=False)
