"""Grammar of a schema → one of its documents, as an example for a prompt."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from frisket.description import dumps
from frisket.errors import FrisketError, LimitExceededError

if TYPE_CHECKING:
    from frisket.grammar import Grammar
    from frisket.json_schema import JSONSchemaOptions

DEPTH = 6
FORMATS = {
    "date": "2026-11-23", "time": "12:30:00Z", "date-time": "2026-11-23T12:30:00Z", "duration": "P1D",
    "email": "ada@example.com", "hostname": "example.com", "uri": "https://example.com", "ipv4": "192.0.2.1",
    "ipv6": "2001:db8::1", "uuid": "123e4567-e89b-12d3-a456-426614174000",
}  # fmt: skip


def example(grammar: Grammar, options: JSONSchemaOptions) -> str:
    """A document of the grammar, by construction: a likely one if the grammar accepts it, else a short one."""
    root = grammar.schema
    likely = dumps(_value(root, root, "text", 0), options)
    if grammar.accepts(likely):
        return likely
    short = _shortest(grammar)
    spaced = dumps(json.loads(short), options)
    return spaced if grammar.accepts(spaced) else short


def _shortest(grammar: Grammar) -> str:
    from frisket.vocabulary import Vocabulary

    letters = Vocabulary.from_bytes([*(bytes([value]) for value in range(256)), None], eos=[256])
    try:
        found = grammar.compile(letters).matcher().completion()
    except LimitExceededError:
        found = None
    if found is None:
        raise FrisketError("no short document was found", hint='use style="typescript"', code="no-example")
    return found.decode()


def _value(node: Any, root: Any, name: str, depth: int) -> Any:
    """A value that the schema is likely to allow."""
    if not isinstance(node, Mapping) or depth > DEPTH:
        return None
    if "const" in node:
        return node["const"]
    for keyword in ("examples", "enum"):
        if isinstance(node.get(keyword), list) and node[keyword]:
            return node[keyword][0]
    if node.get("default") is not None:
        return node["default"]
    reference = node.get("$ref")
    if isinstance(reference, str) and reference.startswith("#"):
        from frisket.description.writer import resolve

        return _value(resolve(root, reference), root, name, depth + 1)
    for keyword in ("anyOf", "oneOf", "allOf"):
        if isinstance(node.get(keyword), list) and node[keyword] and "properties" not in node:
            return _value(node[keyword][0], root, name, depth + 1)
    kind = node.get("type", "object" if "properties" in node else "string")
    kind = kind[0] if isinstance(kind, list) and kind else kind
    if kind == "object":
        properties = node.get("properties") or {}
        return {key: _value(value, root, key, depth + 1) for key, value in properties.items()}
    if kind == "array":
        first = [_value(one, root, name, depth + 1) for one in node.get("prefixItems") or ()]
        item = node.get("items", not first)
        count = max(int(node.get("minItems") or 0), 1) - len(first)
        return first if item is False or count < 1 else [*first, *[_value(item, root, name, depth + 1)] * count]
    if kind in ("integer", "number"):
        return _number(node)
    if kind == "boolean":
        return True
    if kind == "null":
        return None
    return _text(node, name)


def _number(node: Mapping[str, Any]) -> Any:
    step = node.get("multipleOf") or 1
    low = node.get("minimum", node.get("exclusiveMinimum"))
    if isinstance(low, bool) or not isinstance(low, int | float):
        high = node.get("maximum", node.get("exclusiveMaximum"))
        low = high - step if isinstance(high, int | float) and not isinstance(high, bool) and high <= 0 else 0
    value = -(-low // step) * step
    return value + step if value == node.get("exclusiveMinimum") else value


def _text(node: Mapping[str, Any], name: str) -> str:
    if node.get("format") in FORMATS:
        return FORMATS[node["format"]]
    least, most = int(node.get("minLength") or 0), node.get("maxLength")
    text = name.replace("_", " ")
    text += "." * (least - len(text))
    return text if most is None else text[: int(most)]
