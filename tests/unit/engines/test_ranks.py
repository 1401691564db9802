"""The same requests in processes of other speeds → the same masks and the same refusals, byte for byte."""

from __future__ import annotations

import hashlib
import json
import os
import random
import subprocess
import sys
import threading
from typing import Any

import numpy as np

from frisket import Grammar, Limits, Vocabulary
from frisket.engines.progress import Progress
from frisket.errors import FrisketError

#: Some grammars are refused, some requests fail on the way, and the others go through.
STEPS = 2000


def vocabulary() -> Vocabulary:
    rng = random.Random(3)
    words = {bytes(rng.choice(b'abcdefxyz"{}[]:, 0123') for _ in range(rng.randint(1, 4))) for _ in range(2000)}
    tokens: list[bytes | None] = [*sorted(words | {bytes([value]) for value in range(256)}), None]
    return Vocabulary.from_bytes(tokens, eos=[len(tokens) - 1])


def grammars(limits: Limits) -> list[Any]:
    """Builders of grammars that share parts, so that one may use what another has learned."""
    made: list[Any] = []
    for n in range(12):
        made.append(lambda n=n: Grammar.from_regex(f"[a-z]{{2}}(x|y.*z){{{10 + n}}}", limits=limits))
        word = {"type": "string", "maxLength": n + 3, "pattern": "^[a-f]*x[0-9]{2}"}
        members = {f"a{place}": word for place in range(n % 5 + 1)}
        made.append(lambda m=members: Grammar.from_json_schema({"type": "object", "properties": m}, limits=limits))
        items = {"type": "integer", "multipleOf": n + 3}
        unique = {"type": "array", "uniqueItems": True, "items": items, "maxItems": n + 2}
        made.append(lambda u=unique: Grammar.from_json_schema(u, limits=limits))
    return made


def outcome() -> list[str]:
    """What became of each request: the code of its refusal, or the digest of its masks and of its end."""
    words, limits = vocabulary(), Limits(steps=STEPS)
    results: list[str] = []
    live: dict[int, tuple[Progress, Any]] = {}
    for number, build in enumerate(grammars(limits)):
        try:
            progress = Progress(build().compile(words, limits=limits))
            live[number] = progress, hashlib.sha256()
            results.append("")
        except FrisketError as error:
            results.append(f"refused {error.code}")
    rng = random.Random(1)
    for _ in range(10):
        bitmask = np.zeros((len(live), words.mask_words), dtype=np.int32)
        Progress.fill_all([progress for progress, _ in live.values()], bitmask, range(len(live)))
        for row, (number, (progress, digest)) in zip(bitmask, list(live.items()), strict=True):
            digest.update(row.tobytes())
            allowed = np.flatnonzero(np.unpackbits(row.view(np.uint8), bitorder="little"))
            refusal = progress.accept([int(rng.choice(allowed))])
            results[number] = digest.hexdigest() if refusal is None else f"{digest.hexdigest()} {refusal.code}"
            if refusal is not None or progress.ended:
                del live[number]
    return results


def spin() -> None:
    while True:
        sum(range(1000))


def test_results_and_refusals_depend_on_no_speed() -> None:
    expected = outcome()
    kinds = [result.split()[-1] for result in expected if " " in result]
    assert kinds.count("limit") >= 5 and len(kinds) < len(expected) - 5
    for seed, settings in (("0", []), ("1", ["one core"]), ("2", ["busy"]), ("3", ["one core", "busy"])):
        if "one core" in settings and not hasattr(os, "sched_setaffinity"):
            continue
        command = [sys.executable, "-m", __name__, *settings]
        environment = os.environ | {"PYTHONHASHSEED": seed}
        found = subprocess.run(command, check=True, env=environment, capture_output=True, text=True).stdout
        assert json.loads(found) == expected, settings


def limit(settings: set[str]) -> None:
    """Make this process slower."""
    if "one core" in settings:
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    if "busy" in settings:
        sys.setswitchinterval(1e-5)
        threading.Thread(target=spin, daemon=True).start()


if __name__ == "__main__":
    limit(set(sys.argv[1:]))
    print(json.dumps(outcome()))
