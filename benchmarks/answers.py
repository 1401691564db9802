"""`python -m benchmarks.answers` → how long answers are: a schema's median instance against its shortest text.

    python -m benchmarks.answers --every 4              MaskBench's valid instances in Llama 3's tokens

The reserve that thoughts leave for an answer (`frisket.least.median_tokens`) is read off the table that it prints.
"""

from __future__ import annotations

import argparse
import statistics
import sys

import numpy as np

from benchmarks.corpus import cases, load_tokenizer, maskbench
from benchmarks.report import commit
from frisket import Grammar, Vocabulary
from frisket.errors import FrisketError
from frisket.least import median_tokens

#: The shortest texts of a row of the table have fewer tokens.
BOUNDS = (4, 8, 16, 32, 64, 128, 10**9)


def main(arguments: list[str] | None = None) -> int:
    asked = argparse.ArgumentParser(prog="python -m benchmarks.answers", description=(__doc__ or "").split("\n")[0])
    asked.add_argument("--every", type=int, default=4, help="take one schema in so many")
    chosen = asked.parse_args(arguments)
    tokenizer = load_tokenizer("llama3")
    vocabulary = Vocabulary.from_bytes(list(tokenizer.tokens), eos=[tokenizer.eos])
    pairs = []
    for case in cases(tokenizer, maskbench(), every=chosen.every):
        lengths = [len(instance.tokens) for instance in case.instances if instance.valid]
        try:
            least = Grammar.from_json_schema(case.schema).compile(vocabulary).matcher().least_tokens()
        except FrisketError:
            continue
        if lengths:
            pairs.append((least, statistics.median(lengths)))
    print(f"frisket at {commit()}, one MaskBench schema in {chosen.every}: {len(pairs)} with valid instances, Llama 3")
    print("shortest text  schemas  median answer  times the shortest  left by thoughts  fits")
    first = 0
    for bound in BOUNDS:
        group = [(least, length) for least, length in pairs if first <= least < bound]
        if group:
            middle = statistics.median(length for _, length in group)
            times = statistics.median(length / max(least, 1) for least, length in group)
            kept = statistics.median(median_tokens(least) for least, _ in group)
            fits = np.mean([median_tokens(least) >= length for least, length in group])
            print(
                f"{first:6} to {min(bound - 1, 99_999):6}{len(group):9}{middle:15.0f}{times:20.1f}"
                f"{kept:18.0f}{100 * fits:5.0f} %"
            )
        first = bound
    fits = np.mean([median_tokens(least) >= length for least, length in pairs])
    print(f"the median answer fits into what thoughts leave for {100 * fits:.0f} % of the schemas")
    return 0


if __name__ == "__main__":
    sys.exit(main())
