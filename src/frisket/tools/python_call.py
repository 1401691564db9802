"""Values of a Python call × GrammarBuilder → node, and text → values: JSON with True, False and None."""

from __future__ import annotations

import ast
import json
import re
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from frisket import _core
from frisket.json_schema import string
from frisket.json_schema.algebra import Algebra
from frisket.json_schema.layout import Layout
from frisket.json_schema.lower import Lowering
from frisket.json_schema.prelude import restricted
from frisket.json_schema.report import Report
from frisket.json_schema.resolve import Documents
from frisket.json_schema.value import ANYTHING, FALSE, NULL, TRUE

if TYPE_CHECKING:
    from frisket._core import GrammarBuilder
    from frisket.json_schema import JSONSchemaOptions
    from frisket.limit import Limits

_DECODER = json.JSONDecoder()
_KEYWORD = re.compile(r"(?:, )?(?P<key>[^\W\d]\w*)=")
_WORDS = {"None": None, "False": False, "True": True}
_WORD = re.compile("|".join(_WORDS))
#: A string in single quotes, as `repr` writes most.
_SINGLE_QUOTED = re.compile(r"'(?:[^'\\]|\\.)*'")
_GAP = re.compile(r"\s*")


class PythonLowering(Lowering):
    """JSON with Python's words for true, false and null."""

    def __init__(
        self, builder: GrammarBuilder, options: JSONSchemaOptions, algebra: Algebra, before: Lowering | None = None
    ) -> None:
        super().__init__(builder, options, algebra, before)
        self._reads_constants = False
        # A line break would divide two calls.
        layout = Layout(builder, replace(options, whitespace="compact"), 0)
        layout.colon, layout.comma = builder.words([b":", b": "]), builder.words([b",", b", "])
        self._layouts = [layout]

    def _words(self, mask: int) -> int:
        words = ((NULL, b"None"), (FALSE, b"False"), (TRUE, b"True"))
        return self.builder.words([word for bit, word in words if mask & bit])

    def string(self, atoms: tuple[string.StringAtom, ...]) -> int | None:
        """Texts in double quotes; in single quotes, too, where no condition needs another automaton."""
        builder, double = self.builder, super().string(atoms)
        if double is None:
            return None
        if not atoms:
            plain = builder.char_class([(0x20, 0x26), (0x28, 0x5B), (0x5D, 0x10FFFF)])
            escaped = builder.words([f"\\{letter}".encode() for letter in "'\\nrtbf"])
            single = builder.repeat(builder.alt([plain, escaped]), 0)
            if words := [text.encode() for text in self.options.forbidden_texts]:
                everything = builder.not_(builder.empty())
                holding = builder.cat([everything, builder.words(words), everything])
                single = builder.and_([single, builder.not_(holding)])
            return builder.alt([double, builder.cat([builder.literal(b"'"), single, builder.literal(b"'")])])
        listed = [text.decode() for text in string.listed(builder, atoms)[0] or ()]
        allowed = [text for text in listed if not any(word in text for word in self.options.forbidden_texts)]
        if allowed:
            return builder.alt([double, builder.words([repr(text).encode() for text in allowed])])
        return double


class PythonPrelude:
    """What the values of all Python calls have in common, under the same options."""

    def __init__(self, options: JSONSchemaOptions) -> None:
        self.builder = restricted(_core.GrammarBuilder(), options)
        algebra = Algebra(self.builder, Documents(True, None), options, Report())
        self.lowering = PythonLowering(self.builder, options, algebra)
        self.lowering.lower(ANYTHING)

    def fork(self, limits: Limits | None = None) -> GrammarBuilder:
        return self.builder.fork(limits=limits)


@lru_cache(maxsize=8)
def python_prelude(options: JSONSchemaOptions) -> PythonPrelude:
    return PythonPrelude(options)


def read_keywords(text: str, place: int) -> tuple[dict[str, Any], int]:
    """The keyword arguments that stand at a place of a text of the grammar, and where they end."""
    values: dict[str, Any] = {}
    while match := _KEYWORD.match(text, place):
        values[match["key"]], place = _read_literal(text, match.end())
    return values, place


def _read_literal(text: str, place: int) -> tuple[Any, int]:
    """A Python literal as the grammar writes it: JSON but for three words."""
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
            key, place = _DECODER.raw_decode(text, place)
            keys.append(key)
            place = _gap(text, _gap(text, place) + 1)
        value, place = _read_literal(text, place)
        items.append(value)
        place = _gap(text, place)
        if text[place] == ",":
            place = _gap(text, place + 1)
    return (items if is_list else dict(zip(keys, items, strict=True))), place + 1


def _gap(text: str, place: int) -> int:
    match = _GAP.match(text, place)
    assert match is not None
    return match.end()
