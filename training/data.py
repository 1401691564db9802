"""Seed → (keys, input, answer): the four worked systems and a generic one, as endless streams of sentences.

Each stream is split by what it says, not by chance per line: a held-out combination (a cart, a path, a pairing of issue
and circumstances, a subject with a verb and an object) never occurs in training, in any wording.
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "src"))
sys.path.insert(0, str(Path(__file__).resolve().parent))

from streams.agent import agent
from streams.generic import generic
from streams.orders import orders
from streams.sample import Sample
from streams.triage import triage
from streams.tutor import tutor

from frisket.models.prompt import render

STREAMS = {"triage": triage, "tutor": tutor, "orders": orders, "agent": agent, "generic": generic}
WEIGHTS = {"triage": 0.2, "tutor": 0.16, "orders": 0.24, "agent": 0.32, "generic": 0.08}
CORRUPT = 0.06
REPAIR = 0.04


def sample(rng: random.Random) -> Sample:
    """One training sample of any stream; never a held-out one."""
    names = list(STREAMS)
    stream = STREAMS[rng.choices(names, [WEIGHTS[name] for name in names])[0]]
    while (found := stream(rng)).held_out:
        pass
    if found.task in ("triage", "tutor") and rng.random() < 0.12:
        wanted = tuple(rng.sample(found.keys, rng.randint(1, len(found.keys))))
        found = found._replace(keys=wanted, answer={key: found.answer[key] for key in wanted})
    return found


def pair(rng: random.Random) -> tuple[str, str]:
    """(prompt, target) to train on: a few targets are broken on purpose, a few prompts ask for a repair."""
    found = sample(rng)
    prompt, target = render(found.text, found.keys), json.dumps(found.answer, ensure_ascii=False)
    roll = rng.random()
    if roll < CORRUPT:
        target = corrupt(rng, target)
    elif roll < CORRUPT + REPAIR:
        bad = corrupt(rng, target)
        prompt = f"{prompt}{bad}\nerror: {complaint(bad)}\noutput: "
    return prompt, target


def complaint(text: str) -> str:
    """What the repair loop says about a broken answer (the same words as in examples/evaluation.py)."""
    try:
        json.loads(text)
    except ValueError as error:
        return str(error)
    return "the answer does not match the schema"


def corrupt(rng: random.Random, target: str) -> str:
    """What a careless model writes: nearly JSON, or JSON that is nearly the schema."""
    kind = rng.randrange(8)
    if kind == 0:
        return target[:-1]
    if kind == 1:
        return target + rng.choice(
            [" Hope this helps!", " I think that is right.", " Let me know if you need more.", "}"]
        )
    if kind == 2:
        return target.replace('"', "'")
    if kind == 3:
        return "```json\n" + target + "\n```"
    if kind == 4:
        return (
            target.replace(": true", ": True").replace(": false", ": False")
            if ": true" in target or ": false" in target
            else target.replace('",', '"', 1)
        )
    if kind == 5:
        return target[:-1] + ",}"
    for old, new in [
        ('"high"', '"urgent"'),
        ('"low"', '"minor"'),
        ("_simple", ""),
        ('"S"', '"small"'),
        ('"L"', '"large"'),
        ('"ReadFile"', '"Read"'),
        ('"DeleteFile"', '"Delete"'),
        ('"ListDir"', '"List"'),
        ('"WriteFile"', '"Write"'),
    ]:
        if old in target:
            return target.replace(old, new, 1)
    return target.replace('"', "", 2)


def evaluation(name: str, count: int, seed: int) -> Iterator[Sample]:
    """`count` held-out samples of one stream, no input twice."""
    rng, seen = random.Random(f"{seed}-{name}"), set()
    while len(seen) < count:
        found = STREAMS[name](rng)
        if found.held_out and found.text not in seen:
            seen.add(found.text)
            yield found


if __name__ == "__main__":
    rng = random.Random(0)
    for _ in range(40):
        prompt, target = pair(rng)
        print(prompt + target, end="\n\n")
