"""JSON Schema → a type in TypeScript's notation, with all that types cannot say in comments.

Names, types, values and descriptions stand where a reader of TypeScript looks for them. Every keyword that has no such
place (a bound, a pattern, a condition) is written into the comment of its line: nothing is left out.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

#: Characters of an object or a union that stays on one line.
WIDTH = 80
NAMES = {"null": "null", "boolean": "boolean", "string": "string", "number": "number", "integer": "integer"}
OF_TYPE = {
    "object": ("properties", "required", "additionalProperties", "patternProperties"),
    "array": ("items", "prefixItems"),
}
#: Keywords that organise a schema and say nothing of its documents.
SILENT = {"$schema", "$id", "id", "$defs", "definitions", "$comment", "$anchor", "$vocabulary", "title"}
#: Keywords that the type itself shows.
SHOWN = {"type", "enum", "const", "$ref", "anyOf", "oneOf", "allOf", "description"}
#: Pairs of bounds and what they count.
RANGES = (
    ("minLength", "maxLength", " characters"),
    ("minItems", "maxItems", " items"),
    ("minProperties", "maxProperties", " members"),
    ("minimum", "maximum", ""),
)
WORDS = {"exclusiveMinimum": "more than", "exclusiveMaximum": "less than", "multipleOf": "a multiple of"}
PLAIN = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*")


def typescript(schema: Any) -> str:
    r"""The schema as a type; what is referred to comes first, under its name.

    >>> age = {"type": "integer", "minimum": 0, "description": "in years"}
    >>> print(typescript({"type": "object", "properties": {"name": {"type": "string"}, "age": age},
    ...     "required": ["name"], "additionalProperties": False}))
    {
      name: string,
      age?: integer, // in years; at least 0
    }
    """
    return Writer(schema).document()


class Writer:
    """The types of one schema document."""

    def __init__(self, root: Any) -> None:
        self._root = root
        self._names: dict[str, str] = {}
        self._agenda: list[str] = []

    def document(self) -> str:
        main, notes = self.type(self._root)
        parts: list[str] = []
        seen: set[str] = set()
        while self._agenda:
            reference = self._agenda.pop(0)
            if reference in seen:
                continue
            seen.add(reference)
            target = resolve(self._root, reference)
            text, comments = (main, notes) if target is self._root else self.type(target)
            parts.append(f"{_comment(comments)}type {self._names[reference]} = {text}")
        if "#" in seen:
            return "\n".join([part for part in parts if part] + [self._names["#"]])
        return "\n".join([*parts, _comment(notes) + main])

    def type(self, node: Any) -> tuple[str, list[str]]:
        """The type of a schema, and the notes for its comment."""
        if not isinstance(node, Mapping):
            return ("never" if node is False else "unknown"), []
        notes = [" ".join(str(node["description"]).split())] if node.get("description") else []
        said: list[str] = []
        used = set(SILENT | SHOWN)
        for part in self._parts(node, used, notes):
            if part not in said:
                said.append(part)
        notes += _bounds(node, used)
        notes += [f"{key}: {_json(value)}" for key, value in node.items() if key not in used]
        if len(said) > 1:
            said = [f"({part})" if " | " in part else part for part in said if part != "unknown"]
        return " & ".join(said) or "unknown", notes

    def _parts(self, node: Mapping[str, Any], used: set[str], notes: list[str]) -> Iterator[str]:
        """What must hold at once."""
        if isinstance(node.get("$ref"), str):
            yield self._reference(node["$ref"])
        if "const" in node:
            yield _json(node["const"])
        elif isinstance(node.get("enum"), list):
            yield " | ".join(map(_json, node["enum"])) or "never"
        else:
            kinds = node.get("type", self._guess(node))
            kinds = kinds if isinstance(kinds, list) else [] if kinds is None else [kinds]
            for kind in kinds:
                used.update(OF_TYPE.get(kind, ()))
            if kinds:
                yield _union([self._one(str(kind), node, notes) for kind in kinds])
        for keyword in ("anyOf", "oneOf"):
            if isinstance(node.get(keyword), list):
                yield _union([self._inner(one) for one in node[keyword]])
        for one in node.get("allOf") or ():
            yield self._inner(one)

    def _guess(self, node: Mapping[str, Any]) -> str | None:
        """The type that the keywords speak of, where none is named: the mask writes others too, so it is said."""
        return next((kind for kind, keywords in OF_TYPE.items() if any(word in node for word in keywords)), None)

    def _one(self, kind: str, node: Mapping[str, Any], notes: list[str]) -> str:
        if kind == "object":
            return self._object(node)
        if kind == "array":
            return self._array(node)
        return NAMES.get(kind, "unknown")

    def _object(self, node: Mapping[str, Any]) -> str:
        properties: Mapping[str, Any] = node.get("properties") or {}
        asked = node.get("required")
        required = asked if isinstance(asked, list) else []
        lines = []
        for name, value in properties.items():
            text, notes = self.type(value)
            lines.append((f"{_key(name)}{'' if name in required else '?'}: {text}", notes))
        lines += [(f"{_key(name)}: unknown", []) for name in required if name not in properties]
        for pattern, value in (node.get("patternProperties") or {}).items():
            text, notes = self.type(value)
            lines.append((f"[key: /{pattern}/]: {text}", notes))
        others = node.get("additionalProperties", node.get("unevaluatedProperties", not lines or None))
        if others is not None and others is not False:
            text, notes = self.type(others)
            lines.append((f"[key: string]: {text}", notes))
        return _braces(lines)

    def _array(self, node: Mapping[str, Any]) -> str:
        items = node.get("items")
        first = node.get("prefixItems", items if isinstance(items, list) else None)
        rest = node.get("additionalItems") if isinstance(items, list) else items
        if first is None:
            return _listed(self._inner(True if rest is None else rest))
        parts = [self._inner(one) for one in first]
        if rest is not False:
            parts.append("..." + _listed(self._inner(True if rest is None else rest)))
        return f"[{', '.join(parts)}]"

    def _inner(self, node: Any) -> str:
        """A type inside a line: its notes go into a comment before it."""
        text, notes = self.type(node)
        return f"/* {'; '.join(notes)} */ {text}".replace("*/ */", "* / */") if notes else text

    def _reference(self, reference: str) -> str:
        if reference not in self._names:
            last = reference.rpartition("/")[2].replace("~1", "/").replace("~0", "~")
            name = re.sub(r"\W", "_", last, flags=re.ASCII) if last not in ("", "#") else "Root"
            name = f"T_{name}" if name[:1].isdigit() else name
            while name in self._names.values():
                name += "_"
            self._names[reference] = name
            self._agenda.append(reference)
        return self._names[reference]


def _bounds(node: Mapping[str, Any], used: set[str]) -> Iterator[str]:
    for low, high, what in RANGES:
        least, most = node.get(low), node.get(high)
        used.update((low, high))
        if least is not None and most is not None:
            yield f"{_json(least)}{what}" if least == most else f"{_json(least)} to {_json(most)}{what}"
        elif least is not None:
            yield f"at least {_json(least)}{what}"
        elif most is not None:
            yield f"at most {_json(most)}{what}"
    for keyword, words in WORDS.items():
        if isinstance(node.get(keyword), int | float) and not isinstance(node[keyword], bool):
            used.add(keyword)
            yield f"{words} {_json(node[keyword])}"


def _union(parts: list[str]) -> str:
    different = list(dict.fromkeys(parts))
    return " | ".join(f"({part})" if " & " in part else part for part in different) or "never"


def _listed(text: str) -> str:
    return f"({text})[]" if re.search(r"[ |&]", text) and not text.startswith("{") else f"{text}[]"


def _braces(lines: list[tuple[str, list[str]]]) -> str:
    if not lines:
        return "{}"
    short = f"{{{', '.join(text for text, _ in lines)}}}"
    if len(short) <= WIDTH and not any(notes for _, notes in lines) and "\n" not in short and len(lines) < 4:
        return short
    body = []
    for text, notes in lines:
        head, _, tail = text.partition("\n")
        comment = f" // {'; '.join(notes)}" if notes else ""
        # The comment of an object of several lines stands where the object begins.
        body.append(f"{head}{comment}\n{tail}," if tail else f"{head},{comment}")
    inner = "\n".join(body).replace("\n", "\n  ")
    return f"{{\n  {inner}\n}}"


def _comment(notes: list[str]) -> str:
    return f"// {'; '.join(notes)}\n" if notes else ""


def _key(name: str) -> str:
    return name if PLAIN.fullmatch(name) else _json(name)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def resolve(root: Any, reference: str) -> Any:
    """What a reference into the document means; others are shown by their name alone."""
    if not reference.startswith("#"):
        return {"description": f"as {reference} says"}
    node = root
    for part in reference[1:].split("/")[1:]:
        key = part.replace("~1", "/").replace("~0", "~")
        if isinstance(node, Mapping):
            node = node.get(key)
        elif isinstance(node, list) and key.isdigit() and int(key) < len(node):
            node = node[int(key)]
        else:
            return None
    return node
