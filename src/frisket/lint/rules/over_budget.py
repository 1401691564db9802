"""Schema × vocabulary × tokens → FRK306 over-budget: not even the shortest document fits into the tokens.

Required members, their names included, take tokens whatever the model says. Below that sum no answer is whole.

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

**Finds** schemas whose shortest document takes more tokens than `max_tokens` (`--max-tokens`). It needs `vocabulary`
(`--vocabulary`), too. A schema that does not compile has no shortest document: `frisket check` says why.

**Fix**: none; give more tokens, shorten names, or let members be absent.

**Evidence** (measured): the document and its tokens are in the message.
"""

from __future__ import annotations

from collections.abc import Iterator

from frisket.lint.document import Document
from frisket.lint.finding import Finding
from frisket.lint.least import least_tokens
from frisket.lint.rule import Rule

#: Characters of a document in a message.
SHOWN = 60


def check(document: Document) -> Iterator[Finding]:
    """The schema, if its shortest document is too long."""
    if document.vocabulary is None or document.max_tokens is None:
        return
    found = least_tokens(document.root, document.vocabulary)
    if found is not None and found[0] > document.max_tokens:
        count, text = found
        shown = text if len(text) <= SHOWN else f"{text[:SHOWN]} …"
        yield RULE.finding(
            "",
            f"the shortest document takes {count} tokens, of {document.max_tokens} that there are: {shown}",
            "give more tokens, shorten names, or let members be absent",
        )


RULE = Rule("FRK306", "over-budget", "measured", check, needs="max_tokens")
