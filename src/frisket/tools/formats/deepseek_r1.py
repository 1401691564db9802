"""DeepSeek R1: the calls of V3, after reasoning."""

from frisket.tools.family import Family

FAMILY = Family(
    name="deepseek_r1",
    models="DeepSeek R1",
    sources=(
        "https://huggingface.co/deepseek-ai/DeepSeek-R1/blob/main/tokenizer_config.json",
        "https://github.com/vllm-project/vllm/blob/v0.33.0/vllm/tool_parsers/deepseekv3_tool_parser.py",
    ),
    call=("<｜tool▁call▁begin｜>function<｜tool▁sep｜>$name\n```json\n$arguments\n```<｜tool▁call▁end｜>",),
    calls="<｜tool▁calls▁begin｜>$calls<｜tool▁calls▁end｜>",
    separators=("\n",),
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
