"""Seed → what one client asks of a server, good and bad, and what came back, judged by validators that are not ours."""

from __future__ import annotations

import asyncio
import json
import random
import re
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from itertools import pairwise
from typing import Any

import httpx
import jsonschema

from .vllm import schema as random_schema

CHAT, TEXT, RESPONSE = "/v1/chat/completions", "/v1/completions", "/v1/responses"
MESSAGE = "My card was charged twice"
ASK = {"model": "embedded", "messages": [{"role": "user", "content": MESSAGE}]}
PROMPT = {"model": "embedded", "prompt": MESSAGE}
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
#: Patterns that Python's `re` reads as JSON Schema does.
PATTERNS = ("[a-f]{2,12}", r"[0-9]{4}-[0-9]{2}", "(?:red|green|blue)(?:, (?:red|green|blue)){1,3}", "[A-Z][a-z]{3,20}")


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
    ("indivisible", asked({"type": "integer", "multipleOf": 999_983}), 400),
]


def _levels(count: int) -> dict[str, Any]:
    """Definitions each of which refers to the next three times: 3ⁿ ways to the last."""
    level = {
        f"d{number}": {
            "type": "object",
            "properties": {name: {"$ref": f"#/$defs/d{number + 1}"} for name in "abc"},
            "required": ["a", "b"],
        }
        for number in range(count)
    }
    return {"$ref": "#/$defs/d0", "$defs": {**level, f"d{count}": {"type": "integer"}}}


def _nested(levels: int) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "integer"}
    for _ in range(levels):
        schema = {"type": "array", "items": schema, "minItems": 2}
    return schema


_NAMES = [f"p{number:03}" for number in range(300)]
#: What is made to hurt: served, or refused by a limit.
HOSTILE: list[dict[str, Any]] = [
    _levels(80),
    _nested(200),
    {"oneOf": [{"properties": {f"a{n}": {"type": "integer"}, f"b{n}": {}}, "required": [f"a{n}"]} for n in range(12)]},
    {"type": "string", "allOf": [{"pattern": f"{letter}.{{12}}"} for letter in "abcdefgh"], "maxLength": 60},
    {"type": "string", "not": {"pattern": "(a.{10}b|b.{11}a)"}, "maxLength": 40},
    {"type": "object", "patternProperties": {f"^.*{a}.{{5}}{b}": {"type": "integer"} for a in "abcd" for b in "abcd"}},
    {"type": "array", "uniqueItems": True, "minItems": 40, "items": {"enum": list(range(60))}},
    {"type": "array", "minItems": 20, "maxItems": 40, "contains": {"type": "integer", "multipleOf": 7},
     "minContains": 5, "items": {"type": "integer", "maximum": 99, "minimum": 0}},
    {"type": "object", "properties": {name: {"const": 1} for name in _NAMES},
     "dependentRequired": {one: [two] for one, two in pairwise(_NAMES)}},
    {"enum": ["é" * 20_000 + "a", "é" * 20_000 + "b"]},
    {"type": "string", "pattern": "^(?:(?:a{0,100}){0,100}){0,100}$"},
]  # fmt: skip


class Tally:
    """What came back."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.wrong: list[str] = []
        self.seconds: list[float] = []
        self.tokens = 0

    def fault(self, status: int, body: bytes) -> None:
        """An answer to a good request that is no document: right only where no document fits into the tokens."""
        error = json.loads(body)["error"] if status == 400 else {}
        if error.get("code") == "budget":
            least, room = map(int, re.findall(r"\d+", error["message"])[:2])
            if least > room:
                self.counts["refused: no document fits"] += 1
                return
        self.wrong.append(f"{status} for a good request: {body[:300]!r}")

    def judge(self, schema: Any, text: str, reason: str | None) -> None:
        """A document by its schema, if it was not cut and said so."""
        if reason == "length":
            self.counts["cut by a limit, and said so"] += 1
            return
        try:
            jsonschema.validate(json.loads(text), schema)
            self.counts["valid documents"] += 1
        except (ValueError, jsonschema.ValidationError) as error:
            self.counts["INVALID DOCUMENTS"] += 1
            self.wrong.append(f"invalid: {text[:500]!r}: {str(error)[:500]}")


async def document(client: httpx.AsyncClient, rng: random.Random, tally: Tally) -> None:
    """A document of a schema that others ask for, too, or of a fresh one; by chat, or as a response."""
    schema = TICKET if rng.random() < 0.5 else random_schema(rng.randrange(10**9))
    body = {**asked(schema), "temperature": rng.choice([0, 1]), "seed": rng.randrange(1000), "max_tokens": 300}
    if rng.random() < 0.2:
        await response(client, schema, tally)
        return
    if (answer := await chat(client, body, tally, stream=rng.random() < 0.5)) is not None:
        message, reason = answer
        tally.judge(schema, message["content"], reason)


async def response(client: httpx.AsyncClient, schema: Any, tally: Tally) -> None:
    """The same as a response of the Responses API."""
    text = {"format": {"type": "json_schema", "name": "x", "schema": schema}}
    body = {"model": "embedded", "input": MESSAGE, "text": text, "max_output_tokens": 300}
    began = time.perf_counter()
    answer = await client.post(RESPONSE, json=body)
    if answer.status_code != 200:
        tally.fault(answer.status_code, answer.content)
        return
    tally.seconds.append(time.perf_counter() - began)
    said = answer.json()
    tally.tokens += said["usage"]["output_tokens"]
    written = "".join(part["text"] for item in said["output"] for part in item["content"])
    tally.judge(schema, written, "length" if said["status"] == "incomplete" else "stop")


async def pattern(client: httpx.AsyncClient, rng: random.Random, tally: Tally) -> None:
    """A text of a pattern."""
    wanted = rng.choice(PATTERNS)
    body = {**PROMPT, "guided_regex": wanted, "max_tokens": 60, "temperature": 1, "seed": rng.randrange(1000)}
    answer = await client.post(TEXT, json=body)
    if answer.status_code != 200:
        tally.fault(answer.status_code, answer.content)
        return
    (choice,) = answer.json()["choices"]
    tally.tokens += answer.json()["usage"]["completion_tokens"]
    if choice["finish_reason"] == "stop" and re.fullmatch(wanted, choice["text"]):
        tally.counts["valid texts"] += 1
    else:
        tally.wrong.append(f"invalid: {choice} is no {wanted}")


async def call(client: httpx.AsyncClient, rng: random.Random, tally: Tally) -> None:
    """A call of a tool."""
    tool = {"type": "function", "function": {"name": "open_ticket", "parameters": TICKET}}
    more = {"tools": [tool], "tool_choice": "required", "parallel_tool_calls": False, "max_tokens": 200}
    if (answer := await chat(client, {**ASK, **more}, tally, stream=rng.random() < 0.5)) is None:
        return
    message, reason = answer
    if reason != "length" and (reason, len(message["tool_calls"])) != ("tool_calls", 1):
        tally.wrong.append(f"no call: {answer}")
    else:
        arguments = message["tool_calls"][0]["function"]["arguments"] if message["tool_calls"] else ""
        tally.judge(TICKET, arguments, reason)


async def chat(
    client: httpx.AsyncClient, body: dict[str, Any], tally: Tally, *, stream: bool
) -> tuple[dict[str, Any], str | None] | None:
    """The message and its finish reason, whole or gathered from a stream; None, and tallied, where there is none."""
    began = time.perf_counter()
    message: dict[str, Any] = {"content": "", "tool_calls": []}
    reason = None
    async with client.stream("POST", CHAT, json={**body, "stream": stream}) as answer:
        if answer.status_code != 200:
            tally.fault(answer.status_code, await answer.aread())
            return None
        if not stream:
            said = json.loads(await answer.aread())
            tally.tokens += said["usage"]["completion_tokens"]
            reason = said["choices"][0]["finish_reason"]
            message |= said["choices"][0]["message"]
        else:
            async for line in answer.aiter_lines():
                if line.startswith("data: {"):
                    event = json.loads(line[6:])
                    if "error" in event:
                        tally.wrong.append(f"an error in a stream: {event}")
                        return None
                    tally.tokens += 1
                    delta = event["choices"][0]["delta"]
                    message["content"] += delta.get("content") or ""
                    for call in delta.get("tool_calls", []):
                        if "id" in call:
                            message["tool_calls"].append(call)
                        else:
                            message["tool_calls"][-1]["function"]["arguments"] += call["function"]["arguments"]
                    reason = event["choices"][0]["finish_reason"] or reason
    tally.seconds.append(time.perf_counter() - began)
    return message, reason


async def hostile(client: httpx.AsyncClient, rng: random.Random, tally: Tally) -> None:
    """A schema that is made to hurt, new to the server: a valid answer, or a limit that is named."""
    schema = {**rng.choice(HOSTILE), "description": f"{rng.random()}"}
    answer = await client.post(CHAT, json={**asked(schema), "max_tokens": 100})
    if answer.status_code == 200:
        (choice,) = answer.json()["choices"]
        tally.counts["hostile schemas that were served"] += 1
        tally.judge(schema, choice["message"]["content"], choice["finish_reason"])
    elif answer.status_code == 400 and answer.json()["error"]["code"] == "limit":
        tally.counts["hostile schemas that a limit refused"] += 1
    else:
        tally.fault(answer.status_code, answer.content)


async def leave(client: httpx.AsyncClient, rng: random.Random, tally: Tally) -> None:
    """A client that goes while its answer is being written."""
    body = {**ASK, "guided_regex": "[a-z ]{300}", "max_tokens": 300, "n": 2, "stream": rng.random() < 0.5}
    try:
        async with asyncio.timeout(rng.uniform(0.01, 0.5)), client.stream("POST", CHAT, json=body) as answer:
            async for _ in answer.aiter_bytes():
                if rng.random() < 0.1:
                    break
    except TimeoutError:
        pass
    tally.counts["clients that left"] += 1


async def refused(client: httpx.AsyncClient, rng: random.Random, tally: Tally) -> None:
    """Bad JSON, a body that is too large, a request that cannot be served."""
    name, body, status = rng.choice(REFUSED)
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    answer = await client.post(CHAT, content=data, headers={"Content-Type": "application/json"})
    if answer.status_code != status or "code" not in answer.json()["error"]:
        tally.wrong.append(f"{answer.status_code} and not {status} for {name}: {answer.text[:200]}")
    tally.counts["refused as they should be"] += answer.status_code == status


KINDS: dict[Callable[[httpx.AsyncClient, random.Random, Tally], Awaitable[None]], int] = {
    document: 11, pattern: 2, call: 1, hostile: 1, leave: 2, refused: 3,
}  # fmt: skip


async def work(url: str, number: int, requests: int, until: float, tally: Tally) -> None:
    """So many requests of one client, but none that begins after `until`."""
    rng = random.Random(number)
    async with httpx.AsyncClient(base_url=url, timeout=None) as client:
        for _ in range(requests):
            if time.perf_counter() > until:
                break
            tally.counts["requests"] += 1
            kind = rng.choices([*KINDS], [*KINDS.values()])[0]
            try:
                await kind(client, rng, tally)
            except httpx.HTTPError as error:
                tally.wrong.append(f"{kind.__name__}: {error!r}")
