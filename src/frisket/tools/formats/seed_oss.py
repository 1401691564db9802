"""Seed-OSS: the tags of Qwen 3 Coder under names of its own."""

from frisket.tools.family import Family

FAMILY = Family(
    name="seed_oss",
    models="Seed-OSS",
    sources=(
        "https://huggingface.co/ByteDance-Seed/Seed-OSS-36B-Instruct/blob/main/chat_template.jinja",
        "https://github.com/vllm-project/vllm/blob/v0.33.0/vllm/parser/seed_oss.py",
    ),
    call=("<seed:tool_call>\n<function=$name>\n$arguments</function>\n</seed:tool_call>",),
    separators=(
        "\n",
        "",
    ),
    arguments="parameters",
    python_words=True,
    parameter="<parameter=$key>$value</parameter>\n",
    text_between=True,
    thinking=(
        "<seed:think>",
        "</seed:think>",
    ),
    stops=("<seed:eos>",),
)
