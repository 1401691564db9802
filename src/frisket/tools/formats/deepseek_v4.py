"""DeepSeek V4: the elements of V3.2 under another name."""

from frisket.tools.family import Family

FAMILY = Family(
    name="deepseek_v4",
    models="DeepSeek V4",
    sources=(
        "https://github.com/ggml-org/llama.cpp/blob/master/models/templates/deepseek-ai-DeepSeek-V4.jinja",
        "https://github.com/vllm-project/vllm/blob/v0.33.0/vllm/parser/deepseek_v4.py",
    ),
    call=('<｜DSML｜invoke name="$name">\n$arguments</｜DSML｜invoke>\n',),
    calls="<｜DSML｜tool_calls>\n$calls</｜DSML｜tool_calls>",
    arguments="parameters",
    parameter='<｜DSML｜parameter name="$key" string="$kind">$value</｜DSML｜parameter>\n',
    nothing="\n",
    thinking=("<think>", "</think>"),
    stops=("<｜end▁of▁sentence｜>",),
)
