"""MiniMax M2: <invoke> elements in one <minimax:tool_call> element."""

from frisket.tools.family import Family

FAMILY = Family(
    name="minimax_m2",
    models="MiniMax M2, MiniMax M2.1",
    sources=(
        "https://huggingface.co/MiniMaxAI/MiniMax-M2/blob/main/docs/tool_calling_guide.md",
        "https://github.com/vllm-project/vllm/blob/v0.33.0/vllm/parser/minimax_m2.py",
    ),
    call=('<invoke name="$name">\n$arguments</invoke>\n',),
    calls="<minimax:tool_call>\n$calls</minimax:tool_call>",
    arguments="parameters",
    parameter='<parameter name="$key">$value</parameter>\n',
    thinking=(
        "<think>",
        "</think>",
    ),
    stops=("[e~[",),
)
