"""`python -m experiments.exact` → results.md: do exact draws, particles and beams keep what they promise?

Exits with 1 if a claim does not hold. `--draws 2000` is a quick look, and writes no page.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np

import frisket
from experiments.exact.asap import divergence, next_answer
from experiments.exact.case import Case, Rewinding, cases, random_model
from experiments.exact.report import FEW, judged, page, plot
from experiments.page import provenance
from experiments.statistic import bootstrap, chi_square, total_variation
from frisket import Grammar, Sampler
from frisket.decoding.task import Task
from frisket.strategies import Beams, Exact, Particles
from frisket.strategies.cursor import Cursor
from frisket.strategies.exact import Tree
from tests.hand_model import Truth, truth

SEED = 20260101


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m experiments.exact", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--draws", type=int, default=20_000)
    options = parser.parse_args()
    full = options.draws == 20_000
    share = options.draws / 20_000
    began = time.perf_counter()
    found = []
    for case in cases():
        exact = truth(case.task)
        print(f"{case.name}: {len(exact.wholes)} tokenisations, mass {exact.mass:.3g}", file=sys.stderr, flush=True)
        found.append(
            measure(case, exact, options.draws, seeds=max(int(20 * share), 3), runs=max(int(1000 * share), 50))
        )
        print(f"  {time.process_time():.0f} s", file=sys.stderr, flush=True)
    beams = likeliest(max(int(200 * share), 10))
    claims = judged(found, beams)
    text = page(found, beams, claims, provenance(time.perf_counter() - began, "python -m experiments.exact"), SEED)
    if full:
        folder = Path(__file__).parent
        (folder / "results.md").write_text(text, encoding="utf-8")
        plot(found, folder / "calls.png")
    print(text)
    sys.exit(0 if all(holds for _, _, holds in claims) else 1)


def measure(case: Case, exact: Truth, draws: int, *, seeds: int, runs: int) -> dict:
    task, key = case.task, lambda answer: tuple(step.token for step in answer.steps)
    expected = {whole.tokens: whole.probability / exact.mass for whole in exact.wholes}
    options = {"max_tokens": task.max_tokens, "seed": SEED}
    before = case.calls()
    cars = frisket.sample(task.model, task.prompt, task.grammar, draws, strategy=Exact(), **options)
    calls = (case.calls() - before) / draws
    drawn = Counter(key(one.value) for one in cars)
    masked = Counter(key(one.value) for one in frisket.sample(task.model, task.prompt, task.grammar, draws, **options))
    few = {}
    for count in FEW:
        took = []
        for seed in range(max(seeds // 2, 3)):
            before = case.calls()
            frisket.sample(
                task.model, task.prompt, task.grammar, count, strategy=Exact(), max_tokens=task.max_tokens, seed=seed
            )
            took.append((case.calls() - before) / count)
        few[count] = (float(np.mean(took)), *bootstrap(took))
    rng = np.random.default_rng(SEED)
    keys, probabilities = list(expected), np.array(list(expected.values()))
    probabilities /= probabilities.sum()
    independent = [
        total_variation(Counter(dict(zip(keys, rng.multinomial(draws, probabilities).tolist(), strict=True))), expected)
        for _ in range(200)
    ]
    distance = total_variation(drawn, expected)
    # Another stream for each grammar: common random numbers would make their errors one.
    stream = np.random.default_rng([SEED, *case.name.encode()])
    runs_of_particles = Particles(16).search(task, runs, stream)
    evidence = [math.exp(run.log_evidence or 0.0) for run in runs_of_particles]
    error = float(np.std(evidence, ddof=1)) / math.sqrt(runs)
    return {
        "case": case,
        "outcomes": len(expected),
        "mass": exact.mass,
        "p": chi_square(drawn, expected),
        "masked": chi_square(masked, expected)[0],
        "masked_tv": total_variation(masked, expected),
        "tv": distance,
        "iid": (float(np.mean(independent)), *np.quantile(independent, [0.025, 0.975]).tolist()),
        "calls": calls,
        "few": few,
        "plain": exact.reads / exact.mass,
        "asap": {count: asap(case, exact, count, seeds) for count in (0, 10, 50, 200)},
        "evidence": (float(np.mean(evidence)), error, (float(np.mean(evidence)) - exact.mass) / max(error, 1e-300)),
    }


def asap(case: Case, exact: Truth, count: int, seeds: int) -> tuple[float, float, float]:
    """The divergence of ASAp's next answer after so many, its mean over seeds and the interval of that."""
    task, found = replace(case.task, sampler=Sampler()), []
    for seed in range(seeds):
        rng = np.random.default_rng([SEED, seed])
        tree = Tree(task, task.beginning, Cursor(task, task.beginning, Sampler()), masked=True)
        made = 0
        while made < count:
            made += tree.attempt(rng) is not None
        found.append(divergence(next_answer(tree.root, exact), exact))
    return (float(np.mean(found)), *bootstrap(found))


GRAMMARS = ("[abc]{1,4}", "a[bc]{1,3}|b{2,5}|c", "(ab|ba|c){1,3}", "a{1,3}b{1,3}c?", "(abc|acb|bac)[abc]{0,2}")


def likeliest(count: int) -> dict[str, int]:
    """In how many of so many random models a search finds the likeliest text, and the likeliest tokenisation."""
    texts = [b"a", b"b", b"c", b"ab", b"bc", b"abc"]
    found = dict.fromkeys(("count", "beams", "greedy", "beams_tokens", "greedy_tokens"), 0)
    for seed in range(count):
        model = Rewinding(texts, random_model(SEED + seed, len(texts) + 1, spread=2.0))
        task = Task(model, "", Grammar.from_regex(GRAMMARS[seed % len(GRAMMARS)]), max_tokens=8)
        exact = truth(task)
        text = max(exact.texts().items(), key=lambda item: item[1])[0]
        tokens = max(exact.wholes, key=lambda whole: whole.probability).tokens
        beams = Beams(4).answer(task, 0)
        greedy = frisket.stream(model, "", task.grammar, max_tokens=8).generation()
        found["count"] += 1
        for name, answer in (("beams", beams), ("greedy", greedy)):
            found[name] += answer.text == text
            found[f"{name}_tokens"] += tuple(step.token for step in answer.steps) == tokens
    return found


if __name__ == "__main__":
    main()
