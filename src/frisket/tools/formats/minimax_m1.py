"""MiniMax M1: JSON objects, one a line, in one element."""

from frisket.tools.family import Family

FAMILY = Family(
    name="minimax_m1",
    models="MiniMax M1",
    sources=("https://huggingface.co/MiniMaxAI/MiniMax-M1-80k/blob/main/docs/function_call_guide.md",),
    call=('{"name":$ws"$name",$ws"arguments":$ws$arguments$ws}',),
    calls="<tool_calls>$ws$calls$ws</tool_calls>",
    separators=("\n",),
    thinking=("<think>", "</think>"),
    stops=("<end_of_sentence>",),
)
