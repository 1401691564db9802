"""Qwen 3: the calls of Hermes, after reasoning in <think> tags."""

from frisket.tools.family import Family

FAMILY = Family(
    name="qwen3",
    models="Qwen 3, QwQ, SmolLM 3",
    sources=(
        "https://huggingface.co/Qwen/Qwen3-8B/blob/main/tokenizer_config.json",
        "https://github.com/vllm-project/vllm/blob/v0.33.0/vllm/tool_parsers/hermes_tool_parser.py",
    ),
    call=('<tool_call>$ws{"name":$ws"$name",$ws"arguments":$ws$arguments$ws}$ws</tool_call>',),
    separators=(
        "\n",
        "",
    ),
    text_between=True,
    thinking=(
        "<think>",
        "</think>",
    ),
    stops=("<|im_end|>",),
)
