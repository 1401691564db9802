"""A random generator → `allOf`, `anyOf`, `oneOf`, `not` and `if` of real schemas, of the suite's and of random ones."""

from __future__ import annotations

import copy
import json
import random
from contextlib import suppress
from functools import cache
from typing import Any

from tests.conformance import suite
from tests.conformance.random_schemas.alternative import alternatives
from tests.conformance.random_schemas.odd import random_schema as odd
from tests.data import data_dir, maskbench
from tests.golden.invented import random_schema as invented

#: Characters of a schema that enters a conjunction: longer ones take minutes of a validator.
LONGEST = 2_500
DRAFTS = ("https://json-schema.org/draft/2020-12/schema", "http://json-schema.org/draft-07/schema#")


@cache
def real() -> tuple[list[Any], list[Any]]:
    """Schemas of MaskBench and of the suite, those with references to other documents left out."""
    of_bench = [entry["schema"] for entry in maskbench(data_dir())]
    of_suite = [
        case.schema for draft in suite.DRAFTS for case in suite.cases(data_dir(), draft) if "Ref" not in case.name
    ]
    return [one for one in of_bench if is_short(one)], [one for one in of_suite if is_short(one)]


def is_short(schema: Any) -> bool:
    with suppress(TypeError, ValueError):
        return isinstance(schema, dict) and len(json.dumps(schema)) <= LONGEST
    return False


def conjunctions(rng: random.Random) -> dict[str, Any]:
    """Each part is a resource of its own, so that its references stay within it."""
    of_bench, of_suite = real()
    parts: list[Any] = []
    for place in range(rng.choice([2, 2, 3])):
        source = rng.randrange(5)
        if source < 2:
            schema = copy.deepcopy(rng.choice(of_bench if source else of_suite))
        else:
            schema = (invented, odd, alternatives)[source - 2](rng)
        if isinstance(schema, dict) and "$ref" not in schema:
            named = {key: value for key, value in schema.items() if key not in ("$schema", "id")}
            schema = {"$defs": {"r": {"type": ["object", "null"]}}, **named, "$id": f"http://parts.test/{place}"}
        parts.append(schema)
    if rng.random() < 0.3:
        parts[-1] = {"not": parts[-1]}
    keyword = rng.choice(["allOf", "allOf", "anyOf", "oneOf", "if"])
    applied = {"if": parts[0], "then": parts[1], "else": parts[-1]} if keyword == "if" else {keyword: parts}
    return {"$schema": rng.choice(DRAFTS), **applied}
