"""Qwen 3 Coder and Qwen 3.5: one tag for each parameter."""

from frisket.tools.family import Family

FAMILY = Family(
    name="qwen3_coder",
    models="Qwen 3 Coder, Qwen 3.5, Qwen 3.6, Nemotron 3, Step 3.5",
    sources=(
        "https://huggingface.co/Qwen/Qwen3-Coder-480B-A35B-Instruct-FP8/blob/main/chat_template.jinja",
        "https://github.com/vllm-project/vllm/blob/v0.33.0/vllm/parser/qwen3.py",
    ),
    call=("<tool_call>\n<function=$name>\n$arguments</function>\n</tool_call>",),
    separators=(
        "\n",
        "",
    ),
    arguments="parameters",
    python_words=True,
    parameter="<parameter=$key>\n$value\n</parameter>\n",
    text_between=True,
    thinking=(
        "<think>",
        "</think>",
    ),
    stops=("<|im_end|>",),
)
