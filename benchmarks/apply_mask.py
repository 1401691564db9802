"""`python -m benchmarks.apply_mask` → microseconds a row that a mask costs logits; benchmarks/results/apply-mask-….md.

The engine and torch on the CPU; where torch finds a GPU also the Triton kernel, torch and, where they are installed,
xgrammar and llguidance there. All must write the same bits. Ways take turns. A call on a GPU is timed twice: from
Python until the GPU is done, and what the GPU alone takes (replays of a CUDA graph). Needs `pip install ".[triton]"`.
"""

from __future__ import annotations

import argparse
import datetime
import importlib
import importlib.util
import os
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import torch

from frisket.logits import torch as logits_torch

from . import report

#: Rows × tokens: one sequence, a batch, a large batch; tokens of Llama 3.
SHAPES = ((1, 128_256), (8, 128_256), (64, 128_256))
KINDS = (torch.float32, torch.bfloat16)
WORDS = {torch.float32: torch.int32, torch.bfloat16: torch.int16}
#: Other engines with a kernel for a GPU; all write through `apply_token_bitmask_inplace(logits, words)`.
RIVALS = {"xgrammar": "xgrammar", "llguidance": "llguidance.torch"}
Way = Callable[[Any, Any], None]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.apply_mask", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--rounds", type=int, default=15, help="repeat all, show the median")
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "results")
    options = parser.parse_args()
    commit = report.commit()
    devices = ["cpu", *(["cuda"] if torch.cuda.is_available() else [])]
    rows = [
        (device, shape, kind, name, *microseconds)
        for device in devices
        for shape in SHAPES
        for kind in KINDS
        for name, microseconds in _measure(device, shape, kind, options.rounds).items()
    ]
    page = _page(rows, devices, options.rounds, commit)
    print(page)
    path = options.out / f"apply-mask-{datetime.date.today()}-{commit}.md"
    path.write_text(page, encoding="utf-8")
    print(path)


def _measure(
    device: str, shape: tuple[int, int], kind: torch.dtype, rounds: int
) -> dict[str, tuple[float, float | None]]:
    """Microseconds a row by way, medians: of a call, and of the GPU alone; ValueError if two ways differ in a bit."""
    torch.manual_seed(0)
    batch, size = shape
    given = torch.randn(shape, device=device).to(kind)
    # Half of the words all zeros, as in masks of JSON: most tokens are forbidden.
    words = torch.randint(-(2**31), 2**31 - 1, (batch, -(-size // 32)), dtype=torch.int32)
    words[:, ::2] = 0
    words = words.to(device)
    ways: dict[str, Way] = {
        "engine" if device == "cpu" else "Triton kernel": logits_torch.apply_mask,
        "torch": logits_torch.apply_mask_plainly,
        **({} if device == "cpu" else _rivals()),
    }
    times: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(rounds + 1):  # the first round compiles
        results = []
        for name, way in ways.items():
            logits = given.clone()
            _wait(device)
            began = time.perf_counter()
            way(logits, words)
            _wait(device)
            times[name].append((time.perf_counter() - began) * 1e6 / batch)
            results.append(logits.view(WORDS[kind]))
        if not all(torch.equal(results[0], other) for other in results[1:]):
            raise ValueError(f"{', '.join(ways)} differ on {device}: {shape}, {kind}")
    calls = {name: sorted(found[1:])[rounds // 2] for name, found in times.items()}
    if device == "cpu":
        return {name: (call, None) for name, call in calls.items()}
    alone = {name: _of_gpu(lambda way=way: way(given, words)) / batch for name, way in ways.items()}
    return {name: (call, alone[name]) for name, call in calls.items()}


def _of_gpu(call: Callable[[], None]) -> float:
    """Microseconds."""
    milliseconds: float = importlib.import_module("triton.testing").do_bench_cudagraph(call, return_mode="median")
    return milliseconds * 1000


def _rivals() -> dict[str, Way]:
    installed = {name: module for name, module in RIVALS.items() if importlib.util.find_spec(name)}
    return {name: importlib.import_module(module).apply_token_bitmask_inplace for name, module in installed.items()}


def _wait(device: str) -> None:
    if device == "cuda":
        torch.cuda.synchronize()


def _versions() -> str:
    packages = ["torch", "triton", *RIVALS]
    return ", ".join(f"{name} {version(name)}" for name in packages if importlib.util.find_spec(name))


def _page(rows: list[tuple[Any, ...]], devices: list[str], rounds: int, commit: str) -> str:
    gpu = torch.cuda.get_device_name() if "cuda" in devices else "No GPU here: the Triton kernel was not timed"
    lines = [
        f"# Masks applied to logits, {datetime.date.today()}",
        "",
        f"Commit {commit}, {_versions()}; {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}.",
        f"{gpu}. Median of {rounds} rounds in which the ways took turns; all wrote the same",
        "bits. `python -m benchmarks.apply_mask` repeats it.",
        "",
        "| device | rows × tokens | type | way | µs a row | of the GPU alone |",
        "| --- | --- | --- | --- | --: | --: |",
    ]
    for device, (batch, size), kind, name, call, alone in rows:
        kind_name = str(kind).removeprefix("torch.")
        of_gpu = "–" if alone is None else f"{alone:,.2f}"
        lines.append(f"| {device} | {batch} × {size:,} | {kind_name} | {name} | {call:,.1f} | {of_gpu} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
