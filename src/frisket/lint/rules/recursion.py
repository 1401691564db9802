"""Reference → FRK305 recursion: a value may hold values like itself, to any depth.

Each level costs tokens for keys and brackets, and only the model's choices end the nesting.

Before:

```json
{
  "$ref": "#/$defs/node",
  "$defs": {
    "node": {
      "type": "object",
      "properties": {"name": {"type": "string"}, "children": {"type": "array", "items": {"$ref": "#/$defs/node"}}}
    }
  }
}
```

After:

```json
{
  "$ref": "#/$defs/node",
  "$defs": {
    "node": {
      "type": "object",
      "properties": {"name": {"type": "string"}, "children": {"type": "array", "items": {"$ref": "#/$defs/leaf"}}}
    },
    "leaf": {"type": "object", "properties": {"name": {"type": "string"}}}
  }
}
```

**Finds** references to a place that contains the reference; one finding for each such place. Recursion is often meant:
the rule runs only if it is selected.

**Fix**: none; write out as many levels as are needed, or list the nodes flat and let each name its parent.

**Evidence** (opinion): this follows from how masks work; hosted APIs bound the depth of answers or refuse recursion.
"""

from __future__ import annotations

from collections.abc import Iterator

from frisket.lint.document import Document, Subschema
from frisket.lint.finding import Finding
from frisket.lint.rule import Rule


def check(document: Document) -> Iterator[Finding]:
    """Every reference to a place around it."""
    if not document.places:
        return
    root = document.places[0]
    entered, left = {root}, set[Subschema]()
    told: set[Subschema] = set()
    stack = [(root, iter(root.below))]
    while stack:
        place, rest = stack[-1]
        keyword, below = next(rest, ("", None))
        if below is None:
            left.add(place)
            stack.pop()
        elif below not in entered:
            entered.add(below)
            stack.append((below, iter(below.below)))
        elif below not in left and below not in told:
            told.add(below)
            yield RULE.finding(
                place.to(keyword),
                f"values nest to any depth: this leads back to {below.pointer or 'the root'}",
                "write out as many levels as are needed, or make the list flat",
            )


RULE = Rule("FRK305", "recursion", "opinion", check, default=False)
