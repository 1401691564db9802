"""Schemas that are large or count far → compile time and masks of each, cold, from Python."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..corpus import Case, Instance, Tokenizer
from ..run import Limit, run
from ..worker import Timing
from .bound import Row, Source

Bounds = dict[str, tuple[float, Source]]

#: What holds where the issue names nothing: a request that nobody notices, a mask that no step of a model waits for.
OPEN: Bounds = {
    "compile + first mask ms": (50, "chosen"),
    "mask p99 µs": (300, "chosen"),
    "mask max µs": (2000, "chosen"),
}
PART = "Hard inputs"


@dataclass(frozen=True)
class Hard:
    """A schema, documents that it allows and forbids, and what may be spent on it."""

    name: str
    schema: Any
    valid: Sequence[Any]
    invalid: Sequence[Any]
    bounds: Bounds

    def case(self, tokenizer: Tokenizer, encode: Callable[[str], list[int]]) -> Case:
        documents = [(True, data) for data in self.valid] + [(False, data) for data in self.invalid]
        instances = tuple(Instance(valid, tuple(encode(text_of(data)))) for valid, data in documents)
        return Case(self.name, self.schema, json.dumps(self.schema), instances)


def rows(
    tokenizer: Tokenizer, *, rivals: Sequence[str] = (), rounds: int = 3, seconds: float = 60.0, only: str = ""
) -> Iterator[Row]:
    """Each schema in fresh processes; of several rounds the least time of each call."""
    import tokenizers

    encoder = tokenizers.Tokenizer.from_file(str(tokenizer.folder / "tokenizer.json"))
    for hard in inputs():
        if only not in hard.name:
            continue
        case = hard.case(tokenizer, lambda text: list(encoder.encode(text, add_special_tokens=False).ids))
        limit = Limit(seconds, 8192)
        (ours,) = run(["frisket"], tokenizer, [case], limit=limit, rounds=rounds)
        timing = ours.timings[case.name]
        others = {name: run([name], tokenizer, [case], limit=limit, rounds=1)[0].timings[case.name] for name in rivals}
        values = _values(timing)
        theirs = {name: _values(other) for name, other in others.items()}
        right = timing.status == "right"
        for quantity, (bound, source) in hard.bounds.items():
            what, _, unit = quantity.rpartition(" ")
            yield Row(
                PART,
                hard.name,
                what,
                values.get(quantity) if right else None,
                bound,
                unit,
                source,
                note="" if right else f"{timing.status}: {timing.detail}",
                rivals={
                    name: found.get(quantity, others[name].status)
                    if others[name].status == "right"
                    else others[name].status
                    for name, found in theirs.items()
                },
                failed=not right,
            )


def _values(timing: Timing) -> dict[str, float]:
    if not len(timing.masks):
        return {}
    masks = timing.masks / 1e3
    return {
        "compile + first mask ms": timing.first / 1e6,
        "mask p50 µs": float(np.percentile(masks, 50)),
        "mask p99 µs": float(np.percentile(masks, 99)),
        "mask max µs": float(masks.max()),
    }


def text_of(data: Any) -> str:
    return data if isinstance(data, str) and data[:1] in '{["' else json.dumps(data, ensure_ascii=False)


def inputs() -> Iterator[Hard]:
    """The list; one generator for each, below."""
    yield _enum()
    yield from _lengths()
    yield from _patterns()
    yield _moments()
    yield _levels()
    yield _array()
    yield from _properties()
    yield from _choices()
    yield from _switches()
    yield _tools()
    yield _megabytes()


def _enum() -> Hard:
    draw = random.Random(5)
    words = ["".join(draw.choices("abcdefghijklmnopqrstuvwxyz_", k=draw.randint(6, 24))) for _ in range(100_000)]
    return Hard(
        "enum of 100,000 strings",
        {"enum": sorted(set(words))},
        [_quoted(word) for word in words[:60]],
        [_quoted(word + "#") for word in words[:3]],
        {
            "compile + first mask ms": (200, "issue"),
            "mask p50 µs": (50, "issue"),
            "mask p99 µs": (50, "issue"),
            "mask max µs": (2000, "chosen"),
        },
    )


def _lengths() -> Iterator[Hard]:
    draw = random.Random(6)
    for most in (50, 5000):
        schema = {"type": "object", "properties": {"text": {"type": "string", "maxLength": most}}}
        texts = [_prose(draw, most), _prose(draw, most)[: most // 2], "é" * most, "😀" * (most // 2), ""]
        longer = [_prose(draw, most + 1), "é" * (most + 1)]
        yield Hard(
            f"maxLength {most:,}", schema, [{"text": text} for text in texts], [{"text": text} for text in longer], OPEN
        )


def _patterns() -> Iterator[Hard]:
    draw = random.Random(7)
    label = "abcdefghijklmnopqrstuvwxyz0123456789-"
    labels = ["".join(draw.choices(label, k=length)) for length in (1, 7, 30, 62, 63, 63)]
    yield Hard(
        "^[a-z0-9-]{1,63}$",
        {"type": "string", "pattern": "^[a-z0-9-]{1,63}$"},
        [_quoted(text) for text in labels],
        [_quoted(text) for text in ("", "A", "a" * 64)],
        OPEN,
    )
    prose = [_prose(draw, 120) + middle + _prose(draw, 90) for middle in ("foo", " foo, ", "fofoo", "\\foo")]
    yield Hard(
        "^.*foo.*$",
        {"type": "string", "pattern": "^.*foo.*$"},
        [_quoted(text) for text in prose],
        [_quoted("fo o"), _quoted(_prose(draw, 60))],
        OPEN,
    )
    words = [_words(draw, 200), _words(draw, 199), _words(draw, 80), "word"]
    yield Hard(
        "words, maxLength 200",
        {"type": "string", "pattern": "^[A-Za-z]+( [A-Za-z]+)*$", "maxLength": 200},
        [_quoted(text) for text in words],
        [_quoted(_words(draw, 150) + " "), _quoted("a" * 201), _quoted("two  words")],
        {**OPEN, "mask p99 µs": (300, "issue")},
    )


def _moments() -> Hard:
    draw = random.Random(8)
    moments = [
        f"{draw.randint(1900, 2100)}-{draw.randint(1, 12):02}-{draw.randint(1, 28):02}T{draw.randint(0, 23):02}:"
        f"{draw.randint(0, 59):02}:{draw.randint(0, 59):02}" + draw.choice(["Z", ".125Z", "+02:00", "-11:30"])
        for _ in range(40)
    ]
    schema = {"type": "array", "items": {"type": "string", "format": "date-time"}}
    invalid = [["2026-02-29T00:00:00Z"], ["2026-01-01"], ["2026-13-01T00:00:00Z"]]
    return Hard("date-time", schema, [moments, ["2028-02-29T23:59:59Z"]], invalid, OPEN)


def _levels() -> Hard:
    nested: Any = {"leaf": [1, True, None, "end"]}
    for level in range(60):
        nested = {f"k{level}": nested, "n": level} if level % 2 else [level, nested, "x"]
    return Hard(
        "any JSON, 60 levels", {"type": ["object", "array"]}, [nested, "[" * 60 + "]" * 60], ["[" * 60 + "}"], OPEN
    )


def _array() -> Hard:
    schema = {
        "type": "array",
        "items": {"type": "object", "properties": {"id": {"type": "integer"}, "ok": {"type": "boolean"}}},
        "maxItems": 1000,
    }
    items = [{"id": number, "ok": number % 3 == 0} for number in range(1001)]
    return Hard("array of 1,000", schema, [items[:1000]], [items], OPEN)


def _properties() -> Iterator[Hard]:
    kinds: list[Any] = [{"type": "integer"}, {"type": "string"}, {"type": "boolean"}, {"enum": ["a", "b"]}]
    values: list[Any] = [7, "text", True, "a"]
    properties = {f"property_{number}": kinds[number % 4] for number in range(500)}
    every = {f"property_{number}": values[number % 4] for number in range(500)}
    some = {key: value for number, (key, value) in enumerate(every.items()) if number % 17 == 0}
    wrong = [{"property_400": "x"}, {"property_0": 1, "property_1": 1}]
    yield Hard(
        "500 optional properties, open",
        {"type": "object", "properties": properties},
        [every, some, {**some, "other": [1]}],
        wrong,
        OPEN,
    )
    yield Hard(
        "500 optional properties, closed",
        {"type": "object", "properties": properties, "additionalProperties": False},
        [every, some],
        [*wrong, {"other": 1}],
        OPEN,
    )


def _choices() -> Iterator[Hard]:
    def choice(number: int, first: bool) -> Any:
        fields = {f"field_{number}_{name}": {"type": "string"} for name in ("a", "b", "c")}
        kind = {"kind": {"const": f"kind_{number}"}}
        properties = {**kind, **fields} if first else {"id": {"type": "integer"}, **fields, **kind}
        return {"type": "object", "properties": properties, "required": ["kind"], "additionalProperties": False}

    def document(number: int, first: bool) -> Any:
        fields = {f"field_{number}_{name}": f"text {name}" for name in ("a", "b", "c")}
        kind = {"kind": f"kind_{number}"}
        return {**kind, **fields} if first else {"id": 5, **fields, **kind}

    for first in (True, False):
        yield Hard(
            f"anyOf of 100 objects, kind {'first' if first else 'last'}",
            {"anyOf": [choice(number, first) for number in range(100)]},
            [document(number, first) for number in (0, 9, 42, 77, 99)],
            [{**document(3, first), "kind": "kind_4"}, {"kind": "kind_100"}],
            OPEN,
        )


def _switches() -> Iterator[Hard]:
    """Conditions and alternatives that look at one member: 125 and 270 are those of real files."""

    def condition(number: int) -> Any:
        test = {"properties": {"kind": {"const": f"kind_{number}"}}, "required": ["kind"]}
        field = {f"field_{number}": {"type": "integer"}}
        return {"if": test, "then": {"properties": field, "required": list(field)}}

    for count in (125, 270):
        yield Hard(
            f"allOf of {count} conditions on one member",
            {
                "type": "object",
                "properties": {"id": {"type": "integer"}, "kind": {"type": "string"}},
                "allOf": [condition(number) for number in range(count)],
            },
            [{"id": 1, "kind": f"kind_{number}", f"field_{number}": 5} for number in (0, 9, count - 1)] + [{"id": 1}],
            [{"id": 1, "kind": "kind_9"}, {"kind": "kind_1", "field_1": "x"}],
            OPEN,
        )
    yield Hard(
        "allOf of 125 conditions on patterns of one member",
        {
            "type": "object",
            "allOf": [
                {
                    "if": {"properties": {"kind": {"pattern": f"^v{number}-"}}, "required": ["kind"]},
                    "then": {"required": [f"field_{number}"]},
                }
                for number in range(125)
            ],
        },
        [{"kind": f"v{number}-x", f"field_{number}": 5} for number in (0, 9, 124)] + [{"kind": "v125-"}],
        [{"kind": "v1-"}, {"kind": "v10-", "field_1": 1}],
        OPEN,
    )
    alternative = [
        {"properties": {"kind": {"const": f"kind_{number}"}, f"field_{number}": {"type": "integer"}}}
        for number in range(60)
    ]
    yield Hard(
        "oneOf of 60 objects, kind in none required",
        {"type": "object", "oneOf": alternative},
        [{"kind": "kind_7", "field_7": 1}, {"kind": "kind_59"}],
        [{}, {"kind": "kind_7", "field_7": "x"}, {"kind": "kind_60"}],
        OPEN,
    )
    yield Hard(
        "8 key patterns without anchors",
        {"type": "object", "patternProperties": {chr(97 + number): {"minimum": number} for number in range(8)}},
        [{"a": 1, "hat": 9, "x": 0}],
        [{"hat": 5}, {"bad": 2}],
        OPEN,
    )


def _tools() -> Hard:
    def tool(number: int) -> Any:
        arguments = {
            "type": "object",
            "properties": {
                "path": {"type": "string", "minLength": 1},
                f"count_{number}": {"type": "integer", "minimum": 0},
                "tags": {"type": "array", "items": {"type": "string"}, "maxItems": 10},
                "mode": {"enum": ["fast", "exact", f"special_{number % 7}"]},
            },
            "required": ["path"],
            "additionalProperties": False,
        }
        return {
            "type": "object",
            "properties": {
                "name": {"const": f"tool_{number}_{'run' if number % 2 else 'get'}"},
                "arguments": arguments,
            },
            "required": ["name", "arguments"],
            "additionalProperties": False,
        }

    def call(number: int) -> Any:
        arguments = {"path": "/home/ada/notes.txt", f"count_{number}": 12, "tags": ["x", "y"], "mode": "exact"}
        return {"name": f"tool_{number}_{'run' if number % 2 else 'get'}", "arguments": arguments}

    wrong = [{**call(5), "name": "tool_5_get"}, {**call(5), "name": "tool_6_get"}, {"name": "tool_0_get"}]
    valid = [call(number) for number in (0, 5, 123, 256, 399)]
    return Hard("400 tools", {"anyOf": [tool(number) for number in range(400)]}, valid, wrong, OPEN)


def _megabytes() -> Hard:
    draw = random.Random(9)

    def definition(number: int) -> Any:
        return {
            "type": "object",
            "description": _prose(draw, 300),
            "properties": {
                "name": {"type": "string", "maxLength": 10 + number % 50, "description": _prose(draw, 120)},
                "kind": {"enum": [f"k{number}_{place}" for place in range(6)]},
                "size": {"type": "integer", "minimum": 0, "maximum": number + 10},
                "next": {"$ref": f"#/$defs/d{(number * 7 + 1) % 5000}"},
            },
            "required": ["name"],
        }

    definitions = {f"d{number}": definition(number) for number in range(5000)}
    properties = {f"p{number}": {"$ref": f"#/$defs/d{number}"} for number in range(5000)}
    schema = {"$defs": definitions, "type": "object", "properties": properties, "additionalProperties": False}
    document = {
        f"p{number}": {"name": "short", "kind": f"k{number}_1", "size": 3, "next": {"name": "n"}}
        for number in (0, 1, 700, 2500, 4999)
    }
    wrong = [{"p7": {"name": "x", "size": 18}}, {"p5000": {"name": "x"}}, {"p7": {}}]
    return Hard("a schema of 4 MB", schema, [document], wrong, {**OPEN, "compile + first mask ms": (5000, "chosen")})


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _prose(draw: random.Random, length: int) -> str:
    words = ["the", "Order", "of", "10", "naïve", "pages,", "was", "shipped;", "€5.", "(see)", "résumé", "a/b", "ok"]
    text = ""
    while len(text) < length:
        text += draw.choice(words) + " "
    return text[:length]


def _words(draw: random.Random, length: int) -> str:
    text = ""
    while len(text) < length:
        text += "".join(draw.choices("abcdefgHIJKlmnopqrstuvwxyz", k=draw.randint(1, 11))) + " "
    return text[: length - 1] + "z"
