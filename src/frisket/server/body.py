"""A JSON object of a request → a Pydantic model that refuses unknown fields."""

from __future__ import annotations

from functools import cache
from typing import Any

from pydantic import BaseModel, ConfigDict, model_validator

#: Values with which an unknown field asks for nothing.
NOTHING: tuple[Any, ...] = (None, [], {})


def _allow_null(schema: dict[str, Any]) -> None:
    """Allow these values in the schema of a body that refuses unknown fields."""
    if schema.get("additionalProperties") is False:
        schema["additionalProperties"] = {"enum": list(NOTHING)}


class Body(BaseModel):
    """A JSON object that refuses unknown fields: ignoring one could change the answer.

    A field that is null or empty asks for nothing, and is allowed: many clients write all fields that they know.
    """

    model_config = ConfigDict(
        extra="forbid", strict=True, allow_inf_nan=False, protected_namespaces=(), json_schema_extra=_allow_null
    )

    @model_validator(mode="before")
    @classmethod
    def _without_nothing(cls, given: Any) -> Any:
        if not isinstance(given, dict) or cls.model_config["extra"] != "forbid":
            return given
        unknown = given.keys() - _names(cls)
        return (
            {n: value for n, value in given.items() if n not in unknown or value not in NOTHING} if unknown else given
        )


@cache
def _names(model: type[Body]) -> frozenset[str]:
    """The names of a model's fields in a body."""
    return frozenset(field.alias or name for name, field in model.model_fields.items())
