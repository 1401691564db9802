"""JSON Schema of an object × a model's style of writing members → rules with one element per member.

A member that is text is written without quotes and escapes. Any other value is JSON; some styles write objects and
arrays as elements again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote

from frisket._core import front_end
from frisket.errors import UnsupportedSchemaError
from frisket.json_pointer import escape, follow
from frisket.json_schema import prelude_of
from frisket.json_schema.parameter import OTHER_TYPES, bounded_text, relating

if TYPE_CHECKING:
    from frisket._core import Grammar, GrammarBuilder
    from frisket.json_schema.options import JSONSchemaOptions
    from frisket.limit import Limits

_STRING = ("string",)

#: Types whose values contain other values.
_NESTED = ("object", "array")

#: Keywords that are enforced for an object or array written as elements.
_HELD = {
    "object": ("type", "properties", "required", "additionalProperties"),
    "array": ("type", "items", "minItems", "maxItems"),
}

#: Marker before each element in MiniMax M3's style.
_MINIMAX = "]<]minimax[>["


@dataclass(frozen=True)
class Style:
    """`begin` holds {key}, and {kind} if elements name the type of their value: `kinds` lists the words by types."""

    begin: str
    end: str
    kinds: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: {"": _STRING, " ": OTHER_TYPES})
    escapes: Mapping[int, str] = field(default_factory=dict)
    #: Begin of an array's item, in styles that write arrays as elements; other styles write JSON.
    item: str = ""
    #: The pattern of member names that the schema does not list.
    name: str = "[A-Za-z_][0-9A-Za-z_]*"
    #: A string that no text may contain.
    reserved: str = ""


_KIMI = {name: (name,) for name in ("string", "number", "boolean", "object", "array", "null")}

STYLES = {
    "qwen_xml": Style("<parameter={key}>", "</parameter>"),
    "minimax_xml": Style('<parameter name="{key}">', "</parameter>"),
    "deepseek_xml": Style(
        '<｜DSML｜parameter name="{key}" string="{kind}">',
        "</｜DSML｜parameter>",
        {"true": _STRING, "false": OTHER_TYPES},
    ),
    "deepseek_v4_1_xml": Style(
        '<｜DSML｜ parameter name="{key}" string="{kind}">',
        "</｜DSML｜ parameter>",
        {"true": _STRING, "false": OTHER_TYPES},
    ),
    "minimax_m3_xml": Style(
        f"{_MINIMAX}<{{key}}>", f"{_MINIMAX}</{{key}}>", item=f"{_MINIMAX}<item>", reserved=_MINIMAX
    ),
    "glm_xml": Style("<arg_key>{key}</arg_key>{space}<arg_value>", "</arg_value>"),
    "cohere_xml": Style(
        '<cofl:value name="{key}" type="{kind}">',
        "</cofl:value>",
        {"raw": _STRING, "json": ("number", "boolean", "null"), "dict": ("object",), "list": ("array",)},
        {ord("&"): "&amp;", ord('"'): "&quot;", ord("<"): "&lt;", ord(">"): "&gt;"},
        '<cofl:value type="{kind}">',
        r'(?:[^\x00"&<>]|&(?:amp|quot|lt|gt);)+',
    ),
    "kimi_k3_xml": Style(
        '<|open|>argument key="{key}" type="{kind}"<|sep|>',
        "<|close|>argument<|sep|>",
        _KIMI,
        {ord("&"): "&amp;", ord('"'): "&quot;"},
    ),
}

#: Most members that may come in any order, since each subset of them needs a node.
_MAX_ANY_ORDER = 10

#: Most blanks and line breaks between two elements.
_BLANKS = 64


def build_parameters(
    schema: Any, style: Style, options: JSONSchemaOptions, excluded: tuple[str, ...], limits: Limits | None
) -> Grammar:
    """The rules of an object's members in a style; no value contains an excluded string.

    UnsupportedSchemaError for keywords that relate members to each other.
    """
    builder = prelude_of(replace(options, forbidden_texts=options.forbidden_texts + excluded)).fork(limits)
    builder.check()
    return builder.build(_Parameters(builder, schema, style, options, excluded).node())


@dataclass(frozen=True, slots=True)
class _Value:
    """The value of a member or item: its key in `found`, and the pointer to its schema, None if it has none."""

    found: front_end.MemberValues
    key: str | None
    pointer: str | None


class _Parameters:
    def __init__(
        self,
        builder: GrammarBuilder,
        schema: Any,
        style: Style,
        options: JSONSchemaOptions,
        excluded: tuple[str, ...],
    ) -> None:
        self.builder = builder
        self.schema = {} if schema is True else schema
        self.style = style
        self.excluded = (*excluded, style.reserved) if style.reserved else excluded
        self.any_order = options.property_order == "any"
        self.max_items = options.max_items
        self.blanks = builder.repeat(builder.byte_class([(0x09, 0x0A), (0x0D, 0x0D), (0x20, 0x20)]), 0, _BLANKS)
        self.rules: dict[tuple[str | None, str], int] = {}

    def node(self) -> int:
        if not isinstance(self.schema, dict) or self.schema.get("type", "object") != "object":
            raise _unsupported("", "only the members of an object are written one by one")
        for key in relating(self.schema):
            raise _unsupported(f"/{key}", f"{key} relates members, which the style writes one by one")
        front_end.MemberValues(self.builder, self.schema).check()
        return self.members(self.schema, "")

    def members(self, schema: dict[str, Any], pointer: str | None) -> int:
        """The members of an object whose schema has no conditions between members."""
        builder, where = self.builder, pointer or ""
        properties, required = schema.get("properties", {}), schema.get("required", [])
        extra = schema.get("additionalProperties", True)
        if isinstance(extra, dict) and extra and (properties or "{key}" in self.style.end):
            raise _unsupported(
                f"{where}/additionalProperties", "members without a name in the schema are not told apart"
            )
        missing = [key for key in required if key not in properties]
        if missing:
            raise _unsupported(f"{where}/required", f"nothing is said of the required member {missing[0]}")
        at = {key: f"{where}/properties/{escape(key)}" for key in properties}
        rest = f"{where}/additionalProperties" if "additionalProperties" in schema else None
        is_root = pointer == ""
        found = self.find_values(None if is_root else [*at.values(), *([rest] if rest else [])])
        members = [
            (self.member(key, _Value(found, key if is_root else at[key], at[key])), key in required)
            for key in properties
        ]
        if self.any_order:
            nodes = [self.in_any_order(members)]
        else:
            nodes = [node if needed else builder.alt([builder.epsilon(), node]) for node, needed in members]
        if not properties and extra is not False and "{key}" not in self.style.end:
            nodes.append(builder.repeat(self.member(None, _Value(found, None if is_root else rest, rest)), 0))
        found.raise_unsupported()
        return builder.seq([*nodes, self.blanks])

    def items(self, schema: dict[str, Any], pointer: str | None) -> int:
        """The items of an array."""
        if isinstance(schema.get("items"), list):
            raise _unsupported(f"{pointer}/items", "items that differ by their place are not told apart")
        at = f"{pointer}/items" if "items" in schema else None
        found = self.find_values([at] if at else [])
        each = self.builder.seq([self.blanks, *self.element(self.style.item, "item", _Value(found, at, at))])
        found.raise_unsupported()
        low, high = schema.get("minItems", 0), schema.get("maxItems")
        if high is None and self.max_items is not None:
            high = max(low, self.max_items)
        return self.builder.seq([self.builder.repeat(each, low, high), self.blanks])

    def find_values(self, pointers: list[str] | None) -> front_end.MemberValues:
        """The values of the schemas at these pointers; None means the members of the whole schema."""
        if pointers is None:
            return front_end.MemberValues(self.builder, self.schema)
        places = {pointer: {"$ref": f"#{quote(pointer)}"} for pointer in pointers}
        known = self.schema.get("properties", {})
        return front_end.MemberValues(
            self.builder, {**self.schema, "properties": {**known, **places}, "additionalProperties": True}
        )

    def in_any_order(self, members: list[tuple[int, bool]]) -> int:
        """Each member at most once. There is a node per set of members, for what may follow after that set."""
        if len(members) > _MAX_ANY_ORDER:
            raise _unsupported("/properties", f"more than {_MAX_ANY_ORDER} members cannot come in any order")
        builder, needed = self.builder, sum(1 << at for at, (_, needed) in enumerate(members) if needed)
        behind: dict[int, int] = {}
        for came in range((1 << len(members)) - 1, -1, -1):
            ways = [
                builder.seq([member, behind[came | 1 << at]])
                for at, (member, _) in enumerate(members)
                if not came >> at & 1
            ]
            behind[came] = builder.alt([*ways, *([builder.epsilon()] if came & needed == needed else [])])
        return behind[0]

    def member(self, key: str | None, value: _Value) -> int:
        """One element after blanks; the key None stands for any name."""
        if key is not None and "{key}" in self.style.end and (not key or key[0] == "/" or ">" in key):
            raise _unsupported(value.pointer or "", f"no element of this style has the name {key!r}")
        return self.builder.seq([self.blanks, *self.element(self.style.begin, key, value)])

    def element(self, begin: str, key: str | None, value: _Value) -> list[int]:
        """The ways to write a value's element, with the begin and end of the style."""
        builder, found = self.builder, value.found
        end = self.style.end.replace("{key}", key or "")
        if "{kind}" not in begin and found.is_anything(value.key):
            return [*self.begin(begin, key, ""), self.text(builder.any_text(), end)]
        ways = [
            builder.seq([*self.begin(begin, key, kind), node])
            for kind, types in self.style.kinds.items()
            for node in self.values(value, types, end)
        ]
        if self.style.kinds is _KIMI and key is None:
            integers = found.literals(value.key, ("number",))
            if integers is not None:
                ways.append(builder.seq([*self.begin(begin, key, "integer"), self.other(integers, end)]))
        return [builder.alt(ways)]

    def values(self, value: _Value, types: tuple[str, ...], end: str) -> Iterator[int]:
        """The nodes of a value of these types with the end of its element; none if there is no such value."""
        found, key = value.found, value.key
        nested = [name for name in types if name in _NESTED] if self.style.item else []
        if types == _STRING:
            text = found.text(key)
            if text is not None:
                yield self.text(text, end)
        elif others := [name for name in types if name not in nested]:
            node = found.literals(key, others)
            if node is not None:
                yield self.other(node, end)
        for name in nested:
            if found.has(key, [name]):
                yield self.other(self.nested(value.pointer, name), end)

    def nested(self, pointer: str | None, name: str) -> int:
        """The rule of an object's or array's elements; a schema may nest it recursively."""
        rule = self.rules.get((pointer, name))
        if rule is None:
            rule = self.rules[pointer, name] = self.builder.rule(f"{name} at {pointer}")
            write = self.members if name == "object" else self.items
            shapes = self.shapes(pointer, name)
            self.builder.define(rule, self.builder.alt([write(schema, at) for schema, at in shapes]))
        return rule

    def shapes(self, pointer: str | None, name: str) -> list[tuple[dict[str, Any], str | None]]:
        """The schemas, with their pointers, that define the members or items of a value."""
        schema = True if pointer is None else follow(self.schema, pointer)
        if schema is False:
            return []
        schema = {} if schema is True else schema
        if pointer and any(isinstance(schema.get(key), str) for key in ("$id", "id")):
            raise _unsupported(pointer, "references within a schema with an id of its own are not followed here")
        whole = relating(schema, name)
        if not whole and not any(key in schema for key in _HELD[name]):
            return [({}, None)]
        alone = next(iter(whole)) if len(whole) == 1 and not any(key in schema for key in _HELD[name]) else ""
        if alone == "$ref" and (schema["$ref"] == "#" or schema["$ref"].startswith("#/")):
            return self.shapes(unquote(schema["$ref"][1:]), name)
        if alone in ("anyOf", "oneOf", "allOf"):
            branches = [self.shapes(f"{pointer}/{alone}/{at}", name) for at in range(len(schema[alone]))]
            if alone == "anyOf" or len(branches) == 1 or (alone == "oneOf" and sum(map(bool, branches)) <= 1):
                return [shape for branch in branches for shape in branch]
        types = schema.get("type", name)
        if name not in ([types] if isinstance(types, str) else types):
            return []
        listed = schema.get("enum", [schema["const"]] if "const" in schema else None)
        if listed is not None and not any(isinstance(each, dict if name == "object" else list) for each in listed):
            return []
        for key in whole:
            raise _unsupported(f"{pointer}/{escape(key)}", f"{key} is not held where each {name} is a list of elements")
        return [(schema, pointer)]

    def begin(self, begin: str, key: str | None, kind: str) -> list[int]:
        builder, style = self.builder, self.style
        name = builder.literal(key.translate(dict(style.escapes)).encode()) if key is not None else self.any_name()
        before, hole, after = begin.replace("{kind}", kind.strip()).partition("{key}")
        rest = [builder.literal(piece.encode()) for piece in after.split("{space}")]
        between = [node for piece in rest[1:] for node in (self.blanks, piece)]
        return [builder.literal(before.encode()), *([name, rest[0]] if hole else []), *between]

    def any_name(self) -> int:
        return bounded_text(self.builder, self.builder.regex(self.style.name, dialect="ecma"), "", self.excluded)

    def text(self, node: int, end: str) -> int:
        """A text without excluded strings and the end of its element, and then that end."""
        return bounded_text(self.builder, node, end, self.excluded)

    def other(self, node: int, end: str) -> int:
        return self.builder.seq([self.blanks, node, self.blanks, self.builder.literal(end.encode())])


def _unsupported(where: str, reason: str) -> UnsupportedSchemaError:
    return UnsupportedSchemaError(
        reason, places=[(where, reason)], where=where, hint='use the style "json", which writes the whole object'
    )
