"""Random models × budgets → how many answers are whole within their budget (all of them should be).

    python -m tests.conformance.budget --sample 10              one schema in ten, the embedded vocabulary
    python -m tests.conformance.budget --vocabulary llama3      a vocabulary of 128,256 tokens
    python -m tests.conformance.budget --resume budget.jsonl    goes on where that file ends, and writes to it

Every schema of MaskBench that compiles is written by every model (MODELS) within every budget: the least number of
tokens, one more, a quarter more, twice as many, and 256. The model chooses among the tokens of the masks with room, and
ends only where nothing else may come or by chance. Failures: an answer that no validator accepts (`judge`), one that
takes more tokens than it has, a mask with room that is empty, and a budget of one token fewer than the least that is
not refused.
"""

from __future__ import annotations

import random
import statistics
import sys
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from tests.conformance.sweep import Subject, Tally, parser, sweep
from tests.conformance.walk import MANNERS, Manner, Table
from tests.data import find_data_dir, llama3_tokens

#: Of CPU time for one schema: a busy machine cuts nothing short.
SECONDS = 60
FAILURES = ("wrong", "over", "empty", "not refused", "stopped")
BUDGETS: dict[str, Callable[[int], int]] = {
    "least": lambda least: least,
    "+1": lambda least: least + 1,
    "×1.25": lambda least: -(-5 * least // 4),
    "×2": lambda least: 2 * least,
    "256": lambda least: max(256, least),
}
MODELS = [manner for manner in MANNERS if manner.name in ("even", "white", "digits", "words", "deep")]
MODELS.append(Manner("never quotes", lambda table: table.holds(lambda token: b'"' not in token), zeal=1.0))


class Late(Exception):
    """The time of one schema is over."""


def write(
    table: Table, matcher: Any, chance: random.Random, model: Manner, liked: Any, room: int, until: float
) -> bytes:
    """An answer of at most `room` tokens. BudgetError if a mask is empty."""
    while room:
        if time.process_time() > until:
            raise Late
        matcher.fill_mask(table.words, 0, room)
        allowed = np.unpackbits(table.words.view(np.uint8), bitorder="little")[: table.size].view(np.bool_)
        if allowed[table.end]:
            allowed[table.end] = False
            if not allowed.any() or chance.random() < model.ends:
                break
        tokens = np.flatnonzero(allowed)
        if liked is not None and chance.random() < model.zeal:
            wanted = tokens[liked[tokens]]
            tokens = wanted if len(wanted) else tokens
        matcher.advance(int(tokens[chance.randrange(len(tokens))]))
        room -= 1
    return bytes(matcher.text)


def play(subject: Subject, table: Table, liked: dict[str, Any], *, seed: int) -> Tally:
    """All models within all budgets, on one schema."""
    from frisket import Grammar, JSONSchemaOptions
    from frisket.errors import BudgetError, FrisketError
    from tests.conformance.judge import Judges, NoJudge

    tally, until = Tally(), time.process_time() + SECONDS
    try:
        options = JSONSchemaOptions(formats=subject.formats)  # type: ignore[arg-type]
        grammar = Grammar.from_json_schema(subject.schema, options, subject.registry)
        compiled = grammar.core.compile(table.core)
        began = time.perf_counter()
        least = compiled.matcher().least_tokens()
        FIRST.append(time.perf_counter() - began)
    except FrisketError as error:
        tally.note("refused schemas", f"{subject.name}: {error}")
        return tally
    try:
        judges = Judges(subject.schema, formats=subject.formats == "assert", registry=subject.registry)
    except NoJudge:
        judges = None
    if least:
        try:
            compiled.matcher().mask(room=least - 1)
            tally.note("not refused", f"{subject.name}: {least - 1} tokens")
        except BudgetError:
            tally.counts["refused budgets"] += 1
    for name, budget in BUDGETS.items():
        for model in MODELS:
            where = f"{subject.name} ({name}: {budget(least)} tokens, {model.name})"
            matcher = compiled.matcher()
            chance = random.Random(f"{seed}/{where}")
            try:
                text = write(table, matcher, chance, model, liked[model.name], budget(least), until)
            except Late:
                tally.note("cut short", f"{where}: {SECONDS} s for one schema are over")
                return tally
            except BudgetError as error:
                tally.note("empty", f"{where}: {error} after {bytes(matcher.text)[-200:]!r}")
                continue
            except FrisketError as error:
                tally.note("stopped", f"{where}: {type(error).__name__}: {str(error)[:300]}")
                continue
            if not matcher.can_end:
                tally.note("over", f"{where}: {text[-200:]!r}")
                continue
            try:
                problem, _ = judges.wrong(text) if judges else (None, ())
            except NoJudge:
                problem = None
            tally.counts["wrong" if problem else "whole"] += 1
            if problem:
                tally.examples.append(f"wrong: {where}: {problem[:300]}\n    {text[:500]!r}")
    return tally


#: Seconds that the first `least_tokens` of each grammar took.
FIRST: list[float] = []


def main(arguments: list[str] | None = None) -> int:
    asked = parser("Answers within their budget, on every schema of MaskBench")
    asked.add_argument("--vocabulary", choices=("embedded", "llama3"), default="embedded")
    chosen = asked.parse_args(arguments)
    chosen.schemas = chosen.schemas or "maskbench"
    folder = find_data_dir()
    if chosen.vocabulary == "llama3" and folder is not None:
        table = Table(llama3_tokens(folder))
    else:
        from frisket import models

        known = models.embedded().vocabulary
        table = Table([None if token in known.eos else known.token(token) for token in range(known.size)])
    liked = {model.name: model.liked(table) if model.liked else None for model in MODELS}
    failed = sweep(
        chosen, partial(play, table=table, liked=liked, seed=chosen.seed), FAILURES, (*FAILURES, "cut short")
    )
    if len(FIRST) > 1:
        cuts = statistics.quantiles(FIRST, n=100)
        print(f"first least_tokens: p50 {1000 * cuts[49]:.2f} ms, p99 {1000 * cuts[98]:.1f} ms")
    return failed


if __name__ == "__main__":
    sys.exit(main())
