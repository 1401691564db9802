"""Functionary 3.1: a <function> element for each call."""

from frisket.tools.family import Family

FAMILY = Family(
    name="functionary_v31",
    models="Functionary v3.1",
    sources=(
        "https://github.com/MeetKai/functionary/blob/main/functionary/prompt_template/llama31_prompt_template.py",
        "https://www.llama.com/docs/model-cards-and-prompt-formats/llama3_1/",
    ),
    call=("<function=$name>$arguments</function>",),
    text_between=True,
    stops=(
        "<|eom_id|>",
        "<|eot_id|>",
    ),
)
