"""`python -m benchmarks.room` → what a budget costs: masks with room, far from the end and near it.

    python -m benchmarks.room --schemas 60              Llama 3's vocabulary, schemas of MaskBench, a minute

One loop per schema writes random documents and asks, at each position, for the ordinary mask, for `can_finish`, and in
the last `NEAR` tokens for the mask with room as engines ask for it, each timed alone, in CPU time. *Far* is what
`generate` does at every token: the ordinary mask and `can_finish` after it.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from typing import Any

import numpy as np

from benchmarks.report import commit
from frisket import Grammar
from frisket._core.front_end import MaskRows
from frisket.errors import FrisketError, LimitExceededError
from tests.conformance.budget import MODELS
from tests.conformance.sweep import subjects
from tests.conformance.walk import Table
from tests.data import llama3_tokens, required_data_dir

#: Tokens before the end of a budget at which masks with room are asked for.
NEAR = 24
#: Tokens of a document beyond its least.
MORE = 60


def main(arguments: list[str] | None = None) -> int:
    asked = argparse.ArgumentParser(prog="python -m benchmarks.room", description=(__doc__ or "").split("\n")[0])
    asked.add_argument("--schemas", type=int, default=60)
    asked.add_argument("--seed", type=int, default=1)
    asked.add_argument("--slowest", type=int, default=0, help="also list so many of the slowest masks with room")
    chosen = asked.parse_args(arguments)
    folder = required_data_dir()
    table = Table(llama3_tokens(folder))
    liked = {model.name: model.liked(table) if model.liked else None for model in MODELS}
    todo = [subject for subject in subjects(folder) if subject.name.startswith("maskbench")]
    random.Random(chosen.seed).shuffle(todo)
    times: dict[str, list[float]] = {"mask": [], "can_finish": [], "near": [], "near, again": [], "least": []}
    limited, slow = [], list[tuple[float, str]]()
    for subject in todo[: chosen.schemas]:
        try:
            _time(subject, table, liked, times, slow)
        except LimitExceededError as error:
            limited.append(f"{subject.name}: {error}")
    print(f"frisket at {commit()}, Llama 3's vocabulary, {chosen.schemas} schemas of MaskBench, seed {chosen.seed}")
    for name, values in times.items():
        micros = 1e6 * np.array(values)
        middle, late, last = np.percentile(micros, (50, 90, 99)) if values else (np.nan,) * 3
        mean = micros.mean() if values else np.nan
        print(
            f"{name:12} {len(values):7,} calls  mean {mean:9.2f} µs  "
            f"p50 {middle:9.2f}  p90 {late:9.1f}  p99 {last:10.1f}"
        )
    share = sum(times["can_finish"]) / (sum(times["mask"]) or 1.0)
    print(f"can_finish takes {100 * share:.1f} % of what the masks take")
    for seconds, place in sorted(slow, reverse=True)[: chosen.slowest]:
        print(f"{1e6 * seconds:10.0f} µs  {place}")
    for each in limited:
        print(f"ended by a limit: {each}")
    return 0


def _time(
    subject: Any, table: Table, liked: dict[str, Any], times: dict[str, list[float]], slow: list[tuple[float, str]]
) -> None:
    """One schema's documents, one of each model. `slow` takes the times of masks with room.

    Errors: LimitExceededError, if masks reach the limit on memory; what was timed before counts.
    """
    try:
        compiled = Grammar.from_json_schema(subject.schema).core.compile(table.core)
        began = time.thread_time()
        least = compiled.matcher().least_tokens()
        times["least"].append(time.thread_time() - began)
    except FrisketError:
        return
    for model in MODELS:
        chance = random.Random(f"{subject.name}/{model.name}")
        matcher, room, text = compiled.matcher(), least + MORE, b""
        row = np.zeros((1, len(table.words)), dtype=np.uint32)
        rows = MaskRows(row)
        while room:
            before = time.thread_time()
            matcher.fill_mask(table.words)
            times["mask"].append(time.thread_time() - before)
            if room <= NEAR:
                for name in ("near", "near, again"):
                    before = time.thread_time()
                    rows.fill([matcher], [0], rooms=[(room, NEAR, False)])
                    times[name].append(time.thread_time() - before)
                table.words[:] = row[0]
                slow.append((times["near"][-1], f"{subject.name} after {text[-60:]!r}, {room} tokens left"))
            allowed = np.unpackbits(table.words.view(np.uint8), bitorder="little")[: table.size].view(np.bool_)
            allowed[table.end] = False
            tokens = np.flatnonzero(allowed)
            if not len(tokens):
                break
            wanted = tokens[liked[model.name][tokens]] if liked[model.name] is not None else tokens
            token = int((wanted if len(wanted) else tokens)[chance.randrange(len(wanted) or len(tokens))])
            matcher.advance(token)
            before = time.thread_time()
            finishes = matcher.can_finish(room - 1)
            times["can_finish"].append(time.thread_time() - before)
            if not finishes:
                matcher.rollback(1)
                matcher.fill_mask(table.words, 0, room)
                token = int(np.flatnonzero(np.unpackbits(table.words.view(np.uint8), bitorder="little"))[0])
                matcher.advance(token)
            text += table.tokens[token] or b""
            room -= 1
            if matcher.ended:
                break


if __name__ == "__main__":
    sys.exit(main())
