"""`python -m tests.contract.budgets` → vLLM's real manager with many budgets: how many texts are cut, invalid, refused.

    FRISKET_ENGINE_TREE=... python -m tests.contract.budgets --every 20

Each schema of MaskBench × budgets from the least on × drafts 0 to 8 with random rejections × thoughts, off and on.
Texts are random, by a small tokenizer, and each is checked against the schema's grammar.
"""

from __future__ import annotations

import argparse
import importlib
import logging
import os
import random
import sys
import time
from itertools import islice
from types import SimpleNamespace
from typing import Any

import pytest

from frisket import Grammar, Vocabulary
from frisket.errors import FrisketError
from tests import tiny_model
from tests.contract.vllm.conftest import THINK, THOUGHT, Engine
from tests.contract.vllm.test_budget import answer
from tests.data import maskbench, required_data_dir

#: Tokens beyond the least.
MORE = (0, 1, 2, 5, 17, 60)
#: Schemas with a longer shortest text take long, and show nothing new.
LONGEST = 400


def main(arguments: list[str] | None = None) -> int:
    asked = argparse.ArgumentParser(prog="python -m tests.contract.budgets", description=(__doc__ or "").split("\n")[0])
    asked.add_argument("--every", type=int, default=20, help="take one schema in so many")
    asked.add_argument("--first", type=int, default=0, help="begin with this schema")
    asked.add_argument("--seed", type=int, default=1)
    chosen = asked.parse_args(arguments)
    folder = required_data_dir()
    sys.path += [path for path in os.environ.get("FRISKET_ENGINE_TREE", "").split(os.pathsep) if path]
    os.environ["FRISKET_VLLM"] = "1"
    logging.disable(logging.WARNING)
    tokenizer = tiny_model.make_tokenizer(importlib.import_module("transformers"))
    tokenizer.add_special_tokens({"additional_special_tokens": [THINK, THOUGHT]})
    engine = Engine(_vllm(), tokenizer, pytest.MonkeyPatch())
    vocabulary = Vocabulary.from_huggingface(tokenizer, size=engine.size)
    counts = dict.fromkeys(("requests", "cut", "invalid", "refused", "left out"), 0)
    begin = time.monotonic()
    for number, row in islice(enumerate(maskbench(folder)), chosen.first % chosen.every, None, chosen.every):
        try:
            grammar = Grammar.from_json_schema(row["schema"])
            least = grammar.compile(vocabulary).matcher().least_tokens().count + 1
        except FrisketError:
            continue
        if least > LONGEST:
            counts["left out"] += 1
            continue
        rng = random.Random(chosen.seed * 1_000_003 + number)
        for more in MORE:
            for what in _requests(engine, rng, row["schema"], grammar, least + more):
                counts[what] += 1
                if what in ("cut", "invalid", "refused"):
                    print(f"{what}: {row['id']} with {least + more} tokens, the least being {least}", file=sys.stderr)
    print(", ".join(f"{number:,} {what}" for what, number in counts.items()), f"in {time.monotonic() - begin:.0f} s")
    return int(any(counts[what] for what in ("cut", "invalid", "refused")))


def _requests(engine: Engine, rng: random.Random, schema: Any, grammar: Grammar, budget: int) -> list[str]:
    thoughts = rng.choice((0, 0, 2, 9))
    engine.restart(drafts=rng.randint(0, 8), **({"reasoning_parser": "deepseek_r1"} if thoughts else {}))
    try:
        request = engine.request(json=schema, max_tokens=budget + thoughts)
    except (FrisketError, engine.vllm.exceptions.VLLMValidationError):
        return ["requests", "refused"]
    reason, ids = answer(engine, rng, request, thoughts=thoughts)
    ids = [token for token in ids if token != engine.tokenizer.eos_token_id]
    if reason == "length":
        return ["requests", "cut"]
    return ["requests"] if grammar.accepts(engine.text(ids)) else ["requests", "invalid"]


def _vllm() -> Any:
    names = {
        "sampling_params": "sampling_params", "structured_output": "v1.structured_output", "exceptions": "exceptions",
        "request": "v1.structured_output.request", "config": "config",
        "backend_types": "v1.structured_output.backend_types",
    }  # fmt: skip
    modules = {name: importlib.import_module(f"vllm.{place}") for name, place in names.items()}
    return SimpleNamespace(package=importlib.import_module("vllm"), **modules)


if __name__ == "__main__":
    sys.exit(main())
