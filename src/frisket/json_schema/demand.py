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
    return UnsatisfiableSchemaError(error.message, where=error.where, hint=f"it says {text}")


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
