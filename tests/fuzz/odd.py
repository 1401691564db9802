"""A seed → one call of the public API with what JSON and Python can hold that is odd, and whether its end is allowed.

Misuse ends in TypeError or ValueError (IndexError for an id), a schema that cannot be used in a FrisketError with a
place and a hint. Nothing else may come out, UnicodeError and OverflowError least of all: no caller expects them.
"""

from __future__ import annotations

import enum
import json
import random
import warnings
from collections import OrderedDict
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from types import MappingProxyType
from typing import Any

import numpy as np

from frisket import FrisketError, Grammar, JSONSchemaOptions, Limits, Vocabulary
from frisket.errors import LimitExceededError, SchemaError
from tests.draft import KEYWORDS

from . import schema


class Number(enum.IntEnum):
    ONE = 1


class Text(str):
    pass


def circle() -> list[Any]:
    found: list[Any] = []
    found.append(found)
    return found


def nested(levels: int, key: str | None = None) -> Any:
    found: Any = []
    for _ in range(levels):
        found = [found] if key is None else {key: found}
    return found


#: Made anew for each use: some are changed by nobody, but compared by identity.
VALUES: list[Callable[[], Any]] = [
    *(lambda value=value: value for value in (None, True, False, 0, -1, 1, 1 << 31, 1 << 62, 1 << 64, -(1 << 70))),
    *(lambda value=value: value for value in (10**400, 10**5000, -(10**2000), 0.0, -0.0, 0.1, 1e308, 5e-324, 2.0)),
    *(lambda value=value: value for value in (float("inf"), float("-inf"), float("nan"), 1j, Fraction(1, 3), Ellipsis)),
    *(lambda text=text: Decimal(text) for text in ("1.50", "1e999999", "-1e-999999", "NaN", "sNaN", "Infinity", "1")),
    *(lambda text=text: text for text in ("", "a", "\ud800", "a\udfff", "\0", "\U0010ffff", "é" * 3, "[", "(?=", "/~")),
    *(lambda text=text: text for text in ("#", "#/\ud800", "http://[", "$ref", "x" * 5000, "1e400", "\\ud800")),
    *(lambda value=value: value for value in (b"", b"\xff", bytearray(b"a"), (), (1,), range(2), frozenset([1]))),
    *(lambda value=value: value for value in (Number.ONE, Text("a"), Text("\ud800"), object, len, Exception("x"))),
    *(lambda value=value: value for value in (np.float64(0.1), np.int64(3), np.float64("nan"), np.bool_(True))),
    *(lambda make=make: make() for make in (list, dict, set, object, circle)),
    lambda: {1: 2},
    lambda: {None: {}},
    lambda: {"\ud800": {}},
    lambda: {"a": {("b",): 1}},
    lambda: {b"a": {}},
    lambda: [float("nan"), 10**5000],
    lambda: ["a", 1, None, "\ud800"],
    lambda: [[[{"\ud800": 1}]]],
    lambda: nested(400),
    lambda: nested(1500),
    lambda: nested(300, "a"),
    lambda: nested(300, "items"),
    lambda: MappingProxyType({"type": "null"}),
    lambda: OrderedDict(type="null"),
    lambda: {"type": "array", "const": circle()},
    lambda: np.zeros(3),
]
NAMES = ["type", "\ud800", "", "a", "$ref", "$id", "$schema", "$anchor", "$defs", "$dynamicRef", *KEYWORDS]


def value(draw: random.Random) -> Any:
    return draw.choice(VALUES)()


def odd_schema(draw: random.Random) -> Any:
    """A schema in which one place, or several, hold something odd."""
    if draw.random() < 0.05:
        return value(draw)
    found: Any = schema.schema(draw, draw.randrange(3))
    if not isinstance(found, dict):
        found = {}
    for _ in range(draw.randrange(1, 3)):
        place = found
        while draw.random() < 0.6:
            below = [inner for inner in place.values() if isinstance(inner, dict)]
            if not below:
                break
            place = draw.choice(below)
        match draw.randrange(4):
            case 0:
                place[draw.choice(NAMES)] = value(draw)
            case 1:
                place[draw.choice(("enum", "prefixItems", "anyOf", "required", "type"))] = [value(draw), value(draw)]
            case 2:
                names = draw.choice(
                    ("properties", "patternProperties", "dependentRequired", "$defs", "dependentSchemas")
                )
                key = draw.choice((1, None, "\ud800", "a", b"b", ("c",), Text("d"), 1.5))
                place[names] = {key: draw.choice((True, {}, ["a"], value(draw)))}
            case _:
                place[draw.choice(list(KEYWORDS))] = value(draw)
    return found


def call(draw: random.Random) -> tuple[str, str]:
    """(what was called, what was wrong with how it ended)"""
    kind = draw.choice(list(CALLS))
    act, schematic = CALLS[kind](draw)
    try:
        act()
    except FrisketError as error:
        # A text that is no JSON has no place where Python names none.
        placed = error.where is not None or "not JSON" in error.message
        if isinstance(error, SchemaError) and not (placed and error.hint):
            return kind, f"{type(error).__name__} without a place or a hint: {error.message!a}"
        if isinstance(error, LimitExceededError) and not error.hint:
            return kind, f"LimitExceededError without a hint: {error.message!a}"
        try:
            str(error).encode()
        except UnicodeEncodeError:
            return kind, f"an error that cannot be printed: {str(error)!a}"
    except (TypeError, ValueError, IndexError) as error:
        if schematic or type(error) not in (TypeError, ValueError, IndexError, json.JSONDecodeError):
            return kind, f"{type(error).__name__}: {error!a}"
    except BaseException as error:  # a panic is no Exception
        if isinstance(error, KeyboardInterrupt):
            raise
        return kind, f"{type(error).__name__}: {error!a}"
    return kind, ""


Call = tuple[Callable[[], Any], bool]


def _schema(draw: random.Random) -> Call:
    given = odd_schema(draw)
    options = draw.choice((None, None, JSONSchemaOptions.free(), JSONSchemaOptions(relaxed=True)))

    def act() -> None:
        grammar = Grammar.from_json_schema(given, options)
        grammar.accepts("{}")
        str(grammar.report)

    return act, True


def _text(draw: random.Random) -> Call:
    try:
        text = json.dumps(odd_schema(draw), ensure_ascii=draw.random() < 0.5, default=lambda _: None)
    except (TypeError, ValueError, RecursionError):
        text = draw.choice(('{"const":1e400}', '{"enum":[NaN]}', '{"const":' + "9" * 5000 + "}", "[" * 5000, "\ud800"))
    if draw.random() < 0.2:
        text = text.replace(
            draw.choice(("1", '"a"', "true", "0")), draw.choice(("1e400", '"\\ud800"', "-0.0e-5", "1e-500"))
        )
    return (lambda: Grammar.from_json_schema(text).accepts("1")), True


def _options(draw: random.Random) -> Call:
    name = draw.choice(list(JSONSchemaOptions.__dataclass_fields__))
    given = value(draw)

    def act() -> None:
        options = JSONSchemaOptions(**{name: given})
        Grammar.from_json_schema({"type": ["number", "object", "string"], "minimum": 0.5}, options)

    return act, False


def _arguments(draw: random.Random) -> Call:
    name = draw.choice(("options", "registry", "limits"))
    given = value(draw)
    return (lambda: Grammar.from_json_schema({"$ref": "http://a.test/b"}, **{name: given})), False


def _pattern(draw: random.Random) -> Call:
    parts = ["a", "\ud800", "\\ud800", "[\\ud800-\\udfff]", "(", ")", "\0", "{", "}", "??", "\\b", "\U0010ffff", "\\"]
    given = value(draw) if draw.random() < 0.4 else "".join(draw.choices(parts, k=draw.randrange(1, 6)))
    dialect: Any = draw.choice(("python", "ecma", value(draw)))
    return (lambda: Grammar.from_regex(given, dialect=dialect)), False


def _choices(draw: random.Random) -> Call:
    given = value(draw) if draw.random() < 0.5 else [value(draw), value(draw)]
    return (lambda: Grammar.from_choices(given)), False


def _limits(draw: random.Random) -> Call:
    given: dict[str, Any] = {draw.choice(("steps", "memory_bytes", "seconds", "cancellation")): value(draw)}
    return (lambda: Grammar.from_json_schema({"type": "integer"}, limits=Limits(**given))), False


def _vocabulary(draw: random.Random) -> Call:
    tokens: Any = draw.choice(([b"a", b"b", None], [value(draw)], value(draw)))
    given = {draw.choice(("special", "eos", "size")): draw.choice((value(draw), [value(draw)], {"x": value(draw)}))}

    def made() -> Vocabulary:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # of a stop token that is an ordinary text
            return Vocabulary.from_bytes(tokens, **given)

    return made, False


def _file(draw: random.Random) -> Call:
    read: Callable[..., Any] = draw.choice(
        (Vocabulary.from_tiktoken, Vocabulary.from_huggingface, Vocabulary.from_sentencepiece, Vocabulary.from_mistral)
    )
    given = value(draw)
    return (lambda: read(given)), False


def _grammar(draw: random.Random) -> Call:
    grammar = Grammar.from_json_schema({"type": "string"})
    name = draw.choice(("accepts", "accepts_prefix", "compile"))
    given = value(draw)
    return (lambda: getattr(grammar, name)(given)), False


def _matcher(draw: random.Random) -> Call:
    vocabulary = Vocabulary.from_bytes([b"1", b"2", b"a", None], special={"<end>": 3}, eos="<end>")
    matcher = Grammar.from_json_schema({"type": "integer"}).compile(vocabulary).matcher()
    name = draw.choice(("advance", "try_advance", "validate", "rollback", "fill_mask", "advance_bytes"))
    given = draw.choice((value(draw), [value(draw)], np.zeros(1, draw.choice((">u4", "<u4", "u8", "f4")))))
    return (lambda: getattr(matcher, name)(given)), False


CALLS: dict[str, Callable[[random.Random], Call]] = {
    "schema": _schema,
    "text": _text,
    "options": _options,
    "arguments": _arguments,
    "pattern": _pattern,
    "choices": _choices,
    "limits": _limits,
    "vocabulary": _vocabulary,
    "file": _file,
    "grammar": _grammar,
    "matcher": _matcher,
}
