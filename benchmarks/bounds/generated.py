"""Hostile inputs drawn with a fixed seed → the worst call of each kind: its time, its memory, how soon it ends."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..corpus import Tokenizer
from . import apart
from .bound import Row

PART = "Hostile inputs, generated"
COUNT = 240
SEED = 26
TOGETHER = 12
"""Inputs that share a process: to load the vocabulary takes longer than most of them."""
MEMORY = 256.0
"""`memory_bytes` of the default limits, in MB."""
LIMIT = 0.1
LATE, LATEST = 0.15, 0.005
"""Seconds after which a call under that limit, and one that was cancelled, must have ended."""
CANCEL_AFTER = 0.02


ROUNDS = 3
"""An end that came too late is measured again: the least time of so many counts, since others use the machine, too."""


@dataclass(frozen=True, order=True)
class Taken:
    """What a call took: the least of its seconds by the clock and those that its process computed."""

    seconds: float
    clock: float

    @classmethod
    def since(cls, clock: float, computed: float) -> Taken:
        clock, computed = time.perf_counter() - clock, time.process_time() - computed
        return cls(min(clock, computed), clock)


@dataclass(frozen=True)
class Found:
    """What one input came to: the longest call of each kind, what it took, and what was wrong."""

    name: str
    calls: dict[str, Taken]
    limited: float = 0.0
    limited_call: str = ""
    cancelled: float = 0.0
    megabytes: float = 0.0
    wrong: str = ""


def rows(tokenizer: Tokenizer, *, only: str = "", count: int = COUNT) -> Iterator[Row]:
    numbers = [number for number in range(count) if only in name_of(number)]
    found: list[Found] = []
    for start in range(0, len(numbers), TOGETHER):
        together = numbers[start : start + TOGETHER]
        outcome = apart.run(batch, tokenizer, together, seconds=30.0 * len(together), megabytes=8000)
        found += outcome.value or [Found(" or ".join(map(name_of, together)), {}, wrong=outcome.error)]
    for call in dict.fromkeys(call for each in found for call in each.calls):
        longest = max((each for each in found if call in each.calls), key=lambda each: each.calls[call])
        taken = longest.calls[call]
        note = f"{longest.name} ({taken.clock:.2f} s by the clock)"
        yield _row(f"{call}, default limits", taken.seconds, 1.5, "s", note)
    if not found:
        return
    peak = max(found, key=lambda each: each.megabytes)
    yield _row("memory beyond the vocabulary", peak.megabytes, 1.5 * MEMORY + 128, "MB", peak.name)
    slowest = max(found, key=lambda each: each.limited)
    note = f"{slowest.name}: {slowest.limited_call}"
    yield _row(f"any call, Limits(seconds={LIMIT})", slowest.limited * 1e3, LATE * 1e3, "ms", note)
    latest = max(found, key=lambda each: each.cancelled)
    yield _row("any call, after its cancellation", latest.cancelled * 1e3, LATEST * 1e3, "ms", latest.name)
    wrong = [each for each in found if each.wrong]
    note = "; ".join(f"{each.name}: {each.wrong}" for each in wrong[:5])
    yield Row(PART, f"{len(numbers)} inputs", "answers of no type of ours", len(wrong), 0.0, "", note=note)


def _row(name: str, value: float, bound: float, unit: str, note: str) -> Row:
    return Row(PART, name, "worst", value, bound, unit, source="issue", note=note)


def batch(tokenizer: Tokenizer, numbers: list[int]) -> list[Found]:
    import frisket

    vocabulary = frisket.Vocabulary.from_bytes(tokenizer.tokens, eos=[tokenizer.eos])
    frisket.Grammar.from_json_schema({"properties": {"warm": {}}}).compile(vocabulary).matcher()
    return [measured(vocabulary, number) for number in numbers]


def measured(vocabulary: Any, number: int) -> Found:

    name, source = drawn(number)
    apart.trim()
    reset_peak()
    before = apart.resident()
    calls, wrong = _calls(vocabulary, source, None)
    megabytes = peak_megabytes() - before
    limited, limited_call, problem = _limited(vocabulary, source)
    for _ in range(ROUNDS - 1):
        if limited > LATE:
            limited, limited_call, problem = min((limited, limited_call, problem), _limited(vocabulary, source))
    cancelled = _cancelled(vocabulary, source)
    for _ in range(ROUNDS - 1):
        if cancelled > LATEST:
            cancelled = min(cancelled, _cancelled(vocabulary, source))
    return Found(name, calls, limited, limited_call, cancelled, megabytes, wrong or problem)


def _limited(vocabulary: Any, source: Any) -> tuple[float, str, str]:
    """The longest of all calls under a limit of time, which it was, and what was wrong."""
    from frisket import Limits

    calls, wrong = _calls(vocabulary, source, Limits(seconds=LIMIT))
    slowest = max(calls, key=lambda call: calls[call].clock)
    return calls[slowest].clock, slowest, wrong


def _cancelled(vocabulary: Any, source: Any) -> float:
    """Seconds from a cancellation to the end of the call that was under way."""
    import frisket

    cancellation = frisket.Cancellation()
    at: list[float] = []

    def cancel() -> None:
        at.append(time.perf_counter())
        cancellation.cancel()

    timer = threading.Timer(CANCEL_AFTER, cancel)
    timer.start()
    _calls(vocabulary, source, frisket.Limits(cancellation=cancellation), stop=cancellation)
    ended = time.perf_counter()
    timer.cancel()
    return ended - at[0] if at else 0.0


def _calls(vocabulary: Any, source: Any, limits: Any, *, stop: Any = None) -> tuple[dict[str, Taken], str]:
    """What each call of one input took, and what was raised that is no error of ours."""
    from frisket import FrisketError, Grammar

    taken: dict[str, Taken] = {}
    wrong: list[str] = []

    def call(name: str, act: Callable[[], Any]) -> Any:
        if stop is not None and stop.cancelled:
            return None
        began = time.perf_counter(), time.process_time()
        try:
            return act()
        except FrisketError:
            return None
        except BaseException as error:  # a panic of the extension is no Exception
            wrong.append(f"{name}: {type(error).__name__}: {str(error)[:80]}")
            return None
        finally:
            now = Taken.since(*began)
            taken[name] = max(taken.get(name, now), now)

    if isinstance(source, str):
        grammar = call("from_regex", lambda: Grammar.from_regex(source))
    else:
        grammar = call("from_json_schema", lambda: Grammar.from_json_schema(source, limits=limits))
    if grammar is None:
        return taken, "; ".join(wrong)
    compiled = call("compile", lambda: grammar.compile(vocabulary, limits=limits))
    if compiled is None:
        return taken, "; ".join(wrong)
    matcher = call("matcher", compiled.matcher)
    bitmask = np.zeros((1, vocabulary.mask_words), dtype=np.uint32)
    draw = random.Random(SEED)
    for _ in range(6):
        call("fill_mask", lambda: matcher.fill_mask(bitmask, 0))
        call("forced_bytes", matcher.forced_bytes)
        text = call("completion", matcher.completion)
        if text:
            fork = matcher.fork()
            call("advance_bytes", lambda fork=fork, text=text: fork.advance_bytes(text))
        allowed = np.flatnonzero(np.unpackbits(bitmask[0].view(np.uint8), bitorder="little"))
        if matcher.ended or not len(allowed):
            break
        call("try_advance", lambda allowed=allowed: matcher.try_advance(int(draw.choice(allowed))))
    whole = call("completion", compiled.matcher().completion)
    if whole is not None and stop is None and limits is None:
        # It takes no limits: those of the defaults hold.
        call("accepts", lambda: grammar.accepts(whole))
        call("accepts_prefix", lambda: grammar.accepts_prefix(whole[:-1]))
    return taken, "; ".join(wrong)


def reset_peak() -> None:
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def peak_megabytes() -> float:
    with suppress(OSError):
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 1e3
    return apart.resident()


# -- inputs ------------------------------------------------------------------------------------------------------------


def name_of(number: int) -> str:
    return drawn(number)[0]


def drawn(number: int) -> tuple[str, Any]:
    """A name and a schema, or a regular expression."""
    rng = random.Random(SEED * 1_000_003 + number)
    family = FAMILIES[number % len(FAMILIES)]
    return f"{number} {family.__name__.strip('_')}", family(rng)


def _definitions(rng: random.Random) -> Any:
    """Each refers to the next several times; the last to a leaf, to the first, or to one between."""
    levels, names = rng.choice([10, 14, 40, 64, 100, 300, 900]), "abc"[: rng.randint(2, 3)]
    required = list(names[: rng.randint(1, len(names))])
    last: Any = rng.choice([{"type": "integer"}, {"$ref": "#"}, {"$ref": f"#/$defs/d{rng.randrange(levels)}"}])
    made: dict[str, Any] = {f"d{levels}": {"type": "object", "properties": {"a": last}, "required": ["a"]}}
    for level in range(levels):
        after = {"$ref": f"#/$defs/d{level + 1}"}
        kind = rng.random()
        if kind < 0.7:
            made[f"d{level}"] = {"type": "object", "properties": dict.fromkeys(names, after), "required": required}
        elif kind < 0.85:
            made[f"d{level}"] = {"type": "array", "items": after, "minItems": rng.randint(1, 3)}
        else:
            made[f"d{level}"] = {"type": "array", "prefixItems": [after, after], "minItems": 2}
    return {"$ref": "#/$defs/d0", "$defs": made}


def _nested_arrays(rng: random.Random) -> Any:
    schema: Any = rng.choice([{"type": "integer"}, {"type": "string", "maxLength": 10**6}, {"const": "x" * 1000}])
    for _ in range(rng.choice([20, 100, 400, 900])):
        schema = {"type": "array", "items": schema, "minItems": rng.randint(0, 3)}
    return schema


def _long_text(rng: random.Random) -> Any:
    text = rng.choice(["x", "é", "ab", "€😀", '"', "\x01"]) * rng.choice([1_000, 30_000, 100_000, 500_000])
    return rng.choice(
        [
            {"const": text},
            {"enum": [text + "a", text + "b"]},
            {"const": {"k": [text]}},
            {"properties": {text: {"const": 1}}, "required": [text]},
            {"type": "array", "items": {"const": text}, "uniqueItems": True, "minItems": 1},
            {"type": "string", "not": {"const": text}, "minLength": len(text)},
            {"oneOf": [{"const": text}, {"type": "string", "maxLength": len(text)}]},
        ]
    )


def _counted_pattern(rng: random.Random) -> Any:
    count = rng.choice([1_000, 20_000, 100_000, 10**6])
    unit = rng.choice(["(a|b)", "[a-z]", ".", "(ab?)", "é", "(a|bc)"])
    if rng.random() < 0.3:
        return {"type": "string", "pattern": "^" + unit * min(count, 20_000) + "$"}
    return {"type": "string", "pattern": f"^{unit}{{{count}}}$"}


def _required(rng: random.Random) -> Any:
    names = [f"p{number * 7919 % 99_991}" for number in range(rng.choice([300, 1_000, 3_000]))]
    value = rng.choice([{"type": "integer"}, {"const": 1}, {}])
    schema: dict[str, Any] = {"type": "object", "properties": dict.fromkeys(names, value), "required": names}
    if rng.random() < 0.3:
        schema["maxProperties"] = len(names)
    if rng.random() < 0.3:
        schema["propertyNames"] = {"maxLength": 9}
    return schema


def _lengths(rng: random.Random) -> Any:
    size = rng.choice([10**4, 10**6, 10**7, 10**9])
    return rng.choice(
        [
            {"type": "string", "minLength": size},
            {"type": "string", "minLength": size, "maxLength": size},
            {"type": "string", "minLength": size, "pattern": "a"},
            {"type": "array", "items": {"type": "integer"}, "minItems": size},
            {"type": "array", "items": {"enum": [1, 2]}, "minItems": size, "maxItems": size},
            {"type": "object", "minProperties": size},
            {"type": "array", "contains": {"const": 1}, "minContains": size},
        ]
    )


def _many_objects(rng: random.Random) -> Any:
    count = rng.choice([100, 500, 1_500])
    objects = [{"a": number, "b": {"c": str(number * 7919 % 99_991)}, "d": [number]} for number in range(count)]
    return rng.choice([{"enum": objects}, {"anyOf": [{"const": each} for each in objects[:300]]}])


def _formats(rng: random.Random) -> Any:
    names = ["email", "idn-email", "hostname", "idn-hostname", "uri", "iri-reference", "uri-template", "uri-reference"]
    names += ["date-time", "ipv4", "ipv6", "uuid", "json-pointer", "regex", "duration"]
    one, other = rng.sample(names, 2)
    keyword = rng.choice(["oneOf", "anyOf", "allOf"])
    return {keyword: [{"type": "string", "format": one}, {"type": "string", "format": other}]}


def _doubled(rng: random.Random) -> Any:
    """By references: a text is no longer than its levels are many."""
    levels = rng.choice([8, 20, 60])
    last: Any = rng.choice([{"type": "string"}, {"type": "object", "required": ["x"]}, {"minimum": 3}])
    made: dict[str, Any] = {f"d{levels}": last}
    for level in range(levels):
        after = {"$ref": f"#/$defs/d{level + 1}"}
        made[f"d{level}"] = {rng.choice(["allOf", "anyOf", "oneOf"]): [after, {"properties": {f"k{level}": after}}]}
    return {"$ref": "#/$defs/d0", "$defs": made}


def _nested_counts(rng: random.Random) -> Any:
    inner = rng.choice(["a", "ab?", "[ab]", "(a|b)c?", ".*a"])
    for _ in range(rng.randint(2, 6)):
        high = rng.choice([3, 30, 1_000])
        inner = f"({inner}){{{rng.choice([0, 1, high])},{high}}}"
    return inner + rng.choice(["", "b", "z$", "|(.*a){20}z"])


def _complements(rng: random.Random) -> Any:
    schema: Any = {"type": "string", "pattern": rng.choice(["a.*b", "^(ab)*$", "[0-9]{3,300}"])}
    for level in range(rng.choice([3, 12, 100])):
        schema = rng.choice(
            [{"not": schema}, {"if": schema, "then": {"maxLength": level + 5}, "else": {"minLength": 3}}]
        )
    return schema


def _different(rng: random.Random) -> Any:
    items = rng.choice(
        [{"enum": list(range(300))}, {"type": "integer"}, {}, {"type": "array", "items": {"type": "boolean"}}]
    )
    return {"type": "array", "items": items, "uniqueItems": True, "minItems": rng.choice([0, 2, 5, 30])}


def _patterned_keys(rng: random.Random) -> Any:
    count = rng.choice([3, 8, 14])
    patterns = {f"{rng.choice('abc')}{number}.*{number}": {"minimum": number} for number in range(count)}
    return {"type": "object", "patternProperties": patterns, "minProperties": rng.choice([0, 3, 300])}


def _numbers(rng: random.Random) -> Any:
    return {
        "type": rng.choice(["integer", "number"]),
        rng.choice(["minimum", "exclusiveMinimum"]): rng.choice([0, -(10**300), 10**4_000, 1e-300]),
        "multipleOf": rng.choice([1, 7, 997, 982_451_653, 0.01, 1e-300]),
    }


def _dependent(rng: random.Random) -> Any:
    names = [f"p{number}" for number in range(rng.choice([20, 300, 1_500]))]
    chain = {one: [rng.choice(names)] for one in names}
    schema: dict[str, Any] = {"type": "object", "dependentRequired": chain}
    if rng.random() < 0.7:
        schema["minProperties"], schema["maxProperties"] = rng.choice([1, 5]), rng.choice([5, 20])
    if rng.random() < 0.5:
        schema["properties"] = {name: {"const": 1} for name in names}
    return schema


def _shared(rng: random.Random) -> Any:
    """A dict that holds another one twice, and so on: small in memory, endless when written out."""
    last: Any = rng.choice([{}, {"type": "integer"}, {"const": "x" * 1000}, {"minimum": 2**70}])
    keyword = rng.choice(["properties", "items", "anyOf", "allOf", "not", "enum", "default"])
    for _ in range(rng.choice([8, 40, 60, 250])):
        if keyword == "properties":
            last = {"type": "object", "properties": {"a": last, "b": last}}
        elif keyword == "items":
            last = {"type": "array", "prefixItems": [last, last], "items": last}
        elif keyword in ("anyOf", "allOf"):
            last = {keyword: [last, {"properties": {"a": last}}]}
        elif keyword == "not":
            last = {"not": {"properties": {"a": last, "b": last}}}
        else:
            last = [last, last]
    return {keyword: [last]} if keyword == "enum" else {"default": last} if keyword == "default" else last


def _mixed(rng: random.Random, depth: int = 3) -> Any:
    """Keywords that hold together: what one evaluates, another may forbid."""
    if depth == 0:
        return rng.choice([{"type": "integer"}, {"type": "string"}, {"enum": [1, 2, "a"]}, {"multipleOf": 7}, {}])

    def inner() -> Any:
        return _mixed(rng, depth - 1)

    drawn: dict[str, Any] = {
        "oneOf": [inner() for _ in range(rng.randint(2, 4))],
        "dependentSchemas": {name: inner() for name in "ab"},
        "unevaluatedProperties": rng.choice([False, {"type": "integer"}]),
        "unevaluatedItems": rng.choice([False, {"type": "integer"}]),
        "contains": inner(),
        "uniqueItems": True,
        "properties": {name: inner() for name in "abc"},
        "items": inner(),
    }
    return {keyword: drawn[keyword] for keyword in rng.sample(sorted(drawn), rng.randint(1, 5))}


FAMILIES = [
    _definitions,
    _nested_arrays,
    _long_text,
    _counted_pattern,
    _required,
    _lengths,
    _many_objects,
    _formats,
    _doubled,
    _nested_counts,
    _complements,
    _different,
    _patterned_keys,
    _numbers,
    _dependent,
    _shared,
    _mixed,
]
