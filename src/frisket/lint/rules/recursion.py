"""Reference → FRK305 recursion: a value may hold values like itself, to any depth.

Each level costs tokens for its keys and brackets, and nothing but the model's taste ends the nesting.

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

**Finds** references that lead back to a place around them. Reported is the reference, once for each place it leads
to. Recursion is often meant: the rule runs only if it is selected.

**Fix**: none; write out as many levels as are needed, or list the nodes flat and let each name its parent.

**Evidence** (opinion): it follows from what a mask is; hosted APIs bound the depth of answers or refuse recursion.
"""

from __future__ import annotations

from collections.abc import Iterator

from frisket.lint.document import Document, Subschema
from frisket.lint.finding import Finding
from frisket.lint.rule import Rule


def check(document: Document) -> Iterator[Finding]:
    """Every reference that closes a circle."""
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
