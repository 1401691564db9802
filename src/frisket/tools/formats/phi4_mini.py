"""Phi-4-mini: a JSON array after functools."""

from frisket.tools.family import Family

FAMILY = Family(
    name="phi4_mini",
    models="Phi-4-mini",
    sources=(
        "https://huggingface.co/microsoft/Phi-4-mini-instruct",
        "https://github.com/vllm-project/vllm/blob/v0.33.0/vllm/tool_parsers/phi4mini_tool_parser.py",
    ),
    call=('{"name":$ws"$name",$ws"arguments":$ws$arguments$ws}',),
    calls="functools[$calls]",
    separators=(
        ", ",
        ",",
    ),
    text_before=True,
    stops=(
        "<|end|>",
        "<|endoftext|>",
    ),
)
