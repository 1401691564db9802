"""Schema × vocabulary × tokens → FRK306 over-budget: not even the shortest document fits into the tokens.

Required members and their names always take tokens. With fewer tokens than these take together, no answer is whole.

Before, with `max_tokens=4` and the vocabulary of the embedded model:

```json
{
  "type": "object",
  "properties": {"an_unusual_name": {"type": "string", "minLength": 20}},
  "required": ["an_unusual_name"]
}
```

After:

```json
{"type": "string", "maxLength": 20}
```

**Finds** schemas whose `Matcher.least_tokens` is more than `max_tokens` (`--max-tokens`): the budget is refused. It
also needs `vocabulary` (`--vocabulary`). If a schema does not compile, `frisket check` says why.

**Fix**: none; give more tokens, shorten names, or let members be absent.

**Evidence** (measured): the number of tokens is in the message.
"""

from __future__ import annotations

from collections.abc import Iterator

from frisket import FrisketError
from frisket.lint.document import Document
from frisket.lint.finding import Finding
from frisket.lint.rule import Rule


def check(document: Document) -> Iterator[Finding]:
    """The schema, if no document fits."""
    if document.vocabulary is None or document.max_tokens is None:
        return
    from frisket import Grammar

    try:
        grammar = Grammar.from_json_schema(document.root, limits=document.meter.limits)
        least = grammar.compile(document.vocabulary, limits=document.meter.limits).matcher().least_tokens()
    except FrisketError:
        document.meter.spend(0)  # raises if the whole call has reached its limits
        return
    if least > document.max_tokens:
        yield RULE.finding(
            "",
            f"the shortest document known takes {least} tokens, of {document.max_tokens} that there are",
            f"give {least} tokens, shorten names, or let members be absent",
        )


RULE = Rule("FRK306", "over-budget", "measured", check, needs="max_tokens")
