"""Keyword → FRK404 unknown-keyword: a word that no draft knows, and that is nearly a keyword, asks nothing.

JSON Schema passes over words that it does not know. So a misspelt keyword makes the schema weaker, and nothing says so.

Before:

```json
{
  "type": "object",
  "properties": {"summary": {"type": "string", "maxLenght": 400}},
  "requried": ["summary"]
}
```

After:

```json
{
  "type": "object",
  "properties": {"summary": {"type": "string", "maxLength": 400}},
  "required": ["summary"]
}
```

**Finds** words in a schema that are near a keyword, as the [report](../how-to/report.md) lists them with "did you
mean". Words that are near none are left alone, and so are extensions (`x-…`) and words that begin with `_`, `@` or `/`,
as keywords do that somebody switched off. Where a schema cannot be compiled, the rule finds nothing: `frisket check`
says why.

**Fix**: none; with the keyword spelled right, fewer documents are valid.

**Evidence** (published): the validator Ajv refuses unknown keywords by default, because they are likely to be mistakes
([Strict mode](https://ajv.js.org/strict-mode.html#unknown-keywords)).
"""

from __future__ import annotations

from collections.abc import Iterator

from frisket import FrisketError
from frisket.json_pointer import escape
from frisket.lint.document import Document
from frisket.lint.finding import Finding
from frisket.lint.rule import Rule

#: Prefixes of intentional non-keywords.
PRIVATE = ("_", "@", "/")


def check(document: Document) -> Iterator[Finding]:
    """Every word that is nearly a keyword."""
    from frisket import JSONSchemaOptions
    from frisket.extension import front_end, prelude_of
    from frisket.reports import Entry

    try:
        entries = front_end.schema_report(document.root, prelude_of(JSONSchemaOptions(relaxed=True)))
    except FrisketError:
        return
    for entry in (Entry(*entry) for entry in entries):
        is_here = entry.pointer[:1] in ("", "/")  # and not in another document
        if is_here and entry.meant is not None and not entry.keyword.startswith(PRIVATE):
            yield RULE.finding(
                f"{entry.pointer}/{escape(entry.keyword)}",
                f'"{entry.keyword}" is no keyword, so it asks nothing',
                f"did you mean {entry.meant}?",
            )


RULE = Rule("FRK404", "unknown-keyword", "published", check)
