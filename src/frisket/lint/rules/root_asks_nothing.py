"""Root → FRK405 root-asks-nothing: a schema that only defines other schemas allows any JSON.

Files of definitions are often published without a root that refers to one of them, for example those of the Model
Context Protocol and of Kubernetes. For a validator and for a mask, such a root is `true`.

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

**Finds** a root without any keyword that constrains a document: it has only definitions, or words that its draft does
not know. `{}` and `true` are accepted, since they say that any JSON is meant. If a schema does not compile, the rule
finds nothing, and `frisket check` says why.

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
    """The root, if it constrains nothing."""
    from frisket import Grammar, JSONSchemaOptions

    try:
        grammar = Grammar.from_json_schema(document.root, JSONSchemaOptions(relaxed=True))
    except FrisketError:
        return
    for note in grammar.report.notes if grammar.report is not None else ():
        if note.code == "root-asks-nothing":
            if note.pointers:
                cure = f'add "$ref": "#{note.pointers[0]}" to the root, or name it by --root on the command line'
            else:
                cure = 'if these are the members of an object, write {"type": "object", "properties": {…}}'
            yield RULE.finding("", str(note), cure)


RULE = Rule("FRK405", "root-asks-nothing", "published", check)
