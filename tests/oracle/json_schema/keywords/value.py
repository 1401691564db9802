"""type, enum, const → the types and the values of a place."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from frisket.lint.resolve import DRAFT4
from tests.oracle.json_schema import array, data, interval, object, string
from tests.oracle.json_schema.value import (
    ARRAY,
    FALSE,
    FRACTION,
    INTEGER,
    NOTHING,
    NULL,
    OBJECT,
    STRING,
    TRUE,
    TYPES,
    Case,
)

if TYPE_CHECKING:
    from tests.oracle.json_schema.reader import Reader


def read_type(reader: Reader, value: Any) -> None:
    names = value if isinstance(value, list) else (value,)
    mask = 0
    for name in names:
        bits = TYPES.get(name) if isinstance(name, str) else None
        if bits is None:
            raise reader.invalid("type", f"among {', '.join(TYPES)}, not {data.shown(name)}", type_meant(name))
        mask |= bits
    if reader.draft == DRAFT4 and "integer" in names and "number" not in names:
        # Draft 4 knows integers by their spelling.
        reader.numbers.append(interval.Plain())
    if reader.algebra.options.nullable and reader.schema.get("nullable") is True:
        mask |= NULL
    reader.mask &= mask


def type_meant(name: Any) -> str | None:
    """What a word that is no type may stand for."""
    from tests.oracle.json_schema.coverage import alike

    others = {
        "int": "integer",
        "float": "number",
        "str": "string",
        "bool": "boolean",
        "dict": "object",
        "list": "array",
    }
    found = (others.get(name) or alike(name, tuple(TYPES))) if isinstance(name, str) else None
    return f"did you mean {found}?" if found else None


def read_enum(reader: Reader, value: Any) -> None:
    if not isinstance(value, list):
        raise reader.invalid("enum", "an array")
    read_values(reader, "enum", value)


def read_const(reader: Reader, value: Any) -> None:
    read_values(reader, "const", [value])


def read_values(reader: Reader, keyword: str, values: list[Any]) -> None:
    if values and set(map(type, values)) == {str}:
        reader.mask &= STRING
        reader.strings.append(string.Among(frozenset(values), True))
        return
    if not reader.algebra.is_invented(reader.site):  # an item or a member of a value was checked with the whole
        for place, value in enumerate(values):
            where = f"{reader.site.pointer}/{keyword}"
            data.check(value, f"{where}/{place}" if keyword == "enum" else where)
    mask = 0
    texts: list[str] = []
    numbers: set[Any] = set()
    pointed: set[Fraction] = set()
    composite: list[Case] = []
    for value in values:
        if isinstance(value, str):
            texts.append(value)
        elif value is None:
            mask |= NULL
        elif value is True:
            mask |= TRUE
        elif value is False:
            mask |= FALSE
        elif type(value) is int:
            mask |= INTEGER
            numbers.add(value)
        elif isinstance(value, (int, float, Decimal)):
            exact = interval.exact(value)
            mask |= INTEGER if exact.denominator == 1 else FRACTION
            numbers.add(exact)
            if isinstance(value, float) or (
                isinstance(value, Decimal) and exact.denominator == 1 and "." in str(value)
            ):
                pointed.add(exact)
        else:
            composite.append(case_of(reader, value))
    mask |= STRING if texts else 0
    among_numbers = (interval.Among(frozenset(numbers), True, frozenset(pointed)),) if numbers else ()
    among_texts = (string.Among(frozenset(texts), True),) if texts else ()
    if not composite:
        reader.mask &= mask
        reader.numbers += among_numbers
        reader.strings += among_texts
    else:
        scalars = [Case(mask, numbers=among_numbers, strings=among_texts)] if mask else []
        reader.reading.alternatives.append(scalars + composite)


def case_of(reader: Reader, value: Any) -> Case:
    """The case that holds one array or object only."""
    if isinstance(value, (list, tuple)):
        goals = tuple(reader.algebra.constant(reader.site, item) for item in value)
        return Case(ARRAY, arrays=(array.Items(goals, NOTHING), array.Count(len(goals), len(goals))))
    names = {key: reader.algebra.constant(reader.site, item) for key, item in value.items()}
    fields = object.Fields(names, (), NOTHING)
    return Case(OBJECT, objects=(fields, object.Required(tuple(names))))
