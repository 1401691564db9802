"""Functionary 3.2: every part of a message names its recipient."""

from frisket.tools.family import Family

FAMILY = Family(
    name="functionary_v32",
    models="Functionary v3.2",
    sources=(
        "https://github.com/MeetKai/functionary/blob/main/functionary/prompt_template/llama3_prompt_template_v3.py",
    ),
    call=("$name\n$arguments",),
    separators=(">>>",),
    content=(
        "all\n",
        "",
    ),
    preamble=(
        "all\n",
        ">>>",
    ),
    stops=("<|eot_id|>",),
    note="the prompt ends with >>>; a tool cannot be called all",
)
