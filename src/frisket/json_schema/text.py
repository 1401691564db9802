"""Text of a schema → the schema: JSON as the standard has it, with errors that name the place."""

from __future__ import annotations

import json
from typing import Any

from frisket.errors import InvalidSchemaError, LimitExceededError

#: The end of the hint, for callers that pass a text; the native parser has the same hint.
NO_NAME = "; pass a file's content, not its name"
_HINT = f"JSON has double quotes, no comments, no trailing commas{NO_NAME}"


def parse(schema: str) -> Any:
    """The value of the JSON text. InvalidSchemaError where it is no JSON, LimitExceededError for endless integers."""
    try:
        return _loaded(schema)
    except json.JSONDecodeError as error:
        place = f"{error.lineno}:{error.colno}"
        raise InvalidSchemaError(f"the schema is not JSON: {error.msg}", where=place, hint=_HINT) from error
    except InvalidSchemaError:
        raise
    except RecursionError:
        raise LimitExceededError(
            "the schema nests too deep", hint="name inner schemas in $defs and refer to them"
        ) from None
    except ValueError as error:  # Python converts so many digits only
        raise LimitExceededError(
            "the schema holds an integer of thousands of digits",
            hint="describe a long numeral as a string with a pattern",
        ) from error


def _loaded(text: str) -> Any:
    return json.loads(text, parse_constant=_no_constant)


def _no_constant(name: str) -> Any:
    raise InvalidSchemaError(f"the schema is not JSON: {name} is no JSON number", hint=_HINT)
