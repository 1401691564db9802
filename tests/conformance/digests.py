"""MaskBench's schemas × a real vocabulary → one digest a schema, of every mask along its instances.

    python -m tests.conformance.digests record before.json       with the build to be compared with
    python -m tests.conformance.digests compare before.json      with the build at hand: rc 1 where a digest differs
    python -m tests.conformance.digests record room.json --room  masks with room

A change that must not change behaviour leaves every digest as it was. Both property orders are walked, on one
vocabulary, so masks that grammars share are part of what is compared.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from frisket import Grammar, JSONSchemaOptions, Vocabulary
from frisket.errors import FrisketError
from tests.data import maskbench, required_data_dir

if TYPE_CHECKING:
    from frisket import CompiledGrammar

#: Tokens of one instance that are walked.
LONGEST = 400


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.conformance.digests", description="Masks before and after")
    parser.add_argument("action", choices=("record", "compare"))
    parser.add_argument("file", type=Path)
    parser.add_argument("--every", type=int, default=1, help="one schema of so many")
    parser.add_argument("--room", action="store_true", help="masks with room instead, for budgets around the least")
    chosen = parser.parse_args(arguments)
    data = required_data_dir()
    found = digests(data, chosen.every, is_room=chosen.room)
    if chosen.action == "record":
        chosen.file.write_text(json.dumps(found, indent=0, sort_keys=True), encoding="utf-8")
        print(f"{len(found):,} digests written to {chosen.file}")
        return 0
    before = json.loads(chosen.file.read_text(encoding="utf-8"))
    other = [name for name, digest in found.items() if before.get(name) != digest]
    print(f"{len(found):,} digests, {len(other)} differ")
    for name in other[:20]:
        print(f"  {name}: {before.get(name)} before, {found[name]} now")
    return 1 if other else 0


def digests(data: Path, every: int, *, is_room: bool = False) -> dict[str, str]:
    """The digest under each schema's name and order; a refusal stands by its code."""
    from tokenizers import Tokenizer

    folder = data / "tokenizers" / "llama3"
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    vocabulary = Vocabulary.from_huggingface(folder)
    found = {}
    for number, entry in islice(enumerate(maskbench(data)), 0, None, every):
        for order in ("schema", "any"):
            try:
                grammar = Grammar.from_json_schema(entry["schema"], JSONSchemaOptions(property_order=order))
                read = of_rooms if is_room else of_instances
                digest = read(grammar.compile(vocabulary), tokenizer, entry["tests"])
            except FrisketError as error:
                digest = error.code
            found[f"{entry['id']} {order}"] = digest
        if sys.stderr.isatty() and number % 50 == 0:
            print(f"\r{number:,} schemas", end="", file=sys.stderr, flush=True)
    return found


def of_instances(compiled: CompiledGrammar, tokenizer: Any, tests: list[dict[str, Any]]) -> str:
    """All masks, up to where an instance is refused, and the places at which it may end."""
    digest = hashlib.sha256()
    words = np.zeros(compiled.vocabulary.mask_words, dtype=np.uint32)
    for test in tests:
        matcher = compiled.matcher()
        text = json.dumps(test["data"], ensure_ascii=False)
        for token in tokenizer.encode(text, add_special_tokens=False).ids[:LONGEST]:
            matcher.fill_mask(words)
            digest.update(words.tobytes())
            digest.update(b"end" if matcher.can_end else b"more")
            if not matcher.try_advance(token):
                break
        else:
            matcher.fill_mask(words)
            digest.update(words.tobytes())
    return digest.hexdigest()[:16]


def of_rooms(compiled: CompiledGrammar, tokenizer: Any, tests: list[dict[str, Any]]) -> str:
    """Masks with room along the instances, at every third token: from one token fewer than the rest takes at least."""
    digest = hashlib.sha256()
    words = np.zeros(compiled.vocabulary.mask_words, dtype=np.uint32)
    for test in tests:
        matcher = compiled.matcher()
        text = json.dumps(test["data"], ensure_ascii=False)
        for place, token in enumerate(tokenizer.encode(text, add_special_tokens=False).ids[:LONGEST]):
            if place % 3 == 0:
                least = matcher.least_tokens()
                for room in (least - 1, least, least + 1, least + 3, least + 10):
                    try:
                        matcher.fill_mask(words, 0, max(room, 0))
                        digest.update(words.tobytes())
                    except FrisketError as error:
                        digest.update(error.code.encode())
            if not matcher.try_advance(token):
                break
    return digest.hexdigest()[:16]


if __name__ == "__main__":
    sys.exit(main())
