"""Random walks under the masks × independent validators → how many documents are valid (all of them should be).

    python -m tests.conformance.selfplay --walks 20              MaskBench, every schema
    python -m tests.conformance.selfplay --limit 200 --seed 7    a sample

The walker picks among the allowed tokens of a small vocabulary (every byte, and pieces that cross JSON's seams), with
manners that invite trouble: love of white space, of digits, of quotes, of escapes, of depth. Past its budget it closes
whatever it may.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections import Counter
from typing import Any

from tests.data import find_data_dir, maskbench

PIECES = [
    b'": ',
    b'", "',
    b'{"',
    b'"}',
    b"[]",
    b"{}",
    b"0.",
    b"00",
    b"e+",
    b'\\"',
    b"\\u00",
    b"tr",
    b"\n  ",
    b"null",
    b"\xc3\xa9",
]
MANNERS = {
    "even": b"",
    "white": b" \n\t",
    "digits": b"0123456789.eE+-",
    "quotes": b'"\\',
    "deep": b"[{",
    "words": b"abcdefghijklmnopqrstuvwxyz_-:/.@",
}


def vocabulary() -> Any:
    from frisket._core import Vocabulary

    tokens: list[bytes | None] = [bytes([value]) for value in range(256)]
    return Vocabulary([*tokens, *PIECES, None], special={"<end>": 256 + len(PIECES)}, eos=[256 + len(PIECES)])


def walk(matcher: Any, vocabulary: Any, chance: random.Random, manner: bytes, budget: int) -> bytes | None:
    """One document, or None if it did not end in three times the budget. A dead end is a ValueError."""
    text = b""
    end = vocabulary.eos[0]
    for step in range(3 * budget):
        allowed = matcher.allowed()
        if not allowed:
            raise ValueError(f"dead end after {text!r}")
        if end in allowed and (step > budget or chance.random() < 0.3):
            return text
        tokens = [token for token in allowed if token != end] or allowed
        if tokens == [end]:
            return text
        liked = [
            token
            for token in tokens
            if vocabulary.token(token)[:1] in closers(step > budget)
            or (step <= budget and vocabulary.token(token)[0] in manner)
        ]
        token = (
            chance.choice(liked)
            if liked and chance.random() < (0.95 if step > budget else 0.5)
            else chance.choice(tokens)
        )
        text += vocabulary.token(token)
        matcher.advance(token)
    return None


def closers(late: bool) -> tuple[bytes, ...]:
    return (b'"', b"}", b"]", b"0") if late else ()


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Self-play over MaskBench")
    parser.add_argument("--walks", type=int, default=6)
    parser.add_argument("--limit", type=int)
    parser.add_argument("--step", type=int, default=1, help="every so many schemas")
    parser.add_argument("--only")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--order", default="schema")
    parser.add_argument("--show", type=int, default=20)
    chosen = parser.parse_args(arguments)
    folder = find_data_dir()
    if folder is None:
        print("no data: set FRISKET_DATA", file=sys.stderr)
        return 2
    import jsonschema_rs

    from frisket import Grammar
    from frisket.errors import FrisketError
    from frisket.json_schema import JSONSchemaOptions

    tokens = vocabulary()
    options = JSONSchemaOptions(property_order=chosen.order)
    counts: Counter[str] = Counter()
    shown = 0
    for number, entry in enumerate(maskbench(folder)):
        if number % chosen.step or (chosen.only and chosen.only not in entry["id"]):
            continue
        if chosen.limit is not None and number >= chosen.limit:
            break
        try:
            grammar = Grammar.from_json_schema(entry["schema"], options)
            compiled = grammar.core.compile(tokens)
        except FrisketError:
            counts["refused"] += 1
            continue
        try:
            validator = jsonschema_rs.validator_for(entry["schema"], validate_formats=True)
        except Exception:
            counts["no judge"] += 1
            continue
        for turn in range(chosen.walks):
            chance = random.Random(f"{chosen.seed}/{entry['id']}/{turn}")
            manner = list(MANNERS)[turn % len(MANNERS)]
            try:
                text = walk(compiled.matcher(), tokens, chance, MANNERS[manner], 150)
                if text is None:
                    counts["unfinished"] += 1
                    continue
                document = json.loads(text)
                problem = "" if validator.is_valid(document) else next(iter(validator.iter_errors(document))).message
                pairs_unique(text)
            except Exception as error:
                problem = f"{type(error).__name__}: {error}"
                text = b""
            counts["wrong" if problem else "valid"] += 1
            if problem and shown < chosen.show:
                shown += 1
                print(f"{entry['id']} ({manner}): {problem[:300]}\n    {text[:300]!r}")
    print(dict(counts))
    return int(counts["wrong"] > 0)


def pairs_unique(text: bytes) -> None:
    def check(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) != len(pairs):
            raise ValueError("a key comes twice")
        return found

    json.loads(text, object_pairs_hook=check)


if __name__ == "__main__":
    sys.exit(main())
