"""Kind × specification × options → Grammar, with the kinds that engines and servers use in requests."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, Literal, cast, get_args

from frisket.errors import FrisketError
from frisket.grammar import Grammar
from frisket.json_schema.options import DEFAULT, JSONSchemaOptions
from frisket.limit import Limits

Kind = Literal["json", "json_object", "regex", "choice", "grammar", "structural_tag"]

#: The kinds of structured output, under vLLM's names.
KINDS: tuple[str, ...] = get_args(Kind)

#: A rule as Lark writes it: a name and a colon, but no `::=`.
_LARK = re.compile(r"^\s*[?!]?[A-Za-z_]\w*(\.-?\d+)?\s*:(?!:=)", re.MULTILINE)


@dataclass(frozen=True)
class StructuredOutput:
    """The structured output of one request; equal objects have equal grammars.

    >>> StructuredOutput("choice", '["yes", "no"]').grammar().accepts("yes")
    True

    `specification` is a JSON Schema as JSON text, a pattern, a JSON list of texts, the rules of a grammar (GBNF, or
    Lark), or a structural tag as JSON text; empty for `json_object`. `options` say how JSON documents are spelled.
    """

    kind: Kind
    specification: str
    options: JSONSchemaOptions = DEFAULT

    @classmethod
    def of(cls, name: str, value: Any, options: JSONSchemaOptions = DEFAULT) -> StructuredOutput:
        """The request for a value that a client sends under the name of a kind: text, or JSON that is not text yet.

        >>> StructuredOutput.of("json", {"type": "integer"})
        StructuredOutput(kind='json', specification='{"type": "integer"}', options=JSONSchemaOptions())
        """
        kind = kind_of(name)
        if kind == "json_object":
            if value is not True:
                raise _invalid("json_object is true, or left out", where=kind)
            return cls(kind, "", options)
        if isinstance(value, str):
            return cls(kind, value, options)
        if kind in ("regex", "grammar"):
            raise _invalid(f"{kind} is a text, not {type(value).__name__}", where=kind)
        return cls(kind, json.dumps(value, ensure_ascii=False), options)

    @staticmethod
    def with_flags(
        options: JSONSchemaOptions, *, disable_any_whitespace: bool, disable_additional_properties: bool = False
    ) -> JSONSchemaOptions:
        """The options under the flags that vLLM and SGLang have in requests and settings.

        >>> StructuredOutput.with_flags(DEFAULT, disable_any_whitespace=True)
        JSONSchemaOptions(whitespace='compact')
        """
        if disable_any_whitespace:
            options = replace(options, whitespace="compact", max_whitespace=None)
        return replace(options, closed_objects=True) if disable_additional_properties else options

    def grammar(self, limits: Limits | None = None) -> Grammar:
        """The grammar of the request; FrisketError says what cannot be enforced, and where.

        `limits`: those of building the grammar."""
        match self.kind:
            case "json":
                return Grammar.from_json_schema(self.specification, self.options, limits=limits)
            case "json_object":
                return Grammar.from_json_schema({"type": "object"}, self.options, limits=limits)
            case "regex":
                return Grammar.from_regex(self.specification, limits=limits)
            case "choice":
                return Grammar.from_choices(self._choices(), limits=limits)
            case "grammar":
                return self._rules(limits)
            case "structural_tag":
                return self._tags(limits)

    def _choices(self) -> list[str]:
        try:
            choices = json.loads(self.specification)
        except ValueError:
            choices = None
        if not isinstance(choices, list) or not all(isinstance(choice, str) for choice in choices):
            raise _invalid("the choices are no list of texts", where="choice")
        return choices

    def _rules(self, limits: Limits | None) -> Grammar:
        if not is_lark(self.specification):
            return Grammar.from_gbnf(self.specification, limits=limits)
        return Grammar.from_lark(self.specification, limits=limits)

    def _tags(self, limits: Limits | None) -> Grammar:
        # Without options, JSON inside a tag may be spelled in any way, as the definition of structural tags says.
        options = None if self.options == DEFAULT else self.options
        return Grammar.from_structural_tag(self.specification, options, limits=limits)


def kind_of(name: str) -> Kind:
    """The kind of that name; FrisketError if there is none."""
    if name not in KINDS:
        raise _invalid(f"{name!r} is no kind of structured output", where="kind", hint=f"one of {', '.join(KINDS)}")
    return cast("Kind", name)


def is_lark(rules: str) -> bool:
    """Whether rules look like Lark and not like GBNF.

    >>> is_lark('start: "yes" | "no"'), is_lark('root ::= "a:" | "b"')
    (True, False)
    """
    return "::=" not in rules and _LARK.search(rules) is not None


def read_options(given: Any, base: JSONSchemaOptions = DEFAULT, *, place: str = "options") -> JSONSchemaOptions:
    """The options of a request, given as a mapping or its JSON text; missing fields are those of `base`.

    `place` is the name of the mapping in errors.

    >>> read_options('{"whitespace": "compact"}')
    JSONSchemaOptions(whitespace='compact')
    """
    if given is None:
        return base
    if isinstance(given, str):
        try:
            given = json.loads(given)
        except ValueError as error:
            raise _invalid(f"the options are not JSON: {error}", where=place) from error
    if not isinstance(given, Mapping):
        raise _invalid(f"the options are an object, not {type(given).__name__}", where=place)
    known = {field.name for field in fields(JSONSchemaOptions)}
    for name in given:
        if name not in known:
            raise _invalid(
                f"there is no option {name!r}", where=f"{place}/{name}", hint=f"one of {', '.join(sorted(known))}"
            )
    try:
        return replace(base, **given)
    except (TypeError, ValueError) as error:
        raise _invalid(str(error), where=place) from error


def _invalid(message: str, *, where: str, hint: str | None = None) -> FrisketError:
    return FrisketError(message, where=where, hint=hint, code="request")
