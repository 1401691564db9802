"""gpt-oss: messages in channels (harmony)."""

from frisket.tools.family import Family

FAMILY = Family(
    name="gpt_oss",
    models="gpt-oss",
    sources=(
        "https://cookbook.openai.com/articles/openai-harmony",
        "https://github.com/openai/harmony/blob/main/docs/format.md",
    ),
    call=(
        "<|channel|>commentary to=functions.$name <|constrain|>json<|message|>$arguments",
        "<|channel|>commentary to=functions.$name<|message|>$arguments",
        " to=functions.$name<|channel|>commentary <|constrain|>json<|message|>$arguments",
        " to=functions.$name<|channel|>commentary json<|message|>$arguments",
    ),
    special=frozenset({"<|channel|>", "<|message|>", "<|constrain|>", "<|end|>", "<|start|>"}),
    content=(
        "<|channel|>final<|message|>",
        "",
    ),
    other_content=(("<|channel|>final <|constrain|>json<|message|>", ""),),
    preamble=(
        "<|channel|>commentary<|message|>",
        "<|end|><|start|>assistant",
    ),
    thinking=(
        "<|channel|>analysis<|message|>",
        "<|end|><|start|>assistant",
    ),
    turn="<|start|>assistant",
    parallel=False,
    stops=(
        "<|call|>",
        "<|return|>",
    ),
    note="<|call|> and <|return|> end the message: both must be stops of the vocabulary",
)
