"""`python -m benchmarks.transformers` → what a logits processor costs a token; benchmarks/results/transformers-….md.

Each processor is called as `model.generate` calls it: with all ids so far and a fresh row of scores for each sequence.
The sequences are documents of MaskBench, so that all processors see the same tokens; the model's own time is left out.
Processors take turns document by document. Needs `pip install ".[bench,transformers]"`.
"""

from __future__ import annotations

import argparse
import datetime
import importlib.metadata
import os
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import frisket
from frisket.engines.transformers import GrammarProcessor

from . import report
from .corpus import Case, Instance, Tokenizer, cases, load_tokenizer, maskbench

Processor = Callable[[Any, Any], Any]
#: Schemas → a function that makes a new processor for the rows of a batch.
Maker = Callable[[Sequence[Case]], Callable[[], Processor]]
PROMPT = 16
#: Tokens of a document that are replayed at most.
MOST = 120
CORES = os.cpu_count() or 1


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.transformers", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("--schemas", type=int, default=16, help="how many of MaskBench's (default: 16)")
    parser.add_argument("--rounds", type=int, default=3, help="repeat all, keep the smallest time of each call")
    parser.add_argument("--seed", type=int, default=1, help="of the sample")
    parser.add_argument("--tokenizer", default="llama3", help="a folder with tokenizer.json, or llama3, qwen")
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "results")
    options = parser.parse_args()

    commit = report.commit()
    tokenizer = load_tokenizer(options.tokenizer)
    makers: dict[str, Maker] = {"frisket": _frisket(tokenizer), "xgrammar": _xgrammar(tokenizer)}
    makers["llguidance"] = _llguidance(tokenizer)
    chosen, refused = _chosen(tokenizer, makers, options.schemas, options.seed)
    sections = []
    for rows in (1, 8):
        batches = [chosen[place : place + rows] for place in range(0, len(chosen) - rows + 1, rows)]
        sections.append((rows, _measure(batches, makers, tokenizer.size, options.rounds)))
    page = _page(sections, tokenizer, chosen, refused, options, commit)
    print(page)
    path = options.out / f"transformers-{datetime.date.today()}-{commit}.md"
    path.write_text(page, encoding="utf-8")
    print(path)


Chosen = tuple[Case, Instance]


def _chosen(tokenizer: Tokenizer, makers: dict[str, Maker], count: int, seed: int) -> tuple[list[Chosen], list[str]]:
    """Schemas with their longest valid document, where every engine takes that document to its end."""
    found: list[Chosen] = []
    refused: list[str] = []
    for case in cases(tokenizer, maskbench(), count=4 * count, seed=seed):
        valid = sorted((one for one in case.instances if one.valid), key=lambda one: len(one.tokens))
        if not valid or len(valid[-1].tokens) < 24:
            continue
        for name, make in makers.items():
            try:
                _replay(make([case])(), [valid[-1].tokens[:MOST]], tokenizer.size)
            except Exception as error:
                refused.append(f"{name}: {case.name}: {str(error).strip().splitlines()[:1]}")
                break
        else:
            found.append((case, valid[-1]))
            print(f"{len(found)} {case.name}", file=sys.stderr)
        if len(found) == count:
            break
    # A batch goes on until the shortest document ends: those of a batch are about as long.
    return sorted(found, key=lambda one: len(one[1].tokens)), refused


def _measure(
    batches: Sequence[Sequence[Chosen]], makers: dict[str, Maker], size: int, rounds: int
) -> dict[str, np.ndarray[Any, Any]]:
    """Microseconds of each call after the first, by engine; the smallest of the rounds."""
    best: dict[str, list[list[int]]] = {name: [] for name in makers}
    for batch in batches:
        texts = [instance.tokens[:MOST] for _, instance in batch]
        length = min(map(len, texts))
        texts = [text[:length] for text in texts]
        ready = {name: make([case for case, _ in batch]) for name, make in makers.items()}
        times: dict[str, list[int]] = {}
        for _ in range(rounds):
            for name, make in ready.items():
                new = _replay(make(), texts, size)
                times[name] = [min(pair) for pair in zip(times.get(name, new), new, strict=True)]
        for name, found in times.items():
            best[name].append(found)
    # The first call of a sequence makes matchers: it is part of the time to the first token.
    return {name: np.array([t for one in found for t in one[1:]]) / 1e3 for name, found in best.items()}


def _replay(processor: Processor, texts: Sequence[Sequence[int]], size: int) -> list[int]:
    """Nanoseconds of each call along the documents; ValueError if the processor forbids what comes next."""
    import torch

    ids = torch.tensor([[0] * PROMPT + list(text) for text in texts])
    scores = torch.zeros((len(texts), size))
    rows = torch.arange(len(texts))
    times = []
    for place in range(ids.shape[1] - PROMPT):
        given, fresh = ids[:, : PROMPT + place], scores.clone()
        began = time.perf_counter_ns()
        masked = processor(given, fresh)
        times.append(time.perf_counter_ns() - began)
        if torch.isneginf(masked[rows, ids[:, PROMPT + place]]).any():
            raise ValueError(f"token {place} is forbidden")
    return times


def _frisket(tokenizer: Tokenizer) -> Maker:
    vocabulary = frisket.Vocabulary.from_bytes(tokenizer.tokens, eos=[tokenizer.eos])

    def make(batch: Sequence[Case]) -> Callable[[], Processor]:
        compiled = [frisket.Grammar.from_json_schema(case.schema).compile(vocabulary) for case in batch]
        return lambda: GrammarProcessor(compiled)

    return make


def _xgrammar(tokenizer: Tokenizer) -> Maker:
    import xgrammar.contrib.hf

    from .xgrammar import Engine

    engine = Engine(tokenizer)

    def make(batch: Sequence[Case]) -> Callable[[], Processor]:
        compiled = [engine.compile(case.schema, case.text) for case in batch]
        return lambda: xgrammar.contrib.hf.LogitsProcessor(compiled)

    return make


def _llguidance(tokenizer: Tokenizer) -> Maker:
    """It brings no processor of its own: this one follows the loop of its documentation."""
    import llguidance.torch

    from .llguidance import Engine

    engine = Engine(tokenizer)

    class Processor:
        def __init__(self, matchers: list[Any]) -> None:
            self._matchers = matchers
            self._bitmask = llguidance.torch.allocate_token_bitmask(len(matchers), tokenizer.size)
            self._started = False

        def __call__(self, input_ids: Any, scores: Any) -> Any:
            for row, matcher in enumerate(self._matchers):
                if self._started and not matcher.consume_token(int(input_ids[row, -1])):
                    raise ValueError(matcher.get_error())
                llguidance.torch.fill_next_token_bitmask(matcher, self._bitmask, row)
            self._started = True
            llguidance.torch.apply_token_bitmask_inplace(scores, self._bitmask)
            return scores

    def make(batch: Sequence[Case]) -> Callable[[], Processor]:
        compiled = [engine.compile(case.schema, case.text) for case in batch]
        return lambda: Processor([matcher.deep_copy() for matcher in compiled])

    return make


def _page(
    sections: Sequence[tuple[int, dict[str, np.ndarray[Any, Any]]]],
    tokenizer: Tokenizer,
    chosen: Sequence[Chosen],
    refused: Sequence[str],
    options: argparse.Namespace,
    commit: str,
) -> str:
    versions = ", ".join(
        f"{name} {importlib.metadata.version(name)}" for name in ("torch", "transformers", "xgrammar", "llguidance")
    )
    lines = [
        f"# Logits processors of transformers, {datetime.date.today()}",
        "",
        f"{len(chosen)} schemas of MaskBench (seed {options.seed}) that all three take, each with its longest valid",
        f"document, at most {MOST} tokens of it; {tokenizer.name}'s {tokenizer.size:,} tokens; float32 scores on the",
        f"CPU; {options.rounds} rounds, the smallest time of each call. A call is mask and apply, for all rows.",
        "`python -m benchmarks.transformers` repeats it.",
        "",
        f"frisket at commit {commit}; {versions}. {CORES} cores,",
        f"load {os.getloadavg()[0]:.1f} at the end: other programs ran at the same time, so the ratios mean more",
        "than the microseconds.",
        "",
    ]
    for rows, times in sections:
        lines += [f"## Batch of {rows}", ""]
        body = []
        for name, found in times.items():
            body.append(
                [
                    *(name, f"{len(found):,}", *(f"{np.percentile(found, part):,.0f}" for part in (50, 90, 99))),
                    *(f"{found.mean():,.0f}", f"{found.mean() / times['frisket'].mean():.1f}"),
                ]
            )
        head = ["processor", "calls", "p50 (µs)", "p90 (µs)", "p99 (µs)", "mean (µs)", "mean, × frisket"]
        lines += [*_table(head, body), ""]
    if refused:
        lines += [f"Left out, because one engine refuses the schema or its document: {len(refused)}.", ""]
        lines += [f"* {one}" for one in refused]
    return "\n".join(lines).rstrip() + "\n"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    lines = [head, ["---", *["--:"] * (len(head) - 1)], *rows]
    return [f"| {' | '.join(line)} |" for line in lines]


if __name__ == "__main__":
    main()
