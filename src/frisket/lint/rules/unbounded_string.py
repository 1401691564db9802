"""String → FRK301 unbounded-string: nothing says how long a text may become.

A model that repeats itself inside a string breaks no mask. It stops when its tokens run out.

Before:

```json
{"type": "object", "properties": {"summary": {"type": "string"}}}
```

After:

```json
{"type": "object", "properties": {"summary": {"type": "string", "maxLength": 400}}}
```

**Finds** strings without `maxLength`, `enum` or `const`, without a format whose texts are bounded (`date`, `uuid` …)
and without a pattern that bounds them. Most strings of most schemas are so: the rule runs only if it is selected.

**Fix**: none; only the author knows how long is enough.

**Evidence** (published): a report of 39 answers; of each prompt's answers, 60 to 100 % repeated a word inside a string
until the tokens ran out ([Ollama 15502](https://github.com/ollama/ollama/issues/15502)).
"""

from __future__ import annotations

from collections.abc import Iterator

from frisket.lint.bound import is_bounded_string, is_string
from frisket.lint.document import Document
from frisket.lint.finding import Finding
from frisket.lint.rule import Rule


def check(document: Document) -> Iterator[Finding]:
    """Every string without a bound."""
    for place in document.places:
        if is_string(document, place) and not is_bounded_string(document, place):
            yield RULE.finding(place.pointer, "the text has no greatest length", "add maxLength")


RULE = Rule("FRK301", "unbounded-string", "published", check, default=False)
