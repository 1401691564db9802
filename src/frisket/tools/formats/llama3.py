"""Llama 3.1 to 3.3: a JSON object that is the whole message."""

from frisket.tools.family import Family

FAMILY = Family(
    name="llama3",
    models="Llama 3.1, Llama 3.2, Llama 3.3, Llama 4 (JSON)",
    sources=(
        "https://www.llama.com/docs/model-cards-and-prompt-formats/llama3_1/",
        "https://github.com/vllm-project/vllm/blob/v0.33.0/vllm/tool_parsers/llama_tool_parser.py",
    ),
    call=('{"name":$ws"$name",$ws"parameters":$ws$arguments$ws}',),
    calls="$calls",
    separators=("; ",),
    opener="{",
    text_before=False,
    special=frozenset({"<|python_tag|>"}),
    stops=(
        "<|eom_id|>",
        "<|eot_id|>",
    ),
    note="no marker announces a call, so other text never begins with a brace",
)
