"""JSON Schema → text: chooses and orders the facts of a schema; a subclass for each notation words them.

Names, types, values and descriptions have places of their own in every notation. Every other keyword (a bound, a
pattern, a condition) becomes a note beside its subschema, so nothing is left out.
"""

from __future__ import annotations

import json
import re
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from frisket.errors import LimitExceededError
from frisket.json_pointer import find, unescape
from frisket.limit import Meter

OF_TYPE = {
    "object": ("properties", "required", "additionalProperties", "patternProperties"),
    "array": ("items", "prefixItems"),
}
#: Keywords that organise a schema and do not describe documents.
SILENT = {"$schema", "$id", "id", "$defs", "definitions", "$comment", "$anchor", "$vocabulary", "title"}
#: Keywords that every notation shows in another place than a note.
SHOWN = {"type", "enum", "const", "$ref", "anyOf", "oneOf", "allOf", "description"}
#: Pairs of bounds, and the unit that they count.
RANGES = (
    ("minLength", "maxLength", " character"),
    ("minItems", "maxItems", " item"),
    ("minProperties", "maxProperties", " member"),
    ("minimum", "maximum", ""),
)
WORDS = {"exclusiveMinimum": "more than", "exclusiveMaximum": "less than", "multipleOf": "a multiple of"}
#: Limit steps per object of keywords (which takes some microseconds), and per character of its text.
_STEPS_PER_NODE, _STEPS_PER_CHARACTER = 200, 1
#: Powers of ten from here on are not told as digits.
_LARGE = 1e15
PLAIN = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*")


@dataclass(frozen=True)
class Member:
    """One line of an object: a key, its values, and notes."""

    key: str
    """A name, a pattern of names, or empty for all other names."""
    text: str
    notes: Sequence[str] = ()
    kind: str = "name"
    """`name`, `pattern` or `others`."""
    optional: bool = False


class Writer(ABC):
    """Writes one schema document; referenced schemas come first, under their names."""

    ANYTHING: str
    NOTHING: str

    def __init__(self, root: Any, meter: Meter | None = None) -> None:
        self._root = root
        self._meter = Meter() if meter is None else meter
        self._names: dict[str, str] = {}
        self._taken: set[str] = set()
        self._agenda: deque[str] = deque()

    def document(self) -> str:
        main, notes = self.type(self._root)
        parts: list[str] = []
        seen: set[str] = set()
        while self._agenda:
            reference = self._agenda.popleft()
            if reference in seen:
                continue
            seen.add(reference)
            target = resolve(self._root, reference)
            text, said = (main, notes) if target is self._root else self.type(target)
            parts.append(self.definition(self._names[reference], text, said))
        last = (self._names["#"], []) if "#" in seen else (main, notes)
        return "\n".join([*parts, self.main(*last)])

    def type(self, node: Any) -> tuple[str, list[str]]:
        """The values of a schema, and the notes beside them."""
        if not isinstance(node, Mapping):
            return (self.NOTHING if node is False else self.ANYTHING), []
        self._meter.spend(_STEPS_PER_NODE)
        notes = [" ".join(str(node["description"]).split())] if node.get("description") else []
        used = set(SILENT | SHOWN)
        said = dict.fromkeys(self._parts(node, used))
        # The text is copied once into the text of each level above.
        self._meter.spend(_STEPS_PER_CHARACTER * sum(map(len, said)))
        notes += _bounds(node, used)
        notes += [words for keyword in ("allOf", "anyOf") if (words := _digits(node.get(keyword)))]
        notes += [f"{key}: {as_json(value)}" for key, value in node.items() if key not in used]
        parts = [part for part in said if part != self.ANYTHING]
        return (self.both(parts) if len(parts) > 1 else "".join(parts) or self.ANYTHING), notes

    # -- hooks of a notation ----------------------------------------------------------------------------------------

    @abstractmethod
    def main(self, text: str, notes: Sequence[str]) -> str:
        """The values of the whole document."""

    @abstractmethod
    def definition(self, name: str, text: str, notes: Sequence[str]) -> str:
        """The definition of a name."""

    @abstractmethod
    def object(self, members: Sequence[Member]) -> str: ...

    @abstractmethod
    def array(self, item: str) -> str: ...

    @abstractmethod
    def tuple(self, items: Sequence[str], rest: str | None) -> str:
        """An array whose first items have a schema each; `rest` is that of further items, or None if there are none."""

    @abstractmethod
    def either(self, parts: Sequence[str]) -> str:
        """Values of any of at least two parts."""

    @abstractmethod
    def both(self, parts: Sequence[str]) -> str:
        """Values of each of at least two parts."""

    @abstractmethod
    def noted(self, text: str, notes: Sequence[str]) -> str:
        """Values with at least one note, on one line."""

    # -- reading ---------------------------------------------------------------------------------------------------

    def _parts(self, node: Mapping[str, Any], used: set[str]) -> Iterator[str]:
        """The types whose intersection is the schema."""
        if isinstance(node.get("$ref"), str):
            yield self._reference(node["$ref"])
        if "const" in node:
            yield as_json(node["const"])
        elif isinstance(node.get("enum"), list):
            yield self._union([as_json(value) for value in node["enum"]])
        else:
            kinds = node.get("type", self._guess(node))
            kinds = kinds if isinstance(kinds, list) else [] if kinds is None else [kinds]
            for kind in kinds:
                used.update(OF_TYPE.get(kind, ()))
            if kinds:
                yield self._union([self._one(str(kind), node) for kind in kinds])
        for keyword in ("anyOf", "oneOf"):
            if isinstance(node.get(keyword), list) and not _digits(node[keyword]):
                yield self._union([self._inner(one) for one in node[keyword]])
        if not _digits(node.get("allOf")):
            yield from (self._inner(one) for one in node.get("allOf") or ())

    def _guess(self, node: Mapping[str, Any]) -> str | None:
        """The type that the keywords suggest if none is named; the text states it, as a mask would allow others."""
        return next((kind for kind, keywords in OF_TYPE.items() if any(word in node for word in keywords)), None)

    def _one(self, kind: str, node: Mapping[str, Any]) -> str:
        if kind == "object":
            return self.object(list(self._members(node)))
        if kind == "array":
            return self._array(node)
        return kind if kind in ("null", "boolean", "string", "number", "integer") else self.ANYTHING

    def _members(self, node: Mapping[str, Any]) -> Iterator[Member]:
        properties: Mapping[str, Any] = node.get("properties") or {}
        patterns: Mapping[str, Any] = node.get("patternProperties") or {}
        asked = node.get("required")
        required = dict.fromkeys(map(str, asked) if isinstance(asked, list) else ())
        for name, value in properties.items():
            yield Member(name, *self.type(value), optional=name not in required)
        extra = [name for name in required if name not in properties]
        yield from (Member(name, self.ANYTHING) for name in extra)
        for pattern, value in patterns.items():
            yield Member(pattern, *self.type(value), kind="pattern")
        listed = bool(properties or extra or patterns)
        others = node.get("additionalProperties", node.get("unevaluatedProperties", None if listed else True))
        if others is not None and others is not False:
            yield Member("", *self.type(others), kind="others")

    def _array(self, node: Mapping[str, Any]) -> str:
        items = node.get("items")
        first = node.get("prefixItems", items if isinstance(items, list) else None)
        rest = node.get("additionalItems") if isinstance(items, list) else items
        if first is None:
            return self.array(self._inner(True if rest is None else rest))
        parts = [self._inner(one) for one in first]
        return self.tuple(parts, None if rest is False else self._inner(True if rest is None else rest))

    def _inner(self, node: Any) -> str:
        text, notes = self.type(node)
        return self.noted(text, notes) if notes else text

    def _union(self, parts: Sequence[str]) -> str:
        different = list(dict.fromkeys(parts))
        return self.either(different) if len(different) > 1 else "".join(different) or self.NOTHING

    def _reference(self, reference: str) -> str:
        if reference not in self._names:
            last = unescape(reference.rpartition("/")[2])
            name = re.sub(r"\W", "_", last, flags=re.ASCII) if last not in ("", "#") else "Root"
            name = f"T_{name}" if name[:1].isdigit() else name
            while name in self._taken:
                self._meter.spend(len(name))
                name += "_"
            self._taken.add(name)
            self._names[reference] = name
            self._agenda.append(reference)
        return self._names[reference]


def _bounds(node: Mapping[str, Any], used: set[str]) -> Iterator[str]:
    for low, high, what in RANGES:
        least, most = node.get(low), node.get(high)
        used.update((low, high))
        if least is not None and most is not None:
            told = as_json(least) if least == most else f"{as_json(least)} to {as_json(most)}"
            yield told + _counted(what, most)
        elif least is not None:
            yield f"at least {as_json(least)}{_counted(what, least)}"
        elif most is not None:
            yield f"at most {as_json(most)}{_counted(what, most)}"
    for keyword, words in WORDS.items():
        if isinstance(node.get(keyword), int | float | Decimal) and not isinstance(node[keyword], bool):
            used.add(keyword)
            yield f"{words} {as_json(node[keyword])}"


def _digits(parts: Any) -> str | None:
    """The digits that the numbers of a Decimal with `max_digits` or `decimal_places` may have; None for other schemas.

    >>> _digits([{"exclusiveMinimum": -1000, "exclusiveMaximum": 1000, "multipleOf": 0.01}])
    'at most 3 digits before the point and 2 after it'
    """
    found = [_digits_of(part) for part in parts] if isinstance(parts, list) and parts else [None]
    known = [digits for digits in found if digits is not None]
    if len(known) != len(found):
        return None
    if len(known) == 1:
        before, after = known[0]
        return (
            f"at most {after} digits after the point"
            if before is None
            else (f"at most {before} digits before the point and {after} after it")
        )
    # One part for each place of the point.
    (count, *others) = {-1 if before is None else before + after for before, after in known}
    is_each = sorted(after for _, after in known) == list(range(count + 1))
    return f"at most {count} digits" if is_each and not others else None


def _digits_of(part: Any) -> tuple[int | None, int] | None:
    """(the most digits before the point, the most after it) of numbers with bounds and a multiple that are powers of
    ten; None for any other schema."""
    if not isinstance(part, Mapping) or not part.keys() <= {"exclusiveMinimum", "exclusiveMaximum", "multipleOf"}:
        return None
    step, most = _power_of_ten(part.get("multipleOf")), _power_of_ten(part.get("exclusiveMaximum"))
    if step is None or step > 0:
        return None
    if len(part) == 1:
        return None, -step
    bounded = (
        len(part) == 3 and most is not None and most >= 0 and part["exclusiveMinimum"] == -part["exclusiveMaximum"]
    )
    return (most, -step) if bounded else None


def _power_of_ten(number: Any) -> int | None:
    """The exponent of a power of ten; None for any other value."""
    if isinstance(number, bool) or not isinstance(number, int | float | Decimal) or not 0 < number < _LARGE:
        return None
    sign, digits, exponent = Decimal(str(number)).normalize().as_tuple()
    return int(exponent) if (sign, digits) == (0, (1,)) else None


def _counted(what: str, count: Any) -> str:
    return what if not what or count == 1 else what + "s"


def key_text(name: str) -> str:
    """A name, in quotes unless it is an identifier."""
    return name if PLAIN.fullmatch(name) else as_json(name)


def as_json(value: Any) -> str:
    """A value on one line, without escapes of letters."""
    return dumped(value)


def dumped(value: Any, **spelling: Any) -> str:
    """A value as JSON; LimitExceededError for an integer too long for Python to write."""
    try:
        return json.dumps(value, ensure_ascii=False, default=plain, **spelling)
    except (OverflowError, ValueError):
        raise LimitExceededError(
            "the schema holds a number of thousands of digits, which a description does not write",
            hint="bound the number by a pattern of a string, or describe it in your own words",
        ) from None


def plain(value: object) -> int | float:
    """A number of a Python type such as Decimal, as JSON writes it."""
    if not isinstance(value, Decimal):
        raise TypeError(f"{type(value).__name__} is no JSON")
    return int(value) if value == value.to_integral_value() else float(value)


def resolve(root: Any, reference: str) -> Any:
    """The target of a reference inside the document; other references are shown by name only."""
    if not reference.startswith("#"):
        return {"description": f"as {reference} says"}
    return find(root, reference[1:])
