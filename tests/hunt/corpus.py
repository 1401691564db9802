"""`python -m tests.hunt.corpus` → real schemas on one vocabulary, in one process, every mask verified.

    python -m tests.hunt.corpus                all of MaskBench in both property orders, the suite, the four systems
    python -m tests.hunt.corpus --every 16     one schema in sixteen

The masks are those along the tokens of each schema's valid instances, by Llama 3's tokenizer, and along random walks.
Self-play in the same mode: `FRISKET_VERIFY_MASKS=1 python -m tests.conformance.selfplay`.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.data import ROOT, maskbench, required_data_dir

ORDERS = ("schema", "any")

#: Masks along one instance, and along one random walk.
LONGEST, WALK = 400, 12


def subjects(folder: Path) -> Iterator[tuple[str, Any, list[Any]]]:
    """(name, schema, valid instances): MaskBench, the official suite of 2020-12, the worked systems."""
    for entry in maskbench(folder):
        yield entry["id"], entry["schema"], [test["data"] for test in entry["tests"] if test["valid"]]
    for path in sorted((folder / "json-schema-test-suite" / "tests" / "draft2020-12").rglob("*.json")):
        for group in json.loads(path.read_text(encoding="utf-8")):
            valid = [test["data"] for test in group["tests"] if test["valid"]]
            yield f"suite {path.stem}: {group['description']}", group["schema"], valid
    for path in sorted((ROOT / "src" / "frisket" / "examples").glob("*.json")):
        yield f"system {path.stem}", json.loads(path.read_text(encoding="utf-8")), []


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.hunt.corpus", description="Real schemas, masks verified")
    parser.add_argument("--every", type=int, default=1, help="one schema in so many")
    chosen = parser.parse_args(arguments)
    os.environ["FRISKET_VERIFY_MASKS"] = "1"
    from tokenizers import Tokenizer

    from frisket import FrisketError, Grammar, JSONSchemaOptions, Vocabulary

    from .case import walk

    folder = required_data_dir()
    tokenizer = Tokenizer.from_file(str(folder / "tokenizers" / "llama3" / "tokenizer.json"))
    vocabulary = Vocabulary.from_huggingface(folder / "tokenizers" / "llama3")
    masks = grammars = refused = broken = 0
    began = told = time.monotonic()
    for number, (name, schema, instances) in enumerate(subjects(folder)):
        if number % chosen.every:
            continue
        for order in ORDERS:
            draw = random.Random(f"{name} {order}")
            try:
                options = JSONSchemaOptions(property_order=order)
                compiled = Grammar.from_json_schema(schema, options=options).compile(vocabulary)
            except (FrisketError, OverflowError, ValueError, UnicodeError):
                refused += 1
                continue
            grammars += 1
            try:
                for instance in instances:
                    matcher = compiled.matcher()
                    text = json.dumps(instance, ensure_ascii=False)
                    for token in tokenizer.encode(text, add_special_tokens=False).ids[:LONGEST]:
                        matcher.mask()
                        masks += 1
                        if not matcher.try_advance(token):
                            break
                for _ in range(2):
                    masks += walk(draw, compiled.matcher(), WALK)
            except FrisketError:
                continue  # a limit, or a text that this vocabulary cannot spell
            except RuntimeError as error:
                broken += 1
                print(f"{name} ({order}): {error}", flush=True)
        if time.monotonic() - told > 10:
            told = time.monotonic()
            print(f"{number + 1:,} schemas, {masks:,} masks, {broken} broken", flush=True)
    print(
        f"{grammars:,} grammars ({refused} refused), {masks:,} masks verified in {time.monotonic() - began:,.0f} s; "
        f"{broken} with a difference"
    )
    return int(broken > 0)


if __name__ == "__main__":
    sys.exit(main())
