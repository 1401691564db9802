"""What a schema was refused for → what to write instead, in one line."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from frisket.json_schema.report import Entry

#: By keyword, for the refusals that are met most.
REWRITINGS = {
    "$ref": "copy that document into $defs and refer to it as #/$defs/name, or in Python pass registry=",
    "pattern": "write the pattern without that part, or list the texts with enum",
    "format": "leave the format out, or say with a pattern what the text looks like",
    "format regex": "leave the format out, or let it stand alone, as the only condition on a value",
    "multipleOf": "bound the number with minimum and maximum, or take a step of fewer digits",
    "uniqueItems": "leave out that items must be equal; say with const or enum which items may come",
    "contentMediaType": "leave contentEncoding out, or describe the text with a pattern",
    "oneOf": "give the alternatives a required property with different constants, or raise max_alternatives",
}
REWRITINGS |= dict.fromkeys(("$dynamicRef", "$recursiveRef"), REWRITINGS["$ref"])
REWRITINGS |= dict.fromkeys(("patternProperties",), REWRITINGS["pattern"])
REWRITINGS |= dict.fromkeys(("anyOf", "allOf", "not", "if", "then", "else"), REWRITINGS["oneOf"])

#: What holds of any refusal.
RELAXED = "JSONSchemaOptions(relaxed=True) leaves it out, and `value` checks it afterwards"


def advice(refused: Iterable[Entry]) -> str:
    """One line for the first place; the same for all where their keyword is the same."""
    first = next(iter(refused), None)
    rewriting = REWRITINGS.get(first.keyword) if first is not None else None
    if rewriting is None:
        return RELAXED
    # A validator could not read the missing document either.
    return rewriting if rewriting is REWRITINGS["$ref"] else f"{rewriting}; or {RELAXED}"
