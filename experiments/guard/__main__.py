"""`python -m experiments.guard` → results.md: would a guard against loops have refused texts that people want?

A guard that is on for everybody must leave real documents alone. Those of MaskBench are read token by token, and each
token is looked up in what `Guard` refuses there. Needs the data of the tests (CONTRIBUTING.md). `--documents 200` is a
quick look, and writes no page.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from tokenizers import Tokenizer

from experiments.page import percentage, provenance, table, verdicts
from frisket import Guard
from tests.data import maskbench, required_data_dir

GUARDS = [Guard(period=64, times=times) for times in (4, 8, 16)]
#: Longer documents are left out: at most so many characters.
MOST = 8_000
#: Characters of the text before a refused token that the page shows.
SHOWN = 32


class Refusal(NamedTuple):
    """The first token of a document that a guard refuses."""

    text: str
    """The document before it."""

    @property
    def in_string(self) -> bool:
        """Whether it stands inside a JSON string, by the quotes before it."""
        inside = escaped = False
        for letter in self.text:
            if escaped:
                escaped = False
            elif inside and letter == "\\":
                escaped = True
            elif letter == '"':
                inside = not inside
        return inside


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m experiments.guard", description=__doc__)
    parser.add_argument("--documents", type=int, metavar="N", help="only the first N, and no page")
    options = parser.parse_args()
    began = time.perf_counter()
    folder = required_data_dir()
    tokenizer = Tokenizer.from_file(str(folder / "tokenizers" / "llama3" / "tokenizer.json"))
    texts = list(islice(documents(folder), options.documents))
    read = [tokenizer.encode(text, add_special_tokens=False).ids for text in texts]
    found: dict[Guard, list[Refusal]] = {}
    for guard in GUARDS:
        places = [(ids, refused(guard, ids)) for ids in read]
        found[guard] = [Refusal(tokenizer.decode(ids[:place])) for ids, place in places if place is not None]
        print(f"{guard}: {len(found[guard])} of {len(texts)}", file=sys.stderr, flush=True)
    written = page(found, len(texts), provenance(time.perf_counter() - began, "python -m experiments.guard"))
    print(written)
    if options.documents is None:
        Path(__file__).with_name("results.md").write_text(written, encoding="utf-8")


def documents(folder: Path) -> Iterator[str]:
    """The valid documents of MaskBench, as JSON with a space after commas and colons."""
    for entry in maskbench(folder):
        texts = (json.dumps(test["data"], ensure_ascii=False) for test in entry["tests"] if test["valid"])
        yield from (text for text in texts if len(text) <= MOST)


def refused(guard: Guard, ids: Sequence[int]) -> int | None:
    """The place of the first token that the guard refuses."""
    reach = guard.period * guard.times
    for place, token in enumerate(ids):
        # A token that begins a repetition stood there a block before.
        began_before = token in ids[max(0, place - guard.period) : place]
        if began_before and token in guard.refused(ids[max(0, place - reach) : place]):
            return place
    return None


def page(found: dict[Guard, list[Refusal]], count: int, ran: str) -> str:
    usual = found[GUARDS[0]]
    rows = [
        (f"`Guard(period={guard.period}, times={guard.times})`", len(hits), percentage(len(hits), count),
         sum(hit.in_string for hit in hits))
        for guard, hits in found.items()
    ]  # fmt: skip
    examples = {hit.text[-SHOWN:] for hit in sorted(usual) if hit.in_string}
    others = {hit.text[-SHOWN:] for hit in sorted(usual) if not hit.in_string}
    shown = "\n".join(f"* `…{text}`" for text in [*sorted(examples)[:4], *sorted(others)[:3]])
    claim = "`Guard()` refuses no token of a document that is valid"
    return f"""# Would a guard against loops have refused texts that people want?

The valid documents of MaskBench (of at most {MOST:,} characters, {count:,} in all), in Llama 3's tokens: each token is
looked up in what `Guard` refuses at its place.

{verdicts([(claim, f"a token of {len(usual)} documents of {count:,}", not usual)])}

{table(("guard", "documents with a refused token", "percent (95 %)", "of these in a string"), rows)}

The text before such a token:

{shown}

So `guard` stays off unless it is asked for: schemas ask for lists of equal numbers and for ids of zeros, and a mask
that forbids them would be wrong. A larger `times` refuses less, and lets a loop run longer.

{ran}

## What this does not show

* How often models fall into loops, and what that costs: only what a guard would take from texts without one.
* Texts that people wrote: many of MaskBench's documents were written by models for its schemas, and some of them do
  loop in strings of base64.
"""


if __name__ == "__main__":
    main()
