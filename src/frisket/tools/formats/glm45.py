"""GLM-4.5 to 4.7: pairs of <arg_key> and <arg_value> tags."""

from frisket.tools.family import Family

FAMILY = Family(
    name="glm45",
    models="GLM-4.5, GLM-4.6, GLM-4.7, Ling 3, Laguna",
    sources=(
        "https://huggingface.co/zai-org/GLM-4.5/blob/main/chat_template.jinja",
        "https://github.com/vllm-project/vllm/blob/v0.33.0/vllm/parser/glm47_moe.py",
    ),
    call=("<tool_call>$name$ws$arguments</tool_call>",),
    separators=(
        "\n",
        "",
    ),
    arguments="parameters",
    parameter="<arg_key>$key</arg_key>$ws<arg_value>$value</arg_value>$ws",
    text_between=True,
    thinking=(
        "<think>",
        "</think>",
    ),
    stops=(
        "<|role_end|>",
        "</assistant>",
        "<|user|>",
        "<|observation|>",
    ),
)
