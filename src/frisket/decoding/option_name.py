"""Names of keyword arguments → nothing, or a TypeError that says which name to use.

Users of other libraries write `temperature=` or `max_new_tokens=`, and are told the name that it has here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from frisket.argument_name import explained
from frisket.options import AllOptions

#: The names of all options.
NAMES = tuple(AllOptions.__annotations__)

_STREAM = {
    "strategy": "a strategy has no step to show before it has a whole answer: use generate or sample",
    "on_step": "the steps are what it yields: for step in answer",
    "allow_partial": 'it shows what came in any case, as `text` and `partial`; on_budget="cut" lets it end anywhere',
}
#: By call: options that exist but have no meaning for this call, and the reason.
REFUSED: Mapping[str, Mapping[str, str]] = {
    "stream": _STREAM,
    "astream": _STREAM,
    "sample": {
        "on_step": "it returns several answers, and each has its `steps`",
        "allow_partial": "it returns answers as they are, and each has its `text`",
    },
    "generate_many": {
        "on_step": "answers are made side by side: on_done hears of each, and stream shows the steps of one"
    },
}

_TARGET = "pass it as the third argument, the target: a type, a schema, a list of texts, a pattern or a Grammar"
_OF_MANY = ("batch_size", "workers", "on_done", "progress", "return_errors")
_MANY = "it is an argument of generate_many alone"
#: The same of generate_many alone, which has arguments of its own.
_MANY_SLIPS: Mapping[str, str] = {
    **dict.fromkeys(("max_workers", "n_jobs", "num_workers", "threads", "concurrency"), "write workers={value}"),
    **dict.fromkeys(
        ("target", "schema", "schemas", "output_type"), "write targets=…, or pass it as the third argument"
    ),
    **dict.fromkeys(("show_progress", "use_tqdm", "verbose"), "write progress=True"),
}
#: Arguments as other libraries name them → what to write instead.
SLIPS: Mapping[str, str] = {
    **dict.fromkeys(
        ("temperature", "top_k", "top_p", "min_p", "repetition_penalty"),
        "write sampler=frisket.Sampler({name}={value})",
    ),
    "do_sample": "write sampler=frisket.Sampler() for draws; without it the likeliest token is taken",
    **dict.fromkeys(
        ("max_new_tokens", "max_length", "max_completion_tokens", "max_output_tokens", "num_predict", "n_predict"),
        "write max_tokens={value}",
    ),
    "min_new_tokens": "write min_tokens={value}",
    **dict.fromkeys(("stop_strings", "stop_sequences", "stop_at"), "write stop={value}"),
    **dict.fromkeys(
        (
            *("schema", "json_schema", "guided_json", "response_format", "response_model", "output_type", "type"),
            *("grammar", "regex", "pattern", "choices"),
        ),
        _TARGET,
    ),
    "options": "they belong to the target: frisket.Grammar.from_json_schema(schema, options), or from_type",
    **dict.fromkeys(("max_retries", "retries"), "leave it out: every answer is valid, so nothing is tried again"),
    **dict.fromkeys(
        ("system", "system_prompt"),
        'write a prompt of messages: [{{"role": "system", "content": {value}}}, {{"role": "user", "content": "…"}}]',
    ),
    "stream": "call frisket.stream",
    **dict.fromkeys(("messages", "inputs", "input", "text"), "pass it as the second argument, the prompt"),
    "tool_choice": "write choice={value}",
    "parallel_tool_calls": "write parallel={value}",
    "functions": "write tools=[…]",
    **dict.fromkeys(
        ("reasoning", "think", "enable_thinking"), "write frisket.think(target), or thinking= beside tools"
    ),
    **dict.fromkeys(
        ("n", "num_samples", "num_return_sequences"), "write frisket.sample(model, prompt, target, {value}) for several"
    ),
    "num_beams": "write strategy=frisket.strategies.Beams({value})",
    "best_of": "write strategy=frisket.strategies.Best({value})",
    **dict.fromkeys(("callback", "on_token", "streamer"), "write on_step=…, a function that takes a Step"),
    "random_state": "write seed={value}",
    "timeout": "write limits=frisket.Limits(cancellation=…), which another thread can end",
    **dict.fromkeys(_OF_MANY, _MANY),
}


def check_names(call: str, options: Mapping[str, Any]) -> None:
    """TypeError for an option that does not exist, or that has no meaning for this call."""
    reasons = REFUSED.get(call, {})
    for name, value in options.items():
        if name not in NAMES:
            own = tuple(_OF_MANY) if call == "generate_many" else ()
            slips = {**SLIPS, **_MANY_SLIPS} if own else SLIPS
            raise explained(call, name, value, [one for one in (*NAMES, *own) if one not in reasons], slips)
        # An option that is None or False asks for nothing, so every call accepts it.
        if name in reasons and value not in (None, False):
            raise TypeError(f"{call} takes no {name}: {reasons[name]}")
