"""Options → the prelude of values in Python calls, and text → values: JSON with True, False and None."""

from __future__ import annotations

import ast
import json
import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from frisket._core import front_end

if TYPE_CHECKING:
    from frisket.json_schema import JSONSchemaOptions

_DECODER = json.JSONDecoder()
_KEYWORD = re.compile(r"(?:, )?(?P<key>[^\W\d]\w*)=")
_WORDS = {"None": None, "False": False, "True": True}
_WORD = re.compile("|".join(_WORDS))
#: A string in single quotes, which `repr` uses for most strings.
_SINGLE_QUOTED = re.compile(r"'(?:[^'\\]|\\.)*'")
_GAP = re.compile(r"\s*")


@lru_cache(maxsize=8)
def python_prelude(options: JSONSchemaOptions) -> front_end.Prelude:
    """The rules that values of all Python calls share under equal options: Python literals on one line."""
    return front_end.Prelude(options, literals="python")


def read_keywords(text: str, place: int) -> tuple[dict[str, Any], int]:
    """The keyword arguments that stand at a place of a text of the grammar, and where they end."""
    values: dict[str, Any] = {}
    while match := _KEYWORD.match(text, place):
        values[match["key"]], place = read_literal(text, match.end())
    return values, place


def read_literal(text: str, place: int) -> tuple[Any, int]:
    """The value of a Python literal of the grammar: JSON except for the words True, False and None."""
    if match := _WORD.match(text, place):
        return _WORDS[match[0]], match.end()
    if match := _SINGLE_QUOTED.match(text, place):
        return ast.literal_eval(match[0]), match.end()
    if text[place] not in "[{":
        return _DECODER.raw_decode(text, place)
    is_list = text[place] == "["
    items: list[Any] = []
    keys: list[str] = []
    place = _gap(text, place + 1)
    while text[place] not in "]}":
        if not is_list:
            key, place = read_literal(text, place)
            keys.append(key)
            place = _gap(text, _gap(text, place) + 1)
        value, place = read_literal(text, place)
        items.append(value)
        place = _gap(text, place)
        if text[place] == ",":
            place = _gap(text, place + 1)
    return (items if is_list else dict(zip(keys, items, strict=True))), place + 1


def _gap(text: str, place: int) -> int:
    match = _GAP.match(text, place)
    assert match is not None
    return match.end()
