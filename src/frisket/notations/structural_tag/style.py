"""JSON Schema of an object × how a model writes its members, one element each → rules.

A member that is a text stands as it is, without quotes and escapes; every other value is JSON.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from frisket._core import front_end
from frisket.errors import UnsupportedSchemaError
from frisket.json_schema import prelude_of
from frisket.json_schema.parameter import OTHER_TYPES, bounded_text, relating

if TYPE_CHECKING:
    from frisket._core import Grammar, GrammarBuilder
    from frisket.json_schema.options import JSONSchemaOptions
    from frisket.limit import Limits

_STRING = ("string",)


@dataclass(frozen=True)
class Style:
    """`begin` holds {key} and, if the style says what a value is, {kind}: one of the words of `kinds`, by types."""

    begin: str
    end: str
    kinds: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: {"": _STRING, " ": OTHER_TYPES})
    escapes: Mapping[int, str] = field(default_factory=dict)
    #: Types whose values are no JSON either; how these nest is not told here.
    nested: tuple[str, ...] = ()


_KIMI = {name: (name,) for name in ("string", "number", "boolean", "object", "array", "null")}

STYLES = {
    "qwen_xml": Style("<parameter={key}>", "</parameter>"),
    "minimax_xml": Style('<parameter name="{key}">', "</parameter>"),
    "deepseek_xml": Style(
        '<｜DSML｜parameter name="{key}" string="{kind}">',
        "</｜DSML｜parameter>",
        {"true": _STRING, "false": OTHER_TYPES},
    ),
    "glm_xml": Style("<arg_key>{key}</arg_key>{space}<arg_value>", "</arg_value>"),
    "cohere_xml": Style(
        '<cofl:value name="{key}" type="{kind}">',
        "</cofl:value>",
        {"raw": _STRING, "json": ("number", "boolean", "null"), "dict": ("object",), "list": ("array",)},
        {ord("&"): "&amp;", ord('"'): "&quot;", ord("<"): "&lt;", ord(">"): "&gt;"},
        ("object", "array"),
    ),
    "kimi_k3_xml": Style(
        '<|open|>argument key="{key}" type="{kind}"<|sep|>',
        "<|close|>argument<|sep|>",
        _KIMI,
        {ord("&"): "&amp;", ord('"'): "&quot;"},
    ),
}

#: Members that may come in any order: every set of those that came is a node.
_MAX_ANY_ORDER = 10

#: Blanks and line breaks between two elements.
_BLANKS = 64


def build_parameters(
    schema: Any, style: Style, options: JSONSchemaOptions, excluded: tuple[str, ...], limits: Limits | None
) -> Grammar:
    """The rules of an object's members in a style, without the excluded strings in their values.

    UnsupportedSchemaError for what relates members to each other.
    """
    builder = prelude_of(options).fork(limits)
    builder.check()
    return builder.build(_Parameters(builder, schema, style, options, excluded).node())


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
        self.excluded = excluded
        self.any_order = options.property_order == "any"
        self.found = front_end.MemberValues(builder, self.schema)
        self.blanks = builder.repeat(builder.byte_class([(0x09, 0x0A), (0x0D, 0x0D), (0x20, 0x20)]), 0, _BLANKS)

    def node(self) -> int:
        builder, schema = self.builder, self.schema
        if not isinstance(schema, dict) or schema.get("type", "object") != "object":
            raise _unsupported("", "only the members of an object are written one by one")
        for key in relating(schema):
            raise _unsupported(f"/{key}", f"{key} relates members, which the style writes one by one")
        self.found.check()
        properties, required = schema.get("properties", {}), schema.get("required", [])
        extra = schema.get("additionalProperties", True)
        if isinstance(extra, dict) and extra and properties:
            raise _unsupported("/additionalProperties", "members without a name in the schema are not told apart")
        missing = [key for key in required if key not in properties]
        if missing:
            raise _unsupported("/required", f"nothing is said of the required member {missing[0]}")
        members = [(self.member(key), key in required) for key in properties]
        if self.any_order:
            nodes = [self.in_any_order(members)]
        else:
            nodes = [node if needed else builder.alt([builder.epsilon(), node]) for node, needed in members]
        if not properties and extra is not False:
            nodes.append(builder.repeat(self.member(None), 0))
        self.found.raise_unsupported()
        return builder.seq([*nodes, self.blanks])

    def in_any_order(self, members: list[tuple[int, bool]]) -> int:
        """Each member at most once. The node of a set is what may follow when the members of the set have come."""
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

    def member(self, key: str | None) -> int:
        """One element, after blanks. A key of None is any name."""
        builder = self.builder
        if "{kind}" not in self.style.begin and self.found.is_anything(key):
            ways = [builder.seq([*self.begin(key, ""), self.text(builder.any_text())])]
        else:
            ways = [
                builder.seq([*self.begin(key, kind), value])
                for kind, types in self.style.kinds.items()
                for value in self.values(key, types)
            ]
            if self.style.kinds is _KIMI and key is None:
                integers = self.found.literals(key, ("number",))
                ways += [] if integers is None else [builder.seq([*self.begin(key, "integer"), self.other(integers)])]
        return builder.seq([self.blanks, builder.alt(ways)])

    def values(self, key: str | None, types: tuple[str, ...]) -> list[int]:
        """The nodes of a value of these types and the end of its element; none if there is no such value."""
        if self.has(key, types, self.style.nested):
            raise _unsupported("", "objects and arrays within the members are not read in this style")
        if self.excluded and self.has(key, types, ("object", "array")):
            raise _unsupported("", "excluded strings are not enforced within objects and arrays")
        if types == _STRING:
            text = self.found.text(key)
            return [] if text is None else [self.text(text)]
        other = self.found.literals(key, types)
        return [] if other is None else [self.other(other)]

    def has(self, key: str | None, types: tuple[str, ...], among: tuple[str, ...]) -> bool:
        """Whether some values have a type of both lists."""
        return self.found.has(key, [name for name in types if name in among])

    def begin(self, key: str | None, kind: str) -> list[int]:
        builder, style = self.builder, self.style
        name = builder.literal(key.translate(dict(style.escapes)).encode()) if key is not None else self.any_name()
        before, _, after = style.begin.replace("{kind}", kind.strip()).partition("{key}")
        rest = [builder.literal(piece.encode()) for piece in after.split("{space}")]
        between = [node for piece in rest[1:] for node in (self.blanks, piece)]
        return [builder.literal(before.encode()), name, rest[0], *between]

    def any_name(self) -> int:
        letters = [(0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A)]
        rest = self.builder.repeat(self.builder.byte_class([(0x30, 0x39), *letters]), 0)
        return self.builder.cat([self.builder.byte_class(letters), rest])

    def text(self, node: int) -> int:
        """A text that holds neither the end of its element nor an excluded string, and that end."""
        return bounded_text(self.builder, node, self.style.end, self.excluded)

    def other(self, node: int) -> int:
        return self.builder.seq([self.blanks, node, self.blanks, self.builder.literal(self.style.end.encode())])


def _unsupported(where: str, reason: str) -> UnsupportedSchemaError:
    return UnsupportedSchemaError(
        reason, places=[(where, reason)], where=where, hint='use the style "json", which writes the whole object'
    )
