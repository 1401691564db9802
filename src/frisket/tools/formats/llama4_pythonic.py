"""Llama 4 and 3.2: a list of Python calls that is the whole message."""

from frisket.tools.family import Family

FAMILY = Family(
    name="llama4_pythonic",
    models="Llama 4, ToolACE",
    sources=(
        "https://www.llama.com/docs/model-cards-and-prompt-formats/llama4/",
        "https://github.com/vllm-project/vllm/blob/v0.33.0/vllm/tool_parsers/llama4_pythonic_tool_parser.py",
    ),
    call=("$name($arguments)",),
    calls="[$calls]",
    separators=(", ",),
    arguments="python",
    opener="[",
    text_before=False,
    name_pattern="[A-Za-z_][A-Za-z0-9_]*",
    stops=(
        "<|eom|>",
        "<|eot|>",
    ),
    note="no marker announces a call, so other text never begins with a bracket",
)
