"""InternLM 2.5: one call between action tokens."""

from frisket.tools.family import Family

FAMILY = Family(
    name="internlm2",
    models="InternLM 2, InternLM 2.5",
    sources=(
        "https://github.com/InternLM/InternLM/blob/main/chat/chat_format.md",
        "https://github.com/vllm-project/vllm/blob/v0.33.0/vllm/tool_parsers/internlm2_tool_parser.py",
    ),
    call=('<|action_start|><|plugin|>$ws{"name":$ws"$name",$ws"parameters":$ws$arguments$ws}$ws<|action_end|>',),
    special=frozenset({"<|action_start|>", "<|plugin|>", "<|action_end|>"}),
    parallel=False,
    stops=("<|im_end|>",),
)
