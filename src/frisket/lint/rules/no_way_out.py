"""Enum → FRK203 no-way-out: a text is sorted into classes, and none of them is for what fits nowhere.

A mask allows only the listed classes. An input that belongs to none of them gets one all the same, and the answer does
not show it.

Before:

```json
{
  "type": "object",
  "properties": {"category": {"enum": ["billing", "technical", "account"]}},
  "required": ["category"]
}
```

After:

```json
{
  "type": "object",
  "properties": {"category": {"enum": ["billing", "technical", "account", "other"]}},
  "required": ["category"]
}
```

**Finds** a required property that is named as a class (`category`, `intent`, `topic`, `cause` …) with an enum of three
or more texts, if neither null nor a value such as `other`, `unknown`, `none`, `mixed` or `neutral` is allowed.

**Fix** (unsafe): the value `other` is added.

**Evidence** (opinion): this follows from how masks work; how often it happens depends on the inputs.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from frisket.lint.document import Document, strings
from frisket.lint.finding import Add, Finding, Fix
from frisket.lint.rule import Rule
from frisket.lint.word import CLASS, CLOSED, is_among, words

#: A value with one of these words is a way out.
OUT = frozenset(
    (
        *("other", "others", "unknown", "none", "unclear", "undefined", "unspecified", "unsure", "neutral", "mixed"),
        *("misc", "miscellaneous", "general", "na", "n", "any", "all", "else", "default", "uncategorized", "custom"),
        *("undetermined", "uncertain", "not", "no", "null", "generic", "various", "unclassified"),
    )
)


def check(document: Document) -> Iterator[Finding]:
    """Every required classification without a value for inputs that fit no class."""
    for place, properties in document.tables():
        required = set(strings(place.said.get("required")))
        for name in properties:
            member = document.at(properties[name])
            if name not in required or member is None or not _is_class(name):
                continue
            values: list[Any] = document.values(member) or []
            texts = strings(values)
            if (
                len(texts) < 3
                or len(texts) < len(values)
                or any(not OUT.isdisjoint(words(one).split()) for one in texts)
            ):
                continue
            holder = next(one for one in document.applied(member) if isinstance(one.said.get("enum"), list))
            yield RULE.finding(
                holder.to("enum"),
                f'"{name}" has {len(texts)} classes and none for what fits nowhere',
                'add a value such as "other", or let the property be null or absent',
                Fix('"other" becomes a value', (Add(holder.to("enum", "-"), "other"),), safe=False),
            )


def _is_class(name: str) -> bool:
    return is_among(name, CLASS) or words(name).rpartition(" ")[2] in CLASS - CLOSED


RULE = Rule("FRK203", "no-way-out", "opinion", check)
