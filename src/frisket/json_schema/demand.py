"""Error for a schema that no value satisfies → the same error, with the text of the responsible subschema as hint.

The native compiler only names the place, since the text is needed for this error alone.
"""

from __future__ import annotations

import json
from typing import Any

from frisket.errors import UnsatisfiableSchemaError
from frisket.json_pointer import follow

#: Most characters of a subschema that an error quotes.
LONGEST = 300


def with_demand(error: UnsatisfiableSchemaError, schema: Any) -> UnsatisfiableSchemaError:
    """The error with the subschema at its place as the hint; the schema is a value or its text."""
    text = demanded(schema, error.where or "")
    if text is None:
        return error
    hint = f"it says {text}{_unlisted(schema, error.where or '')}"
    return UnsatisfiableSchemaError(error.message, where=error.where, hint=hint)


def _unlisted(schema: Any, pointer: str) -> str:
    """The required names that are no properties, most often misspelt ones, to follow a `required`; else nothing."""
    above, _, keyword = pointer.rpartition("/")
    if keyword != "required":
        return ""
    around = follow(json.loads(schema) if isinstance(schema, str) else schema, above)
    listed = around.get("properties", {})
    names = [json.dumps(name, ensure_ascii=False) for name in around[keyword] if name not in listed]
    return f"; {', '.join(names)} is not among the properties" if names else ""


def demanded(schema: Any, pointer: str) -> str | None:
    """The text of the schema at a JSON pointer, shortened if long; None if the place is in another document."""
    try:
        return _begun(follow(json.loads(schema) if isinstance(schema, str) else schema, pointer))
    except (LookupError, TypeError, ValueError, RecursionError):
        return None


def _begun(value: Any) -> str:
    """The first characters of a value as JSON; no more of a large value is written."""
    text = ""
    for piece in json.JSONEncoder(ensure_ascii=False).iterencode(value):
        text += piece
        if len(text) > LONGEST:
            return f"{text[:LONGEST]} …"
    return text
