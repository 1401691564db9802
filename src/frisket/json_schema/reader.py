"""One place of a schema → its own conditions, its in-place applicators, and what it evaluates.

Which keywords count is the draft's affair; every keyword that this file does not know is an annotation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from frisket.errors import FrisketError, GrammarSyntaxError, InvalidSchemaError
from frisket.json_schema import array, data, interval, object, string
from frisket.json_schema.reading import Evaluated, Reading
from frisket.json_schema.resolve import DRAFT4, DRAFT6, DRAFT7, DRAFT2019, DRAFT2020, HOLDS, Site
from frisket.json_schema.semantic import DRAFT_NAMES, read_content_encoding, read_content_media_type, read_format
from frisket.json_schema.value import (
    ANY,
    ANYTHING,
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
    Goal,
)

if TYPE_CHECKING:
    from frisket.json_schema.algebra import Algebra

#: The vocabulary that a metaschema of 2019-09 or later may leave out.
VALIDATION = frozenset(
    (
        *("type", "enum", "const", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
        *("minLength", "maxLength", "pattern", "minItems", "maxItems", "uniqueItems", "minContains", "maxContains"),
        *("minProperties", "maxProperties", "required", "dependentRequired"),
    )
)

#: What says that a schema is of the last draft in which `items` may be an array.
OLDER = '"$schema": "https://json-schema.org/draft/2019-09/schema"'


class Reader:
    """Collects the conditions while the keywords are read."""

    def __init__(self, algebra: Algebra, site: Site) -> None:
        self.algebra = algebra
        self.site = site
        self.schema: dict[str, Any] = site.schema
        self.draft = site.resource.draft
        self.reading = Reading()
        self.mask = ANY
        self.numbers: list[interval.NumberAtom] = []
        self.strings: list[string.StringAtom] = []
        self.arrays: list[array.ArrayAtom] = []
        self.objects: list[object.ObjectAtom] = []
        self.fields_read = False
        self.items_read = False

    def read(self) -> Reading:
        reading = self.reading
        if self.draft <= DRAFT7 and "$ref" in self.schema:
            read_ref(self, self.schema["$ref"])
            reading.keywords.append("$ref")
            return reading
        rules = RULES[self.draft, self.site.resource.asserts]
        for keyword, value in self.schema.items():
            rule = rules.get(keyword)
            if rule is None:
                if type(keyword) is not str:
                    self.text(None, keyword)
            else:
                rule(self, value)
                reading.keywords.append(keyword)
        if self.mask != ANY or self.numbers or self.strings or self.arrays or self.objects:
            reading.case = Case(
                self.mask, tuple(self.numbers), tuple(self.strings), tuple(self.arrays), tuple(self.objects)
            )
        return reading

    def invalid(self, keyword: str, expected: str, hint: str | None = None) -> InvalidSchemaError:
        return InvalidSchemaError(
            f"{keyword} must be {expected}",
            where=f"{self.site.pointer}/{keyword}",
            hint=hint or f"correct it, or leave {keyword} out",
        )

    def goal(self, schema: Any, *tokens: str) -> Goal:
        return self.algebra.below(self.site, schema, *tokens)

    def bound(self, keyword: str, value: Any) -> Fraction:
        """A number; draft 4 wrote a flag in its place."""
        if isinstance(value, bool):
            other = "minimum" if keyword.endswith("Minimum") else "maximum"
            instead = f"put the bound of {other} here" if value else f"leave {keyword} out"
            draft4 = '"$schema": "http://json-schema.org/draft-04/schema#"'
            raise self.invalid(keyword, "a number", f"{instead}, or say that this is draft 4: {draft4}")
        return self.number(keyword, value)

    def count(self, keyword: str, value: Any) -> int:
        """A non-negative integer (2.0 is one)."""
        if isinstance(value, bool) or not isinstance(value, (int, float, Decimal)) or not data.is_finite(value):
            raise self.invalid(keyword, "a non-negative integer")
        # No text is that long, and 1e999999999 need not be written out.
        if value > 1 << 62:
            return 1 << 62
        if value < 0 or value != int(value):
            raise self.invalid(keyword, "a non-negative integer")
        return int(value)

    def number(self, keyword: str, value: Any) -> Fraction:
        if isinstance(value, bool) or not isinstance(value, (int, float, Decimal)):
            raise self.invalid(keyword, "a number")
        data.check_number(value, f"{self.site.pointer}/{keyword}")
        return interval.exact(value)

    def text(self, keyword: str | None, key: Any) -> str:
        """A name of a member, of the keyword's value or of the schema itself; it must have a spelling in UTF-8."""
        where = self.site.pointer if keyword is None else f"{self.site.pointer}/{keyword}"
        return data.check_key(key, where)

    def schemas(self, keyword: str, value: Any) -> list[Goal]:
        if not isinstance(value, list) or not value:
            raise self.invalid(keyword, "a non-empty array of schemas")
        return [self.goal(item, keyword, str(i)) for i, item in enumerate(value)]

    def mapping(self, keyword: str, value: Any) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise self.invalid(keyword, "an object")
        for key in value:
            self.text(keyword, key)
        return value

    def keys(self, keyword: str, value: Any) -> tuple[str, ...]:
        if not isinstance(value, list) or not all(isinstance(key, str) for key in value):
            raise self.invalid(keyword, "an array of strings")
        return tuple(dict.fromkeys(self.text(keyword, key) for key in value))

    def pattern(self, keyword: str, pattern: Any, *tokens: str) -> int | None:
        """The node of a regular expression, or None if it cannot be exact (and that was noted)."""
        if not isinstance(pattern, str):
            raise self.invalid(keyword, "a regular expression")
        known = self.algebra.patterns
        if pattern not in known:
            from frisket.notations.regex import lower_regex

            try:
                known[pattern] = lower_regex(self.algebra.builder, pattern, dialect="ecma", search=True)
            except GrammarSyntaxError as error:
                where = "/".join([self.site.pointer, keyword, *tokens])
                from frisket.notations.regex import is_ecma_regex

                if not is_ecma_regex(pattern):
                    raise InvalidSchemaError(
                        f"not a regular expression: {error.message}",
                        where=where,
                        hint=error.hint or "patterns are read as JavaScript reads them",
                    ) from error
                self.algebra.unsupported(where, keyword, f"{error.message}; any text could slip through")
                known[pattern] = None
            except FrisketError as error:
                # Who cancels, or has no more time, is not told of a pattern that cannot be exact.
                self.algebra.builder.check()
                where = "/".join([self.site.pointer, keyword, *tokens])
                self.algebra.unsupported(where, keyword, f"{error.message}; any text could slip through")
                known[pattern] = None
        node = known[pattern]
        if node is None:
            where = "/".join([self.site.pointer, keyword, *tokens])
            if not any(place == where for place, _ in self.algebra.places):
                self.algebra.unsupported(where, keyword, f"the pattern {pattern!r} cannot be exact")
        return node


def read(algebra: Algebra, site: Site) -> Reading:
    """The conditions of one place."""
    return Reader(algebra, site).read()


# -- any type -----------------------------------------------------------------------------------------------------
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
    from frisket.json_schema.coverage import alike

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


# -- numbers ------------------------------------------------------------------------------------------------------
def read_minimum(reader: Reader, value: Any) -> None:
    strict = reader.draft == DRAFT4 and reader.schema.get("exclusiveMinimum") is True
    reader.numbers.append(interval.AtLeast(reader.number("minimum", value), strict))


def read_maximum(reader: Reader, value: Any) -> None:
    strict = reader.draft == DRAFT4 and reader.schema.get("exclusiveMaximum") is True
    reader.numbers.append(interval.AtMost(reader.number("maximum", value), strict))


def read_exclusive_minimum(reader: Reader, value: Any) -> None:
    if reader.draft == DRAFT4:
        return read_flag(reader, "exclusiveMinimum", value)
    reader.numbers.append(interval.AtLeast(reader.bound("exclusiveMinimum", value), True))


def read_exclusive_maximum(reader: Reader, value: Any) -> None:
    if reader.draft == DRAFT4:
        return read_flag(reader, "exclusiveMaximum", value)
    reader.numbers.append(interval.AtMost(reader.bound("exclusiveMaximum", value), True))


def read_flag(reader: Reader, keyword: str, value: Any) -> None:
    """Draft 4 writes a flag beside minimum or maximum, which reads it; later drafts write a bound."""
    if not isinstance(value, bool):
        raise reader.invalid(keyword, "a boolean in draft 4")


def read_multiple(reader: Reader, value: Any) -> None:
    step = reader.number("multipleOf", value)
    if step <= 0:
        raise reader.invalid("multipleOf", "a positive number")
    reader.numbers.append(interval.Multiple(step, True))


# -- strings ------------------------------------------------------------------------------------------------------
def read_min_length(reader: Reader, value: Any) -> None:
    least = reader.count("minLength", value)
    if least:
        reader.strings.append(string.Length(least, None))


def read_max_length(reader: Reader, value: Any) -> None:
    reader.strings.append(string.Length(0, reader.count("maxLength", value)))


def read_pattern(reader: Reader, value: Any) -> None:
    node = reader.pattern("pattern", value)
    if node is not None:
        reader.strings.append(string.Matches(node, True))


# -- arrays -------------------------------------------------------------------------------------------------------
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


# -- objects ------------------------------------------------------------------------------------------------------
def read_properties(reader: Reader, _: Any) -> None:
    """properties, patternProperties and additionalProperties, which read together."""
    if reader.fields_read:
        return
    reader.fields_read = True
    schema, reading = reader.schema, reader.reading
    names: dict[str, Goal] = {}
    if "properties" in schema:
        below, site = reader.algebra.below, reader.site
        for key, value in reader.mapping("properties", schema["properties"]).items():
            names[key] = below(site, value, "properties", key)
    patterns: list[tuple[int, Goal]] = []
    unknown = False
    if "patternProperties" in schema:
        for pattern, value in reader.mapping("patternProperties", schema["patternProperties"]).items():
            node = reader.pattern("patternProperties", pattern, pattern)
            if node is None:
                unknown = True
            else:
                patterns.append((node, reader.goal(value, "patternProperties", pattern)))
    rest, closed = ANYTHING, False
    if "additionalProperties" in schema:
        rest, closed = reader.goal(schema["additionalProperties"], "additionalProperties"), True
    if unknown:
        rest = ANYTHING
    opens = closed and reader.algebra.options.closed_objects
    if names or patterns or rest or opens:
        lists = bool(names or patterns)
        reader.objects.append(object.Fields(names, tuple(patterns), rest, lists=lists, opens=opens))
    if names or patterns or closed:
        reading.looks.append(
            lambda: Evaluated(frozenset(names), frozenset(node for node, _ in patterns), closed or unknown)
        )


def read_required(reader: Reader, value: Any) -> None:
    keys = reader.keys("required", value)
    if keys:
        reader.objects.append(object.Required(keys))


def read_min_properties(reader: Reader, value: Any) -> None:
    least = reader.count("minProperties", value)
    if least:
        reader.objects.append(object.Count(least, None))


def read_max_properties(reader: Reader, value: Any) -> None:
    reader.objects.append(object.Count(0, reader.count("maxProperties", value)))


def read_property_names(reader: Reader, value: Any) -> None:
    goal = reader.goal(value, "propertyNames")
    if goal:
        reader.objects.append(object.Names(goal))


def read_dependent_required(reader: Reader, value: Any) -> None:
    for key, needs in reader.mapping("dependentRequired", value).items():
        need_keys(reader, key, reader.keys("dependentRequired", needs))


def read_dependent_schemas(reader: Reader, value: Any) -> None:
    for key, schema in reader.mapping("dependentSchemas", value).items():
        need_schema(reader, key, reader.goal(schema, "dependentSchemas", key))


def read_dependencies(reader: Reader, value: Any) -> None:
    for key, demand in reader.mapping("dependencies", value).items():
        if isinstance(demand, list):
            need_keys(reader, key, reader.keys("dependencies", demand))
        elif isinstance(demand, str):
            need_keys(reader, key, (demand,))
        else:
            need_schema(reader, key, reader.goal(demand, "dependencies", key))


def need_keys(reader: Reader, key: str, needs: Iterable[str]) -> None:
    reader.objects += [object.Implies(key, other) for other in needs if other != key]


def need_schema(reader: Reader, key: str, goal: Goal) -> None:
    if goal == NOTHING:
        reader.objects.append(reader.algebra.single(key, NOTHING))
    elif goal:
        present = reader.algebra.invented(reader.site, {"type": "object", "required": [key]})
        reader.reading.parts.append(("if", [present, goal, ANYTHING]))


def read_unevaluated_properties(reader: Reader, value: Any) -> None:
    goal = reader.reading.unevaluated_properties = reader.goal(value, "unevaluatedProperties")
    if not goal and reader.algebra.options.closed_objects:
        reader.objects.append(object.Fields({}, opens=True))


# -- in place -----------------------------------------------------------------------------------------------------
def read_ref(reader: Reader, value: Any) -> None:
    refer(reader, "$ref", value)


def read_dynamic_ref(reader: Reader, value: Any) -> None:
    refer(reader, "$dynamicRef", value)


def read_recursive_ref(reader: Reader, value: Any) -> None:
    refer(reader, "$recursiveRef", value)


def refer(reader: Reader, kind: str, value: Any) -> None:
    if not isinstance(value, str):
        raise reader.invalid(kind, "a URI reference")
    reader.reading.parts.append(("all", [reader.algebra.referred(reader.site, value, kind=kind)]))


def read_all(reader: Reader, value: Any) -> None:
    reader.reading.parts.append(("all", reader.schemas("allOf", value)))


def read_any(reader: Reader, value: Any) -> None:
    reader.reading.parts.append(("any", reader.schemas("anyOf", value)))


def read_one(reader: Reader, value: Any) -> None:
    goals = reader.schemas("oneOf", value)
    reader.reading.parts.append(("all" if len(goals) == 1 else "one", goals))


def read_not(reader: Reader, value: Any) -> None:
    reader.reading.parts.append(("not", [reader.goal(value, "not")]))


def read_if(reader: Reader, value: Any) -> None:
    schema = reader.schema
    then = reader.goal(schema["then"], "then") if "then" in schema else ANYTHING
    other = reader.goal(schema["else"], "else") if "else" in schema else ANYTHING
    reader.reading.parts.append(("if", [reader.goal(value, "if"), then, other]))


def read_branch(reader: Reader, value: Any) -> None:
    """then and else are read with if; alone they mean nothing."""


KEYWORDS: dict[str, tuple[Callable[[Reader, Any], None], int, int]] = {
    "type": (read_type, DRAFT4, DRAFT2020),
    "enum": (read_enum, DRAFT4, DRAFT2020),
    "const": (read_const, DRAFT6, DRAFT2020),
    "minimum": (read_minimum, DRAFT4, DRAFT2020),
    "maximum": (read_maximum, DRAFT4, DRAFT2020),
    "exclusiveMinimum": (read_exclusive_minimum, DRAFT4, DRAFT2020),
    "exclusiveMaximum": (read_exclusive_maximum, DRAFT4, DRAFT2020),
    "multipleOf": (read_multiple, DRAFT4, DRAFT2020),
    "minLength": (read_min_length, DRAFT4, DRAFT2020),
    "maxLength": (read_max_length, DRAFT4, DRAFT2020),
    "pattern": (read_pattern, DRAFT4, DRAFT2020),
    "format": (read_format, DRAFT4, DRAFT2020),
    "contentEncoding": (read_content_encoding, DRAFT7, DRAFT7),
    "contentMediaType": (read_content_media_type, DRAFT7, DRAFT7),
    "items": (read_items, DRAFT4, DRAFT2020),
    "prefixItems": (read_items, DRAFT2020, DRAFT2020),
    "additionalItems": (read_items, DRAFT4, DRAFT2019),
    "unevaluatedItems": (read_unevaluated_items, DRAFT2019, DRAFT2020),
    "minItems": (read_min_items, DRAFT4, DRAFT2020),
    "maxItems": (read_max_items, DRAFT4, DRAFT2020),
    "uniqueItems": (read_unique, DRAFT4, DRAFT2020),
    "contains": (read_contains, DRAFT6, DRAFT2020),
    "minContains": (read_min_contains, DRAFT2019, DRAFT2020),
    "maxContains": (read_max_contains, DRAFT2019, DRAFT2020),
    "properties": (read_properties, DRAFT4, DRAFT2020),
    "patternProperties": (read_properties, DRAFT4, DRAFT2020),
    "additionalProperties": (read_properties, DRAFT4, DRAFT2020),
    "unevaluatedProperties": (read_unevaluated_properties, DRAFT2019, DRAFT2020),
    "required": (read_required, DRAFT4, DRAFT2020),
    "minProperties": (read_min_properties, DRAFT4, DRAFT2020),
    "maxProperties": (read_max_properties, DRAFT4, DRAFT2020),
    "propertyNames": (read_property_names, DRAFT6, DRAFT2020),
    "dependentRequired": (read_dependent_required, DRAFT2019, DRAFT2020),
    "dependentSchemas": (read_dependent_schemas, DRAFT2019, DRAFT2020),
    "dependencies": (read_dependencies, DRAFT4, DRAFT2020),
    "$ref": (read_ref, DRAFT4, DRAFT2020),
    "$dynamicRef": (read_dynamic_ref, DRAFT2020, DRAFT2020),
    "$recursiveRef": (read_recursive_ref, DRAFT2019, DRAFT2019),
    "allOf": (read_all, DRAFT4, DRAFT2020),
    "anyOf": (read_any, DRAFT4, DRAFT2020),
    "oneOf": (read_one, DRAFT4, DRAFT2020),
    "not": (read_not, DRAFT4, DRAFT2020),
    "if": (read_if, DRAFT7, DRAFT2020),
    "then": (read_branch, DRAFT7, DRAFT2020),
    "else": (read_branch, DRAFT7, DRAFT2020),
}
#: The same with what their values hold (`resolve`): 0 for data.
KNOWN = {keyword: HOLDS.get(keyword, 0) for keyword in KEYWORDS}
#: (draft, whether its vocabulary asserts) → the keywords that count there.
RULES = {
    (draft, asserts): {
        keyword: rule
        for keyword, (rule, first, last) in KEYWORDS.items()
        if first <= draft <= last and (asserts or keyword not in VALIDATION)
    }
    for draft in DRAFT_NAMES
    for asserts in (True, False)
}
