"""`python -m benchmarks.tags` → how long hundreds of tags take: to compile, and per mask, in Llama 3's vocabulary.

Each tag has a JSON Schema of its own. The texts hold free text and random tags; each mask is asked for once, before its
token is read, as in a decode loop. `--own` gives every tag its own trigger.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import time
from typing import Any

import numpy as np

import frisket
from frisket import Grammar, Vocabulary

from .corpus import encoder, load_tokenizer


def schema(number: int) -> dict[str, Any]:
    """The arguments of a tool, as tools publish them: none like another."""
    return {
        "type": "object",
        "properties": {
            f"query_{number}": {"type": "string", "description": "What to look for"},
            "limit": {"type": "integer", "minimum": 1, "maximum": number + 10},
            "labels": {"type": "array", "items": {"type": "string", "maxLength": 40}},
            "mode": {"enum": ["fast", "exact", f"mode_{number}"]},
        },
        "required": [f"query_{number}"],
        "additionalProperties": False,
    }


def tagged(schemas: list[dict[str, Any]], *, own: bool) -> Grammar:
    """Free text with a tag for each schema."""
    tags = {
        f"<function=tool_{number}>": frisket.parts.seq(frisket.parts.json(each), "</function>")
        for number, each in enumerate(schemas)
    }
    return frisket.parts.tags(tags, triggers=None if own else ["<function="])


def text(rng: random.Random, first: int, count: int) -> str:
    """Free text with twenty tags in it."""
    parts = []
    for _ in range(20):
        number = rng.randrange(count)
        arguments = {f"query_{first + number}": "Ada Lovelace & co.", "limit": 3, "labels": ["a b", "c"]}
        parts.append(f"I think that x < y, so I call <function=tool_{number}>{json.dumps(arguments)}</function>. ")
    return "".join(parts)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.tags", description="hundreds of tags with schemas")
    parser.add_argument("--tags", type=int, default=400)
    parser.add_argument("--rounds", type=int, default=5, help="each with schemas that were never compiled before")
    parser.add_argument("--own", action="store_true", help="every tag is its own trigger")
    parser.add_argument("--tokenizer", default="llama3", help="llama3, qwen or a path")
    options = parser.parse_args()
    tokenizer = load_tokenizer(options.tokenizer)
    encode, vocabulary = encoder(tokenizer), Vocabulary.from_huggingface(tokenizer.folder)
    print(f"{options.tags} tags, {options.tokenizer}, {vocabulary.size:,} tokens")
    bitmask = np.zeros(vocabulary.mask_words, dtype=np.uint32)
    rng = random.Random(1)
    for round_ in range(options.rounds):
        first = 10_000 * round_
        schemas = [schema(first + number) for number in range(options.tags)]
        began, began_cpu = time.perf_counter(), time.process_time()
        compiled = tagged(schemas, own=options.own).compile(vocabulary)
        compile_ms, cpu_ms = (time.perf_counter() - began) * 1e3, (time.process_time() - began_cpu) * 1e3
        matcher, times = compiled.matcher(), []
        for token_id in encode(text(rng, first, options.tags)):
            began_ns = time.perf_counter_ns()
            matcher.fill_mask(bitmask)
            times.append((time.perf_counter_ns() - began_ns) / 1e3)
            matcher.advance(token_id)
        assert matcher.can_end
        times.sort()
        p99 = times[int(len(times) * 0.99)]
        print(
            f"compile {compile_ms:6.1f} ms ({cpu_ms:.1f} ms of CPU); {len(times)} masks: "
            f"p50 {statistics.median(times):.2f} µs, p99 {p99:.1f} µs, dearest {times[-1] / 1e3:.2f} ms"
        )


if __name__ == "__main__":
    main()
