"""Sum × chance → a prompt and a target in one of the formats that the models of this experiment learn."""

from __future__ import annotations

import random
import re

from experiments.trained_model.sums import Sum, training
from frisket.models.prompt import render

MARKER = "Answer: "
FORMATS = {"free": 0.3, "direct": 0.15, "answer first": 0.15, "reason first": 0.15, "draft": 0.25}
"""Format → its share of the training."""
KEYS = {
    "direct": ("answer",),
    "draft": ("answer",),
    "answer first": ("answer", "reason"),
    "reason first": ("reason", "answer"),
}


def thought(one: Sum, *, as_json: bool) -> str:
    """What a model writes that is asked for nothing but the answer.

    >>> thought(Sum(((3, 8), (6, 2))), as_json=True)
    '24, 12, 36. Answer: {"answer": 36}'
    """
    return f"{one.reason}. {MARKER}{one.document(['answer']) if as_json else one.answer}"


def answer_of(text: str) -> int | None:
    """The number behind the marker, as it is or in JSON.

    >>> answer_of('24, 12, 36. Answer: {"answer": 36}'), answer_of("24, 12. Answer: 36"), answer_of("24, 12")
    (36, 36, None)
    """
    found = re.search(MARKER + r'(?:\{"answer": )?(\d+)', text)
    return int(found[1]) if found else None


def pair(rng: random.Random) -> tuple[str, str]:
    """One prompt and target. A draft is right in training, so that a model learns to read it."""
    one = training(rng)
    (kind,) = rng.choices(list(FORMATS), list(FORMATS.values()))
    if kind == "free":
        return render(one.text), thought(one, as_json=rng.random() < 0.5)
    draft = thought(one, as_json=rng.random() < 0.5) if kind == "draft" else None
    return render(one.text, KEYS[kind], draft), one.document(KEYS[kind])
