"""Keywords of strings, numbers and single values → a node of the dialect with its decoder."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from frisket.hosted.part import Part, constant, is_of, key, scalar, table
from frisket.hosted.place import Place
from frisket.hosted.reading import BY_TYPE, Reading

if TYPE_CHECKING:
    from frisket.hosted.convert import Converter

#: The greatest length that can be written into a pattern as a repetition.
MOST_COUNTED = 1000
#: Look-around, back-references and word boundaries, which no vendor's patterns allow.
_BEYOND = re.compile(r"\(\?[=!<]|\\[1-9bBk]|\\[pP]\{")
_TIGHTER = {"minimum": max, "exclusiveMinimum": max, "maximum": min, "exclusiveMaximum": min}
#: Keywords that may exclude a value of the `enum` beside them.
_BESIDE = sorted(frozenset.union(*BY_TYPE.values()))


def is_beyond(pattern: str) -> bool:
    """Whether a pattern uses a construct that no vendor's patterns allow."""
    return _BEYOND.search(pattern) is not None


def string_part(converter: Converter, reading: Reading) -> Part:
    """A string with the first pattern and the first format that the vendor accepts."""
    node: dict[str, Any] = {"type": "string"}
    for keyword, value, place in reading.said("format", "pattern"):
        allowed = keyword in converter.rules.keywords and isinstance(value, str)
        if keyword == "format":
            allowed = allowed and value in converter.rules.formats
        elif allowed and is_beyond(value):
            converter.lose(place.where, keyword, "look-around, back-references and word boundaries are not taken")
            continue
        if allowed and node.get(keyword, value) == value:
            node[keyword] = value
        else:
            converter.lose(place.where, keyword)
    for keyword, _, place in reading.said("contentEncoding", "contentMediaType"):
        converter.lose(place.where, keyword)
    lengths = list(reading.said("minLength", "maxLength"))
    counted = _counted(lengths) if "pattern" in converter.rules.keywords and "pattern" not in node else None
    if counted is not None:
        node["pattern"] = counted
    else:
        for keyword, value, place in lengths:
            if keyword == "maxLength" or value:
                converter.lose(place.where, keyword)
    return Part(node, scalar("string"))


def _counted(lengths: list[tuple[str, Any, Place]]) -> str | None:
    least = max((int(value) for keyword, value, _ in lengths if keyword == "minLength"), default=0)
    most = min((int(value) for keyword, value, _ in lengths if keyword == "maxLength"), default=None)
    if not lengths or max(least, most or 0) > MOST_COUNTED:
        return None
    return f"^[\\s\\S]{{{least},{'' if most is None else most}}}$"


def number_part(converter: Converter, reading: Reading, kind: str) -> Part | None:
    """A number with the tightest of all bounds."""
    node: dict[str, Any] = {"type": kind}
    for keyword, value, place in reading.said(*_TIGHTER, "multipleOf", "divisibleBy"):
        said = keyword
        if isinstance(value, bool):  # in draft 4, a boolean modifies `minimum`
            if not value or keyword.replace("exclusiveM", "m") not in place.schema:
                continue
            value = place.schema[keyword.replace("exclusiveM", "m")]
        if not is_of(value, "number"):
            continue
        if said not in converter.rules.keywords and kind == "integer" and said.startswith("exclusive"):
            said = said.replace("exclusiveM", "m")
            value = value // 1 + 1 if said == "minimum" else -(-value // 1) - 1
        if said not in converter.rules.keywords:
            converter.lose(place.where, keyword)
        elif said in _TIGHTER:
            node[said] = _TIGHTER[said](node.get(said, value), value)
        elif node.get(said, value) == value:
            node[said] = value
        else:
            converter.lose(place.where, keyword)
    low, high = node.get("minimum"), node.get("maximum")
    if low is not None and high is not None and low > high:
        return None
    return Part(node, scalar(kind))


def enum_part(converter: Converter, reading: Reading) -> Part | None:
    """The values themselves if the vendor accepts them, otherwise a label or an index for each."""
    values = reading.values() or []
    for keyword, _, place in reading.said(*_BESIDE):
        converter.lose(place.where, keyword, "a value of `enum` may break it")
    if not values:
        return None
    rules, size = converter.rules, converter.enum_size
    texts = [value if isinstance(value, str) else json.dumps(value, ensure_ascii=False) for value in values]
    most = rules.limits.large_enum
    is_long = (
        most is not None and len(values) > most and sum(map(len, texts)) > (rules.limits.large_enum_characters or 0)
    )
    if len(values) > 1 and (is_long or (size is not None and len(values) > size)):
        listed = "; ".join(f"{number}: {text}" for number, text in enumerate(texts))
        node = {"type": "integer", "minimum": 0, "maximum": len(values) - 1, "description": f"One of {listed}"}
        return Part(node, table({str(number): value for number, value in enumerate(values)}))
    parts: list[Part | None] = []
    for kind in ("string", "number", "boolean", "null"):
        of_kind = [value for value in values if is_of(value, kind)]
        if of_kind and kind in rules.enum_types and kind != "null":
            parts.append(Part({"type": kind, "enum": of_kind}, table({key(value): value for value in of_kind})))
        elif of_kind and kind == "null":
            parts.append(Part({"type": "null"}, constant(None), True))
        elif len(of_kind) == 2:
            parts.append(Part({"type": "boolean"}, scalar("boolean")))
        elif of_kind:
            parts.append(_labelled(of_kind, values))
    if complex_values := [value for value in values if isinstance(value, list | dict)]:
        parts.append(_labelled(complex_values, values))
    return converter.any_of(parts)


def _labelled(values: list[Any], all_values: list[Any]) -> Part:
    """Strings that stand for the values; no string equals one of the values."""
    taken = {value for value in all_values if isinstance(value, str)}
    labels = {}
    for value in values:
        label = json.dumps(value, ensure_ascii=False)
        while label in taken:
            label += " "
        taken.add(label)
        labels[label] = value
    return Part({"type": "string", "enum": list(labels)}, table({key(label): value for label, value in labels.items()}))
