"""A random generator → constants and lists of values that share parts."""

from __future__ import annotations

import random
from typing import Any

SCALARS: list[Any] = [None, True, False, 0, 1, -1, 7, 2**63, -(2**70), 1.0, 0.5, -0.0, 1e300, 0.1]
SCALARS += ["", "a", "é\n", '"\\', "\x00€😀"]
KEYS = ["a", "b", "$schema", "$id", "", "é", '"']


def some_value(rng: random.Random, depth: int, parts: list[Any]) -> Any:
    """A JSON value that may hold parts of others."""
    draw = rng.random()
    if parts and draw < 0.2:
        return rng.choice(parts)
    if depth == 0 or draw < 0.5:
        return rng.choice(SCALARS)
    if draw < 0.75:
        made: Any = [some_value(rng, depth - 1, parts) for _ in range(rng.randint(0, 4))]
    else:
        made = {key: some_value(rng, depth - 1, parts) for key in rng.sample(KEYS, rng.randint(0, 4))}
    parts.append(made)
    return made


def constants(rng: random.Random) -> dict[str, Any]:
    parts: list[Any] = []
    values = [some_value(rng, 3, parts) for _ in range(rng.randint(1, 4))]
    schema: dict[str, Any] = {"const": values[0]} if rng.random() < 0.5 else {"enum": values}
    if rng.random() < 0.3:
        schema["type"] = rng.choice(["object", "array", ["string", "array"]])
    if rng.random() < 0.2:
        schema = {"not": schema, "type": rng.choice(["array", "object"])}
    return {"properties": {"x": schema}, "required": ["x"]} if rng.random() < 0.5 else schema
