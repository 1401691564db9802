"""Keyword → FRK404 unknown-keyword: a word that no draft knows, and that is nearly a keyword, asks nothing.

JSON Schema ignores words that it does not know. So a misspelt keyword makes the schema weaker, and nothing reports it.

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

**Finds** words in a schema that resemble a keyword, and names of formats that resemble one, which the
[report](../how-to/report.md) lists with "did you mean"; also a `$schema` that names no draft that is known.
Other words are accepted, and so are extensions (`x-…`) and words that begin with `_`, `@` or `/`, since people switch
keywords off that way. If a schema does not compile, the rule finds nothing, and `frisket check` says why.

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

#: Prefixes of words that are on purpose no keywords.
PRIVATE = ("_", "@", "/")


def check(document: Document) -> Iterator[Finding]:
    """Every word that is misspelt from a keyword, as it seems."""
    from frisket import JSONSchemaOptions
    from frisket.extension import front_end, prelude_of
    from frisket.reports import Entry

    try:
        entries = front_end.schema_report(document.root, prelude_of(JSONSchemaOptions(relaxed=True)))
    except FrisketError:
        return
    for entry in (Entry(*entry) for entry in entries):
        is_here = entry.pointer[:1] in ("", "/")  # not in another document
        if is_here and entry.meant is not None and not entry.keyword.startswith(PRIVATE):
            yield RULE.finding(
                f"{entry.pointer}/{escape(entry.keyword)}",
                f'"{entry.keyword}" is no keyword, so it asks nothing',
                f"did you mean {entry.meant}?",
            )
        elif is_here and entry.keyword == "format" and "no format of JSON Schema; did" in entry.note:
            name, _, meant = entry.note.partition(": no format of JSON Schema; ")
            yield RULE.finding(f"{entry.pointer}/format", f'"{name}" is no format, so it asks nothing', meant)
        elif is_here and entry.keyword == "$schema" and entry.status == "unknown":
            yield RULE.finding(f"{entry.pointer}/$schema", entry.note, "name the draft that the schema is written in")


RULE = Rule("FRK404", "unknown-keyword", "published", check)
