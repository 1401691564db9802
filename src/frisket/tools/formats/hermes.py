"""Hermes 2 Pro and 3: a JSON object in <tool_call> tags for each call."""

from frisket.tools.family import Family

FAMILY = Family(
    name="hermes",
    models="Hermes 2 Pro, Hermes 3, Hermes 4, Qwen 2.5",
    sources=(
        "https://github.com/NousResearch/Hermes-Function-Calling",
        "https://github.com/vllm-project/vllm/blob/v0.33.0/vllm/tool_parsers/hermes_tool_parser.py",
    ),
    call=('<tool_call>$ws{"name":$ws"$name",$ws"arguments":$ws$arguments$ws}$ws</tool_call>',),
    separators=(
        "\n",
        "",
    ),
    text_between=True,
    stops=("<|im_end|>",),
)
