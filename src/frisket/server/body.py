"""A JSON object of a request → a model that knows all of its fields."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Body(BaseModel):
    """An object whose fields are all known: one that is not would be ignored, and the answer be another one."""

    model_config = ConfigDict(extra="forbid", strict=True, protected_namespaces=())
