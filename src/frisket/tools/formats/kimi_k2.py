"""Kimi K2: a section of calls, each with an identifier that holds the name."""

from frisket.tools.family import Family

FAMILY = Family(
    name="kimi_k2",
    models="Kimi K2, Kimi K2.5",
    sources=(
        "https://huggingface.co/moonshotai/Kimi-K2-Instruct/blob/main/docs/tool_call_guidance.md",
        "https://github.com/vllm-project/vllm/blob/v0.33.0/vllm/parser/kimi_k2.py",
    ),
    call=("<|tool_call_begin|>functions.$name:$id<|tool_call_argument_begin|>$arguments<|tool_call_end|>",),
    calls="<|tool_calls_section_begin|>$calls<|tool_calls_section_end|>",
    id="[0-9]{1,4}",
    special=frozenset(
        {
            "<|tool_calls_section_begin|>",
            "<|tool_calls_section_end|>",
            "<|tool_call_begin|>",
            "<|tool_call_argument_begin|>",
            "<|tool_call_end|>",
        }
    ),
    thinking=(
        "<think>",
        "</think>",
    ),
    stops=("<|im_end|>",),
    note="identifiers count all calls of a conversation, so any number may stand in them",
)
