"""Apertus: a JSON array of objects with the name of a tool as their only key."""

from frisket.tools.family import Family

FAMILY = Family(
    name="apertus",
    models="Apertus",
    sources=(
        "https://huggingface.co/swiss-ai/Apertus-8B-Instruct-2509/blob/main/chat_template.jinja",
        "https://github.com/vllm-project/vllm/blob/v0.33.0/vllm/tool_parsers/apertus_tool_parser.py",
    ),
    call=('{"$name":$ws$arguments$ws}',),
    calls="<|tools_prefix|>[$calls]<|tools_suffix|>",
    separators=(", ", ","),
    special=frozenset({"<|tools_prefix|>", "<|tools_suffix|>", "<|inner_prefix|>", "<|inner_suffix|>"}),
    thinking=("<|inner_prefix|>", "<|inner_suffix|>"),
    thinking_holds_calls=True,
    stops=("<|assistant_end|>",),
)
