"""Field whose meaning is not served → what it may say because it changes no answer, and what helps.

Two read this: what refuses a request, and what describes requests in the OpenAPI document.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

#: What helps where a field is unknown: to ignore it would give another answer than the one that was asked for.
LISTED = "leave it out; GET /openapi.json lists the fields"
TOOLS_ELSEWHERE = "POST /v1/chat/completions and /v1/responses serve tools"
SCHEMA = 'say {"response_format": {"type": "json_schema", "json_schema": {"name": …, "schema": …}}}'
RULES = 'say {"structured_outputs": {"grammar": …}}'


@dataclass(frozen=True)
class Unserved:
    """A field of OpenAI, vLLM, SGLang, llama.cpp, Ollama or NIM."""

    hint: str = "leave it out"
    idle: tuple[Any, ...] = ()
    """What it may say beside null and what is empty: what is so without it."""

    @property
    def values(self) -> list[Any]:
        """All that it may say."""
        return [None, [], {}, *self.idle]

    def allows(self, value: Any) -> bool:
        """Whether it may say so; to Python, but not to JSON, 1 is true."""
        return any(value == one and isinstance(value, bool) == isinstance(one, bool) for one in self.values)


UNSERVED: Mapping[str, Unserved] = {
    # OpenAI
    "tools": Unserved(TOOLS_ELSEWHERE),
    "tool_choice": Unserved(TOOLS_ELSEWHERE, ("none", "auto")),
    "functions": Unserved("send tools"),
    "function_call": Unserved("send tool_choice", ("none", "auto")),
    "logit_bias": Unserved("POST /v1/chat/completions and /v1/completions serve it"),
    "reasoning": Unserved("POST /v1/chat/completions serves reasoning_effort, /v1/responses reasoning"),
    "reasoning_effort": Unserved("POST /v1/chat/completions serves it, /v1/responses reasoning"),
    "audio": Unserved(),
    "modalities": Unserved(idle=(["text"],)),
    "verbosity": Unserved("say in the prompt how long the answer shall be", ("medium",)),
    # vLLM and SGLang
    "best_of": Unserved(idle=(1,)),
    "use_beam_search": Unserved(idle=(False,)),
    "length_penalty": Unserved(idle=(1,)),
    "echo": Unserved("POST /v1/completions serves it", (False,)),
    "ignore_eos": Unserved("say min_tokens", (False,)),
    "stop_token_ids": Unserved("say stop"),
    "include_stop_str_in_output": Unserved(idle=(False,)),
    "skip_special_tokens": Unserved(idle=(True,)),
    "spaces_between_special_tokens": Unserved(idle=(True, False)),
    "add_generation_prompt": Unserved("POST /v1/chat/completions serves it", (True,)),
    "continue_final_message": Unserved("POST /v1/chat/completions serves it", (False,)),
    "include_reasoning": Unserved(idle=(True,)),
    "separate_reasoning": Unserved(idle=(True,)),
    "guided_whitespace_pattern": Unserved('say {"frisket": {"whitespace": "compact"}}, or pretty, bounded, free'),
    "guided_decoding_backend": Unserved(idle=("auto",)),
    # What other servers call a schema, a pattern, rules and the like
    "json_schema": Unserved(SCHEMA),
    "format": Unserved(SCHEMA),
    "regex": Unserved('say {"structured_outputs": {"regex": …}}'),
    "ebnf": Unserved(RULES),
    "grammar": Unserved(RULES),
    "nvext": Unserved("its guided_… fields stand in the body itself"),
    "options": Unserved("say temperature, top_p, seed, max_tokens … in the body itself"),
}  # fmt: skip
