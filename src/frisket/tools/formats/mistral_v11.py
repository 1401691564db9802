"""Mistral's tokenizer v11 and later: name and arguments around [ARGS], for each call."""

from frisket.tools.family import Family

FAMILY = Family(
    name="mistral_v11",
    models="Mistral Medium 3, Mistral Small 3.2, Ministral 3, Magistral, Devstral",
    sources=(
        "https://github.com/mistralai/mistral-common/blob/main/src/mistral_common/tokens/tokenizers/instruct.py",
        "https://github.com/vllm-project/vllm/blob/v0.33.0/vllm/parser/mistral.py",
    ),
    call=(
        "[TOOL_CALLS]$name[ARGS]$arguments",
        "[TOOL_CALLS]$name[CALL_ID]$id[ARGS]$arguments",
    ),
    id="[A-Za-z0-9]{9}",
    special=frozenset({"[TOOL_CALLS]", "[ARGS]", "[CALL_ID]", "[THINK]", "[/THINK]"}),
    thinking=(
        "[THINK]",
        "[/THINK]",
    ),
    stops=("</s>",),
)
