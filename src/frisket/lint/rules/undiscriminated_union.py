"""Union → FRK403 undiscriminated-union: no property says which alternative an object is.

The reader of the answer has to try one alternative after the other, and takes an object that fits two of them for the
first (under `oneOf` it is invalid). The model, too, has no property by which it could choose.

Before:

```json
{
  "anyOf": [
    {
      "type": "object",
      "properties": {"name": {"type": "string"}, "age": {"type": "integer"}},
      "required": ["name"]
    },
    {
      "type": "object",
      "properties": {"name": {"type": "string"}, "employees": {"type": "integer"}},
      "required": ["name"]
    }
  ]
}
```

After:

```json
{
  "anyOf": [
    {
      "type": "object",
      "properties": {"kind": {"const": "person"}, "name": {"type": "string"}},
      "required": ["kind", "name"]
    },
    {
      "type": "object",
      "properties": {"kind": {"const": "company"}, "name": {"type": "string"}},
      "required": ["kind", "name"]
    }
  ]
}
```

**Finds** alternatives of `anyOf` and `oneOf` that list properties, if some object fits two of them. The engine decides
that exactly, with all keywords; if that takes too long, required properties and their types decide.

**Fix**: none; give each alternative, as its first, a required property with a constant of its own.

**Evidence** (published): Pydantic recommends discriminated unions as more predictable and faster
([Unions](https://docs.pydantic.dev/latest/concepts/unions/)).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from frisket.lint.document import Document, strings
from frisket.lint.finding import Finding
from frisket.lint.overlap import is_disjoint
from frisket.lint.rule import Rule
from frisket.lint.union import Branch, unions

#: Most alternatives compared: the first ones.
MOST = 64
#: Most pairs that the engine compares; the others count as disjoint.
QUESTIONS = 16


def check(document: Document) -> Iterator[Finding]:
    """Every union with two alternatives that one object may fit."""
    for union in unions(document):
        asked = {name for place in document.conjuncts(union.place) for name in strings(place.said.get("required"))}
        pairs = combinations(union.branches[:MOST], 2)
        doubtful = [pair for pair in pairs if not _is_plainly_disjoint(document, *pair, asked)]
        for one, other in doubtful[:QUESTIONS]:
            if not is_disjoint(document, (one.place, other.place), asked):
                yield RULE.finding(
                    union.place.to(union.keyword),
                    f"one object may fit both {one.place.pointer} and {other.place.pointer}",
                    f'let each alternative require "{union.discriminators[0]}"'
                    if union.discriminators
                    else "give each alternative a required property with a constant of its own",
                )
                break


def _is_plainly_disjoint(document: Document, one: Branch, other: Branch, asked: set[str]) -> bool:
    """Whether a cheap test shows that no object fits both; `asked` are the names that both require."""
    for name in one.required | other.required | asked:
        left, right = one.members.get(name), other.members.get(name)
        if (left is None and one.closed) or (right is None and other.closed):
            return True
        if left is None or right is None:
            continue
        types, others = document.types(left), document.types(right)
        if types is not None and others is not None and not types & others:
            return True
        if name in one.constants and name in other.constants and not one.constants[name] & other.constants[name]:
            return True
    return False


RULE = Rule("FRK403", "undiscriminated-union", "published", check)
