"""Text of a schema → the schema: standard JSON, with errors that name the place."""

from __future__ import annotations

import json
from typing import Any

from frisket.errors import InvalidSchemaError, LimitExceededError
from frisket.json_fault import json_fault

#: The end of the hint, for callers that pass a text; the native parser's hint ends in the same way.
NO_NAME = "; pass a file's content, not its name"
_HINT = f"JSON has double quotes, no comments, no trailing commas{NO_NAME}"
_DEEP = "name inner schemas in $defs and refer to them"


def parse(schema: str) -> Any:
    """The value of the JSON text. InvalidSchemaError if it is not JSON, LimitExceededError for too long integers."""
    try:
        return _loaded(schema)
    except InvalidSchemaError:
        raise
    except (ValueError, RecursionError) as error:
        fault = json_fault(error)
        if not fault.is_limit:
            raise InvalidSchemaError(
                f"the schema {fault.message}", where=fault.where, hint=fault.hint or _HINT
            ) from error
        hint = _DEEP if isinstance(error, RecursionError) else "describe a long numeral as a string with a pattern"
        raise LimitExceededError(f"the schema {fault.message}", hint=hint) from None


def _loaded(text: str) -> Any:
    return json.loads(text, parse_constant=_no_constant)


def _no_constant(name: str) -> Any:
    raise InvalidSchemaError(f"the schema is not JSON: {name} is no JSON number", hint=_HINT)
