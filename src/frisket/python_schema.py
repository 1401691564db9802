"""Pydantic's core schema → a JSON Schema whose documents Pydantic accepts, and the demands that no schema can express.

Pydantic's own JSON Schema allows documents that Pydantic refuses (a `uri` with a bad host), and lacks some of its
demands (a date in the past). This module adds what a schema can express, if necessary more narrowly. All other demands
become entries of the report, and `value` checks them when the text is whole.
"""

from __future__ import annotations

import re
import zoneinfo
from enum import Enum
from functools import partial
from types import NoneType
from typing import Any

from frisket._core import GrammarBuilder
from frisket.errors import GrammarSyntaxError, UnsupportedSchemaError
from frisket.json_pointer import escape
from frisket.json_schema.report import Entry
from frisket.misuse import instead_of_function
from frisket.python_key import property_names, read_as_key
from frisket.python_pattern import (
    BASE64_OF_ASCII,
    COORDINATE,
    DATE_BOUNDS,
    DECIMAL,
    FRACTION,
    HOST,
    NAIVE,
    NAIVE_TIME,
    NO_LEAP_SECOND,
    SIZE,
    STRIPPED,
    ecma,
    moments,
)
from frisket.python_set import is_spelled_once, may_be_unhashable, parts

#: Keyword that holds a part's entries until its place in the document is known.
MARK = "x-frisket-entries"


def demands_of(schema: dict[str, Any]) -> tuple[dict[str, Any], list[Entry]]:
    """(the schema without these keywords, their entries with places)."""
    found: list[Entry] = []

    def clean(part: Any, pointer: str) -> Any:
        if isinstance(part, list):
            return [clean(item, f"{pointer}/{index}") for index, item in enumerate(part)]
        if not isinstance(part, dict):
            return part
        found.extend(
            Entry(pointer, keyword, status, slips)
            for status, keyword, slips in dict.fromkeys(map(tuple, part.get(MARK, ())))
        )
        return {
            key: value if key in ("const", "default", "enum", "examples") else clean(value, f"{pointer}/{escape(key)}")
            for key, value in part.items()
            if key != MARK
        }

    return clean(schema, ""), found


def generator(pydantic: Any) -> Any:
    """Pydantic's generator of schemas, extended by narrowed schemas and marks."""
    base = pydantic.json_schema.GenerateJsonSchema
    invalid = pydantic.errors.PydanticInvalidForJsonSchema

    class Narrowed(base):  # type: ignore[misc, valid-type]
        # -- numbers --------------------------------------------------------------------------------------------
        def decimal_schema(self, schema: Any) -> Any:
            number = _number(schema)
            digits, places = schema.get("max_digits"), schema.get("decimal_places")
            if digits is not None and (digits > 30 or (places is not None and places > digits)):
                return loosened(number, "max_digits", f"numbers with more than {digits} digits")
            if digits is not None:
                # The number of digits is fixed, so more places mean fewer digits before the point.
                ways = range(digits + 1) if places is None else [places]
                parts = [{"multipleOf": _power(-way), **_digits_before_point(digits - way)} for way in ways]
                return narrowed({**number, "anyOf" if len(parts) > 1 else "allOf": parts}, "Decimal", NO_TEXT)
            if places is not None:
                return narrowed({**number, "allOf": [{"multipleOf": _power(-places)}]}, "Decimal", NO_TEXT)
            if number != {"type": "number"}:
                return narrowed(number, "Decimal", NO_TEXT)
            text = {"type": "string", "pattern": rf"^[+-]?({DECIMAL}|\.[0-9]{{1,40}})$"}
            return {"anyOf": [number, narrowed(text, "Decimal", "texts of more than 40 digits on a side, NaN")]}

        def fraction_schema(self, schema: Any) -> Any:
            number = _number(schema)
            if number != {"type": "number"}:
                return narrowed(number, "Fraction", NO_TEXT)
            return {"anyOf": [number, {"type": "string", "format": "fraction"}]}

        def complex_schema(self, schema: Any) -> Any:
            number = r"[0-9]{1,20}(\.[0-9]{1,20})?"
            text = {"type": "string", "pattern": f"^-?{number}([+-]{number}j)?$"}
            return narrowed(text, "complex", "numbers with an exponent, more than 20 digits on a side, in parentheses")

        # -- single values --------------------------------------------------------------------------------------
        def literal_schema(self, schema: Any) -> Any:
            read = [one for one in schema["expected"] if _is_read(one)]
            if not read:
                raise invalid(f"none of {schema['expected']} is read from JSON")
            return super().literal_schema({**schema, "expected": read})

        def enum_schema(self, schema: Any) -> Any:
            read = [one for one in schema["members"] if _is_read(one)]
            if not read:
                raise invalid(f"no value of {schema['cls'].__name__} is read from JSON")
            return super().enum_schema({**schema, "members": read})

        # -- texts ----------------------------------------------------------------------------------------------
        def str_schema(self, schema: Any) -> Any:
            described = super().str_schema(schema)
            if "pattern" in described:
                if re.search(r"\\[bB]", described["pattern"]):
                    loosened(described, "pattern", "texts in which a letter beyond ASCII stands at the edge of a word")
                engine = getattr(self._config, "regex_engine", None)
                pattern = ecma(described["pattern"])
                if pattern is None or (engine != "python-re" and not _is_read_as_ecma(pattern)):
                    del described["pattern"]
                    loosened(described, "pattern", "any text: ECMA 262 has no such pattern")
                else:
                    described["pattern"] = pattern
            stripped = schema.get("strip_whitespace", getattr(self._config, "str_strip_whitespace", False))
            if stripped and len(described) > 1:  # otherwise Pydantic strips the text itself
                described["allOf"] = [{"pattern": STRIPPED}]
                narrowed(
                    described, "strip_whitespace", "texts with blanks around them, which are not part of the value"
                )
            return described

        def bytes_schema(self, schema: Any) -> Any:
            described = super().bytes_schema(schema)
            encoding = getattr(self._config, "val_json_bytes", "utf8")
            if encoding == "base64":
                return {**described, "format": "base64url"}
            if encoding == "hex":
                least, most = schema.get("min_length") or 0, schema.get("max_length")
                return {"type": "string", "pattern": f"^([0-9a-fA-F]{{2}}){{{least},{'' if most is None else most}}}$"}
            described["format"] = "binary"
            if "minLength" in described or "maxLength" in described:
                described["pattern"] = "^[\\x00-\\x7f]*$"
                narrowed(described, "bytes", "texts beyond ASCII: the bounds are of bytes")
            return described

        def url_schema(self, schema: Any) -> Any:
            return _url(super().url_schema(schema), schema)

        def multi_host_url_schema(self, schema: Any) -> Any:
            return _url(super().multi_host_url_schema(schema), schema)

        def json_schema(self, schema: Any) -> Any:
            described = super().json_schema(schema)
            which = "texts that are no JSON" if described["contentSchema"] == {} else "texts that do not hold its type"
            return loosened(described, "Json", which)

        # -- times ----------------------------------------------------------------------------------------------
        def date_schema(self, schema: Any) -> Any:
            described = super().date_schema(schema)
            bounds = [
                pattern
                for name, pattern_of in DATE_BOUNDS.items()
                if schema.get(name) is not None and (pattern := pattern_of(schema[name].isoformat()))
            ]
            return _mark_clock(
                {**described, "allOf": [{"pattern": one} for one in bounds]} if bounds else described, schema
            )

        def datetime_schema(self, schema: Any) -> Any:
            described = super().datetime_schema(schema)
            if schema.get("tz_constraint") == "naive":  # the format requires an offset
                described = {"type": "string", "pattern": NAIVE}
                bounds = moments(schema, "")
            else:
                described = {**described, "pattern": NO_LEAP_SECOND}
                bounds = moments(schema, "Z")
                if schema.get("tz_constraint") is None:
                    narrowed(described, "datetime", NO_ZONE)
            return _mark_clock(_bounded(described, bounds), schema)

        def time_schema(self, schema: Any) -> Any:
            if schema.get("tz_constraint") == "naive":  # the format requires an offset
                return _bounded({"type": "string", "pattern": NAIVE_TIME}, moments(schema, ""))
            described = {**super().time_schema(schema), "pattern": NO_LEAP_SECOND}
            if schema.get("tz_constraint") is None:
                narrowed(described, "time", NO_ZONE)
            zoned = [name for name in DATE_BOUNDS if getattr(schema.get(name), "tzinfo", None) is not None]
            if zoned:  # the offset decides which of two times is later
                return loosened(described, " ".join(zoned), "any time")
            return _bounded(described, moments(schema, "Z"))

        def timedelta_schema(self, schema: Any) -> Any:
            described = super().timedelta_schema(schema)
            bounds = [name for name in DATE_BOUNDS if schema.get(name) is not None]
            if bounds:
                loosened(described, " ".join(bounds), "any duration")
            if "format" in described:
                # At most six digits before each letter, so that the sum stays below the largest timedelta.
                described["pattern"] = "^P([0-9]{1,6}[YMWD])*(T([0-9]{1,6}[HMS])+)?$"
                narrowed(described, "timedelta", "numbers of more than six digits, fractions")
            return described

        # -- containers -----------------------------------------------------------------------------------------
        def set_schema(self, schema: Any) -> Any:
            return _as_set(super().set_schema(schema), schema)

        def frozenset_schema(self, schema: Any) -> Any:
            return _as_set(super().frozenset_schema(schema), schema)

        def definitions_schema(self, schema: Any) -> Any:
            self._definitions = {one["ref"]: one for one in schema["definitions"]}
            return super().definitions_schema(schema)

        def dict_schema(self, schema: Any) -> Any:
            described = super().dict_schema(schema)
            keys, marks = read_as_key(schema.get("keys_schema", {}), getattr(self, "_definitions", {}))
            kind = keys.get("type")
            if kind is not None and (schema.get("min_length") or 0) > 1 and not is_spelled_once(keys):
                loosened(described, "min_length", ONE_KEY)
            if kind == "union" and all(part["type"] != "str" for part in parts(keys)):
                loosened(described, "keys", "keys that no part of the union reads")
            if kind in ("tuple", "list", "set", "frozenset", "dict", "model", "dataclass", "typed-dict"):
                raise invalid(f"a key of an object cannot be a {kind}")
            if "patternProperties" in described:
                described.setdefault("additionalProperties", False)
                return described
            names = property_names(keys)
            if names.schema is not None:
                described["propertyNames"] = names.schema
            if marks := [*marks, *names.marks]:
                described[MARK] = [*described.get(MARK, []), *marks]
            return described

        def tagged_union_schema(self, schema: Any) -> Any:
            described = super().tagged_union_schema(schema)
            if callable(schema["discriminator"]):
                name = getattr(schema["discriminator"], "__name__", "?")
                loosened(described, "discriminator", f"documents for which {name}() names another member than they fit")
            return described

        def model_field_schema(self, schema: Any) -> Any:
            self._refuse_paths(schema)
            return super().model_field_schema(schema)

        def dataclass_field_schema(self, schema: Any) -> Any:
            self._refuse_paths(schema)
            return super().dataclass_field_schema(schema)

        def typed_dict_field_schema(self, schema: Any) -> Any:
            self._refuse_paths(schema)
            return super().typed_dict_field_schema(schema)

        def _refuse_paths(self, field: Any) -> None:
            alias = field.get("validation_alias")
            by_name = getattr(self._config, "validate_by_name", None) or getattr(self._config, "populate_by_name", None)
            if not isinstance(alias, list) or by_name:
                return
            ways = alias if isinstance(alias[0], list) else [alias]
            if all(len(path) != 1 for path in ways):
                raise invalid(f"a field is only read from a path ({alias}); give it an alias that is one name")

        # -- what Python decides --------------------------------------------------------------------------------
        def generate_inner(self, schema: Any) -> Any:
            described = super().generate_inner(schema)
            return _mark_function(described, schema) if schema["type"].startswith("function-") else described

        def model_schema(self, schema: Any) -> Any:
            return _mark_class_functions(super().model_schema(schema), schema)

        def dataclass_schema(self, schema: Any) -> Any:
            return _mark_class_functions(super().dataclass_schema(schema), schema)

        def chain_schema(self, schema: Any) -> Any:
            described = super().chain_schema(schema)
            for step in schema["steps"]:
                if step.get("type") == "is-instance":
                    name = getattr(step["cls"], "__name__", "?")
                    loosened(described, name, f"values that are no {name}")
            return described

        def call_schema(self, schema: Any) -> Any:
            if isinstance(schema["function"], type):  # a NamedTuple
                return super().call_schema(schema)
            name = getattr(schema["function"], "__name__", "…")
            raise UnsupportedSchemaError(
                f"the function {name} is no type: Pydantic would call it with the answer",
                where=name,
                hint=instead_of_function(name),
            )

        def is_subclass_schema(self, schema: Any) -> Any:
            raise invalid("a class is never read from JSON")

        def generate(self, schema: Any, mode: Any = "validation") -> Any:
            return _known_formats(super().generate(schema, mode))

    return Narrowed


def loosened(described: dict[str, Any], keyword: str, slips: str) -> dict[str, Any]:
    """The schema with a mark: these values are allowed, and only `value` refuses them."""
    described[MARK] = [*described.get(MARK, []), ("loosened", keyword, slips)]
    return described


def narrowed(described: dict[str, Any], keyword: str, slips: str) -> dict[str, Any]:
    """The schema with a mark: these values are left out, though Pydantic accepts them."""
    described[MARK] = [*described.get(MARK, []), ("narrowed", keyword, f"left out: {slips}")]
    return described


BEYOND = "values beyond the bound"
NO_ZONE = "texts without a zone"
NO_TEXT = "texts, which cannot have bounds"
ONE_KEY = "objects whose keys differ as texts and are one value"
ONE_ITEM = "arrays whose items differ as JSON and are one value"
KEYWORDS = {
    **{"gt": "exclusiveMinimum", "ge": "minimum", "lt": "exclusiveMaximum", "le": "maximum"},
    "multiple_of": "multipleOf",
}
#: Endings of the names of Pydantic's functions that check a bound which its core does not check.
BOUNDED = (
    "than_validator",
    "equal_validator",
    "of_validator",
    "length_validator",
    "digits_validator",
    "places_validator",
)
#: Pydantic's functions whose checks no schema can express → what is allowed instead; its other functions refuse no
#: more.
PYDANTIC = {
    "validate_file": "names of files that do not exist",
    "validate_directory": "names of folders that do not exist",
    "validate_new": "names of files that exist, or whose folder does not",
    "validate_socket": "names of sockets that do not exist",
    "import_string": "names of nothing that can be imported",
    "val_func": "what the predicate refuses",
    **dict.fromkeys(("pattern_either_validator", "pattern_str_validator"), "expressions that Python's `re` refuses"),
    "pattern_bytes_validator": "everything: no pattern of bytes is read from JSON",
}


def _mark_function(described: dict[str, Any], schema: Any) -> dict[str, Any]:
    """The schema, with a mark if its function may refuse what the schema allows."""
    function = schema["function"]["function"]
    while isinstance(function, partial):
        function = function.func
    name = getattr(function, "__name__", type(function).__name__)
    module = getattr(function, "__module__", None) or ""
    if not (module == "pydantic" or module.startswith("pydantic.")):
        return loosened(dict(described), name, f"what {name}() refuses")
    if getattr(function, "__qualname__", "") == "ByteSize._validate":
        sizes = narrowed({"type": "string", "pattern": SIZE}, "ByteSize", "other spellings of a size")
        return {"anyOf": [sizes, {"type": "integer", "minimum": 0}]}
    if name.endswith(BOUNDED) and "type" not in described:  # with several types, a bound applies to some of them only
        return loosened(dict(described), name.removesuffix("_validator"), BEYOND)
    if name == "decode_str":
        return narrowed({**described, "pattern": BASE64_OF_ASCII}, "Base64Str", "texts beyond ASCII")
    return loosened(dict(described), name, PYDANTIC[name]) if name in PYDANTIC else described


def _mark_class_functions(described: dict[str, Any], schema: Any) -> dict[str, Any]:
    """The schema, with a mark if the class has a function of its own that may refuse what the fields allow."""
    own = ["__init__"] if schema.get("custom_init") else []
    if after := schema.get("post_init"):
        own.append(after if isinstance(after, str) else "__post_init__")
    for name in own:
        # Pydantic's own function, which sets private attributes.
        if getattr(schema["cls"], name).__name__ != "init_private_attributes":
            loosened(described, name, f"what {schema['cls'].__name__}.{name}() refuses")
    return described


def _mark_clock(described: dict[str, Any], schema: Any) -> dict[str, Any]:
    """The schema, with a mark if the result depends on the clock, which a grammar cannot see."""
    when = schema.get("now_op")
    if when is None:
        return described
    return loosened(dict(described), when, "times to come" if when == "past" else "times that are over")


def _as_set(described: dict[str, Any], schema: Any) -> dict[str, Any]:
    """The schema, with a mark if Python may refuse items, or treat several as equal."""
    items = schema.get("items_schema", {"type": "any"})
    if may_be_unhashable(items):
        loosened(described, "set", "items that no set holds, such as lists")
    if (schema.get("min_length") or 0) > 1 and not is_spelled_once(items):
        loosened(described, "min_length", ONE_ITEM)
    return described


def _is_read(value: Any) -> bool:
    """Whether Pydantic recognises a value that it reads from JSON."""
    return isinstance(value.value if isinstance(value, Enum) else value, (str, int, float, NoneType))


def _number(schema: Any) -> dict[str, Any]:
    """A number within the bounds of a type's core schema."""
    bounds = {keyword: float(schema[name]) for name, keyword in KEYWORDS.items() if schema.get(name) is not None}
    return {"type": "number", **bounds}


def _power(exponent: int) -> float | int:
    return 10**exponent if exponent >= 0 else float(f"1e{exponent}")


def _digits_before_point(digits: int) -> dict[str, Any]:
    """Numbers with this many digits before the point."""
    return {"exclusiveMinimum": -_power(digits), "exclusiveMaximum": _power(digits)}


def _url(described: dict[str, Any], schema: Any) -> dict[str, Any]:
    """URLs that RFC 3986 allows and the WHATWG's reader, which Pydantic uses, accepts: a scheme and a plain host."""
    described = {**described, "format": "uri"}
    schemes = schema.get("allowed_schemes")
    if schemes == ["file"]:
        described["pattern"] = "^file:///"
        return narrowed(described, "url", "files of other hosts")
    named = "|".join(map(re.escape, schemes)) if schemes else "[A-Za-z][A-Za-z0-9+.-]*"
    other = "" if schemes or schema.get("host_required") else "|^(?:mailto|urn|data|tel):[A-Za-z0-9]"
    described["pattern"] = f"^(?:{named})://{HOST}(?:[/?#].*)?$" + other
    return narrowed(described, "url", "URLs with a user, with an address or a digit at the end of a host's name")


def _known_formats(schema: Any) -> Any:
    """The schema with formats that a grammar knows in place of Pydantic's; lengths in base64 bytes become letters."""
    if isinstance(schema, list):
        return [_known_formats(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    changed = {key: _known_formats(value) for key, value in schema.items()}
    for name, keyword in KEYWORDS.items():
        if isinstance(changed.get(name), (int, float)):  # a keyword of Pydantic's, for a bound that its core lacks
            changed[keyword] = changed.pop(name)
            if all(part.get("type") in ("integer", "number") for part in changed.get("anyOf", [{}])):
                changed[MARK] = [mark for mark in changed.get(MARK, []) if mark[2] != BEYOND]
    if changed.get("format") == "name-email":
        changed["format"] = "email"
        narrowed(changed, "name-email", "addresses with a name before them, as in Ada <ada@example.org>")
    if _bounds_a_coordinate(changed):
        changed["anyOf"] = [part for part in changed["anyOf"] if part.get("pattern") != COORDINATE]
        narrowed(changed, "coordinate", "texts, which cannot be held to bounds")
    if changed.get("format") == "fraction":
        del changed["format"]
        changed["pattern"] = FRACTION
        narrowed(changed, "fraction", "texts with an exponent, blanks, more than 40 digits on a side")
    if changed.get("format") == "zoneinfo" and (zones := sorted(zoneinfo.available_timezones())):
        del changed["format"]
        changed["enum"] = zones
        narrowed(changed, "zoneinfo", "names beside those of `zoneinfo.available_timezones()`")
    if changed.get("format") in ("base64", "base64url"):
        least, most = changed.pop("minLength", 0), changed.pop("maxLength", None)
        patterns = [f"^[^=]{{{least + -(-least // 3)}}}"] if least else []
        if most is not None:
            patterns.append(f"^[^=]{{0,{most + -(-most // 3)}}}=*$")
        if patterns:
            changed["allOf"] = [*changed.get("allOf", []), *({"pattern": pattern} for pattern in patterns)]
    return changed


def _bounds_a_coordinate(described: dict[str, Any]) -> bool:
    """Whether this describes a latitude or longitude, as a number with bounds or as a text of any number."""
    ways = described.get("anyOf")
    if not isinstance(ways, list) or not all(isinstance(way, dict) for way in ways):
        return False
    is_bounded = any("minimum" in way or "maximum" in way for way in ways)
    return is_bounded and any(way.get("pattern") == COORDINATE for way in ways)


def _is_read_as_ecma(pattern: str) -> bool:
    try:
        GrammarBuilder().regex(pattern, dialect="ecma", search=True)
    except GrammarSyntaxError:
        return False
    return True


def _bounded(described: dict[str, Any], bounds: list[str]) -> dict[str, Any]:
    if not bounds:
        return described
    described = {**described, "allOf": [{"pattern": pattern} for pattern in bounds]}
    return narrowed(described, "bounds", "times in another zone than UTC, written Z; fractions of the bound's second")
