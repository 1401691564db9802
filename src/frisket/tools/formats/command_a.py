"""Cohere's Command R7B, A and A+: one JSON array of actions."""

from frisket.tools.family import Family

FAMILY = Family(
    name="command_a",
    models="Command R7B, Command A, Command A+",
    sources=(
        "https://huggingface.co/CohereLabs/c4ai-command-r7b-12-2024",
        "https://docs.cohere.com/docs/command-a-hf",
        "https://github.com/vllm-project/vllm/blob/v0.33.0/vllm/parser/cohere_command.py",
    ),
    call=('{"tool_call_id":$ws"$id",$ws"tool_name":$ws"$name",$ws"parameters":$ws$arguments$ws}',),
    calls="<|START_ACTION|>$ws[$ws$calls$ws]$ws<|END_ACTION|>",
    separators=(
        ",\n    ",
        ", ",
        ",",
        "\n,",
    ),
    id="[0-9]{1,4}",
    special=frozenset(
        {
            "<|START_ACTION|>",
            "<|END_ACTION|>",
            "<|START_THINKING|>",
            "<|END_THINKING|>",
            "<|START_RESPONSE|>",
            "<|END_RESPONSE|>",
            "<|START_TEXT|>",
            "<|END_TEXT|>",
        }
    ),
    content=(
        "<|START_RESPONSE|>",
        "<|END_RESPONSE|>",
    ),
    other_content=(("<|START_TEXT|>", "<|END_TEXT|>"),),
    text_before=False,
    thinking=(
        "<|START_THINKING|>",
        "<|END_THINKING|>",
    ),
    stops=("<|END_OF_TURN_TOKEN|>",),
)
