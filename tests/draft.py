"""Keywords and formats → the drafts of JSON Schema that have them, as the specifications list them."""

from __future__ import annotations

#: Each keyword that asks something of a document, with the first and the last draft that has it.
KEYWORDS: dict[str, tuple[int, int]] = {
    **dict.fromkeys(("$ref", "type", "enum", "format", "allOf", "anyOf", "oneOf", "not"), (4, 2020)),
    **dict.fromkeys(("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"), (4, 2020)),
    **dict.fromkeys(("minLength", "maxLength", "pattern", "items", "minItems", "maxItems", "uniqueItems"), (4, 2020)),
    **dict.fromkeys(("properties", "patternProperties", "additionalProperties", "required"), (4, 2020)),
    # Later drafts do not list `dependencies`; frisket reads them there as draft 7 does.
    **dict.fromkeys(("minProperties", "maxProperties", "dependencies"), (4, 2020)),
    "additionalItems": (4, 2019),
    **dict.fromkeys(("const", "contains", "propertyNames"), (6, 2020)),
    **dict.fromkeys(("if", "then", "else"), (7, 2020)),
    **dict.fromkeys(("contentEncoding", "contentMediaType"), (7, 7)),
    **dict.fromkeys(("unevaluatedItems", "unevaluatedProperties", "minContains", "maxContains"), (2019, 2020)),
    **dict.fromkeys(("dependentRequired", "dependentSchemas"), (2019, 2020)),
    "$recursiveRef": (2019, 2019),
    **dict.fromkeys(("prefixItems", "$dynamicRef"), (2020, 2020)),
}
#: What names, describes or holds schemas, in JSON Schema and OpenAPI.
METADATA = (
    *("$schema", "$id", "id", "$anchor", "$dynamicAnchor", "$recursiveAnchor", "$vocabulary"),
    *("$defs", "definitions", "$comment", "title", "description", "default", "examples"),
    *("deprecated", "readOnly", "writeOnly", "example", "externalDocs", "xml"),
)
#: Formats of texts that JSON Schema defines.
FORMATS = (
    *("date", "time", "date-time", "duration", "email", "idn-email", "hostname", "idn-hostname", "ipv4", "ipv6"),
    *("uri", "uri-reference", "iri", "iri-reference", "uri-template", "json-pointer", "relative-json-pointer"),
    *("uuid", "regex"),
)
#: Formats of texts that OpenAPI and Pydantic define.
OTHER_FORMATS = (
    *("byte", "base64", "base64url", "binary", "password", "path", "ipvanyaddress", "ipv4network", "ipv6network"),
    *("ipvanynetwork", "ipv4interface", "ipv6interface", "ipvanyinterface"),
    *("uuid1", "uuid3", "uuid4", "uuid5", "uuid6", "uuid7", "uuid8"),
)


def has(draft: int, keyword: str) -> bool:
    """Whether a keyword asks something in a draft."""
    first, last = KEYWORDS.get(keyword, (0, 0))
    return first <= draft <= last
