"""`python -m benchmarks.tenants` → honest clients among hostile ones: first tokens, memory, what was lost, how it ends.

Starts `frisket serve` on this machine with the embedded model. Each honest client has its own address and asks for
documents as streams. One hostile tenant each, with an address of its own, sends: schemas and grammars that are to
hurt, huge `stop` lists, bodies that are dear to read, endless prompts, streams that it never reads, halves of headers
and bodies, requests that it leaves. At the end comes SIGTERM, while answers run and halves are held. Needs
`frisket[server,test]`, httpx, and Linux, where all of 127.0.0.0/8 is this machine.

Exits with 1 if an honest answer is wrong or lost, if the 99th percentile of their first tokens is beyond 500 ms, if
memory grows in the last third of a run of five minutes or more, or if the server outlives its grace period.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import multiprocessing
import os
import platform
import random
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Awaitable
from multiprocessing.queues import Queue
from statistics import median

import httpx

from .server import memory
from .traffic import ASK, CHAT, HOSTILE, MESSAGE, TEXT, TICKET, Tally, asked
from .vllm import schema as random_schema

#: Seconds that the server has after SIGTERM, and that it may take beside for its own end.
GRACE, BESIDE = 30, 3
#: Milliseconds to the first token, at the 99th percentile.
TARGET = 500
#: Requests that a hostile tenant has under way, and connections that it holds.
AT_ONCE, HELD = 4, 50
#: Seconds between two of them.
PAUSE = 0.1
#: What hostile tenants do; `hold` has many connections, and the others one tenant each.
NAMES = ["schemas", "grammars", "stops", "bodies", "prompts", "leave", "hold"]
Count = Counter[str]

BITS = range(24)
GRAMMARS = [
    "start: p::0\np::_: " + "\n    | ".join([
        f'"" %if is_ones([0:{len(BITS)}])', *(f'"i" p::set_bit({bit}) %if bit_clear({bit})' for bit in BITS)
    ]),
    'root ::= (x{0,1000}){0,1000} "z"\nx ::= "a"? y?\ny ::= "b" y?',
    'root ::= "a" root "b" | "a" root | "a"',
    "\n".join(["root ::= r0", *(f'r{n} ::= "a" r{n + 1} | "b"' for n in range(5_000)), 'r5000 ::= "c"']),
]  # fmt: skip
PRIMES = [983, 977, 971, 967, 953, 947, 941, 937, 929, 919, 911, 907]
SCHEMAS = [*HOSTILE, {"oneOf": [{"type": "integer", "multipleOf": prime} for prime in PRIMES]}]
BODIES = [
    b'{"model": "embedded", "messages": [' + b"{}," * 140_000 + b"{}]}",
    b'{"model": "embedded", "prompt": [' + b"1," * 140_000 + b"1]}",
    b'{"model": "embedded", "messages": ["\\ud800", ' + b'"x",' * 140_000 + b'"x"]}',
    b"[" * 1_000_000,
    b"[" + b"1," * 1_900_000 + b"1]",
]


def client(url: str, address: str) -> httpx.AsyncClient:
    """A client that asks from one of this machine's addresses. What takes longer than two minutes is lost."""
    return httpx.AsyncClient(base_url=url, timeout=120, transport=httpx.AsyncHTTPTransport(local_address=address))


class Honest:
    """What honest clients saw: seconds to the first tokens, and `tally.wrong`."""

    def __init__(self, think: float) -> None:
        self.tally, self.first = Tally(), list[float]()
        self._think = think

    async def ask(self, client: httpx.AsyncClient, rng: random.Random) -> None:
        """A document as a stream; all that comes is checked."""
        schema = TICKET if rng.random() < 0.7 else random_schema(rng.randrange(10**6))
        body = {**asked(schema), "max_tokens": 200, "stream": True, "temperature": 1, "seed": rng.randrange(1000)}
        text, reason, done = "", None, False
        began, first = time.perf_counter(), None
        self.tally.counts["requests"] += 1
        try:
            async with client.stream("POST", CHAT, json=body) as answer:
                if answer.status_code != 200:
                    self.tally.fault(answer.status_code, await answer.aread())
                    return
                async for line in answer.aiter_lines():
                    done = done or line == "data: [DONE]"
                    if line.startswith("data: {"):
                        event = json.loads(line[6:])
                        if "error" in event:
                            self.tally.wrong.append(f"an error in a stream: {event}")
                            return
                        (choice,) = event["choices"]
                        text += choice["delta"].get("content") or ""
                        reason = choice["finish_reason"] or reason
                        if text and first is None:
                            first = time.perf_counter() - began
                            self.first.append(first)
        except httpx.HTTPError as error:
            self.tally.wrong.append(f"lost: {error!r}")
            return
        if not done:
            self.tally.wrong.append(f"a stream without an end: {text!r}")
        else:
            self.tally.judge(schema, text, reason)

    async def work(self, url: str, number: int, until: float) -> None:
        """One honest client: it asks, reads, and thinks."""
        rng = random.Random(number)
        async with client(url, f"127.0.1.{number + 1}") as mine:
            while time.perf_counter() + (pause := rng.uniform(0, 2 * self._think)) < until:
                await asyncio.sleep(pause)
                await self.ask(mine, rng)


def _drawn(rng: random.Random) -> dict[str, list[tuple[str, bytes]]]:
    """By hostile tenant, the paths and bodies that it sends in turn: made beforehand, since to make them takes long."""

    def chat(**more: object) -> tuple[str, bytes]:
        return CHAT, json.dumps({**ASK, "max_tokens": 200, **more}).encode()

    def text(**more: object) -> tuple[str, bytes]:
        return TEXT, json.dumps({"model": "embedded", "prompt": MESSAGE, "max_tokens": 200, **more}).encode()

    left = {"guided_regex": "[a-z ]{300}", "max_tokens": 300, "n": 8}
    return {
        "schemas": [
            chat(**asked({**schema, "title": f"{rng.random()}"}), n=4) for schema in SCHEMAS for _ in range(20)
        ],
        "grammars": [chat(guided_grammar=rules + "\n" * blanks) for rules in GRAMMARS for blanks in range(1, 20)],
        "stops": [text(stop=[f"{rng.random()}" for _ in range(count)]) for count in (200, 100_000)],
        "bodies": [(CHAT, body) for body in BODIES],
        "prompts": [text(prompt="".join(rng.choices("abcdefgh", k=size))) for size in (5_000, 1_000_000)],
        "leave": [chat(**left, stream=stream) for stream in (False, True)],
    }


async def hurt(url: str, name: str, drawn: list[tuple[str, bytes]], number: int, until: float, seen: Count) -> None:
    """One hostile tenant: it sends without end, `AT_ONCE` requests at a time."""

    async def one(place: int) -> None:
        rng = random.Random(f"{number} {place}")
        async with client(url, f"127.0.2.{number + 1}") as mine:
            while time.perf_counter() < until:
                path, body = rng.choice(drawn)
                try:
                    async with asyncio.timeout(rng.uniform(0.01, 0.3) if name == "leave" else None):
                        status = str((await mine.post(path, content=body)).status_code)
                except TimeoutError:
                    status = "left"
                except httpx.HTTPError as error:
                    status = type(error).__name__
                seen[f"{name}: {status}"] += 1
                await asyncio.sleep(PAUSE)

    await asyncio.gather(*(one(place) for place in range(AT_ONCE)))


def hurt_all(url: str, names: list[str], seconds: float, told: Queue[Count]) -> None:
    """The hostile tenants, in a process of their own: what they do must not delay the clocks of the honest ones."""
    until, seen, drawn = time.perf_counter() + seconds, Count(), _drawn(random.Random(0))
    port = int(url.rpartition(":")[2])

    async def both() -> None:
        work = [hurt(url, name, drawn[name], n, until, seen) for n, name in enumerate(names) if name in drawn]
        if "hold" in names:
            work += [hold(port, "127.0.2.100", until, seen) for _ in range(HELD)]
        await asyncio.gather(*work)

    with contextlib.suppress(TimeoutError):
        asyncio.run(asyncio.wait_for(both(), seconds))
    told.put(seen)


HALVES = [
    b"POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Le",
    b"POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: 3000000\r\n\r\n" + b" " * 1_000_000,
]


async def hold(port: int, address: str, until: float, seen: Count) -> None:
    """A connection that sends half a request, or asks for streams that it never reads; again when it is closed."""
    body = json.dumps({**ASK, "guided_regex": "[a-z ]{300}", "n": 16, "max_tokens": 300, "stream": True}).encode()
    whole = b"POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%b" % (len(body), body)
    unread = whole + b"GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n" * 1_000
    rng = random.Random(address)
    while time.perf_counter() < until:
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=(address, 0), limit=1024)
        except OSError:
            break
        with contextlib.suppress(OSError):
            if rng.random() < 0.3:
                writer.write(unread)
                writer.transport.pause_reading()  # type: ignore[attr-defined]
                while not writer.transport.is_closing() and time.perf_counter() < until:
                    await asyncio.sleep(0.5)
            else:
                writer.write(rng.choice(HALVES))
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(reader.read(1), max(until - time.perf_counter(), 0))
        writer.transport.abort()
        seen["connections held"] += 1


async def watch(pid: int, megabytes: list[float], honest: Honest, began: float) -> None:
    """Resident megabytes each second; a line a minute."""
    while True:
        await asyncio.sleep(1)
        megabytes.append(memory(pid))
        if len(megabytes) % 60 == 0:
            said = f"{len(honest.first):,} first tokens, {len(honest.tally.wrong)} wrong"
            print(f"  {time.perf_counter() - began:6.0f} s: {megabytes[-1]:,.0f} MB, {said}", flush=True)


async def end(url: str, port: int, server: subprocess.Popen[str], honest: Honest) -> float:
    """Seconds from SIGTERM to the server's end, with honest answers under way and connections held."""
    until = time.perf_counter() + 2 * GRACE
    seen: Count = Counter()
    held = [asyncio.create_task(hold(port, "127.0.2.200", until, seen)) for _ in range(HELD)]
    async with contextlib.AsyncExitStack() as clients:
        each = [await clients.enter_async_context(client(url, f"127.0.1.{n + 1}")) for n in range(30)]
        begun = len(honest.first)
        last = [asyncio.create_task(honest.ask(one, random.Random(n))) for n, one in enumerate(each)]
        while len(honest.first) < begun + len(last) and not all(task.done() for task in last):
            await asyncio.sleep(0.01)
        server.send_signal(signal.SIGTERM)
        began = time.perf_counter()
        await asyncio.gather(*last)
        with contextlib.suppress(subprocess.TimeoutExpired):
            await asyncio.to_thread(server.wait, 3 * GRACE)
        took = time.perf_counter() - began
    for task in held:
        task.cancel()
    await asyncio.gather(*held, return_exceptions=True)
    return took


def quantile(seconds: list[float], share: float) -> float:
    return 1000 * sorted(seconds)[min(int(len(seconds) * share), len(seconds) - 1)]


async def run(server: subprocess.Popen[str], url: str, options: argparse.Namespace) -> bool:
    port, seconds = int(url.rpartition(":")[2]), 60 * options.minutes
    honest, megabytes = Honest(options.think), list[float]()
    began = time.perf_counter()
    until = began + seconds
    watching = asyncio.create_task(watch(server.pid, megabytes, honest, began))
    work: list[Awaitable[None]] = [honest.work(url, number, until) for number in range(options.clients)]
    context = multiprocessing.get_context("spawn")
    told: Queue[Count] = context.Queue()
    hostile = context.Process(target=hurt_all, args=(url, options.hostile, seconds, told))
    hostile.start()
    await asyncio.gather(*work)
    watching.cancel()
    seen = await asyncio.to_thread(told.get)
    hostile.join()
    first = list(honest.first)
    took = await end(url, port, server, honest)
    for name, count in sorted({**seen, **honest.tally.counts}.items()):
        print(f"{count:>8,} {name}")
    p50, p99 = quantile(first, 0.5), quantile(first, 0.99)
    print(f"{p50:8.0f} ms to an honest first token (p50), {p99:.0f} ms (p99), {1000 * max(first):.0f} ms (worst)")
    third = max(len(megabytes) // 3, 1)
    thirds = [median(part) for part in (megabytes[:third], megabytes[third:-third] or megabytes, megabytes[-third:])]
    print("{:8,.0f} MB resident, then {:,.0f}, then {:,.0f}: medians of each third".format(*thirds))
    print(f"{len(honest.tally.wrong):>8,} honest answers wrong or lost")
    print(f"{took:8.1f} s from SIGTERM to the end, {GRACE} s of them for answers")
    for wrong in honest.tally.wrong[:10]:
        print("WRONG:", wrong)
    flat = seconds < 300 or thirds[2] <= 1.1 * thirds[1]
    return p99 <= TARGET and flat and not honest.tally.wrong and took <= GRACE + BESIDE


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.tenants", description=__doc__)
    parser.add_argument("--clients", type=int, default=64, choices=range(1, 255), metavar="N", help="honest ones")
    parser.add_argument("--minutes", type=float, default=20)
    parser.add_argument("--think", type=float, default=8, help="seconds on average between two requests of a client")
    parser.add_argument("--hostile", nargs="*", choices=NAMES, default=NAMES, help="none: honest clients alone")
    options = parser.parse_args()
    program = ["-c", "from frisket.cli import main; main()", "serve", "--port", "0", "--grace-seconds", str(GRACE)]
    server = subprocess.Popen([sys.executable, *program], stderr=subprocess.PIPE, text=True)
    try:
        assert server.stderr
        lines = iter(server.stderr.readline, "")
        found = next(found for line in lines if (found := re.search(r"http://[\d.]+:\d+", line)))
        # Nobody reads what the server logs after that: a pipe that is full would stop it.
        drain = asyncio.to_thread(lambda: [None for _ in lines])

        async def both() -> bool:
            draining = asyncio.create_task(drain)
            held = await run(server, found.group(), options)
            server.kill()
            await draining
            return held

        machine = f"{platform.machine()}, {os.cpu_count()} cores"
        print(f"{options.clients} honest clients, {options.minutes:g} minutes; {machine}", flush=True)
        held = asyncio.run(both())
    finally:
        server.kill()
        server.wait()
    sys.exit(not held)


if __name__ == "__main__":
    main()
