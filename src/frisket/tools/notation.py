"""Schema → values in a notation other than JSON, and text → value: lists and mappings as some chat templates print
them.

Python's `repr` puts keys in single quotes; other formats have bare keys, and texts between tokens of their own. Texts
and scalars may have all keywords, since the front end of JSON Schema makes their rules. Lists and mappings may have
only the keywords about their items and members; a schema with others is refused.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from frisket import _core
from frisket._core import front_end
from frisket.errors import EmptyGrammarError, UnsupportedSchemaError
from frisket.json_pointer import follow
from frisket.json_schema import JSONSchemaOptions, prelude_of
from frisket.tools.python_call import python_prelude, read_literal

if TYPE_CHECKING:
    from frisket._core import GrammarBuilder
    from frisket.limit import Limits

SCALARS = ("null", "boolean", "number", "string")
#: Keywords that do not affect which values are valid.
_ANNOTATIONS = frozenset(
    {"title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly", "$comment", "$defs"}
    | {"definitions", "$schema", "$id", "format"}
)
#: Keywords of lists and of mappings that this module enforces.
_OF_ARRAYS, _OF_OBJECTS = ("items", "minItems", "maxItems"), ("properties", "required", "additionalProperties")
#: Keywords about texts and numbers, which do not affect lists and mappings.
_OF_SCALARS = frozenset(
    {"minLength", "maxLength", "pattern", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"}
)
_BARE_KEY = re.compile(r"(?:,)?(?P<key>[^\s:,<>\"'{}\[\]]+):")
_DECODER = json.JSONDecoder()
_Node: TypeAlias = int


@dataclass(frozen=True)
class Notation:
    """The notation of values, as data."""

    quote: str = ""
    """The marker on both sides of texts; keys are then bare and sorted. Empty for Python's literals."""
    null: str = "None"
    is_token: bool = False
    """Whether the quote is a special token."""

    @property
    def colon(self) -> str:
        """The text between a key and its value."""
        return ":" if self.quote else ": "

    @property
    def comma(self) -> str:
        """The text between items."""
        return "," if self.quote else ", "

    def sorted(self, keys: Iterable[str]) -> list[str]:
        """The keys in the order in which they are written."""
        return sorted(keys, key=str.lower) if self.quote else list(keys)

    def read(self, text: str, place: int) -> tuple[Any, int]:
        """The value that stands at a place of a text of the grammar, and where it ends."""
        return read_literal(text, place) if not self.quote else self._read(text, place)

    def read_members(self, text: str, place: int) -> tuple[dict[str, Any], int]:
        """The members of a mapping that stand at a place, without its braces, and where they end."""
        values: dict[str, Any] = {}
        while match := _BARE_KEY.match(text, place):
            values[match["key"]], place = self.read(text, match.end())
        return values, place

    def _read(self, text: str, place: int) -> tuple[Any, int]:
        if text.startswith(self.quote, place):
            begins = place + len(self.quote)
            ends = text.index(self.quote, begins)
            return text[begins:ends], ends + len(self.quote)
        if text.startswith(self.null, place):
            return None, place + len(self.null)
        if text[place] not in "[{":
            return _DECODER.raw_decode(text, place)
        is_list = text[place] == "["
        items: list[Any] = []
        keys: list[str] = []
        place += 1
        while text[place] not in "]}":
            if not is_list:
                colon = text.index(":", place)
                keys.append(text[place:colon])
                place = colon + 1
            value, place = self._read(text, place)
            items.append(value)
            place += text[place] == ","
        return (items if is_list else dict(zip(keys, items, strict=True))), place + 1


class Values:
    """The values that one schema's members allow, in a notation, as rules in a builder of their own."""

    def __init__(
        self, schema: Mapping[str, Any], notation: Notation, options: JSONSchemaOptions, limits: Limits | None
    ) -> None:
        self.schema = schema
        self.notation = notation
        self.forbidden = (*options.forbidden_texts, *options.escaped_texts)
        self.texts: list[_Node] = []
        """For all values made so far: the texts that stand between quotes of the notation, without escapes."""
        prelude = prelude_of(options) if notation.quote else python_prelude(options)
        self.builder: GrammarBuilder = prelude.fork(limits)
        self._defined = {name: schema[name] for name in ("$defs", "definitions") if name in schema}
        self._rules: dict[str, _Node] = {}
        self._place = ""

    def core(self, key: str, schema: Any, types: Iterable[str]) -> _core.Grammar | None:
        """The rules of one member's values that have these types; None if there are none."""
        node = self.node(key, schema, types)
        try:
            return None if node is None else self.builder.build(node)
        except EmptyGrammarError:
            return None

    def node(self, key: str, schema: Any, types: Iterable[str]) -> _Node | None:
        """The node of these values in the builder."""
        self._place = f"/properties/{key}"
        return self._value(schema, frozenset(types))

    def _value(self, schema: Any, types: frozenset[str] = frozenset((*SCALARS, "array", "object"))) -> _Node | None:
        if schema is False:
            return None
        if schema is True or not (schema.keys() - _ANNOTATIONS):
            return self._rule("anything", lambda: self._typed({}, types), types)
        if "$ref" in schema:
            return self._referred(schema, types)
        if "anyOf" in schema and not (schema.keys() - _ANNOTATIONS - {"anyOf"}):
            return self._alternatives([self._value(branch, types) for branch in schema["anyOf"]])
        return self._typed(schema, types)

    def _typed(self, schema: Mapping[str, Any], types: frozenset[str]) -> _Node | None:
        values = front_end.MemberValues(self.builder, {"type": "object", "properties": {"v": schema}, **self._defined})
        nodes: list[_Node | None] = []
        literals = types & ({"boolean", "number"} if self.notation.quote else set(SCALARS))
        if literals:
            nodes.append(values.literals("v", sorted(literals)))
        if self.notation.quote and "null" in types and values.has("v", ["null"]):
            nodes.append(self.builder.literal(self.notation.null.encode()))
        text = values.text("v") if self.notation.quote and "string" in types else None
        if text is not None:
            nodes.append(self._quoted(text))
        if "array" in types and values.has("v", ["array"]):
            nodes.append(self._array(schema))
        if "object" in types and values.has("v", ["object"]):
            nodes.append(self._object(schema))
        values.raise_unsupported()
        return self._alternatives(nodes)

    def _quoted(self, text: _Node) -> _Node:
        """A text between the notation's quotes, without those quotes inside."""
        builder, quote = self.builder, self.notation.quote
        self.texts.append(text)
        if not self.notation.is_token:
            return builder.seq([self._literal(quote), builder.bounded_text(text, quote, self.forbidden)])
        inner = builder.bounded_text(text, "", (*self.forbidden, quote))
        return builder.seq([builder.special(quote), inner, builder.special(quote)])

    def _array(self, schema: Mapping[str, Any]) -> _Node | None:
        self._check(schema, _OF_ARRAYS)
        item = self._value(schema.get("items", True))
        least, most = schema.get("minItems", 0), schema.get("maxItems")
        builder = self.builder
        nodes = []
        if least == 0:
            nodes.append(self._literal("[]"))
        if item is not None and most != 0:
            further = builder.seq([self._literal(self.notation.comma), item])
            rest = builder.repeat(further, max(least - 1, 0), None if most is None else most - 1)
            nodes.append(builder.seq([self._literal("["), item, rest, self._literal("]")]))
        return self._alternatives(nodes)

    def _object(self, schema: Mapping[str, Any]) -> _Node | None:
        self._check(schema, _OF_OBJECTS)
        builder = self.builder
        required, properties = schema.get("required") or [], schema.get("properties") or {}
        other = schema.get("additionalProperties", True)
        known = {**properties, **{key: other for key in required if key not in properties}}
        members = []
        for key in self.notation.sorted(known):
            value = self._value(known[key])
            if value is None and key in required:
                return None
            if value is not None:
                written = key if self.notation.quote else repr(key)
                member = builder.seq([self._literal(written + self.notation.colon), value])
                members.append((member, key in required))
        comma, more = self._literal(self.notation.comma), builder.epsilon()
        alone = builder.epsilon()
        value = self._value(other)
        if value is not None:
            member = builder.seq([self._key(known), self._literal(self.notation.colon), value])
            more = builder.repeat(builder.seq([comma, member]), 0)
            alone = builder.alt([builder.seq([member, more]), alone])
        return builder.seq([self._literal("{"), joined(builder, members, comma, alone, more), self._literal("}")])

    def _key(self, known: Iterable[str]) -> _Node:
        """A key outside the known ones, of characters that need no escape."""
        builder, quote = self.builder, "" if self.notation.quote else "'"
        free = r"[^\s:,<>\"'{}\[\]]+" if self.notation.quote else r"'[^'\"\\\x00-\x1f]*'"
        words = [f"{quote}{key}{quote}".encode() for key in known]
        node = builder.bounded_text(builder.regex(free, dialect="rust"), "", self.forbidden)
        return builder.and_([node, builder.not_(builder.words(words))]) if words else node

    def _referred(self, schema: Mapping[str, Any], types: frozenset[str]) -> _Node | None:
        self._check(schema, ("$ref",))
        try:
            target = follow(self.schema, schema["$ref"].removeprefix("#"))
        except LookupError as error:
            raise self._unsupported("$ref") from error
        return self._rule(schema["$ref"], lambda: self._value(target, types), types)

    def _rule(self, name: str, made: Any, types: frozenset[str]) -> _Node | None:
        """The node of a schema that may contain itself."""
        name = f"{name} {' '.join(sorted(types))}"
        if name not in self._rules:
            self._rules[name] = rule = self.builder.rule(name)
            body = made()
            self.builder.define(rule, self.builder.empty() if body is None else body)
        return self._rules[name]

    def _check(self, schema: Mapping[str, Any], held: Iterable[str]) -> None:
        """UnsupportedSchemaError for keywords that cannot be enforced on lists and mappings in this notation."""
        others = schema.keys() - _ANNOTATIONS - _OF_SCALARS - {"type", *_OF_ARRAYS, *_OF_OBJECTS, *held}
        if others:
            raise self._unsupported(min(others))

    def _unsupported(self, keyword: str) -> UnsupportedSchemaError:
        reason = f"{keyword} is not held within lists and mappings that are no JSON"
        return UnsupportedSchemaError(
            reason, places=[(f"{self._place}/{keyword}", reason)], where=f"{self._place}/{keyword}",
            hint="say items, properties, required and additionalProperties alone",
        )  # fmt: skip

    def _alternatives(self, nodes: Iterable[_Node | None]) -> _Node | None:
        found = [node for node in nodes if node is not None]
        return self.builder.alt(found) if found else None

    def _literal(self, text: str) -> _Node:
        return self.builder.literal(text.encode())


def joined(
    builder: GrammarBuilder, members: Iterable[tuple[_Node, bool]], comma: _Node, none: _Node, some: _Node
) -> _Node:
    """All required members and any of the optional ones, in order, with commas between.

    `none` follows if no member was written, `some` if at least one was.
    """
    for member, is_required in reversed(list(members)):
        first, further = builder.seq([member, some]), builder.seq([comma, member, some])
        if not is_required:
            first, further = builder.alt([first, none]), builder.alt([further, some])
        none, some = first, further
    return none
