"""LFM2: a list of Python calls between special tokens."""

from frisket.tools.family import Family

FAMILY = Family(
    name="lfm2",
    models="LFM2, LFM2.5",
    sources=(
        "https://docs.liquid.ai/lfm/key-concepts/tool-use",
        "https://github.com/vllm-project/vllm/blob/v0.33.0/vllm/tool_parsers/lfm2_tool_parser.py",
    ),
    call=("$name($arguments)",),
    calls="<|tool_call_start|>[$calls]<|tool_call_end|>",
    separators=(", ",),
    arguments="python",
    json_objects=True,
    python_values=frozenset({"array"}),
    thinking=("<think>", "</think>"),
    special=frozenset({"<|tool_call_start|>", "<|tool_call_end|>"}),
    name_pattern="[A-Za-z_][A-Za-z0-9_]*",
    stops=("<|im_end|>",),
)
