"""Schema × refused text → the keyword or option that forbids it: without it, the text could continue.

The search does not interpret keywords. It leaves out one at a time, compiles the rest, and asks the engine whether a
document then may begin with the text. So the result is a reason by definition, whatever the keyword means.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from frisket._core import front_end
from frisket.errors import FrisketError, LimitExceededError
from frisket.explanation.place import Path, at, places
from frisket.json_pointer import to_pointer
from frisket.json_schema.options import ESCAPES, JSONSchemaOptions
from frisket.recent import content

if TYPE_CHECKING:
    from frisket.grammar import Grammar
    from frisket.json_schema import JSONSchemaOptions
    from frisket.limit import Meter

#: Keywords that only lead to subschemas; tried last, since removing one also removes all subschemas below it.
_LEADING = frozenset(
    ("properties", "patternProperties", "items", "prefixItems", "allOf", "anyOf", "oneOf", "if", "then", "else", "$ref")
)

#: Limit steps per reduced schema (parsed, compiled and tested once), and per byte of it.
_STEPS_PER_SCHEMA, _STEPS_PER_BYTE = 5_000, 20
#: Most reduced schemas that one search compiles.
_MOST = 200

#: Options that can forbid a text, each with the value that allows it.
OPTIONS: tuple[tuple[str, Any, str], ...] = (
    ("whitespace", "free", "white space at this place"),
    ("max_whitespace", None, "so much white space"),
    ("separators", None, "other separators than these"),
    ("property_order", "any", "this order of properties"),
    ("escapes", "free", "this spelling of a character"),
    ("escape_letters", ESCAPES, "this spelling of a character"),
    ("forbidden_texts", (), "these texts in a string"),
    ("escaped_texts", (), "these texts in a string as they stand"),
    ("max_items", None, "so many items"),
    ("numbers", "free", "this spelling of a number"),
    ("closed_objects", False, "properties that the schema does not name"),
    ("leading_space", True, "a blank before the document"),
    ("max_integer_digits", 400, "so many digits"),
    ("max_fraction_digits", 400, "so many digits after the point"),
    ("max_exponent_digits", 6, "such an exponent"),
    ("max_second_digits", 40, "so many digits of a second"),
    ("formats", "annotate", "what is not of this format"),
)


@dataclass(frozen=True)
class Reason:
    """The keyword or option that forbids a text; `kind` says what `name` names."""

    kind: str
    """`keyword`, `schema` (several keywords of one place together), `option`, or `syntax` (the text is no JSON)."""
    name: str
    """The JSON Pointer to the keyword or schema, the name of the option, or empty."""
    value: Any = None
    """The value of the keyword or the option."""

    def __str__(self) -> str:
        if self.kind == "syntax":
            return "JSON's own syntax"
        if self.kind == "schema":
            return f"the keywords of {self.name or 'the root'} together"
        if self.kind == "option":
            said = next(said for name, _, said in OPTIONS if name == self.name)
            return f"the option {self.name}={self.value!r}, which forbids {said}"
        shown = repr(self.value)
        return f"{self.name} ({shown if len(shown) <= 60 else shown[:60] + '…'})"


def reason(grammar: Grammar, text: bytes, path: Path, meter: Meter) -> Reason | None:
    """The reason why no document of the grammar's schema begins with `text`; its last byte is in the value at `path`.

    Keywords are tried before options, those of the innermost schema first. None if nothing forbids the text alone, or
    if the search took too long.
    """
    options = grammar.options
    assert options is not None
    search = _Search(grammar, text, meter)
    try:
        if not search.begins(True, JSONSchemaOptions.free()):
            return Reason("syntax", "")
        found = search.keyword(options, path)
        if found is not None:
            return found
        for name, value, _ in OPTIONS:
            given = getattr(options, name)
            if given == value:
                continue
            changed = {name: value} if name != "whitespace" else _FREE
            # Some combinations of options are invalid; then the option cannot change, and is not the reason.
            with suppress(ValueError):
                if search.begins(grammar.schema, replace(options, **changed)):
                    return Reason("option", name, given)
        # A common pair of reasons: an unknown key in the place of a required one.
        return search.keyword(replace(options, property_order="any", separators=None, **_FREE), path)
    except _GivenUpError:
        return None


#: Any white space: without the indentation, which belongs to `pretty`.
_FREE: dict[str, Any] = {"whitespace": "free", "indent": JSONSchemaOptions.indent}


class _GivenUpError(Exception):
    """The search has reached its limits."""


class _Search:
    """A search that compiles reduced schemas, within the limits of one call."""

    def __init__(self, grammar: Grammar, text: bytes, meter: Meter) -> None:
        self.grammar = grammar
        self.text = text
        self.meter = meter
        self.left = _MOST
        self.size = len(content(grammar.schema) or b"")

    def keyword(self, options: JSONSchemaOptions, path: Path) -> Reason | None:
        """The innermost keyword without which the text could continue."""
        schema = self.grammar.schema
        for depth in range(len(path), -1, -1):
            where = places(schema, path[:depth]) if isinstance(schema, Mapping) else []
            words = [(place, word) for place in where for word in at(schema, place) if front_end.is_keyword(word)]
            words.sort(key=lambda pair: pair[1] in _LEADING)
            for place, word in words:
                if self.begins(_without(schema, place, word), options):
                    return Reason("keyword", to_pointer((*place, word)), at(schema, place)[word])
            for place in filter(None, where):
                if self.begins(_replaced(schema, place, True), options):
                    return Reason("schema", to_pointer(place), at(schema, place))
        return None

    def begins(self, schema: Any, options: JSONSchemaOptions) -> bool:
        """Whether some document of the reduced schema begins with the text; False if the schema does not compile."""
        self.left -= 1
        if self.left < 0:
            raise _GivenUpError
        try:
            smaller = self.grammar.with_schema(schema, options, limits=self.meter.limits)
            self.meter.spend(_STEPS_PER_SCHEMA + _STEPS_PER_BYTE * self.size)
            return smaller.accepts_prefix(self.text, limits=self.meter.limits)
        except LimitExceededError as error:
            if error.code == "cancelled":
                raise
            raise _GivenUpError from None
        except FrisketError:
            return False


def _without(schema: Any, place: Path, word: str) -> Any:
    node = dict(at(schema, place))
    del node[word]
    return _replaced(schema, place, node)


def _replaced(schema: Any, place: Path, node: Any) -> Any:
    """The schema with another node at a place; only the path to the place is copied."""
    if not place:
        return node
    changed = copy.copy(schema)
    changed[place[0]] = _replaced(schema[place[0]], place[1:], node)
    return changed
