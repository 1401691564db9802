"""Solar Open: each part of a message begins with its kind; a call is identifier, name and arguments."""

from frisket.tools.family import Family

FAMILY = Family(
    name="solar_open",
    models="Solar Open",
    sources=(
        "https://huggingface.co/upstage/Solar-Open-100B/blob/main/chat_template.jinja",
        "https://github.com/ggml-org/llama.cpp/blob/master/models/templates/upstage-Solar-Open-100B.jinja",
    ),
    call=("<|tool_call:begin|>$id<|tool_call:name|>$name<|tool_call:args|>$arguments<|tool_call:end|>",),
    calls="<|tool_calls|>$calls",
    id="[A-Za-z0-9_-]{1,40}",
    special=frozenset(
        {
            "<|tool_calls|>",
            "<|tool_call:begin|>",
            "<|tool_call:name|>",
            "<|tool_call:args|>",
            "<|tool_call:end|>",
            "<|content|>",
            "<|think|>",
            "<|begin|>",
            "<|end|>",
        }
    ),
    content=("<|content|>", ""),
    preamble=("<|content|>", "<|end|><|begin|>assistant"),
    thinking=("<|think|>", "<|end|><|begin|>assistant"),
    turn="<|begin|>assistant",
    stops=("<|calls|>", "<|flush|>", "<|end|>"),
    note="<|end|> ends the message only where no other part follows",
)
