"""Schema that no value satisfies → its error, with the text of the subschema that is to blame.

The native compiler names the place alone: it reads a tree, and the text is needed only for this error.
"""

from __future__ import annotations

import json
from typing import Any

from frisket.errors import UnsatisfiableSchemaError
from frisket.json_pointer import follow

#: Characters of a subschema that an error quotes.
LONGEST = 300


def with_demand(error: UnsatisfiableSchemaError, schema: Any) -> UnsatisfiableSchemaError:
    """The error, with what the schema, a value or its text, demands at the place as its hint."""
    text = demanded(schema, error.where or "")
    if text is None:
        return error
    return UnsatisfiableSchemaError(error.message, where=error.where, hint=f"it says {text}")


def demanded(schema: Any, pointer: str) -> str | None:
    """The text of a schema at a JSON pointer, cut where it is long; None where the place is in another document."""
    try:
        return _begun(follow(json.loads(schema) if isinstance(schema, str) else schema, pointer))
    except (LookupError, TypeError, ValueError, RecursionError):
        return None


def _begun(value: Any) -> str:
    """The first characters of a value in JSON; no more of a large one is written."""
    text = ""
    for piece in json.JSONEncoder(ensure_ascii=False).iterencode(value):
        text += piece
        if len(text) > LONGEST:
            return f"{text[:LONGEST]} …"
    return text
