"""Nemotron Super and Nano 2: a JSON array in <TOOLCALL>."""

from frisket.tools.family import Family

FAMILY = Family(
    name="nemotron",
    models="Llama Nemotron Super 49B v1.5, Nemotron Nano 9B v2",
    sources=("https://huggingface.co/nvidia/NVIDIA-Nemotron-Nano-9B-v2/blob/main/tokenizer_config.json",),
    call=('{"name":$ws"$name",$ws"arguments":$ws$arguments$ws}',),
    calls="<TOOLCALL>[$calls]</TOOLCALL>",
    separators=(
        ", ",
        ",",
    ),
    thinking=(
        "<think>",
        "</think>",
    ),
    stops=(
        "<SPECIAL_12>",
        "<|eot_id|>",
    ),
)
