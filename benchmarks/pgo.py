"""`python -m benchmarks.pgo` → the work that `maturin build --pgo` watches, to learn which code is hot.

The grammars are those of the tests, so that no benchmark measures what a build was trained on: all cases of tests/spec,
random schemas, and large ones that are put together from these. Random walks take the masks of a small vocabulary and
of a large one, alone and in batches.
"""

from __future__ import annotations

import argparse
import itertools
import json
import random
import string
import sys
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from frisket import Grammar, Vocabulary, fill_masks
from frisket.errors import FrisketError
from frisket.models.embedded import embedded
from tests.conformance.random_schemas import schema_of
from tests.spec.cases import cases

#: Where random schemas are from. `conjunctions` would read MaskBench, which benchmarks measure.
SOURCES = ("keywords", "odd", "alternatives", "members", "bounds", "constants")
#: Random schemas that are the properties of a large one.
PROPERTIES = 24
#: Matchers of a batch, and tokens that each takes at most.
MATCHERS, TOKENS = 2, 6


def main(arguments: list[str] | None = None) -> int:
    asked = argparse.ArgumentParser(prog="python -m benchmarks.pgo", description=(__doc__ or "").split("\n")[0])
    asked.add_argument("--schemas", type=int, default=2000, help="random schemas of each source (default: 2,000)")
    chosen = asked.parse_args(arguments)
    rng = random.Random(0)
    vocabularies = [embedded().vocabulary, large()]
    grammars = errors = 0
    for make in work(chosen.schemas):
        try:
            walk(make(), rng.choice(vocabularies), rng)
            grammars += 1
        except FrisketError:
            errors += 1
    print(f"{grammars:,} grammars, {errors:,} errors")
    return 0


def large() -> Vocabulary:
    """All bytes, and all words of up to three letters, which white space or a quotation mark may precede."""
    words = [
        "".join(letters) for length in (1, 2, 3) for letters in itertools.product(string.ascii_lowercase, repeat=length)
    ]
    tokens = [before + word for word in words for before in (" ", '"', "")]
    marks = ['{"', '":', '": ', '": "', '",', '", "', '"}', "[{", "},", "}]", "\n  ", "true", "false", "null"]
    texts = [*(bytes([byte]) for byte in range(256)), *(text.encode() for text in tokens + marks if len(text) > 1), b""]
    return Vocabulary.from_bytes(texts, eos=len(texts) - 1)


def work(count: int) -> Iterator[Callable[[], Grammar]]:
    """What makes each grammar."""
    yield from (case.grammar for case in cases())
    for source in SOURCES:
        schemas = [schema_of(source, number) for number in range(count)]
        for first in range(0, count, PROPERTIES):
            properties = {f"{source}_{number}": schema for number, schema in enumerate(schemas[first:][:PROPERTIES])}
            schemas.append({"type": "object", "properties": properties, "required": [*properties][::2]})
        for schema in schemas:
            yield partial(Grammar.from_json_schema, schema)
            yield partial(Grammar.from_json_schema, json.dumps(schema, indent=1))


def walk(grammar: Grammar, vocabulary: Vocabulary, rng: random.Random) -> None:
    """Matchers that take a random token out of each mask."""
    compiled = grammar.compile(vocabulary)
    matchers = [compiled.matcher() for _ in range(MATCHERS)]
    bitmask = np.zeros((MATCHERS, vocabulary.mask_words), dtype=np.uint32)
    for _ in range(TOKENS):
        fill_masks(matchers, bitmask)
        for row, matcher in enumerate(matchers):
            matcher.fill_mask(bitmask, row)
            matcher.advance(a_token(bitmask[row], rng))


def a_token(words: Any, rng: random.Random) -> int:
    """One of those that the mask allows, by chance."""
    allowed = np.flatnonzero(np.unpackbits(words.view(np.uint8), bitorder="little"))
    return int(rng.choice(allowed))


if __name__ == "__main__":
    sys.exit(main())
