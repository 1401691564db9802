"""Enum × vocabulary → FRK202 many-tokens: a value takes many tokens, though a word would do.

Every token costs a step. At every step a model may leave the value that it meant for another value with the same
beginning.

Before, with GPT-2's vocabulary:

```json
{"enum": ["ERR_UPSTREAM_TLS_HANDSHAKE_TIMED_OUT_XYZ", "ok"]}
```

After:

```json
{"enum": ["timeout", "ok"]}
```

**Finds** enums with a text that takes at least 13 tokens. It needs `vocabulary` (`--vocabulary`).

**Fix**: none; give the value a short name, and translate it afterwards.

**Evidence** (opinion): the count of tokens is exact; what it costs depends on the model.
"""

from __future__ import annotations

from collections.abc import Iterator

from frisket.lint.document import Document, quoted, strings
from frisket.lint.finding import Finding
from frisket.lint.rule import Rule
from frisket.lint.tokens import Tokens, spelled, tokens_of

#: Most tokens of a value without a finding.
MOST = 12
#: Longest text, in bytes, whose tokens are counted exactly.
LONG = 512


def check(document: Document) -> Iterator[Finding]:
    """Every enum with a value of many tokens."""
    if document.vocabulary is None:
        return
    tokens = tokens_of(document.vocabulary)
    for place in document.places:
        values = dict.fromkeys(strings(place.said.get("enum")))
        counts = {value: _fewest(tokens, spelled(value)[:-1]) for value in values}
        long = [value for value, count in counts.items() if count > MOST]
        # The only value of an enum is forced: no model chooses it token by token.
        if long and len(values) > 1:
            worst = max(long, key=lambda value: counts[value])
            more = f"; {len(long)} of {len(values)} values take more than {MOST}" if len(long) > 1 else ""
            yield RULE.finding(
                place.to("enum"),
                f"{quoted(worst)} takes at least {counts[worst]} tokens{more}",
                "give it a short name, and translate it afterwards",
            )


def _fewest(tokens: Tokens, text: bytes) -> int:
    """The fewest tokens of a text; a lower bound if it is short or very long."""
    if len(text) <= MOST or len(text) > LONG:
        return -(-len(text) // max(tokens.longest, 1))
    return tokens.fewest(text) or 0


RULE = Rule("FRK202", "many-tokens", "opinion", check, needs="vocabulary")
