"""Granite 3: a JSON array after <|tool_call|>."""

from frisket.tools.family import Family

FAMILY = Family(
    name="granite3",
    models="Granite 3.0, Granite 3.1, Granite 3.2, Granite 3.3",
    sources=(
        "https://huggingface.co/ibm-granite/granite-3.0-8b-instruct/blob/main/tokenizer_config.json",
        "https://github.com/vllm-project/vllm/blob/v0.33.0/vllm/parser/granite.py",
    ),
    call=('{"name":$ws"$name",$ws"arguments":$ws$arguments$ws}',),
    calls="<|tool_call|>$ws[$calls]",
    separators=(
        ", ",
        ",",
    ),
    special=frozenset({"<|tool_call|>"}),
    other_content=(("<response>", "</response>"),),
    thinking=("<think>", "</think>"),
    stops=("<|end_of_text|>",),
)
