"""Schema of a tool's arguments × a family's notation → node, and text → values.

json         one JSON object, exactly as the schema says
parameters   one tag for each parameter: texts without quotes, everything else as JSON
python       keyword arguments of a Python call: JSON with True, False and None
delimited    bare keys, texts between tokens of their own
"""

from __future__ import annotations

import json
import keyword
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from frisket import _core
from frisket._core import front_end
from frisket.errors import EmptyGrammarError, InvalidSchemaError, UnsatisfiableSchemaError, UnsupportedSchemaError
from frisket.grammar import Grammar
from frisket.json_pointer import to_pointer
from frisket.json_schema import DEFAULT, JSONSchemaOptions, prelude_of
from frisket.json_schema.parameter import OTHER_TYPES, can_hold
from frisket.notations.combination.outline import OutlineBuilder, embedded, named, unnamed
from frisket.tools import wire
from frisket.tools.custom import INPUT
from frisket.tools.family import Family
from frisket.tools.notation import SCALARS, Notation, Values, joined
from frisket.tools.python_call import python_prelude, read_keywords
from frisket.tools.template import Hole, Piece, Text, after_text, literal_pieces, pieces_of, until_hole, written

if TYPE_CHECKING:
    from frisket._core import GrammarBuilder
    from frisket.limit import Limits
    from frisket.tools.tool import Tool

#: Types whose values contain other values.
CONTAINERS = ("array", "object")

#: Keywords that do not change whether a value is text: if a schema has no others, its `type` decides alone.
_ANNOTATIONS = frozenset({"type", "title", "description", "default", "examples", "deprecated", "$comment"})

#: Makes the nodes of all parameters' values, when they are first needed: the type of most parameters decides alone.
_Members: TypeAlias = Callable[[], front_end.MemberValues]


@dataclass(frozen=True)
class Parameter:
    """One member of the arguments, in a notation that writes each member on its own: `parameters` or `python`."""

    key: str
    schema: Any
    required: bool


@dataclass
class Arguments:
    """The arguments of one tool in the notation of one family."""

    tool: Tool
    family: Family
    options: JSONSchemaOptions = DEFAULT
    """How strings are spelled; the tags of the family are among the forbidden texts."""
    limits: Limits | None = field(default=None, compare=False, repr=False)
    """Limits of making the rules."""
    _json: Grammar | None = field(default=None, init=False, repr=False)
    _rules: _core.Grammar | None = field(default=None, init=False, repr=False)
    _values: dict[str, _core.Grammar | None] = field(default_factory=dict, init=False, repr=False)

    def of_family(self, family: Family) -> Arguments:
        """These arguments for a family with other special tokens; equal rules are shared."""
        other = Arguments(self.tool, family, self.options, self.limits)
        other._json, other._values = self._json, self._values
        tokens, others = (
            (pieces_of(each.parameter, each.special), each.quote in each.special) for each in (family, self.family)
        )
        if tokens == others:
            other._rules = self._rules
        return other

    def grammar(self) -> Grammar:
        """The grammar of the arguments as JSON; raises what `Grammar.from_json_schema` raises."""
        if self._json is None and self.tool.custom is not None:
            self._json = self._custom()
        if self._json is None:
            self._json = Grammar.from_json_schema(self.tool.schema, self.options, limits=self.limits)
        return self._json

    def _custom(self) -> Grammar:
        """The single text of a custom tool, as JSON arguments."""
        assert self.tool.custom is not None
        builder = self.fork(self.limits)
        text = self.tool.custom.quoted(builder, self.options.escapes, self.limits)
        begins = [b'{"%s":' % INPUT.encode(), b'{"%s": ' % INPUT.encode()]
        compact = self.options.whitespace == "compact"
        nodes = [builder.words(begins[: 1 if compact else 2]), text, builder.literal(b"}")]
        return Grammar(builder.build(builder.seq(nodes)), schema=self.tool.schema)

    def check(self) -> None:
        """UnsupportedSchemaError that lists what the family's notation cannot write of these arguments."""
        if self.family.arguments == "json":
            return
        schema = self.tool.schema
        places = [
            (f"/{key}", f"{key} relates parameters that {self.family.name} writes one by one")
            for key in front_end.relating(list(schema))
        ]
        for parameter in self.parameters() if not places else ():
            where = _pointer(parameter.key)
            if self.family.arguments == "python" and not _is_keyword_argument(parameter.key):
                places.append((where, "the name is no keyword argument of Python"))
            elif self.family.arguments in ("parameters", "delimited") and not re.fullmatch(
                r"[^<>\"\s]+", parameter.key
            ):
                places.append((where, "the name has characters that no tag can hold"))
        if places:
            raise UnsupportedSchemaError(
                f"{self.family.name} cannot write these arguments: {places[0][1]}",
                places=places,
                where=places[0][0],
                hint="give the arguments an object with properties, or use a family that writes JSON",
            )

    def narrowed(self) -> tuple[tuple[str, str], ...]:
        """(pointer into the schema, the texts left out) for each parameter whose schema allows a tag of the family."""
        if not self.family.tags or self.family.arguments in ("json", "python"):
            return ()
        reason = f"no text holds a tag of {self.family.name}"
        builder = self.fork(self.limits)
        members = self._members(builder)
        return tuple(
            (_place(parameter, self.tool.schema), reason)
            for parameter in self.parameters()
            if self._may_hold_tag(builder, parameter, members)
        )

    def _may_hold_tag(self, builder: GrammarBuilder, parameter: Parameter, members: _Members) -> bool:
        """Whether the schema lets an unquoted text of a parameter contain a tag of the family."""
        tags = [tag.encode() for tag in self.family.tags]
        if self.family.arguments == "delimited" and self.tool.custom is None:
            values = Values(self.tool.schema, self._notation, self.options, self.limits)
            values.node(parameter.key, parameter.schema, (*SCALARS, *CONTAINERS))
            return any(can_hold(values.builder, text, tags) for text in values.texts)
        text = self._bare_text(builder, parameter, members)
        return text is not None and can_hold(builder, text, tags)

    def has_text(self, text: str) -> bool:
        """Whether the schema of a parameter admits this text."""
        builder = self.fork(self.limits)
        members = self._members(builder)
        nodes = (self._bare_text(builder, parameter, members) for parameter in self.parameters())
        return any(node is not None and builder.accepts(node, text.encode()) for node in nodes)

    def _bare_text(self, builder: GrammarBuilder, parameter: Parameter, members: _Members) -> int | None:
        """The node of a parameter's unquoted texts; None if it has none."""
        if self.tool.custom is not None:
            return self.tool.custom.lower(builder, self.limits)
        said = parameter.schema.get("type") if isinstance(parameter.schema, dict) else None
        if isinstance(said, str) and said != "string":
            return None
        found = self._simply(builder, parameter.schema)
        if found is not None:
            return found[0]
        values = members()
        text = values.text(parameter.key)
        values.raise_unsupported()
        return text

    def parameters(self) -> list[Parameter]:
        """The members that are written, in the order of the schema."""
        schema = self.tool.schema
        required = schema.get("required") or []
        properties = schema.get("properties") or {}
        keys = [*properties, *(key for key in required if key not in properties)]
        rest = schema.get("additionalProperties", True)
        if self.family.arguments == "delimited":
            keys = self._notation.sorted(keys)
        return [Parameter(key, properties.get(key, rest), key in required) for key in keys]

    # -- node ----------------------------------------------------------------------------------------------------
    def lower(self, builder: GrammarBuilder) -> int:
        """The node of all ways to write the arguments; an outline has the names of the parameters."""
        if not isinstance(builder, OutlineBuilder):
            return builder.embed(self.core())
        if self.family.arguments == "json":
            return embedded(cast("GrammarBuilder", builder), self.grammar())
        outline = OutlineBuilder(self.fork())
        return cast("int", outline.part(self._joined(cast("GrammarBuilder", outline))))

    def core(self) -> _core.Grammar:
        """The rules of all ways to write the arguments."""
        if self.family.arguments == "json":
            return self.grammar().core
        if self._rules is None:
            builder = self.fork(self.limits)
            try:
                self._rules = builder.build(self._joined(builder))
            except UnsatisfiableSchemaError:
                self.grammar()  # raises the same error with its place in the whole schema
                raise
            except EmptyGrammarError as error:
                self.grammar()
                raise UnsatisfiableSchemaError(
                    f"no arguments can be written in the format of {self.family.name}",
                    where="",
                    hint="`frisket check` shows what the schema demands",
                ) from error
        return self._rules

    def fork(self, limits: Limits | None = None) -> GrammarBuilder:
        """A builder that starts from the prelude shared by the arguments of all tools."""
        is_python = self.family.arguments == "python"
        return (python_prelude(self.options) if is_python else prelude_of(self.options)).fork(limits)

    def _members(self, builder: GrammarBuilder) -> _Members:
        return cache(lambda: front_end.MemberValues(builder, self.tool.schema))

    def _joined(self, builder: GrammarBuilder) -> int:
        members = self._members(unnamed(builder))
        parameters = [
            (parameter, builder.alt(list(self._written(builder, parameter, members))))
            for parameter in self.parameters()
            if parameter.schema is not False or parameter.required
        ]
        if self.family.arguments in ("python", "delimited"):
            comma = builder.literal(b", " if self.family.arguments == "python" else b",")
            nodes = [(node, parameter.required) for parameter, node in parameters]
            return joined(builder, nodes, comma, builder.epsilon(), builder.epsilon())
        written = [node if parameter.required else _optional(builder, node) for parameter, node in parameters]
        if not self.family.nothing or any(parameter.required for parameter, _ in parameters):
            return builder.seq(written)
        return builder.alt([builder.seq(written), builder.literal(self.family.nothing.encode())])

    def _written(self, builder: GrammarBuilder, parameter: Parameter, members: _Members) -> Iterator[int]:
        """The ways to write one parameter, with its tags."""
        if self.family.arguments == "delimited":
            value = self._delimited(builder, parameter)
            if value is not None:
                yield builder.seq([builder.literal(f"{parameter.key}:".encode()), value])
            return
        if self.family.arguments == "python":
            value = self._python(unnamed(builder), parameter, members)
            if value is not None:
                value = named(builder, parameter.key, value, "python", schema=parameter.schema)
                yield builder.seq([builder.literal(f"{parameter.key}=".encode()), value])
            return
        text, other = self._value(unnamed(builder), parameter, members)
        pieces = self._pieces(parameter.key)
        middle = pieces.index(Hole("value"))
        before, (end, after) = pieces[:middle], until_hole(pieces[middle + 1 :])
        ways = []
        # A parser reads an ambiguous text as a value that is no text, so that alternative comes first.
        for kind, node in [("false", other)] if not self.family.kinds else self._others_by_kind(parameter, members):
            if node is not None:
                node = builder.alt([node, *self._python_words(builder, parameter)])
                node = named(builder, parameter.key, node, "python", schema=parameter.schema)
                ways.append((kind, builder.seq([node, wire.lower(builder, end)])))
        if text is not None:
            ways += [(self._kinds()[0], node) for node in self._texts(builder, parameter.key, text, end)]
        for kind, value in ways:
            holes = {"kind": builder.literal(kind.encode())}
            yield builder.seq([wire.lower(builder, before, holes), value, wire.lower(builder, after)])

    def _kinds(self) -> tuple[str, ...]:
        """The words that `$kind` can be: the word for text first, then those for other types."""
        said = dict(self.family.kinds)
        return tuple(dict.fromkeys((said["string"], *said.values()))) if said else ("true", "false")

    def _others_by_kind(self, parameter: Parameter, members: _Members) -> list[tuple[str, int | None]]:
        """For each type of values that are not text: (its word in `$kind`, the node of the values)."""
        said = dict(self.family.kinds)
        values = members()
        found = [(said[name], values.literals(parameter.key, (name,))) for name in OTHER_TYPES]
        values.raise_unsupported()
        return found

    def _texts(self, builder: GrammarBuilder, key: str, text: int, end: tuple[Piece, ...]) -> Iterator[int]:
        """The ways to write a text and its end: plain, or between the family's markers for verbatim text."""
        tags, verbatim = self.family.tags, self.family.verbatim
        if verbatim is None:
            yield wire.delimited(builder, key, text, tags, end)
            return
        begin, close, reserved = verbatim
        yield wire.delimited(builder, key, text, (*reserved, *tags), end)
        wrapped = wire.delimited(builder, key, text, (close, *tags), after_text(close, end))
        yield builder.seq([builder.literal(begin.encode()), wrapped])

    def _python_words(self, builder: GrammarBuilder, parameter: Parameter) -> list[int]:
        """Python's words for true, false and null, if the family writes them and the parameter allows the value."""
        words = [word.encode() for word in _WORDS if self._is_python_word(word, parameter)]
        return [builder.words(words)] if words else []

    def _is_python_word(self, said: str, parameter: Parameter) -> bool:
        if not self.family.python_words or said not in _WORDS:
            return False
        others = self._others(parameter)
        return others is not None and others.accepts(json.dumps(_WORDS[said]).encode())

    def _pieces(self, key: str) -> tuple[Piece, ...]:
        """The template pieces of the parameter `key`; a format may repeat the key after the value."""
        pieces: list[Piece] = []
        for piece in pieces_of(self.family.parameter, self.family.special):
            text = Text(key) if piece == Hole("key") else piece
            if isinstance(text, Text) and pieces and isinstance(pieces[-1], Text):
                text = Text(pieces.pop().text + text.text)  # type: ignore[union-attr]
            pieces.append(text)
        return tuple(pieces)

    def _value(self, builder: GrammarBuilder, parameter: Parameter, members: _Members) -> tuple[int | None, int | None]:
        """The nodes of the parameter's unquoted texts and of its other values; None if there are none."""
        if self.tool.custom is not None:
            return self.tool.custom.lower(builder, self.limits), None
        found = self._simply(builder, parameter.schema)
        if found is not None:
            return found
        values = members()
        printed = self.family.python_values
        text = values.text(parameter.key)
        others = [values.literals(parameter.key, [name for name in OTHER_TYPES if name not in printed])]
        values.raise_unsupported()
        if any(values.has(parameter.key, [name]) for name in printed):
            others.append(self._foreign(builder, parameter, printed))
        nodes = [node for node in others if node is not None]
        return text, builder.alt(nodes) if nodes else None

    def _simply(self, builder: GrammarBuilder, schema: Any) -> tuple[int | None, int | None] | None:
        """The nodes of a parameter whose type is obvious: ten times faster, since no language algebra is needed."""
        if type(schema) is not dict or "$ref" in repr(schema):
            return None
        said, listed = schema.get("type"), schema.get("enum")
        is_enum = said in (None, "string") and _ANNOTATIONS.issuperset(schema.keys() - {"enum"})
        if is_enum and isinstance(listed, list) and listed and all(isinstance(value, str) for value in listed):
            return builder.words([value.encode() for value in listed]), None
        if said == "string" and _ANNOTATIONS.issuperset(schema):
            return builder.any_text(), None
        if (
            isinstance(said, str)
            and said not in ("string", *self.family.python_values)
            and "$schema" not in self.tool.schema
        ):
            # An error here would point into the parameter alone; compiling all parameters gives the pointer into the
            # schema.
            with suppress(InvalidSchemaError, UnsupportedSchemaError, UnsatisfiableSchemaError):
                return None, builder.embed(Grammar.from_json_schema(schema, self.options, limits=self.limits).core)
        return None

    def _python(self, builder: GrammarBuilder, parameter: Parameter, members: _Members) -> int | None:
        if self.tool.custom is not None:
            return self.tool.custom.quoted(builder, limits=self.limits)
        printed = self.family.python_values
        if printed and not self.family.json_objects:
            nodes = [self._foreign(builder, parameter, (*SCALARS, *printed))]
        else:
            nodes = [members().value(parameter.key)]
            members().raise_unsupported()
            if nodes[0] is None or not self.family.json_objects:
                return nodes[0]
            if printed and members().has(parameter.key, list(printed)):
                # Literals enforce the whole schema. Where the family's own notation cannot, the literals alone are
                # allowed.
                with suppress(UnsupportedSchemaError):
                    nodes.append(self._foreign(builder, parameter, printed))
        others = [name for name in CONTAINERS if name not in printed] if printed else ["object"]
        rules = prelude_of(self.options).fork(self.limits)
        other = front_end.MemberValues(rules, self.tool.schema).literals(parameter.key, others)
        try:
            found = None if other is None else builder.embed(rules.build(other))
        except EmptyGrammarError:
            found = None
        made = [node for node in (*nodes, found) if node is not None]
        return builder.alt(made) if made else None

    def _delimited(self, builder: GrammarBuilder, parameter: Parameter) -> int | None:
        if self.tool.custom is None:
            return self._foreign(builder, parameter, (*SCALARS, *CONTAINERS))
        quote = literal_pieces(self.family.quote, self.family.special)
        text = self.tool.custom.lower(unnamed(builder), self.limits)
        inner = wire.delimited(builder, parameter.key, text, self.family.tags, quote)
        return builder.seq([wire.lower(builder, quote), inner])

    @property
    def _notation(self) -> Notation:
        """The family's notation for values that are not JSON."""
        if self.family.quote:
            null = "None" if self.family.python_words else "null"
            return Notation(self.family.quote, null, self.family.quote in self.family.special)
        return Notation()

    def _foreign(self, builder: GrammarBuilder, parameter: Parameter, types: Iterable[str]) -> int | None:
        """The node of a parameter's values of these types in the family's own notation."""
        values = Values(self.tool.schema, self._notation, self.options, self.limits)
        core = values.core(parameter.key, parameter.schema, types)
        return None if core is None else unnamed(builder).embed(core)

    # -- reading -------------------------------------------------------------------------------------------------
    def read(self, text: str, place: int) -> tuple[dict[str, Any], int]:
        """The arguments that stand at a place of a text of the grammar, and where they end."""
        if self.family.arguments == "json":
            return _DECODER.raw_decode(text, place)
        if self.family.arguments == "python":
            return read_keywords(text, place)
        if self.family.arguments == "delimited":
            return self._notation.read_members(text, place)
        values: dict[str, Any] = {}
        for parameter in self.parameters():
            found = self._read_parameter(text, place, parameter)
            if found is not None:
                values[parameter.key], place = found
        if not values and self.family.nothing and text.startswith(self.family.nothing, place):
            place += len(self.family.nothing)
        return values, place

    def _read_parameter(self, text: str, place: int, parameter: Parameter) -> tuple[Any, int] | None:
        pieces = self._pieces(parameter.key)
        middle = pieces.index(Hole("value"))
        before, (end, after) = pieces[:middle], until_hole(pieces[middle + 1 :])
        for kind in self._kinds() if Hole("kind") in before else ("",):
            start = wire.skip(text, place, before, {"kind": kind})
            if start is None:
                continue
            is_text = kind == self._kinds()[0]
            value, stop = self._read_value(text, start, written(end), parameter, is_text)
            closed = wire.skip(text, stop + len(written(end)), after)
            assert closed is not None, "only blanks come after the end"
            return value, closed
        return None

    def _read_value(self, text: str, start: int, end: str, parameter: Parameter, is_text: bool) -> tuple[Any, int]:
        if self.family.verbatim is not None and text.startswith(self.family.verbatim[0], start):
            begin, close, _ = self.family.verbatim
            stop = text.index(close + end, start)
            return text[start + len(begin) : stop], stop + len(close)
        if not is_text:
            grammar = self._others(parameter)
            try:
                value, stop = _DECODER.raw_decode(text, start)
            except ValueError:
                pass
            else:
                written = text[start:stop].encode()
                if grammar is not None and text.startswith(end, stop) and grammar.accepts(written):
                    return value, stop
        if not is_text and self.family.python_values and text[start] in "[{":
            grammar = self._others(parameter)
            try:
                value, stop = self._notation.read(text, start)
            except (ValueError, IndexError):
                pass
            else:
                if grammar is not None and text.startswith(end, stop) and grammar.accepts(text[start:stop].encode()):
                    return value, stop
        stop = text.index(end, start)
        said = text[start:stop]
        return (_WORDS[said] if self._is_python_word(said, parameter) else said), stop

    def _others(self, parameter: Parameter) -> _core.Grammar | None:
        """The grammar of a parameter's values that are not text."""
        if parameter.key not in self._values:
            builder = prelude_of(self.options).fork()
            node = self._value(builder, parameter, self._members(builder))[1]
            try:
                self._values[parameter.key] = None if node is None else builder.build(node)
            except EmptyGrammarError:
                self._values[parameter.key] = None
        return self._values[parameter.key]


_DECODER = json.JSONDecoder()
#: Python's words for JSON's true, false and null.
_WORDS = {"True": True, "False": False, "None": None}


def _is_keyword_argument(key: str) -> bool:
    return key.isidentifier() and key.isascii() and not keyword.iskeyword(key)


def _pointer(key: str) -> str:
    return to_pointer(("properties", key))


def _place(parameter: Parameter, schema: dict[str, Any]) -> str:
    """The pointer to the first keyword that constrains a parameter, or to the parameter's name."""
    if parameter.key not in (schema.get("properties") or {}):
        return "/required"
    asked = parameter.schema if isinstance(parameter.schema, dict) else {}
    words = [f"/{word}" for word in asked if word == "type" or word not in _ANNOTATIONS]
    return _pointer(parameter.key) + (words[0] if words else "")


def _optional(builder: GrammarBuilder, node: int) -> int:
    return builder.alt([node, builder.epsilon()])
