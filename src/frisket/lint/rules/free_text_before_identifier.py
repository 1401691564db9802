"""Properties → FRK103 free-text-before-identifier: a long text stands before the name of the thing that it is about.

A text that is written first has no subject to keep to, and the name after it must fit the text. A text that does not
end also takes the tokens that the name needs.

Before:

```json
{"type": "object", "properties": {"description": {"type": "string"}, "name": {"type": "string"}}}
```

After:

```json
{"type": "object", "properties": {"name": {"type": "string"}, "description": {"type": "string"}}}
```

**Finds** a string without `maxLength`, `enum`, `format` or `pattern` that is named as a text (`description`,
`content`, `body` …) before an identifier (`id`, `name`, `key` …) of the same object. FRK104 handles objects whose
names a tool has sorted.

**Fix** (safe): the identifiers move before the first text, also in `required`, if that names both.

**Evidence** (opinion): this follows from the order in which a model writes; nothing here measures it.
"""

from __future__ import annotations

from collections.abc import Iterator

from frisket.lint.document import Document, Subschema
from frisket.lint.finding import Finding
from frisket.lint.order import moved, states_order
from frisket.lint.rule import Rule
from frisket.lint.word import IDENTIFIER, TEXT, is_among

BOUNDS = ("maxLength", "format", "pattern")


def check(document: Document) -> Iterator[Finding]:
    """Every object with a long text before the name of its subject."""
    for place, table in document.tables():
        names = list(table)
        texts = [name for name in names if is_among(name, TEXT) and _is_text(document, document.at(table[name]))]
        if not texts or not states_order(document, place):
            continue
        late = [
            name
            for name in names[names.index(texts[0]) :]
            if is_among(name, IDENTIFIER) and _is_scalar(document, document.at(table[name]))
        ]
        if late:
            yield RULE.finding(
                place.to("properties", texts[0]),
                f'"{texts[0]}", a free text, comes before "{late[0]}"',
                f'put "{late[0]}" first: a text keeps to a subject that is named already',
                moved(place, late, texts[0], f'"{late[0]}" moves before "{texts[0]}"'),
            )


def _is_text(document: Document, place: Subschema | None) -> bool:
    types = document.types(place) if place is not None else None
    if place is None or types is None or "string" not in types or not types <= {"string", "null"}:
        return False
    conjuncts = document.conjuncts(place)
    return document.values(place) is None and not any(word in one.said for one in conjuncts for word in BOUNDS)


def _is_scalar(document: Document, place: Subschema | None) -> bool:
    types = document.types(place) if place is not None else None
    return types is not None and types <= {"string", "integer", "number", "null"}


RULE = Rule("FRK103", "free-text-before-identifier", "opinion", check)
