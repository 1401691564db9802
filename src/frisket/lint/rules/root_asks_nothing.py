"""Root → FRK405 root-asks-nothing: a schema that only defines other schemas allows any JSON.

Files of definitions are published without a root that refers to one of them, the Model Context Protocol's and
Kubernetes' among them. To a validator and to a mask such a root is `true`.

Before:

```json
{
  "$defs": {"Order": {"type": "object", "properties": {"sku": {"type": "string"}}}}
}
```

After:

```json
{
  "$ref": "#/$defs/Order",
  "$defs": {"Order": {"type": "object", "properties": {"sku": {"type": "string"}}}}
}
```

**Finds** a root without a keyword that asks something of a document: there are definitions only, or words that its
draft does not know. `{}` and `true` are left alone, since they say what they mean. Where a schema cannot be compiled,
the rule finds nothing: `frisket check` says why.

**Fix**: none; only the author knows which definition is meant. On the command line, `--root '#/$defs/Order'` names it.

**Evidence** (published): JSON Schema's core specification, section 8.2.4: `$defs` reserves a place for schemas and
[does not directly affect the validation result](https://json-schema.org/draft/2020-12/json-schema-core#section-8.2.4).
"""

from __future__ import annotations

from collections.abc import Iterator

from frisket import FrisketError
from frisket.lint.document import Document
from frisket.lint.finding import Finding
from frisket.lint.rule import Rule


def check(document: Document) -> Iterator[Finding]:
    """The root, if it asks nothing."""
    from frisket import Grammar, JSONSchemaOptions

    try:
        grammar = Grammar.from_json_schema(document.root, JSONSchemaOptions(relaxed=True))
    except FrisketError:
        return
    for note in grammar.report.notes if grammar.report is not None else ():
        if note.code == "root-asks-nothing":
            first = f"#{note.pointers[0]}" if note.pointers else "#/$defs/…"
            yield RULE.finding(
                "", str(note), f'add "$ref": "{first}" to the root, or name it by --root on the command line'
            )


RULE = Rule("FRK405", "root-asks-nothing", "published", check)
