"""`python -m benchmarks.server` → `frisket serve` under many clients at once: what came back, how fast, what was left.

Good requests over mixed schemas, patterns and tools, streamed or not; in between clients that leave, bad JSON, hostile
schemas, and bodies that are too large. Needs `frisket-llm[server,test]` and httpx. Exits with 1 if a document is
invalid, a status is wrong, a request is left behind, or memory still grows in the last third of a run of five minutes
or more.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import platform
import socket
import subprocess
import sys
import time
from pathlib import Path
from statistics import median

import httpx

from .traffic import BODY_LIMIT, Tally, work

#: What answers: by `--model`, what the first line of a log says of it.
MODELS = {
    "embedded": "the embedded model",
    "random": "random logits over the embedded tokenizer, in place of a network",
}

#: As many samples of memory, ten seconds apart, as a run must have for a judgement.
SAMPLES = 30


def memory(pid: int) -> float:
    """Resident megabytes."""
    status = Path(f"/proc/{pid}/status")
    line = (
        next((line for line in status.read_text().splitlines() if line.startswith("VmRSS")), "0 0")
        if status.exists()
        else "0 0"
    )
    return int(line.split()[1]) / 1024


def cached(figures: str) -> tuple[float, float]:
    """Megabytes of compiled grammars that are kept, and of the vocabulary with the masks that all grammars share."""
    kept, shared = (
        float(figures.partition(f"\nfrisket_{name}_cache_bytes ")[2].partition("\n")[0]) / 2**20
        for name in ("compile", "mask")
    )
    return kept, shared


async def watch(client: httpx.AsyncClient, pid: int, began: float, tally: Tally, beside: list[float]) -> None:
    """Resident megabytes beside what bounded caches hold, every ten seconds; a line a minute."""
    while True:
        await asyncio.sleep(10)
        kept, shared = cached((await client.get("/metrics", timeout=None)).text)
        resident = memory(pid)
        beside.append(resident - kept - shared)
        if len(beside) % 6 == 1:
            print(
                f"  {time.perf_counter() - began:6.0f} s, {tally.counts['requests']:>6,} requests: "
                f"{resident:,.0f} MB resident, {kept:,.0f} MB of it compiled grammars, {shared:,.0f} MB shared masks",
                flush=True,
            )


def grows(beside: list[float]) -> bool:
    """Whether the last third of a run holds more than the third before it: by more than 5 % of the medians.

    Caches are bounded: compiled grammars come and go, and the masks that they share fill up slowly. A hostile schema
    takes tens of megabytes for as long as it is compiled: peaks come and go, but what is left behind raises the median.
    """
    third = len(beside) // 3
    if len(beside) < SAMPLES:
        print("too short to say whether memory grows: caches are still being filled")
        return False
    medians = [median(part) for part in (beside[:third], beside[third:-third], beside[-third:])]
    print("{:,.0f}, {:,.0f}, {:,.0f} MB beside those caches: medians of each third of the run".format(*medians))
    return medians[2] > 1.05 * medians[1]


async def run(url: str, pid: int, model: str, clients: int, requests: int, seconds: float) -> bool:
    async with httpx.AsyncClient(base_url=url) as client:
        for _ in range(600):
            try:
                await client.get("/health")
                break
            except httpx.HTTPError:
                await asyncio.sleep(0.1)
        each = f"{requests} requests each" if seconds == float("inf") else f"{seconds:.0f} s"
        cores = os.cpu_count()
        print(f"{clients} clients, {each}; {platform.machine()}, {cores} cores; {MODELS[model]}", flush=True)
        tally, began, beside = Tally(), time.perf_counter(), list[float]()
        watching = asyncio.create_task(watch(client, pid, began, tally, beside))
        await asyncio.gather(*(work(url, number, requests, began + seconds, tally) for number in range(clients)))
        watching.cancel()
        took = time.perf_counter() - began
        left = {"active": 1, "queued": 0}
        for _ in range(100):
            left = (await client.get("/health")).json()
            if not left["active"] and not left["queued"]:
                break
            await asyncio.sleep(0.1)
        figures = (await client.get("/metrics")).text
    for name, count in sorted(tally.counts.items()):
        print(f"{count:>8,} {name}")
    tally.seconds.sort()
    count = len(tally.seconds)
    print(f"{tally.counts['INVALID DOCUMENTS']:>8,} invalid documents")
    print(f"{len(tally.wrong):>8,} wrong statuses or answers")
    print(f"{left['active'] + left['queued']:>8,} requests left behind")
    print(f"{tally.counts['requests'] / took:8.1f} requests per second, {tally.tokens / took:,.0f} tokens per second")
    if count:
        print(
            f"{tally.seconds[count // 2]:8.2f} s for a document (p50), {tally.seconds[count * 99 // 100]:.2f} s (p99)"
        )
    for line in figures.splitlines():
        if line.startswith(
            ("frisket_answers_total", "frisket_compile_cache", "frisket_forced_tokens_total", "frisket_tokens_total")
        ):
            print(f"         {line}")
    for wrong in tally.wrong[:10]:
        print("WRONG:", wrong)
    kept, shared = cached(figures)
    print(f"{memory(pid):,.0f} MB resident at the end, {kept:,.0f} + {shared:,.0f} MB of it in caches")
    grew = grows(beside)
    return not (tally.wrong or left["active"] or left["queued"] or grew)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.server", description=__doc__)
    parser.add_argument("--clients", type=int, default=64)
    parser.add_argument("--requests", type=int, help="of each client (default: 1000)")
    parser.add_argument("--seconds", type=float, help="instead: for how long")
    parser.add_argument("--model", choices=MODELS, default="embedded", help="random: logits that cost nothing")
    options = parser.parse_args()
    requests = options.requests or (1_000_000_000 if options.seconds else 1000)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    program = ["-c", "from frisket.cli import main; main()", "serve"]
    if options.model == "random":
        program = ["-m", "benchmarks.random_model"]
    command = [sys.executable, *program, "--port", str(port), "--max-body-bytes", str(BODY_LIMIT)]
    server = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    try:
        url, seconds = f"http://127.0.0.1:{port}", options.seconds or float("inf")
        held = asyncio.run(run(url, server.pid, options.model, options.clients, requests, seconds))
    finally:
        server.terminate()
        server.wait()
    sys.exit(not held)


if __name__ == "__main__":
    main()
