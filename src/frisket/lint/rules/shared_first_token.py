"""Enum × vocabulary → FRK201 shared-first-token: values begin with the same token, which therefore decides nothing.

A model's preference for a token is its preference for all texts that begin with it, including invalid ones. If values
differ in their first token, one step compares them; if they share it, the model commits to that token before it has
compared the values.

Before, with GPT-2's vocabulary:

```json
{"enum": ["order_status", "order_refund", "chat"]}
```

After:

```json
{"enum": ["status", "refund", "chat"]}
```

**Finds** enums of at most 32 texts of which two share their first token, which is the longest token at the beginning of
the text with its closing quote. It needs `vocabulary` (`--vocabulary`).

**Fix**: none; give the values names that begin differently, and translate them afterwards.

**Evidence** (published): greedy choices under a mask follow the mass of prefixes, not of values
([Park et al. 2024, Grammar-Aligned Decoding](https://arxiv.org/abs/2405.21047)).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from frisket.lint.document import Document, quoted, strings
from frisket.lint.finding import Finding
from frisket.lint.rule import Rule
from frisket.lint.tokens import spelled, tokens_of

#: Most values that are checked; among more, some always share their first token.
MOST = 32
#: Most groups named in one message.
SHOWN = 3


def check(document: Document) -> Iterator[Finding]:
    """Every short enum with two values that share their first token."""
    if document.vocabulary is None:
        return
    tokens = tokens_of(document.vocabulary)
    for place in document.places:
        values = dict.fromkeys(strings(place.said.get("enum")))
        if not 1 < len(values) <= MOST:
            continue
        groups: dict[bytes, list[str]] = defaultdict(list)
        for value in values:
            first = tokens.first(spelled(value))
            if first is not None:
                groups[first].append(value)
        shared = [(first, group) for first, group in groups.items() if len(group) > 1]
        if shared:
            said = "; ".join(
                f"{', '.join(map(quoted, group[:SHOWN]))}{' …' if len(group) > SHOWN else ''} with "
                f"{quoted(first.decode('utf-8', 'backslashreplace'))}"
                for first, group in shared[:SHOWN]
            )
            yield RULE.finding(
                place.to("enum"),
                f"values begin with the same token: {said}",
                "call them by words that begin differently, and translate them afterwards",
            )


RULE = Rule("FRK201", "shared-first-token", "published", check, needs="vocabulary")
