"""Unsupported field → the values that are harmless, and a hint what to use instead.

The reader of requests and the OpenAPI document both use this table.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

#: Hint for an unknown field, which is refused because ignoring it could change the answer.
LISTED = "leave it out; GET /openapi.json lists the fields"
TOOLS_ELSEWHERE = "POST /v1/chat/completions and /v1/responses serve tools"
SCHEMA = 'say {"response_format": {"type": "json_schema", "json_schema": {"name": …, "schema": …}}}'
FUNCTION = 'say {"type": "function", "function": {"name": …, "parameters": …}}'
TOKENS = "say max_tokens, or max_output_tokens to /v1/responses"
RULES = 'say {"structured_outputs": {"grammar": …}}'


@dataclass(frozen=True)
class Unserved:
    """A field of OpenAI, vLLM, SGLang, llama.cpp, Ollama or NIM that this server does not support."""

    hint: str = "leave it out"
    idle: tuple[Any, ...] = ()
    """Harmless values other than null and empty ones: those that equal the default."""

    @property
    def values(self) -> list[Any]:
        """The allowed values of the field."""
        return [None, [], {}, *self.idle]

    def allows(self, value: Any) -> bool:
        """Whether the field may have this value; JSON, unlike Python, distinguishes 1 and true."""
        return any(value == one and isinstance(value, bool) == isinstance(one, bool) for one in self.values)


UNSERVED: Mapping[str, Unserved] = {
    # OpenAI
    "previous_response_id": Unserved("nothing is stored: send the items of the conversation as input"),
    "conversation": Unserved("nothing is stored: send the items of the conversation"),
    "max_tool_calls": Unserved("say parallel_tool_calls"),
    "max_tokens": Unserved("say max_output_tokens"),
    "max_completion_tokens": Unserved(TOKENS),
    "max_output_tokens": Unserved("say max_tokens"),
    "prediction": Unserved(),
    "web_search_options": Unserved("offer a tool that searches"),
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
    "bad_words": Unserved("say logit_bias, or a grammar without them"),
    "allowed_token_ids": Unserved("say structured_outputs, or logit_bias"),
    "return_token_ids": Unserved(idle=(False,)),
    "return_tokens_as_token_ids": Unserved(idle=(False,)),
    "prompt_logprobs": Unserved("POST /v1/completions scores a prompt with echo and logprobs"),
    "truncate_prompt_tokens": Unserved("shorten the prompt"),
    "add_special_tokens": Unserved("POST /v1/completions takes token ids"),
    "detokenize": Unserved(idle=(True,)),
    "chat_template_kwargs": Unserved("POST /v1/chat/completions serves it"),
    "chat_template": Unserved("the model's own template is used; chat_template_kwargs are its variables"),
    "documents": Unserved("write them into a message"),
    "thinking_token_budget": Unserved("say reasoning_effort, or max_tokens"),
    "max_new_tokens": Unserved(TOKENS),
    "min_new_tokens": Unserved("say min_tokens"),
    "sampling_params": Unserved("its fields stand in the body itself"),
    "input_ids": Unserved("POST /v1/completions takes token ids as its prompt"),
    "stop_regex": Unserved("say stop, or structured_outputs"),
    "no_stop_trim": Unserved(idle=(False,)),
    "stream_reasoning": Unserved(idle=(True,)),
    "return_logprob": Unserved("say logprobs", (False,)),
    "top_logprobs_num": Unserved("say logprobs and top_logprobs", (0,)),
    "return_hidden_states": Unserved(idle=(False,)),
    "lora_path": Unserved("start a server with that model"),
    "rid": Unserved("say request_id"),
    # llama.cpp and Ollama
    "n_predict": Unserved(TOKENS, (-1,)),
    "n_probs": Unserved("say logprobs and top_logprobs", (0,)),
    "repeat_penalty": Unserved("say repetition_penalty", (1,)),
    "repeat_last_n": Unserved("repetition_penalty counts the whole answer"),
    "typical_p": Unserved(idle=(1,)),
    "mirostat": Unserved(idle=(0,)),
    "dynatemp_range": Unserved(idle=(0,)),
    "dry_multiplier": Unserved(idle=(0,)),
    "xtc_probability": Unserved(idle=(0,)),
    "samplers": Unserved("say temperature, top_k, top_p, min_p"),
    "cache_prompt": Unserved(idle=(True, False)),
    "id_slot": Unserved(idle=(-1,)),
    "timings_per_token": Unserved(idle=(False,)),
    "return_tokens": Unserved(idle=(False,)),
    "return_progress": Unserved(idle=(False,)),
    "post_sampling_probs": Unserved("logprobs are those of the model", (False,)),
    "grammar_lazy": Unserved("say tools: their grammar waits for a call", (False,)),
    "reasoning_format": Unserved("reasoning comes as reasoning_content", ("auto", "deepseek")),
    "parse_tool_calls": Unserved(idle=(True,)),
    "keep_alive": Unserved(),
    "think": Unserved("say reasoning_effort"),
    # Other servers' names for a schema, a pattern, rules and the like
    "json_schema": Unserved(SCHEMA),
    "format": Unserved(SCHEMA),
    "regex": Unserved('say {"structured_outputs": {"regex": …}}'),
    "ebnf": Unserved(RULES),
    "grammar": Unserved(RULES),
    "nvext": Unserved("its guided_… fields stand in the body itself"),
    "options": Unserved("say temperature, top_p, seed, max_tokens … in the body itself"),
}  # fmt: skip
