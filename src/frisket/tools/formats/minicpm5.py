"""MiniCPM 5: a <function> element with one <param> element for each parameter."""

from frisket.tools.family import Family

FAMILY = Family(
    name="minicpm5",
    models="MiniCPM 5",
    sources=(
        "https://github.com/ggml-org/llama.cpp/blob/master/models/templates/openbmb-MiniCPM5-1B.jinja",
        "https://github.com/vllm-project/vllm/blob/v0.33.0/vllm/tool_parsers/minicpm5xml_tool_parser.py",
    ),
    call=('<function name="$name">$arguments</function>',),
    separators=("\n", ""),
    arguments="parameters",
    parameter='<param name="$key">$value</param>',
    python_words=True,
    verbatim=("<![CDATA[", "]]>", "<&\n"),
    text_between=True,
    thinking=("<think>", "</think>"),
    stops=("<|im_end|>",),
)
