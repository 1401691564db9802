"""Grammar of a schema → one of its documents, as an example for a prompt."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

from frisket.description import dumps
from frisket.description.writer import dumped, resolve
from frisket.errors import FrisketError
from frisket.limit import Limits, Meter

if TYPE_CHECKING:
    from frisket.grammar import Grammar
    from frisket.json_schema import JSONSchemaOptions

DEPTH = 6
#: Limit steps per subschema, and per character of the example, which is written and then read by the grammar.
_STEPS_PER_NODE, _STEPS_PER_CHARACTER = 100, 20
#: Limit bytes per character, which is in the value, in its text and in the UTF-8 of that.
_BYTES_PER_CHARACTER = 16
_LARGEST_FLOAT = Fraction(10**300)
FORMATS = {
    "date": "2026-11-23", "time": "12:30:00Z", "date-time": "2026-11-23T12:30:00Z", "duration": "P1D",
    "email": "ada@example.com", "hostname": "example.com", "uri": "https://example.com", "ipv4": "192.0.2.1",
    "ipv6": "2001:db8::1", "uuid": "123e4567-e89b-12d3-a456-426614174000",
}  # fmt: skip


def example(grammar: Grammar, options: JSONSchemaOptions, meter: Meter) -> str:
    """A document of the grammar: a likely one if the grammar accepts it, otherwise a short one that masks produce."""
    likely = dumps(_Likely(grammar.schema, meter).value(grammar.schema, "text", 0).json, options)
    if grammar.accepts(likely, limits=meter.limits):
        return likely
    short = _shortest(grammar, meter.limits)
    spaced = dumps(json.loads(short), options)
    return spaced if grammar.accepts(spaced, limits=meter.limits) else short


def _shortest(grammar: Grammar, limits: Limits) -> str:
    from frisket.vocabulary import Vocabulary

    letters = Vocabulary.from_bytes([*(bytes([value]) for value in range(256)), None], eos=[256])
    found = grammar.compile(letters, limits=limits).matcher().completion()
    if found is None:
        raise FrisketError("no short document was found", hint='use style="typescript"', code="no-example")
    return found.decode()


class _Sized(NamedTuple):
    """A JSON value with the approximate length of its text."""

    json: Any
    size: int


class _Likely:
    """Makes a value that a schema probably allows, short enough for a grammar to read within the limits."""

    def __init__(self, root: Any, meter: Meter) -> None:
        self.root = root
        self.meter = meter

    def value(self, node: Any, name: str, depth: int) -> _Sized:
        """A value of a subschema with a name."""
        self.meter.spend(_STEPS_PER_NODE)
        if not isinstance(node, Mapping) or depth > DEPTH:
            return _Sized(None, 4)
        if "const" in node:
            return self.sized(node["const"])
        for keyword in ("examples", "enum"):
            if isinstance(node.get(keyword), list) and node[keyword]:
                return self.sized(node[keyword][0])
        if node.get("default") is not None:
            return self.sized(node["default"])
        reference = node.get("$ref")
        if isinstance(reference, str) and reference.startswith("#"):
            return self.value(resolve(self.root, reference), name, depth + 1)
        for keyword in ("anyOf", "oneOf", "allOf"):
            if isinstance(node.get(keyword), list) and node[keyword] and "properties" not in node:
                return self.value(node[keyword][0], name, depth + 1)
        kind = node.get("type", "object" if "properties" in node else "string")
        kind = kind[0] if isinstance(kind, list) and kind else kind
        if kind == "object":
            properties = node.get("properties") or {}
            members = {key: self.value(value, key, depth + 1) for key, value in properties.items()}
            size = sum(len(key) + value.size + 6 for key, value in members.items())
            return _Sized({key: value.json for key, value in members.items()}, size + 2)
        if kind == "array":
            return self.array(node, name, depth)
        if kind in ("integer", "number"):
            return self.sized(_number(node))
        if kind == "boolean":
            return _Sized(True, 4)
        if kind == "null":
            return _Sized(None, 4)
        return self.text(node, name)

    def array(self, node: Mapping[str, Any], name: str, depth: int) -> _Sized:
        """An array of equal items: as many as the schema requires, but at least one."""
        first = [self.value(one, name, depth + 1) for one in node.get("prefixItems") or ()]
        item = node.get("items", not first)
        count = max(int(node.get("minItems") or 0), 1) - len(first)
        items = [value.json for value in first]
        size = 2 + sum(value.size + 2 for value in first)
        if item is False or count < 1:
            return _Sized(items, size)
        rest = self.value(item, name, depth + 1)
        self.write(count * (rest.size + 2))
        return _Sized([*items, *[rest.json] * count], size + count * (rest.size + 2))

    def text(self, node: Mapping[str, Any], name: str) -> _Sized:
        """A string of the format, or the property's name, lengthened to the required length."""
        if node.get("format") in FORMATS:
            text = FORMATS[node["format"]]
        else:
            least, most = int(node.get("minLength") or 0), node.get("maxLength")
            self.write(least)
            text = name.replace("_", " ")
            text += "." * (least - len(text))
            text = text if most is None else text[: min(int(most), len(text))]
        return _Sized(text, len(text) + 2)

    def sized(self, value: Any) -> _Sized:
        """A value that the schema itself gives."""
        size = len(dumped(value))
        self.write(size)
        return _Sized(value, size)

    def write(self, characters: int) -> None:
        """Spend limit steps for reading this number of characters."""
        self.meter.spend(_STEPS_PER_CHARACTER * characters, _BYTES_PER_CHARACTER * characters)


def _number(node: Mapping[str, Any]) -> Any:
    """The smallest allowed multiple of `multipleOf` from the lower bound on, without floats, which would overflow."""
    step = _exact(node.get("multipleOf")) or Fraction(1)
    low = _exact(node.get("minimum", node.get("exclusiveMinimum")))
    if low is None:
        high = _exact(node.get("maximum", node.get("exclusiveMaximum")))
        low = high - step if high is not None and high <= 0 else Fraction(0)
    value = math.ceil(low / step) * step
    value += step * (value == _exact(node.get("exclusiveMinimum")))
    if value.denominator == 1:
        return int(value)
    return float(value) if abs(value) < _LARGEST_FLOAT else int(value)


def _exact(number: Any) -> Fraction | None:
    """The exact value of a number in a schema; None for anything else."""
    if isinstance(number, bool) or not isinstance(number, int | float | Decimal):
        return None
    # A float means its shortest decimal form.
    return Fraction(number) if isinstance(number, int) else Fraction(str(number))
