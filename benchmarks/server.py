"""`python -m benchmarks.server` → `frisket serve` under many clients at once: what came back, how fast, what was left.

Good requests over mixed schemas, patterns and tools, streamed or not; in between clients that leave, bad JSON, hostile
schemas, and bodies that are too large. Needs `frisket[server]`, httpx and jsonschema. Exits with 1 if a document is
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


async def watch(client: httpx.AsyncClient, pid: int, began: float, beside: list[float]) -> None:
    """Resident megabytes beside the compiled grammars that are kept, every ten seconds; a line a minute."""
    while True:
        await asyncio.sleep(10)
        figures = (await client.get("/metrics", timeout=None)).text
        kept = float(figures.partition("\nfrisket_compile_cache_bytes ")[2].partition("\n")[0]) / 2**20
        resident = memory(pid)
        beside.append(resident - kept)
        if len(beside) % 6 == 1:
            took = time.perf_counter() - began
            print(f"  {took:6.0f} s: {resident:,.0f} MB resident, {kept:,.0f} MB of it compiled grammars", flush=True)


def grows(beside: list[float]) -> bool:
    """Whether the last third of a run holds more than the third before it: by more than 5 % of the medians.

    What compiled grammars weigh is bounded, and goes up and down with the schemas that come. A hostile schema takes
    tens of megabytes for as long as it is compiled: peaks come and go, but what is left behind raises the median.
    """
    third = len(beside) // 3
    if len(beside) < SAMPLES:
        print("too short to say whether memory grows: caches are still being filled")
        return False
    medians = [median(part) for part in (beside[:third], beside[third:-third], beside[-third:])]
    print("{:,.0f}, {:,.0f}, {:,.0f} MB beside compiled grammars: medians of each third of the run".format(*medians))
    return medians[2] > 1.05 * medians[1]


async def run(url: str, pid: int, clients: int, requests: int, seconds: float) -> bool:
    async with httpx.AsyncClient(base_url=url) as client:
        for _ in range(600):
            try:
                await client.get("/health")
                break
            except httpx.HTTPError:
                await asyncio.sleep(0.1)
        each = f"{requests} requests each" if seconds == float("inf") else f"{seconds:.0f} s"
        print(f"{clients} clients, {each}; {platform.machine()}, {os.cpu_count()} cores, embedded model")
        tally, began, beside = Tally(), time.perf_counter(), list[float]()
        watching = asyncio.create_task(watch(client, pid, began, beside))
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
            ("frisket_answers_total", "frisket_compile_cache", "frisket_forced", "frisket_tokens_total")
        ):
            print(f"         {line}")
    for wrong in tally.wrong[:10]:
        print("WRONG:", wrong)
    grew = grows(beside)
    return not (tally.wrong or left["active"] or left["queued"] or grew)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.server", description=__doc__)
    parser.add_argument("--clients", type=int, default=64)
    parser.add_argument("--requests", type=int, help="of each client (default: 1000)")
    parser.add_argument("--seconds", type=float, help="instead: for how long")
    options = parser.parse_args()
    requests = options.requests or (1_000_000_000 if options.seconds else 1000)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-c", "from frisket.cli import main; main()", "serve", "--port", str(port)]
    server = subprocess.Popen([*command, "--max-body-bytes", str(BODY_LIMIT)], stderr=subprocess.DEVNULL)
    try:
        held = asyncio.run(
            run(f"http://127.0.0.1:{port}", server.pid, options.clients, requests, options.seconds or float("inf"))
        )
    finally:
        server.terminate()
        server.wait()
    sys.exit(not held)


if __name__ == "__main__":
    main()
