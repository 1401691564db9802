"""`python -m benchmarks.step` → what masks and tokens cost a step of vLLM and SGLang; no GPU, no model.

    python -m benchmarks.step --quick                                        vLLM, up to 64 requests: two minutes
    python -m benchmarks.step --engines vllm --requests 256 --backends frisket,guidance --rounds 5

The classes are the engines' own, from the Python files of their wheels (tests/contract/__main__.py). Requests are fake:
each follows a document of its schema, token by token. A step asks for the rows of all requests, as the scheduler does,
and then hands each its tokens. Backends take turns. Times are processor time of all threads: other programs may run.
"""

from __future__ import annotations

import argparse
import datetime
import gc
import importlib
import importlib.metadata
import json
import logging
import os
import random
import string
import sys
import time
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar, NamedTuple, Protocol

import numpy as np

from frisket.engines.versions import TESTED
from tests.contract.__main__ import tree
from tests.data import data_dir

from . import report
from .vllm import endless, schema

BACKENDS = ("frisket", "xgrammar", "guidance")
#: Tokens that requests of one schema have taken before the first step, at most: they stand at different places.
SPREAD = 300
#: Rows of all steps of a round, and the most and the least steps. Before those of one schema for all come as many that
#: are not timed.
ROWS, MOST_STEPS, LEAST_STEPS = 2_048, 24, 4
DRAFTS = 4
#: Far more than a document takes, so that masks are ordinary.
MAX_TOKENS, CONTEXT = 100_000, 200_000


class Setting(NamedTuple):
    engine: str
    fresh: bool
    requests: int
    drafts: int

    @property
    def steps(self) -> int:
        return max(LEAST_STEPS, min(MOST_STEPS, ROWS // (self.requests * (1 + self.drafts))))

    def __str__(self) -> str:
        return f"{self.engine}, {'fresh schemas' if self.fresh else 'one schema'}, {self.requests} requests" + (
            f", {self.drafts} drafts" if self.drafts else ""
        )


class Times(NamedTuple):
    """Microseconds of a step, the mean of a round."""

    validate: float
    fill: float
    accept: float

    @property
    def all(self) -> float:
        return sum(self)


class Subject(NamedTuple):
    """A schema, and the tokens of a document of it."""

    schema: dict[str, Any]
    tokens: list[int]


def document(wanted: dict[str, Any], rng: random.Random) -> Any:
    """A value of a schema that `benchmarks.vllm` has made."""
    if "enum" in wanted:
        return rng.choice(wanted["enum"])
    match wanted["type"]:
        case "string":
            return "".join(rng.choices(string.ascii_letters + " ", k=rng.randint(0, wanted["maxLength"])))
        case "integer":
            return rng.randint(wanted["minimum"], wanted["maximum"])
        case "boolean":
            return rng.random() < 0.5
        case "array":
            count = rng.randint(wanted["minItems"], wanted["maxItems"])
            return [document(wanted["items"], rng) for _ in range(count)]
    return {name: document(value, rng) for name, value in wanted["properties"].items()}


def subjects(setting: Setting, tokenizer: Any, number: int) -> list[Subject]:
    """What the requests of a round follow; schemas are fresh in each round, or one for all."""
    found: list[Subject] = []
    least = setting.steps * (1 + setting.drafts) + 1
    for seed in range(1_000_000 * (1 + number), 1_000_000 * (2 + number)):
        rng = random.Random(seed)
        wanted = schema(seed) if setting.fresh else endless(0)
        text = json.dumps(document(wanted, rng), separators=(",", ":"))
        tokens = tokenizer.encode(text, add_special_tokens=False)
        if len(tokens) >= (least if setting.fresh else 2 * least + SPREAD):
            found.append(Subject(wanted, tokens))
        if len(found) == setting.requests:
            return found
    raise AssertionError("no schema has a document that is long enough")


class Layer(Protocol):
    """One backend in one engine."""

    def start(self, subjects: Sequence[Subject], drafts: int) -> list[Any]:
        """The requests, with their grammars compiled."""

    def validate(self, requests: list[Any], drafts: list[list[int]]) -> None: ...

    def fill(self, requests: list[Any], drafts: list[list[int]]) -> None: ...

    def accept(self, requests: list[Any], tokens: list[list[int]]) -> None: ...


class VLLM:
    """vLLM's manager of structured outputs."""

    #: Methods as they are without frisket.
    plain: ClassVar[dict[str, Any]] = {}

    def __init__(self, backend: str, tokenizer: Any) -> None:
        self.backend, self.tokenizer = backend, tokenizer
        self.module = importlib.import_module("vllm.v1.structured_output")
        self.sampling = importlib.import_module("vllm.sampling_params")
        self.request = importlib.import_module("vllm.v1.request").Request
        self.module.cached_tokenizer_from_config = lambda **_: tokenizer
        cls = self.module.StructuredOutputManager
        for name in ("grammar_init", "grammar_bitmask"):
            self.plain.setdefault(name, vars(cls)[name])
        if backend == "frisket":
            os.environ["FRISKET_VLLM"] = json.dumps({"whitespace": "compact"})
            from frisket.engines.vllm import register

            register()
        self.init, self.bitmask = ((vars(cls) if backend == "frisket" else self.plain)[name] for name in self.plain)

    def start(self, subjects: Sequence[Subject], drafts: int) -> list[Any]:
        config = importlib.import_module("vllm.config")
        self.manager = self.module.StructuredOutputManager(
            SimpleNamespace(
                parallel_config=SimpleNamespace(distributed_executor_backend="mp"),
                scheduler_config=SimpleNamespace(max_num_seqs=max(len(subjects), 256)),
                model_config=SimpleNamespace(
                    skip_tokenizer_init=False, is_diffusion=False, max_model_len=CONTEXT,
                    get_vocab_size=lambda: len(self.tokenizer), hf_config=SimpleNamespace(model_type="llama"),
                ),
                structured_outputs_config=config.StructuredOutputsConfig(
                    **{} if self.backend == "frisket" else {"backend": self.backend, "disable_any_whitespace": True}
                ),
                num_speculative_tokens=drafts,
                speculative_config=SimpleNamespace(num_speculative_tokens=drafts) if drafts else None,
            )
        )  # fmt: skip
        requests = [self._started(str(place), subject) for place, subject in enumerate(subjects)]
        for request in requests:
            made = request.structured_output_request
            made._grammar.result()
            assert made.is_grammar_ready
        self.by_name = {request.request_id: request for request in requests}
        # The rows of the engine's life are allocated with the first step. Torch's threads spin for a while after it.
        self.bitmask(self.manager, self.by_name, ["0"], {})
        time.sleep(0.1)
        return requests

    def _started(self, name: str, subject: Subject) -> Any:
        wanted = self.sampling.StructuredOutputsParams(json=json.dumps(subject.schema))
        wanted._backend = self.backend
        params = self.sampling.SamplingParams(structured_outputs=wanted, max_tokens=MAX_TOKENS)
        params.update_from_generation_config({}, self.tokenizer.eos_token_id)
        request = self.request(name, [1], params, None)
        self.init(self.manager, request)
        return request

    def validate(self, requests: list[Any], drafts: list[list[int]]) -> None:
        for request, tokens in zip(requests, drafts, strict=True):
            assert len(self.manager.validate_tokens(request, tokens)) == len(tokens)

    def fill(self, requests: list[Any], drafts: list[list[int]]) -> None:
        drafted = dict(zip(self.by_name, drafts, strict=True)) if drafts else {}
        self.bitmask(self.manager, self.by_name, list(self.by_name), drafted)

    def accept(self, requests: list[Any], tokens: list[list[int]]) -> None:
        accept = self.manager.accept_tokens
        for request, new in zip(requests, tokens, strict=True):
            assert accept(request, new)


class SGLang:
    """SGLang's grammar objects, as its batches and its scheduler call them."""

    def __init__(self, backend: str, tokenizer: Any) -> None:
        self.tokenizer, self.size = tokenizer, len(tokenizer)
        self.batch = importlib.import_module("sglang.srt.sampling.sampling_batch_info").SamplingBatchInfo
        ends = {tokenizer.eos_token_id}
        if backend == "frisket":
            from frisket.engines.sglang.backend import Backend
            from frisket.json_schema.options import JSONSchemaOptions

            self.backend: Any = Backend(tokenizer, self.size, ends, JSONSchemaOptions(whitespace="compact"))
        elif backend == "xgrammar":
            module = importlib.import_module("sglang.srt.constrained.xgrammar_backend")
            # It has no compact JSON here: without white space of any kind it asks for a space behind each colon.
            self.backend = module.XGrammarGrammarBackend(tokenizer, self.size, list(ends))
        else:
            module = importlib.import_module("sglang.srt.constrained.llguidance_backend")
            self.backend = module.GuidanceBackend(
                tokenizer, any_whitespace=False, n_vocab=self.size, eos_token_ids=ends
            )

    def start(self, subjects: Sequence[Subject], drafts: int) -> list[Any]:
        made = {}
        for subject in subjects:
            key = "json", json.dumps(subject.schema)
            made[key] = made.get(key) or self.backend.get_cached_or_future_value(key, False)[0].result()
        grammars = [made["json", json.dumps(subject.schema)].copy() for subject in subjects]
        self.info = object.__new__(self.batch)
        self.info.grammars, self.info.temperatures = grammars, range(len(grammars))
        self.info.vocab_size, self.info.device = self.size, "cpu"
        return grammars

    def validate(self, requests: list[Any], drafts: list[list[int]]) -> None:
        """SGLang looks at drafts where it asks for their masks."""

    def fill(self, requests: list[Any], drafts: list[list[int]]) -> None:
        if not drafts:
            self.info.update_regex_vocab_mask()
            return
        import torch

        utils = importlib.import_module("sglang.srt.speculative.spec_utils")
        # A chain: the first token is the one that was taken last.
        ids = torch.tensor([[0, *tokens] for tokens in drafts])
        tree = utils.GrammarTree.from_linear_chain(ids)
        utils.generate_token_bitmask([SimpleNamespace(grammar=one) for one in requests], *tree.resolve(), self.size)

    def accept(self, requests: list[Any], tokens: list[list[int]]) -> None:
        for grammar, new in zip(requests, tokens, strict=True):
            for token in new:
                grammar.accept_token(token)
                if grammar.is_terminated():
                    break


LAYERS: dict[str, type[VLLM] | type[SGLang]] = {"vllm": VLLM, "sglang": SGLang}


def measure(layer: Layer, setting: Setting, chosen: Sequence[Subject]) -> Times:
    """A round. The drafts are the document's next tokens, of which the model takes some and one more."""
    requests = layer.start(chosen, setting.drafts)
    rng = random.Random(1)
    places = [0 if setting.fresh else rng.randint(1, SPREAD) for _ in chosen]
    if not setting.fresh:
        layer.accept(requests, [one.tokens[:place] for one, place in zip(chosen, places, strict=True)])
    spent = np.zeros(3, dtype=np.int64)
    for step in range(setting.steps if setting.fresh else 2 * setting.steps):
        drafts = []
        if setting.drafts:
            drafts = [one.tokens[place : place + setting.drafts] for one, place in zip(chosen, places, strict=True)]
        taken = [1 + (rng.randint(0, setting.drafts) if setting.drafts else 0) for _ in chosen]
        new = [
            one.tokens[place : place + count] for one, place, count in zip(chosen, places, taken, strict=True)
        ]  # fmt: skip
        at = [time.process_time_ns()]
        if setting.drafts:
            layer.validate(requests, drafts)
        at.append(time.process_time_ns())
        layer.fill(requests, drafts)
        at.append(time.process_time_ns())
        layer.accept(requests, new)
        at.append(time.process_time_ns())
        if setting.fresh or step >= setting.steps:
            spent += np.diff(at)
        places = [place + count for place, count in zip(places, taken, strict=True)]
    return Times(*(spent / setting.steps / 1e3))


def settings(options: argparse.Namespace) -> Iterator[Setting]:
    for engine in options.engines.split(","):
        for drafts in map(int, options.drafts.split(",")):
            for fresh in (False, True):
                for requests in map(int, options.requests.split(",")):
                    yield Setting(engine, fresh, requests, drafts)


def run(options: argparse.Namespace) -> Iterator[tuple[Setting, dict[str, list[Times]]]]:
    """All settings, each with the rounds of all backends."""
    import transformers

    tokenizer = transformers.AutoTokenizer.from_pretrained(data_dir() / "tokenizers" / "llama3")
    gc.disable()  # a collection among all objects of an engine takes longer than many steps
    layers: dict[tuple[str, str], Layer] = {}
    todo, backends = list(settings(options)), options.backends.split(",")
    for place, setting in enumerate(todo):
        found: dict[str, list[Times]] = {backend: [] for backend in backends}
        for number in range(options.rounds):
            gc.collect()
            chosen = subjects(setting, tokenizer, number)
            turn = number % len(backends)
            for backend in backends[turn:] + backends[:turn]:
                key = setting.engine, backend
                if key not in layers:
                    layers[key] = LAYERS[setting.engine](backend, tokenizer)
                found[backend].append(measure(layers[key], setting, chosen))
            print(f"{place + 1}/{len(todo)} {setting}: round {number + 1} of {options.rounds}", file=sys.stderr)
        yield setting, found


def median(rounds: list[Times]) -> Times:
    return Times(*np.median(rounds, axis=0))


def line(setting: Setting, found: dict[str, list[Times]]) -> str:
    cells = [setting.engine, "fresh" if setting.fresh else "one", f"{setting.requests:,}", str(setting.drafts)]
    medians = {backend: median(rounds) for backend, rounds in found.items()}
    for times in medians.values():
        parts = ([times.validate] if setting.drafts and setting.engine == "vllm" else []) + [times.fill, times.accept]
        cells.append(" + ".join(f"{part:,.0f}" for part in parts) + f" = {times.all:,.0f}")
    ours = next(iter(medians.values()))
    cells += [f"{100 * ours.all / times.all:.1f} %" for times in list(medians.values())[1:]]
    return f"| {' | '.join(cells)} |"


def head(options: argparse.Namespace) -> str:
    backends = options.backends.split(",")
    machine = report.machine()
    versions = [f"{name} {TESTED[name][-1]}" for name in options.engines.split(",")]
    versions += [f"{name} {importlib.metadata.version(name)}" for name in ("xgrammar", "llguidance", "torch")]
    names = ["engine", "schemas", "requests", "drafts", *backends, *(f"of {name}'s" for name in backends[1:])]
    return "\n".join(
        [
            f"# Masks and tokens of a step, {datetime.date.today()}",
            "",
            f"frisket at commit {report.commit()}; {', '.join(versions)}.",
            f"{machine['cpu']}, {machine['cores']} cores, load {machine['load']}; Python {machine['python']}.",
            "",
            "Microseconds of processor time of a step: rows + tokens, in vLLM after a look at the drafts.",
            f"Mean of {LEAST_STEPS} to {MOST_STEPS} steps, median of {options.rounds} rounds, backends took turns;",
            "compact JSON, Llama 3's vocabulary. Of the drafts, which are legal, a random number is taken.",
            f"`{' '.join(['python -m benchmarks.step', *sys.argv[1:]])}`",
            "",
            f"| {' | '.join(names)} |",
            f"|{' --- |' * 2}{' --: |' * (len(names) - 2)}",
        ]
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.step", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="vLLM alone, 1 and 64 requests, one round")
    parser.add_argument("--engines", default="vllm,sglang", help=f"by comma, of: {', '.join(LAYERS)}")
    parser.add_argument("--backends", default=",".join(BACKENDS), help="by comma; the first is set beside the others")
    parser.add_argument("--requests", default="1,64,256,1024", help="numbers of requests, by comma")
    parser.add_argument("--drafts", default=f"0,{DRAFTS}", help="drafts of each request, by comma")
    parser.add_argument("--rounds", type=int, default=3, help="turns of each backend (default: 3)")
    parser.add_argument("--out", type=Path, help="folder for the page; without it, it is only shown")
    options = parser.parse_args()
    if options.quick:
        options.engines, options.requests, options.rounds = "vllm", "1,64", 1
    for engine in options.engines.split(","):
        sys.path.append(str(tree(engine, TESTED[engine][-1])))
    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)
    page = head(options)
    print(page, flush=True)
    for setting, found in run(options):
        page += "\n" + (row := line(setting, found))
        print(row, flush=True)
    if options.out:
        options.out.mkdir(parents=True, exist_ok=True)
        path = options.out / f"step-{datetime.date.today()}-{report.commit()}.md"
        path.write_text(page + "\n", encoding="utf-8")
        print(path)


if __name__ == "__main__":
    main()
