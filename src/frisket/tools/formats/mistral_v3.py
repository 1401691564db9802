"""Mistral's tokenizers v3 and v7: a JSON array after [TOOL_CALLS]."""

from frisket.tools.family import Family

FAMILY = Family(
    name="mistral_v3",
    models="Mistral 7B v0.3, Mistral Nemo, Mistral Large 2, Mistral Small 3",
    sources=(
        "https://github.com/mistralai/mistral-common/blob/main/src/mistral_common/tokens/tokenizers/instruct.py",
        "https://github.com/vllm-project/vllm/blob/v0.33.0/vllm/parser/mistral.py",
    ),
    call=(
        '{"name":$ws"$name",$ws"arguments":$ws$arguments,$ws"id":$ws"$id"$ws}',
        '{"name":$ws"$name",$ws"arguments":$ws$arguments$ws}',
    ),
    calls="[TOOL_CALLS]$ws[$calls]",
    separators=(
        ", ",
        ",",
    ),
    id="[A-Za-z0-9]{9}",
    special=frozenset({"[TOOL_CALLS]"}),
    stops=("</s>",),
)
