"""A random generator → bounds of numbers, in the spelling of draft 4 and in that of later ones."""

from __future__ import annotations

import random
from typing import Any

DRAFT_4 = "http://json-schema.org/draft-04/schema#"


def some_bound(rng: random.Random) -> int:
    value = rng.choice([0, 1, 9, 10, 11, 63, 64, 99, 100, 150, 199, 255, 999, 1000, 65535, 10**6, 2**31 - 1, 2**63 - 1])
    return rng.choice([-1, 1]) * (value if rng.random() < 0.6 else rng.randrange(10 ** rng.randint(1, 12)))


def bounds(rng: random.Random) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": rng.choice(["integer", "integer", ["integer", "null"], "string", "number"])}
    for keyword in rng.sample(["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"], rng.randint(1, 3)):
        schema[keyword] = some_bound(rng)
    if rng.random() < 0.1:
        schema[rng.choice(["minimum", "maximum"])] = rng.choice([1.5, 2.0, True, "x", 2**70])
    if rng.random() < 0.3:
        schema["$schema"] = DRAFT_4
        for keyword in ("exclusiveMinimum", "exclusiveMaximum"):
            if keyword in schema and rng.random() < 0.9:
                schema[keyword] = rng.random() < 0.7
    if rng.random() < 0.2:
        inner = bounds(rng)
        inner.pop("$schema", None)
        return {rng.choice(["anyOf", "allOf", "oneOf"]): [{k: v for k, v in schema.items() if k != "$schema"}, inner]}
    return schema
