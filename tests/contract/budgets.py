"""`python -m tests.contract.budgets` → vLLM's real manager with many budgets: how many texts are cut, invalid, refused.

    FRISKET_ENGINE_TREE=... python -m tests.contract.budgets --cases 20000 --seed 1

Each schema of MaskBench × budgets from the least on × reasoning off, on or closed in the prompt × drafts 0 to 8 with
random rejections. Texts and thoughts are random, by a small tokenizer; half of those that think would never end. Each
text is checked against the schema's grammar, and for each schema a budget below the least has to be refused.
"""

from __future__ import annotations

import argparse
import importlib
import itertools
import json
import logging
import math
import os
import random
import signal
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from frisket import Grammar, Vocabulary
from frisket.errors import FrisketError
from tests import tiny_model
from tests.contract.vllm.conftest import THINK, THOUGHT, Engine
from tests.data import maskbench, required_data_dir

#: Tokens beyond the least.
MORE = (0, 0, 1, 2, 3, 5, 8, 13, 21, 34, 60)
#: Schemas with a longer shortest text take long, and show nothing new.
LONGEST = 400
MOST_DRAFTS = 8
#: Requests that a step has at most.
BATCH = 64
WRONG = ("cut", "invalid", "refused", "failed", "not refused")


@dataclass
class Case:
    """One request as it runs."""

    request: Any
    reasoning: str
    budget: int
    #: How many thoughts come before their end, with which they begin and end.
    thoughts: int
    thought: bool = False
    #: The tokens that the last row allowed: drafts are some of them.
    allowed: Any = (5,)


class Simulation:
    """vLLM's manager with the requests of one schema after the other."""

    def __init__(self, seed: int) -> None:
        tokenizer = tiny_model.make_tokenizer(importlib.import_module("transformers"))
        tokenizer.add_special_tokens({"additional_special_tokens": [THINK, THOUGHT]})
        self.engine = Engine(_vllm(), tokenizer, pytest.MonkeyPatch())
        # Grammars are compiled by this thread, as with that executor of vLLM.
        self.engine.restart(
            drafts=MOST_DRAFTS, sequences=BATCH, executor="external_launcher", reasoning_parser="deepseek_r1"
        )
        # The first request has the backend and its rows made for the most drafts.
        self.engine.masks(self.engine.request(json="true"))
        self.parser = self.engine.manager.reasoner_cls
        self.vocabulary = Vocabulary.from_huggingface(tokenizer, size=self.engine.size)
        self.eos = tokenizer.eos_token_id
        self.think, self.thought = tokenizer.convert_tokens_to_ids([THINK, THOUGHT])
        self.seed = seed
        #: vLLM 0.33 gives each request as many rows as it may have drafts, and one; 0.32 as many as it has.
        self.has_blocks = hasattr(self.engine.manager, "_masked_reasoning_ends")

    def run(self, name: str, schema: Any, count: int, until: float = math.inf) -> Counter[str]:
        """So many requests of a schema, drawn from all combinations; fewer if the clock passes `until`."""
        counts: Counter[str] = Counter()
        rng = random.Random(f"{self.seed}/{name}")
        try:
            self.grammar = Grammar.from_json_schema(schema)
            least = self.grammar.compile(self.vocabulary).matcher().least_tokens() + 1
        except FrisketError:
            counts["schemas left out: refused"] += 1
            return counts
        if least > LONGEST:
            counts["schemas left out: long"] += 1
            return counts
        text = json.dumps(schema)
        counts["schemas"] += 1
        if least > 1 and not self._refuses(text, least - 1):
            print(f"not refused: {name} with {least - 1} tokens, the least being {least}", file=sys.stderr)
            counts["not refused"] += 1
        wanted = list(itertools.product(range(MOST_DRAFTS + 1), ("off", "on", "closed"), MORE))
        rng.shuffle(wanted)
        chosen = sorted(itertools.islice(itertools.cycle(wanted), count))
        for (drafts, has_parser), group in itertools.groupby(chosen, lambda one: (one[0], one[1] != "off")):
            self.engine.config.num_speculative_tokens = drafts
            self.engine.manager.reasoner_cls = self.parser if has_parser else None
            for batch in _batches(group, BATCH):
                if time.monotonic() > until:
                    return counts
                cases = []
                for number, (_, reasoning, more) in enumerate(batch):
                    budget = least + more + (reasoning == "on")
                    counts["requests"] += 1
                    case = self._begun(str(number), text, budget, reasoning, rng)
                    if case is None:
                        self._tell("refused", name, reasoning, drafts, budget, least)
                        counts["refused"] += 1
                    else:
                        cases.append(case)
                for case, what in self._answer(cases, drafts, rng):
                    if what:
                        self._tell(what, name, case.reasoning, drafts, case.budget, least)
                        counts[what] += 1
        return counts

    def _tell(self, what: str, name: str, reasoning: str, drafts: int, budget: int, least: int) -> None:
        print(
            f"\n{what}: {name} with {budget} tokens, the least being {least}, reasoning {reasoning}, {drafts} drafts",
            file=sys.stderr,
        )

    def _refuses(self, schema: str, budget: int) -> bool:
        try:
            self.engine.params(json=schema, max_tokens=budget)
        except self.engine.vllm.exceptions.VLLMValidationError:
            return True
        return False

    def _begun(self, name: str, schema: str, budget: int, reasoning: str, rng: random.Random) -> Case | None:
        """A request that was validated and whose grammar is compiled; None if it is refused."""
        prompt = (self.think, self.thought) if reasoning == "closed" else (1,)
        try:
            params = self.engine.params(json=schema, max_tokens=budget)
            request = self.engine.started(params, name, prompt=prompt)
        except (FrisketError, self.engine.vllm.exceptions.VLLMValidationError):
            return None
        most = budget if rng.random() < 0.5 else rng.choice((1, 3, 9))
        return Case(request, reasoning, budget, most if reasoning == "on" else 0)

    def _answer(self, cases: list[Case], drafts: int, rng: random.Random) -> Iterator[tuple[Case, str]]:
        """What becomes of requests that run together; empty where all is well."""
        manager = self.engine.manager
        while cases:
            drawn = {case.request.request_id: self._drafts(case, drafts, rng) for case in cases}
            requests = {case.request.request_id: case.request for case in cases}
            words = manager.grammar_bitmask(requests, list(requests), {name: ids for name, ids in drawn.items() if ids})
            bits = np.unpackbits(np.ascontiguousarray(words).view(np.uint8), axis=1, bitorder="little").view(np.bool_)
            first, open_cases = 0, []
            for case in cases:
                ids = drawn[case.request.request_id]
                what = self._step(case, ids, bits[first : first + len(ids) + 1], rng)
                first += drafts + 1 if self.has_blocks else len(ids) + 1
                if what is None:
                    open_cases.append(case)
                else:
                    yield case, what
            cases = open_cases

    def _drafts(self, case: Case, most: int, rng: random.Random) -> list[int]:
        """The drafts that the manager leaves; sometimes filled up, as asynchronous scheduling does."""
        if not most:
            return []
        guess = [int(case.allowed[rng.randrange(len(case.allowed))]) for _ in range(most)]
        if case.reasoning == "on" and not case.thought and rng.random() < 0.3:
            guess[rng.randrange(most)] = self.thought
        found: list[int] = self.engine.manager.validate_tokens(case.request, guess)
        return found + [-1] * (most - len(found)) if rng.random() < 0.3 else found

    def _step(self, case: Case, drafts: list[int], rows: Any, rng: random.Random) -> str | None:
        """Draw from the rows until a draft is rejected; why the request has ended, None if it goes on."""
        new = []
        for place, row in enumerate(rows):
            allowed = case.allowed = np.flatnonzero(row)
            if not len(allowed):
                return "failed"
            draft = drafts[place] if place < len(drafts) else -1
            # A model that ends its text inside of its thoughts has its way; this one does not.
            is_early = draft == self.eos and case.reasoning == "on" and not case.thought
            if draft >= 0 and row[draft] and not is_early and rng.random() < 0.6:
                token = draft
            else:
                token = self._drawn(case, allowed, len(new), rng)
            new.append(token)
            if token == self.thought:
                case.thought = True
            if token != draft:
                break
        for count, token in enumerate(new, 1):
            case.request.all_token_ids.append(token)
            is_end = token == self.eos
            if is_end or case.request.num_output_tokens >= case.request.max_tokens:
                if not self.engine.manager.accept_tokens(case.request, new[:count]):
                    return "failed"
                return self._judged(case) if is_end else "cut"
        return None if self.engine.manager.accept_tokens(case.request, new) else "failed"

    def _drawn(self, case: Case, allowed: Any, new: int, rng: random.Random) -> int:
        """A token as a model may draw it: thoughts go on until their time has come, or the masks end them."""
        if case.reasoning == "on" and not case.thought:
            if case.request.num_output_tokens + new >= case.thoughts and self.thought in allowed:
                return self.thought
            thoughts = allowed[(allowed != self.thought) & (allowed != self.eos)]
            allowed = thoughts if len(thoughts) else allowed
        return int(allowed[rng.randrange(len(allowed))])

    def _judged(self, case: Case) -> str:
        ids = case.request.all_token_ids[case.request.num_prompt_tokens : -1]
        if case.reasoning == "on":
            ids = ids[ids.index(self.thought) + 1 :]
        try:
            text = b"".join(self.vocabulary.token(token) or b"?" for token in ids).decode()
        except UnicodeDecodeError:
            return "invalid"
        return "" if self.grammar.accepts(text) else "invalid"


def main(arguments: list[str] | None = None) -> int:
    asked = argparse.ArgumentParser(prog="python -m tests.contract.budgets", description=(__doc__ or "").split("\n")[0])
    asked.add_argument("--cases", type=int, default=20_000, help="requests, spread over all schemas")
    asked.add_argument("--seed", type=int, default=1)
    asked.add_argument("--only", help="the id of the one schema to run")
    asked.add_argument("--minutes", type=float, default=math.inf, help="stop after so many")
    chosen = asked.parse_args(arguments)
    folder = required_data_dir()
    sys.path += [path for path in os.environ.get("FRISKET_ENGINE_TREE", "").split(os.pathsep) if path]
    os.environ["FRISKET_VLLM"] = "1"
    logging.disable(logging.ERROR)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    rows = [row for row in maskbench(folder) if chosen.only in (None, row["id"])]
    random.Random(chosen.seed).shuffle(rows)
    del rows[chosen.cases :]
    simulation, counts, begin = Simulation(chosen.seed), Counter[str](), time.monotonic()
    until = begin + 60 * chosen.minutes
    try:
        for number, row in enumerate(rows):
            # As many as bring the sum to its share: schemas that are left out leave theirs to the others.
            share = math.ceil((chosen.cases - counts["requests"]) / (len(rows) - number))
            counts += simulation.run(row["id"], row["schema"], share, until)
            _show(number + 1, len(rows), counts, time.monotonic() - begin)
            if time.monotonic() > until:
                break
    except KeyboardInterrupt:
        print("\nstopped", file=sys.stderr)
    told = {name: counts[name] for name in ("requests", "schemas", *WRONG)} | counts
    package = simulation.engine.vllm.package
    print(
        f"vLLM {package.__version__}, seed {chosen.seed}: "
        + ", ".join(f"{count:,} {name}" for name, count in told.items())
        + f" in {time.monotonic() - begin:,.0f} s"
    )
    return int(any(counts[what] for what in WRONG))


def _show(done: int, total: int, counts: Counter[str], seconds: float) -> None:
    """A bar on the screen; where none is looked at, a line now and then."""
    wrong = sum(counts[what] for what in WRONG)
    line = f"{done:,} of {total:,} schemas, {counts['requests']:,} requests, {wrong} wrong, {seconds:,.0f} s"
    if sys.stderr.isatty():
        filled = 30 * done // total
        print(f"\r\x1b[K[{'#' * filled}{'.' * (30 - filled)}] {line}", end="", file=sys.stderr, flush=True)
    elif done % 25 == 0 or done == total:
        print(line, file=sys.stderr, flush=True)


def _batches(group: Iterable[Any], size: int) -> Iterator[list[Any]]:
    left = iter(group)
    while batch := list(itertools.islice(left, size)):
        yield batch


def _vllm() -> Any:
    names = {
        "sampling_params": "sampling_params", "structured_output": "v1.structured_output", "exceptions": "exceptions",
        "request": "v1.structured_output.request", "config": "config",
        "backend_types": "v1.structured_output.backend_types",
    }  # fmt: skip
    modules = {name: importlib.import_module(f"vllm.{place}") for name, place in names.items()}
    return SimpleNamespace(package=importlib.import_module("vllm"), **modules)


if __name__ == "__main__":
    sys.exit(main())
