"""DeepSeek V3.2: DSML elements, which say of each parameter whether it is text."""

from frisket.tools.family import Family

FAMILY = Family(
    name="deepseek_v32",
    models="DeepSeek V3.2",
    sources=(
        "https://huggingface.co/deepseek-ai/DeepSeek-V3.2/blob/main/encoding/README.md",
        "https://github.com/vllm-project/vllm/blob/v0.33.0/vllm/parser/deepseek_v32.py",
    ),
    call=('<｜DSML｜invoke name="$name">\n$arguments</｜DSML｜invoke>\n',),
    calls="<｜DSML｜function_calls>\n$calls</｜DSML｜function_calls>",
    arguments="parameters",
    parameter='<｜DSML｜parameter name="$key" string="$kind">$value</｜DSML｜parameter>\n',
    nothing="\n",
    thinking=(
        "<think>",
        "</think>",
    ),
    stops=("<｜end▁of▁sentence｜>",),
)
