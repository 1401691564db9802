"""Held-out inputs × ways of decoding → what fails to parse, what is valid, what is right, and what it costs.

    python examples/tutor/evaluate.py

On the same inputs and with the same seeds: free decoding, greedy and sampled (temperature 0.7, and 1: the model's
own distribution); free sampled decoding with repair (an answer that is not valid goes back into the prompt with the
error, at most twice); masked decoding, greedy and sampled.
Writes results.json, results.md and results.png beside the held-out data.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import jsonschema_rs
import numpy as np

import frisket
from frisket.decoding import Sampler, decode
from frisket.decoding.budget import Budget
from frisket.models.embedded import Embedded
from frisket.models.prompt import property_names

COOL, WARM = Sampler(temperature=0.7), Sampler(temperature=1.0)
MOST_TOKENS = 200
REPAIRS = 2


@dataclass(frozen=True)
class Answer:
    """What came out for one input."""

    text: str
    tokens: int
    seconds: float
    attempts: int = 1


Strategy = Callable[[Embedded, dict[str, Any], str, int], Answer]


def evaluate(folder: Path, schemas: tuple[str, ...], count: int | None = None) -> dict[str, Any]:
    """Run every strategy for every schema; the results are also written into the folder."""
    lines = (folder / "heldout.jsonl").read_text(encoding="utf-8").splitlines()[:count]
    cases = [json.loads(line) for line in lines]
    model = frisket.models.embedded()
    results: dict[str, Any] = {
        "inputs": len(cases),
        "machine": f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}",
        "rows": [],
    }
    for name in schemas:
        schema = frisket.examples.load(name)
        validator = jsonschema_rs.validator_for(schema)
        for title, strategy in STRATEGIES.items():
            answers = [strategy(model, schema, case["input"], seed) for seed, case in enumerate(cases)]
            row = {"schema": name, "decoding": title} | measure(cases, answers, validator)
            results["rows"].append(row)
            print(json.dumps(row, ensure_ascii=False), flush=True)
    write(folder, results)
    return results


# -- ways of decoding ----------------------------------------------------------------------------------------------


def free(model: Embedded, schema: dict[str, Any], text: str, seed: int, sampler: Sampler = WARM) -> Answer:
    start = time.perf_counter()
    prompt = model.prompt(text, property_names(schema))
    answer, tokens = complete(model, prompt, sampler, seed)
    return Answer(answer, tokens, time.perf_counter() - start)


def repaired(model: Embedded, schema: dict[str, Any], text: str, seed: int) -> Answer:
    """Free sampling; the error goes back into the prompt. The first attempt is exactly `free`'s."""
    validator = jsonschema_rs.validator_for(schema)
    start = time.perf_counter()
    prompt = model.prompt(text, property_names(schema))
    spent = 0
    for attempt in range(REPAIRS + 1):
        answer, tokens = complete(model, prompt, WARM, seed + attempt * 1_000_000)
        spent += tokens
        error = complaint(answer, validator)
        if error is None:
            break
        prompt = f"{prompt}{answer}\nerror: {error}\noutput: "
    return Answer(answer, spent, time.perf_counter() - start, attempt + 1)


def masked(model: Embedded, schema: dict[str, Any], text: str, seed: int, sampler: Sampler = WARM) -> Answer:
    start = time.perf_counter()
    result = frisket.stream(model, text, schema, max_tokens=MOST_TOKENS, sampler=sampler, seed=seed).generation()
    return Answer(result.text, len(result.tokens), time.perf_counter() - start)


STRATEGIES: dict[str, Strategy] = {
    "free, greedy": partial(free, sampler=Sampler.GREEDY),
    "free, T=0.7": partial(free, sampler=COOL),
    "free, T=1": free,
    "free + repair, T=1": repaired,
    "masked, greedy": partial(masked, sampler=Sampler.GREEDY),
    "masked, T=0.7": partial(masked, sampler=COOL),
    "masked, T=1": masked,
}


def complete(model: Embedded, prompt: str, sampler: Sampler, seed: int) -> tuple[str, int]:
    """A free continuation and its number of tokens; a prompt that no longer fits is answered with nothing."""
    ids = model.encode(prompt)
    room = min(MOST_TOKENS, model.context - len(ids))
    if room < 1:
        return "", 0
    steps = list(decode(model.start(ids), None, model.vocabulary, Budget(room), sampler=sampler, seed=seed))
    return "".join(step.text for step in steps), sum(not step.ends for step in steps)


def complaint(text: str, validator: Any) -> str | None:
    """What is wrong with an answer, in the words that the model's training used; None if nothing is."""
    try:
        value = json.loads(text)
    except ValueError as error:
        return str(error)
    return None if validator.is_valid(value) else "the answer does not match the schema"


# -- measuring -----------------------------------------------------------------------------------------------------


def measure(cases: list[dict[str, Any]], answers: list[Answer], validator: Any) -> dict[str, Any]:
    unparsed = invalid = exact = 0
    fields: dict[str, list[bool]] = {}
    for case, answer in zip(cases, answers, strict=True):
        try:
            value = json.loads(answer.text)
        except ValueError:
            value = None
            unparsed += 1
        else:
            valid = validator.is_valid(value)
            invalid += not valid
            exact += valid and value == case["answer"]
        for field, right in compare(case["answer"], value):
            fields.setdefault(field, []).append(right)
    count = len(cases)
    milliseconds = np.array([answer.seconds for answer in answers]) * 1000
    return {
        "parse_failures": unparsed,
        "schema_violations": invalid,
        "valid_but_wrong": count - unparsed - invalid - exact,
        "exact": exact,
        "schema_valid_rate": round((count - unparsed - invalid) / count, 4),
        "exact_rate": round(exact / count, 4),
        "fields": {field: round(sum(right) / len(right), 4) for field, right in fields.items()},
        "tokens_mean": round(sum(answer.tokens for answer in answers) / count, 1),
        "attempts_mean": round(sum(answer.attempts for answer in answers) / count, 3),
        "latency_p50_ms": round(float(np.percentile(milliseconds, 50)), 1),
        "latency_p95_ms": round(float(np.percentile(milliseconds, 95)), 1),
        "tokens_per_second": round(sum(answer.tokens for answer in answers) / (milliseconds.sum() / 1000)),
    }


def compare(wanted: dict[str, Any], value: Any) -> Iterator[tuple[str, bool]]:
    """Each wanted field and whether it is right; lists are compared line by line, and their length apart."""
    given = value if isinstance(value, dict) else {}
    for field, want in wanted.items():
        if not isinstance(want, list):
            yield field, field in given and given[field] == want
            continue
        lines = given.get(field)
        lines = lines if isinstance(lines, list) else []
        yield f"{field} (count)", len(lines) == len(want)
        for place, line in enumerate(want):
            yield from compare(line, lines[place] if place < len(lines) else None)


# -- writing -------------------------------------------------------------------------------------------------------

COLUMNS = {
    "parse_failures": "does not parse",
    "schema_violations": "breaks the schema",
    "valid_but_wrong": "valid but wrong",
    "exact": "exactly right",
}
COLOURS = ("#b2182b", "#ef8a62", "#fddbc7", "#4393c3")


def write(folder: Path, results: dict[str, Any]) -> None:
    (folder / "results.json").write_text(json.dumps(results, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    (folder / "results.md").write_text(table(results), encoding="utf-8")
    plot(folder, results)


def table(results: dict[str, Any]) -> str:
    rows = results["rows"]
    several = len({row["schema"] for row in rows}) > 1
    head = [*(["schema"] if several else []), "decoding", *COLUMNS.values(), "tokens", "attempts", "p50 ms", "p95 ms"]
    lines = [f"{results['inputs']} held-out inputs; {results['machine']}.", "", line(head)]
    lines.append("|" + "---|" * (len(head) - 9 + 1) + "--:|" * 8)
    for row in rows:
        numbers = [str(row[key]) for key in COLUMNS]
        costs = [str(row[key]) for key in ("tokens_mean", "attempts_mean", "latency_p50_ms", "latency_p95_ms")]
        lines.append(line([*([row["schema"]] if several else []), row["decoding"], *numbers, *costs]))
    fields = list(dict.fromkeys(field for row in rows for field in row["fields"]))
    head = [*(["schema"] if several else []), "right, % of", *fields]
    lines += ["", line(head), "|" + "---|" * (len(head) - len(fields)) + "--:|" * len(fields)]
    for row in rows:
        shares = [f"{100 * row['fields'][field]:.1f}" for field in fields]
        lines.append(line([*([row["schema"]] if several else []), row["decoding"], *shares]))
    return "\n".join(lines) + "\n"


def line(cells: list[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def plot(folder: Path, results: dict[str, Any]) -> None:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    rows = results["rows"][::-1]
    several = len({row["schema"] for row in rows}) > 1
    names = [f"{row['schema']}: {row['decoding']}" if several else row["decoding"] for row in rows]
    figure, axes = pyplot.subplots(figsize=(8, 1.2 + 0.42 * len(rows)), layout="constrained")
    left = np.zeros(len(rows))
    for (key, title), colour in zip(COLUMNS.items(), COLOURS, strict=True):
        shares = np.array([100 * row[key] / results["inputs"] for row in rows])
        axes.barh(names, shares, left=left, label=title, color=colour)
        left += shares
    axes.set_xlim(0, 100)
    axes.set_xlabel(f"% of {results['inputs']} held-out inputs")
    axes.spines[["top", "right"]].set_visible(False)
    figure.legend(loc="outside upper center", ncols=4, frameon=False)
    figure.savefig(folder / "results.png", dpi=110)
    pyplot.close(figure)


def main(folder: Path, schemas: tuple[str, ...]) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, help="only so many of the held-out inputs")
    evaluate(folder, schemas, parser.parse_args().count)
