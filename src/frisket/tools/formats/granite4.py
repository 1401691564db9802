"""Granite 4: the calls of Hermes."""

from frisket.tools.family import Family

FAMILY = Family(
    name="granite4",
    models="Granite 4.0",
    sources=(
        "https://huggingface.co/ibm-granite/granite-4.0-h-small/blob/main/chat_template.jinja",
        "https://github.com/vllm-project/vllm/blob/v0.33.0/vllm/tool_parsers/granite4_tool_parser.py",
    ),
    call=('<tool_call>$ws{"name":$ws"$name",$ws"arguments":$ws$arguments$ws}$ws</tool_call>',),
    separators=(
        "\n",
        "",
    ),
    text_between=True,
    stops=("<|end_of_text|>",),
)
