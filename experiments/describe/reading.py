"""Schema × its TypeScript → what the text has lost: names, types, values and bounds are counted on both sides.

Both readers are written without the writer's code: one walks the schema, the other takes the text apart.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

WORDS = ("string", "number", "integer", "boolean", "null")
#: Keywords whose number must be in a note, and those whose value must be.
BOUNDS = (
    *("minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"),
    *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
)
VALUES = ("pattern", "format")
PAIRS = {"maxLength": "minLength", "maxItems": "minItems", "maxProperties": "minProperties", "maximum": "minimum"}
SAID_NOTHING = ("title", "$comment", "$id", "id", "$schema", "$anchor", "definitions", "$defs")
TOKEN = re.compile(
    r'"(?:[^"\\]|\\.)*"|/\*.*?\*/|//[^\n]*|\[key: /.*?/\](?=: )|-?\d[\d.eE+-]*|[A-Za-z_$][\w$]*|\S',
    re.DOTALL | re.ASCII,
)


@dataclass
class Facts:
    """What a schema or a text says, with how often."""

    names: Counter[tuple[str, bool]] = field(default_factory=Counter)
    """Names of properties, each with whether it is optional."""
    types: Counter[str] = field(default_factory=Counter)
    values: Counter[str] = field(default_factory=Counter)
    """Members of enums and constants, as JSON."""
    bounds: Counter[str] = field(default_factory=Counter)
    """Numbers of bounds."""
    words: Counter[str] = field(default_factory=Counter)
    """Patterns and formats, as JSON."""


def of_schema(root: Any) -> Facts:
    """What the schema says where a document may meet it."""
    facts, agenda, seen = Facts(), [root], set[str]()
    while agenda:
        node = agenda.pop()
        if not isinstance(node, dict):
            continue
        reference = node.get("$ref")
        if isinstance(reference, str) and reference not in seen:
            seen.add(reference)
            target = _resolve(root, reference)
            if target is not root:
                agenda.append(target)
        required = node.get("required") if isinstance(node.get("required"), list) else []
        constant = "const" in node or isinstance(node.get("enum"), list)
        if constant:
            facts.values.update({_json(value): 1 for value in ([node["const"]] if "const" in node else node["enum"])})
        kinds = [] if constant else node.get("type", [])
        kinds = set(kinds if isinstance(kinds, list) else [kinds])
        facts.types.update(kind for kind in kinds if kind in WORDS)
        is_object = "object" in kinds or (not constant and "type" not in node and _says_object(node))
        if is_object:
            for name, value in (node.get("properties") or {}).items():
                facts.names[name, name not in required] += 1
                agenda.append(value)
        for keyword in BOUNDS:
            low = PAIRS.get(keyword)
            if keyword in node and not (low and node.get(low) == node[keyword]):
                facts.bounds[_json(node[keyword])] += 1
        facts.words.update(_json(node[keyword]) for keyword in VALUES if keyword in node)
        agenda += _below(node, is_object, constant, kinds)
    return facts


def of_text(text: str) -> Facts:
    """What the type says."""
    facts = Facts()
    tokens = TOKEN.findall(text)
    for place, token in enumerate(tokens):
        if token.startswith(("//", "/*")):
            facts.bounds.update(re.findall(r"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false", token))
            inside = token.replace("*\\/", "*/")
            facts.words.update(one[1] for one in re.finditer(r'(?=("(?:[^"\\]|\\.)*"))', inside))
            continue
        if _is_key(tokens, place):
            facts.names[_key(token), tokens[place + 1] == "?"] += 1
        elif token in WORDS:
            facts.types[token] += 1
        if token[:1] == '"' or token in ("true", "false", "null") or re.fullmatch(r"-?\d.*", token):
            facts.values[token] += 1
    return facts


def lost(schema: Any, text: str) -> list[str]:
    """What the schema says and the text does not say as often."""
    said, shown = of_schema(schema), of_text(text)
    missing = [f"{'optional' * optional} name {name!r}" for name, optional in said.names - shown.names]
    missing += [f"type {kind}" for kind in said.types - shown.types]
    missing += [f"value {value}" for value in said.values - shown.values if value not in text]
    # What is written as JSON in a note has its numbers and words there, too.
    missing += [f"bound {number}" for number in said.bounds - shown.bounds]
    missing += [f"word {word}" for word in said.words - shown.words if word not in text]
    return missing


def top_names(text: str) -> list[str]:
    """The names of the members of the whole document, in the order of the text; empty if it is no object alone."""
    lines = text.split("\n")
    while lines and lines[0].startswith(("//", "type ", " ", "}")) and "{" not in lines[0][:1]:
        lines.pop(0)
    tokens = [token for token in TOKEN.findall("\n".join(lines)) if not token.startswith(("//", "/*"))]
    names, depth = [], 0
    for place, token in enumerate(tokens):
        if depth == 1 and _is_key(tokens, place):
            names.append(_key(token))
        depth += (token in "{[(") - (token in "}])")
    return names


def _is_key(tokens: list[str], place: int) -> bool:
    after = tokens[place + 1 : place + 3]
    is_name = tokens[place][:1] == '"' or re.match(r"[A-Za-z_$]", tokens[place]) is not None
    return is_name and (after[:1] == [":"] or after == ["?", ":"])


def _key(token: str) -> str:
    return str(json.loads(token)) if token[:1] == '"' else token


def _says_object(node: dict[str, Any]) -> bool:
    return any(word in node for word in ("properties", "required", "additionalProperties", "patternProperties"))


def _below(node: dict[str, Any], is_object: bool, constant: bool, kinds: set[str]) -> Iterator[Any]:
    """The subschemas that a document may meet, but the properties; of equal alternatives one."""
    if is_object:
        yield node.get("additionalProperties")
        yield from (node.get("patternProperties") or {}).values()
    if "array" in kinds or (not constant and not kinds and not is_object):
        items = node.get("items")
        yield from items if isinstance(items, list) else [items]
        yield from node.get("prefixItems") or []
    for keyword in ("anyOf", "oneOf", "allOf"):
        different: dict[str, Any] = {}
        for one in node.get(keyword) or []:
            different.setdefault(_json(_bare(one)), one)
        yield from different.values()


def _bare(node: Any) -> Any:
    """A subschema without what says nothing of documents, so that alternatives can be compared."""
    if isinstance(node, dict):
        return {key: _bare(value) for key, value in node.items() if key not in SAID_NOTHING}
    return [_bare(one) for one in node] if isinstance(node, list) else node


def _resolve(root: Any, reference: str) -> Any:
    node = root
    if not reference.startswith("#"):
        return None
    for part in reference[1:].split("/")[1:]:
        key = part.replace("~1", "/").replace("~0", "~")
        try:
            node = node[int(key)] if isinstance(node, list) else node[key]
        except (LookupError, TypeError, ValueError):
            return None
    return node


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
