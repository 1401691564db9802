"""Jamba 1.5: a JSON array in one element."""

from frisket.tools.family import Family

FAMILY = Family(
    name="jamba",
    models="Jamba 1.5, Jamba 1.6",
    sources=(
        "https://huggingface.co/ai21labs/AI21-Jamba-1.5-Mini",
        "https://github.com/vllm-project/vllm/blob/v0.33.0/vllm/tool_parsers/jamba_tool_parser.py",
    ),
    call=('{"name":$ws"$name",$ws"arguments":$ws$arguments$ws}',),
    calls="<tool_calls>$ws[$ws$calls$ws]$ws</tool_calls>",
    separators=(
        ",\n",
        ", ",
        ",",
    ),
    stops=("<|eom|>",),
)
