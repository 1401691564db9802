"""GigaChat 3.1: one JSON object after a special token."""

from frisket.tools.family import Family

FAMILY = Family(
    name="gigachat3",
    models="GigaChat 3.1",
    sources=(
        "https://github.com/ggml-org/llama.cpp/blob/master/models/templates/GigaChat3.1-10B-A1.8B.jinja",
        "https://github.com/vllm-project/vllm/blob/v0.33.0/vllm/tool_parsers/gigachat3_tool_parser.py",
    ),
    call=('<|function_call|>$ws{"name":$ws"$name",$ws"arguments":$ws$arguments$ws}',),
    special=frozenset({"<|function_call|>"}),
    parallel=False,
    stops=("<|message_sep|>",),
)
