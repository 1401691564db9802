"""items, contains, uniqueItems and their like → conditions on an array."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from frisket.lint.resolve import DRAFT2019, DRAFT2020
from tests.oracle.json_schema import array
from tests.oracle.json_schema.reading import Evaluated
from tests.oracle.json_schema.value import ANYTHING, Goal

if TYPE_CHECKING:
    from tests.oracle.json_schema.reader import Reader

#: What says that a schema is of the last draft in which `items` may be an array.
OLDER = '"$schema": "https://json-schema.org/draft/2019-09/schema"'


def read_items(reader: Reader, _: Any) -> None:
    """items, prefixItems and additionalItems, which read together."""
    if reader.items_read:
        return
    reader.items_read = True
    schema, reading = reader.schema, reader.reading
    prefix: list[Goal] = []
    rest = ANYTHING
    closed = False
    if reader.draft >= DRAFT2020:
        if "prefixItems" in schema:
            prefix = reader.schemas("prefixItems", schema["prefixItems"])
        if "items" in schema:
            if isinstance(schema["items"], list):
                raise reader.invalid(
                    "items",
                    "a schema (2020-12 writes prefixItems for an array of schemas)",
                    f"call it prefixItems, or say which draft it is: {OLDER}",
                )
            rest, closed = reader.goal(schema["items"], "items"), True
    elif isinstance(schema.get("items"), list):
        prefix = [reader.goal(item, "items", str(i)) for i, item in enumerate(schema["items"])]
        if "additionalItems" in schema:
            rest, closed = reader.goal(schema["additionalItems"], "additionalItems"), True
    elif "items" in schema:
        rest, closed = reader.goal(schema["items"], "items"), True
    if any(prefix) or rest:
        reader.arrays.append(array.Items(tuple(prefix), rest))
    if prefix or closed:
        reading.looks.append(lambda: Evaluated(prefix=len(prefix), all_items=closed))


def read_min_items(reader: Reader, value: Any) -> None:
    least = reader.count("minItems", value)
    if least:
        reader.arrays.append(array.Count(least, None))


def read_max_items(reader: Reader, value: Any) -> None:
    reader.arrays.append(array.Count(0, reader.count("maxItems", value)))


def read_unique(reader: Reader, value: Any) -> None:
    if not isinstance(value, bool):
        raise reader.invalid("uniqueItems", "a boolean")
    if value:
        reader.arrays.append(array.Unique(True, f"{reader.site.pointer}/uniqueItems"))


def read_contains(reader: Reader, value: Any) -> None:
    goal = reader.goal(value, "contains")
    least, most = 1, None
    if reader.draft >= DRAFT2019:
        if "minContains" in reader.schema:
            least = reader.count("minContains", reader.schema["minContains"])
        if "maxContains" in reader.schema:
            most = reader.count("maxContains", reader.schema["maxContains"])
    if least or most is not None:
        reader.arrays.append(array.Has(0, goal, least, most, f"{reader.site.pointer}/contains"))
    if reader.draft >= DRAFT2020:
        seen = Evaluated(all_items=True) if not goal else Evaluated(contained=frozenset((goal,)))
        reader.reading.looks.append(lambda: seen)


def read_min_contains(reader: Reader, value: Any) -> None:
    reader.count("minContains", value)


def read_max_contains(reader: Reader, value: Any) -> None:
    reader.count("maxContains", value)


def read_unevaluated_items(reader: Reader, value: Any) -> None:
    reader.reading.unevaluated_items = reader.goal(value, "unevaluatedItems")
