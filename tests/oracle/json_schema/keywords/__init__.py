"""Draft → the keywords that count there, each with the function that reads it: one module for each type.

A keyword that is not in the table is an annotation.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from frisket.lint.resolve import DRAFT4, DRAFT6, DRAFT7, DRAFT2019, DRAFT2020, HOLDS
from tests.oracle.json_schema import semantic
from tests.oracle.json_schema.keywords import applicator, array, number, object, string, value

if TYPE_CHECKING:
    from tests.oracle.json_schema.reader import Reader

#: The vocabulary that a metaschema of 2019-09 or later may leave out.
VALIDATION = frozenset(
    (
        *("type", "enum", "const", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
        *("minLength", "maxLength", "pattern", "minItems", "maxItems", "uniqueItems", "minContains", "maxContains"),
        *("minProperties", "maxProperties", "required", "dependentRequired"),
    )
)

#: Each keyword's reader, and the first and the last draft that have the keyword.
KEYWORDS: dict[str, tuple[Callable[[Reader, Any], None], int, int]] = {
    "type": (value.read_type, DRAFT4, DRAFT2020),
    "enum": (value.read_enum, DRAFT4, DRAFT2020),
    "const": (value.read_const, DRAFT6, DRAFT2020),
    "minimum": (number.read_minimum, DRAFT4, DRAFT2020),
    "maximum": (number.read_maximum, DRAFT4, DRAFT2020),
    "exclusiveMinimum": (number.read_exclusive_minimum, DRAFT4, DRAFT2020),
    "exclusiveMaximum": (number.read_exclusive_maximum, DRAFT4, DRAFT2020),
    "multipleOf": (number.read_multiple, DRAFT4, DRAFT2020),
    "minLength": (string.read_min_length, DRAFT4, DRAFT2020),
    "maxLength": (string.read_max_length, DRAFT4, DRAFT2020),
    "pattern": (string.read_pattern, DRAFT4, DRAFT2020),
    "format": (semantic.read_format, DRAFT4, DRAFT2020),
    "contentEncoding": (semantic.read_content_encoding, DRAFT7, DRAFT7),
    "contentMediaType": (semantic.read_content_media_type, DRAFT7, DRAFT7),
    "items": (array.read_items, DRAFT4, DRAFT2020),
    "prefixItems": (array.read_items, DRAFT2020, DRAFT2020),
    "additionalItems": (array.read_items, DRAFT4, DRAFT2019),
    "unevaluatedItems": (array.read_unevaluated_items, DRAFT2019, DRAFT2020),
    "minItems": (array.read_min_items, DRAFT4, DRAFT2020),
    "maxItems": (array.read_max_items, DRAFT4, DRAFT2020),
    "uniqueItems": (array.read_unique, DRAFT4, DRAFT2020),
    "contains": (array.read_contains, DRAFT6, DRAFT2020),
    "minContains": (array.read_min_contains, DRAFT2019, DRAFT2020),
    "maxContains": (array.read_max_contains, DRAFT2019, DRAFT2020),
    "properties": (object.read_properties, DRAFT4, DRAFT2020),
    "patternProperties": (object.read_properties, DRAFT4, DRAFT2020),
    "additionalProperties": (object.read_properties, DRAFT4, DRAFT2020),
    "unevaluatedProperties": (object.read_unevaluated_properties, DRAFT2019, DRAFT2020),
    "required": (object.read_required, DRAFT4, DRAFT2020),
    "minProperties": (object.read_min_properties, DRAFT4, DRAFT2020),
    "maxProperties": (object.read_max_properties, DRAFT4, DRAFT2020),
    "propertyNames": (object.read_property_names, DRAFT6, DRAFT2020),
    "dependentRequired": (object.read_dependent_required, DRAFT2019, DRAFT2020),
    "dependentSchemas": (object.read_dependent_schemas, DRAFT2019, DRAFT2020),
    "dependencies": (object.read_dependencies, DRAFT4, DRAFT2020),
    "$ref": (applicator.read_ref, DRAFT4, DRAFT2020),
    "$dynamicRef": (applicator.read_dynamic_ref, DRAFT2020, DRAFT2020),
    "$recursiveRef": (applicator.read_recursive_ref, DRAFT2019, DRAFT2019),
    "allOf": (applicator.read_all, DRAFT4, DRAFT2020),
    "anyOf": (applicator.read_any, DRAFT4, DRAFT2020),
    "oneOf": (applicator.read_one, DRAFT4, DRAFT2020),
    "not": (applicator.read_not, DRAFT4, DRAFT2020),
    "if": (applicator.read_if, DRAFT7, DRAFT2020),
    "then": (applicator.read_branch, DRAFT7, DRAFT2020),
    "else": (applicator.read_branch, DRAFT7, DRAFT2020),
}
#: Each keyword with the kind of schemas that its value holds (`resolve`): 0 for data.
KNOWN = {keyword: HOLDS.get(keyword, 0) for keyword in KEYWORDS}
#: (draft, whether its vocabulary asserts) → the keywords that count there.
RULES = {
    (draft, asserts): {
        keyword: rule
        for keyword, (rule, first, last) in KEYWORDS.items()
        if first <= draft <= last and (asserts or keyword not in VALIDATION)
    }
    for draft in semantic.DRAFT_NAMES
    for asserts in (True, False)
}
