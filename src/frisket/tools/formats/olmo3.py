"""Olmo 3: Python calls, one a line, in one element."""

from frisket.tools.family import Family

FAMILY = Family(
    name="olmo3",
    models="Olmo 3",
    sources=(
        "https://huggingface.co/allenai/Olmo-3-7B-Instruct/blob/main/chat_template.jinja",
        "https://github.com/vllm-project/vllm/blob/v0.33.0/vllm/tool_parsers/olmo3_tool_parser.py",
    ),
    call=("$name($arguments)",),
    calls="<function_calls>$ws$calls$ws</function_calls>",
    separators=("\n",),
    arguments="python",
    name_pattern="[A-Za-z_][A-Za-z0-9_]*",
    stops=("<|im_end|>",),
)
