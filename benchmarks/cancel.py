"""`python -m benchmarks.cancel` → how late a cancelled compile of a large schema returns.

Each schema is compiled again and again in a thread, and cancelled at moments spread over the time that it takes.
"""

from __future__ import annotations

import argparse
import json
import statistics
import threading
import time
from collections.abc import Callable
from typing import Any

from frisket import Cancellation, FrisketError, Grammar, Limits, Vocabulary

VOCABULARY = Vocabulary.from_bytes([*(bytes([value]) for value in range(256)), None], eos=[256])

#: Schemas of so many parts, by the keyword that holds them.
SCHEMAS: dict[str, Callable[[int], Any]] = {
    "enum, integers": lambda parts: {"enum": list(range(parts))},
    "enum, strings": lambda parts: {"enum": [f"k{n}" for n in range(parts)]},
    "required": lambda parts: {"required": [f"k{n}" for n in range(parts)]},
    "properties": lambda parts: {"properties": {f"k{n}": {"type": "integer"} for n in range(parts)}},
    "anyOf, constants": lambda parts: {"anyOf": [{"const": n} for n in range(parts)]},
    "anyOf, objects": lambda parts: {"anyOf": [{"type": "object", "required": [f"k{n}"]} for n in range(parts)]},
    "oneOf": lambda parts: {"oneOf": [{"const": n} for n in range(parts)]},
    "allOf": lambda parts: {"allOf": [{"minimum": n} for n in range(parts)]},
    "prefixItems": lambda parts: {"prefixItems": [{"type": "integer", "minimum": n} for n in range(parts)]},
    "const, array": lambda parts: {"const": list(range(parts))},
    "const, object": lambda parts: {"const": {f"k{n}": n for n in range(parts)}},
    "pattern": lambda parts: {"pattern": "a|" * parts + "b"},
    "$defs": lambda parts: {"$ref": "#/$defs/k7", "$defs": {f"k{n}": {"minimum": n} for n in range(parts)}},
}


def compile_timed(schema: Any, cancellation: Cancellation) -> tuple[float, bool]:
    """The moment at which a compile is over, and whether it was cancelled."""
    limits = Limits(cancellation=cancellation)
    try:
        Grammar.from_json_schema(schema, limits=limits).compile(VOCABULARY, limits=limits)
    except FrisketError as error:
        return time.perf_counter(), error.code == "cancelled"
    return time.perf_counter(), False


def late(schema: Any, moments: int) -> list[float]:
    """Seconds from a cancellation to the end of the compile, in ascending order."""
    begin = time.perf_counter()
    end, _ = compile_timed(schema, Cancellation())
    found = []
    for moment in range(moments):
        cancellation, ended = Cancellation(), list[tuple[float, bool]]()
        thread = threading.Thread(target=lambda flag=cancellation, to=ended: to.append(compile_timed(schema, flag)))
        thread.start()
        time.sleep((end - begin) * (moment + 0.5) / moments)
        cancelled = time.perf_counter()
        cancellation.cancel()
        thread.join()
        # Of those that ended before, there is nothing to say.
        found += [returned - cancelled for returned, is_cancelled in ended if is_cancelled]
    return sorted(found)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.cancel", description=__doc__.splitlines()[0])
    parser.add_argument("--parts", type=int, default=200_000, help="of each schema (default: 200000)")
    parser.add_argument("--moments", type=int, default=40, help="at which each is cancelled (default: 40)")
    options = parser.parse_args()
    for name, make in SCHEMAS.items():
        schema = make(options.parts)
        for form, given in (("text", json.dumps(schema)), ("dict", schema)):
            times = late(given, options.moments)
            tenth = times[int(0.9 * len(times))]
            shown = [f"{1e3 * value:6.2f}" for value in (statistics.median(times), tenth, times[-1])]
            print(f"{name:17} {form}  median, p90, max: {' '.join(shown)} ms, {len(times)} times", flush=True)


if __name__ == "__main__":
    main()
