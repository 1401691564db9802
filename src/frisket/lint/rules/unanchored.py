"""Pattern → FRK501 unanchored: a pattern describes a part of the text, and anything may stand around it.

JSON Schema searches for a pattern anywhere in the text. `[A-Z]{3}` allows `so ABC it is`, and in `^a|b$` each anchor
applies to one alternative only.

Before:

```json
{"type": "string", "pattern": "^[A-Z]{2}|[0-9]{4}$"}
```

After:

```json
{"type": "string", "pattern": "^(?:[A-Z]{2}|[0-9]{4})$"}
```

**Finds** patterns without an anchor at the beginning, or at the end, of every match. An end with an explicit `.*`
counts as anchored. Patterns that only ask for a fixed text (`^https://`, `[.]png$`) or for one character of a class
give no finding: they leave the rest open on purpose.

**Fix** (unsafe): `^(?:…)$` around the pattern; texts with more than the match are then invalid.

**Evidence** (published): the specification says that regular expressions are not implicitly anchored
([JSON Schema Validation, 6.3.3](https://json-schema.org/draft/2020-12/json-schema-validation#section-6.3.3)).
"""

from __future__ import annotations

from collections.abc import Iterator

from frisket.lint.document import Document
from frisket.lint.finding import Finding, Fix, Replace
from frisket.lint.pattern import ends
from frisket.lint.rule import Rule


def check(document: Document) -> Iterator[Finding]:
    """Every pattern that is not anchored at both ends."""
    for place in document.places:
        pattern = place.said.get("pattern")
        if not isinstance(pattern, str):
            continue
        start, end, _, partial = ends(pattern)
        if partial or (start and end):
            continue
        where = "behind" if start else "before" if end else "around"
        yield RULE.finding(
            place.to("pattern"),
            f"any text may stand {where} what the pattern {pattern!r} describes",
            "write ^(?:…)$, or .* where any text is meant",
            Fix(f"^(?:…)$ around {pattern!r}", (Replace(place.to("pattern"), f"^(?:{pattern})$"),), safe=False),
        )


RULE = Rule("FRK501", "unanchored", "published", check)
