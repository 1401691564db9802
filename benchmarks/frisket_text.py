"""frisket, from the schema's JSON text instead of a dict → the runner's engine."""

from __future__ import annotations

from typing import Any

import frisket
from frisket.compiled_schema import compiled_lately

from .frisket import Engine as OfDict


class Engine(OfDict):
    def compile(self, schema: dict[str, Any], text: str) -> Any:
        compiled = frisket.Grammar.from_json_schema(text).compile(self.vocabulary)
        compiled_lately.clear()
        return compiled
