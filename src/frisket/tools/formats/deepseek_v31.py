"""DeepSeek V3.1: name and arguments around a separator token."""

from frisket.tools.family import Family

FAMILY = Family(
    name="deepseek_v31",
    models="DeepSeek V3.1, DeepSeek V3.2-Exp",
    sources=(
        "https://huggingface.co/deepseek-ai/DeepSeek-V3.1/blob/main/tokenizer_config.json",
        "https://github.com/vllm-project/vllm/blob/v0.33.0/vllm/tool_parsers/deepseekv31_tool_parser.py",
    ),
    call=("<｜tool▁call▁begin｜>$name<｜tool▁sep｜>$arguments<｜tool▁call▁end｜>",),
    calls="<｜tool▁calls▁begin｜>$calls<｜tool▁calls▁end｜>",
    special=frozenset(
        {
            "<｜tool▁calls▁begin｜>",
            "<｜tool▁calls▁end｜>",
            "<｜tool▁call▁begin｜>",
            "<｜tool▁call▁end｜>",
            "<｜tool▁sep｜>",
        }
    ),
    thinking=(
        "<think>",
        "</think>",
    ),
    stops=("<｜end▁of▁sentence｜>",),
)
