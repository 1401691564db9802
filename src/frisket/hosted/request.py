"""Turns of a conversation × a converted schema → the fields of a vendor's request."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

#: (`user` or `assistant`, the text).
Turn = tuple[str, str]


def request(kind: str, schema: dict[str, Any], turns: Sequence[Turn], name: str) -> dict[str, Any]:
    """The request in one of three forms: `chat`, `anthropic` or `gemini`.

    >>> request("anthropic", {"type": "integer"}, [("user", "How many?")], "answer")["messages"]
    [{'role': 'user', 'content': 'How many?'}]

    The transport adds the other fields: the model's name, a maximum of tokens, headers.
    """
    if kind == "gemini":
        roles = {"user": "user", "assistant": "model"}
        return {
            "contents": [{"role": roles[role], "parts": [{"text": text}]} for role, text in turns],
            "generationConfig": {"responseMimeType": "application/json", "responseJsonSchema": schema},
        }
    messages = [{"role": role, "content": text} for role, text in turns]
    if kind == "anthropic":
        return {"messages": messages, "output_config": {"format": {"type": "json_schema", "schema": schema}}}
    described = {"name": name, "strict": True, "schema": schema}
    return {"messages": messages, "response_format": {"type": "json_schema", "json_schema": described}}
