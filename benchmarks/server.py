"""`python -m benchmarks.server` → `frisket serve` under many clients at once: what came back, how fast, what was left.

Good requests over mixed schemas, streamed or not; in between clients that leave, bad JSON, hostile schemas, and bodies
that are too large. Needs `frisket[server]`, httpx and jsonschema. Exits with 1 if a document is invalid, a status is
wrong, a request is left behind, or, with `--seconds`, memory still grows in the last third of the run.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import platform
import random
import socket
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import httpx
import jsonschema

from .vllm import schema as random_schema

CHAT = "/v1/chat/completions"
ASK = {"model": "embedded", "messages": [{"role": "user", "content": "My card was charged twice"}]}
BODY_LIMIT = 200_000
TICKET = {
    "type": "object",
    "properties": {
        "priority": {"enum": ["low", "high"]},
        "category": {"enum": ["billing", "bug", "other"]},
        "confidence": {"type": "integer", "minimum": 0, "maximum": 100},
    },
    "required": ["priority", "category", "confidence"],
    "additionalProperties": False,
}


def asked(schema: Any) -> dict[str, Any]:
    return {**ASK, "response_format": {"type": "json_schema", "json_schema": {"name": "x", "schema": schema}}}


#: What is refused, and with which status.
REFUSED: list[tuple[str, Any, int]] = [
    ("bad JSON", b'{"model": "embedded", ', 400),
    ("bad JSON", b"\xff\xfe", 400),
    ("too large", b"[" + b"1," * BODY_LIMIT + b"1]", 413),
    ("no such model", {**ASK, "model": "other"}, 404),
    ("no such field", {**ASK, "bogus": 1}, 400),
    ("invalid schema", asked({"type": "nope"}), 400),
    ("unsatisfiable", asked({"type": "integer", "minimum": 2, "maximum": 1}), 400),
    ("back-reference", {**ASK, "guided_regex": r"(a+)\1"}, 400),
    ("elsewhere", asked({"$ref": "http://localhost/schema"}), 400),
    ("deep", {**ASK, "guided_json": "[" * 50_000}, 400),
]


class Tally:
    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.wrong: list[str] = []
        self.seconds: list[float] = []
        self.tokens = 0


async def good(client: httpx.AsyncClient, rng: random.Random, tally: Tally) -> None:
    """A document of a schema that others ask for, too, or of a fresh one."""
    schema = TICKET if rng.random() < 0.5 else random_schema(rng.randrange(10**9))
    body = {**asked(schema), "temperature": rng.choice([0, 1]), "seed": rng.randrange(1000), "max_tokens": 300}
    began = time.perf_counter()
    if rng.random() < 0.5:
        response = await client.post(CHAT, json=body)
        if response.status_code == 200:
            choice = response.json()["choices"][0]
            text, reason = choice["message"]["content"], choice["finish_reason"]
            tally.tokens += response.json()["usage"]["completion_tokens"]
    else:
        text, reason = "", None
        async with client.stream("POST", CHAT, json={**body, "stream": True}) as response:
            async for line in response.aiter_lines():
                if response.status_code == 200 and line.startswith("data: {"):
                    event = json.loads(line[6:])
                    if "error" in event:
                        tally.wrong.append(f"an error in a stream: {event}")
                        return
                    tally.tokens += 1
                    text += event["choices"][0]["delta"].get("content") or ""
                    reason = event["choices"][0]["finish_reason"] or reason
    if response.status_code != 200:
        tally.wrong.append(f"{response.status_code} for a good request")
        return
    tally.seconds.append(time.perf_counter() - began)
    if reason == "length":
        tally.counts["cut by a limit, and said so"] += 1
        return
    try:
        jsonschema.validate(json.loads(text), schema)
        tally.counts["valid documents"] += 1
    except (ValueError, jsonschema.ValidationError) as error:
        tally.counts["INVALID DOCUMENTS"] += 1
        tally.wrong.append(f"invalid: {text!r}: {error}")


async def leave(client: httpx.AsyncClient, rng: random.Random, tally: Tally) -> None:
    """A client that goes while its answer is being written."""
    body = {**ASK, "guided_regex": "[a-z ]{300}", "max_tokens": 300, "n": 2, "stream": rng.random() < 0.5}
    try:
        async with asyncio.timeout(rng.uniform(0.01, 0.5)), client.stream("POST", CHAT, json=body) as response:
            async for _ in response.aiter_bytes():
                if rng.random() < 0.1:
                    break
    except TimeoutError:
        pass
    tally.counts["clients that left"] += 1


async def refused(client: httpx.AsyncClient, rng: random.Random, tally: Tally) -> None:
    name, body, status = rng.choice(REFUSED)
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    response = await client.post(CHAT, content=data, headers={"Content-Type": "application/json"})
    if response.status_code != status or "code" not in response.json()["error"]:
        tally.wrong.append(f"{response.status_code} and not {status} for {name}: {response.text[:200]}")
    tally.counts["refused as they should be"] += response.status_code == status


async def work(url: str, number: int, requests: int, until: float, tally: Tally) -> None:
    """So many requests of one client, but none that begins after `until`."""
    rng = random.Random(number)
    async with httpx.AsyncClient(base_url=url, timeout=None) as client:
        for _ in range(requests):
            if time.perf_counter() > until:
                break
            tally.counts["requests"] += 1
            kind = rng.choices([good, leave, refused], [7, 1, 2])[0]
            try:
                await kind(client, rng, tally)
            except httpx.HTTPError as error:
                tally.wrong.append(f"{kind.__name__}: {error!r}")


def memory(pid: int) -> float:
    """Resident megabytes."""
    status = Path(f"/proc/{pid}/status")
    line = (
        next((line for line in status.read_text().splitlines() if line.startswith("VmRSS")), "0 0")
        if status.exists()
        else "0 0"
    )
    return int(line.split()[1]) / 1024


async def watch(pid: int, began: float, resident: list[float]) -> None:
    """Resident megabytes, every ten seconds, until it is cancelled."""
    while True:
        await asyncio.sleep(10)
        resident.append(memory(pid))
        print(f"  {time.perf_counter() - began:6.0f} s: {resident[-1]:,.0f} MB resident", flush=True)


def grows(resident: list[float]) -> bool:
    """Whether the last third of a run held more than the third before it: by more than 2 %, what samples differ by."""
    third = len(resident) // 3
    if not third:
        return False
    peaks = [max(part) for part in (resident[:third], resident[third:-third], resident[-third:])]
    print("{:,.0f}, {:,.0f}, {:,.0f} MB resident at most in each third of the run".format(*peaks))
    return peaks[2] > 1.02 * peaks[1]


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
        tally, began, resident = Tally(), time.perf_counter(), list[float]()
        watching = asyncio.create_task(watch(pid, began, resident))
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
    print(f"{tally.seconds[count // 2]:8.2f} s for a document (p50), {tally.seconds[count * 99 // 100]:.2f} s (p99)")
    for line in figures.splitlines():
        if line.startswith(
            ("frisket_answers_total", "frisket_compile_cache", "frisket_forced", "frisket_tokens_total")
        ):
            print(f"         {line}")
    for wrong in tally.wrong[:10]:
        print("WRONG:", wrong)
    grew = grows(resident) if seconds != float("inf") else False
    return not (tally.wrong or left["active"] or left["queued"] or grew)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.server", description=__doc__)
    parser.add_argument("--clients", type=int, default=64)
    parser.add_argument("--requests", type=int, help="of each client (default: 1000)")
    parser.add_argument("--seconds", type=float, help="instead: for how long, and whether memory grows at the end")
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
