"""JSON Schema × style → text for a prompt that tells the model in advance what the mask will enforce."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, get_args

from frisket.description.description import Description, Encodes
from frisket.description.writer import dumped
from frisket.errors import FrisketError, LimitExceededError
from frisket.limit import Limits, Meter
from frisket.options import Style

__all__ = ["Description", "Encodes", "Style", "describe", "dumps"]

if TYPE_CHECKING:
    from frisket.grammar import Grammar
    from frisket.json_schema import JSONSchemaOptions


def describe(grammar: Grammar, style: Style, options: JSONSchemaOptions, limits: Limits | None = None) -> Description:
    """The description of a grammar that was made from a schema or a type."""
    if style not in get_args(Style):
        raise ValueError(f"a style is one of {', '.join(get_args(Style))}; got {style!r}")
    if grammar.schema is None:
        raise FrisketError(
            "only the grammar of a JSON Schema or of a type can be described",
            hint="say in the prompt what the text looks like",
            code="no-schema",
        )
    try:
        return Description(_text(grammar, style, options, Meter(limits)))
    except RecursionError:
        raise LimitExceededError(
            f"the schema nests too deep for a description of style {style!r}",
            where="",
            hint="use definitions, or describe the answer in your own words",
        ) from None


def _text(grammar: Grammar, style: Style, options: JSONSchemaOptions, meter: Meter) -> str:
    meter.spend(0)
    if style == "json_schema":
        text = dumps(grammar.schema, options)
        meter.spend(len(text), len(text))
        return text
    if style == "typescript":
        from frisket.description.typescript import typescript

        return typescript(grammar.schema, meter)
    if style == "prose":
        from frisket.description.prose import prose

        return prose(grammar.schema, meter)
    from frisket.description.example import example

    return example(grammar, options, meter)


def dumps(value: Any, options: JSONSchemaOptions) -> str:
    """A JSON value with the white space of the grammar's own documents, since a model copies what it reads."""
    if options.whitespace == "pretty":
        return dumped(value, indent=options.indent)
    return dumped(value, separators=(",", ":") if options.whitespace == "compact" else None)
