"""A vendor's SDK client × a request → the text of the answer, by the call in the vendor's own documentation."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from frisket.errors import EngineError

#: (client, model's name, request as `hosted.request` makes it, further fields) → the text of the answer.
Call = Callable[[Any, str, Mapping[str, Any], Mapping[str, Any]], str]

#: The most tokens of an answer; Anthropic's API requires a number.
MAX_TOKENS = 4096


@dataclass(frozen=True)
class SDK:
    """One vendor's package: the name of its synchronous client, and the function that sends a request."""

    dialect: str
    extra: str
    package: str
    module: str
    client: str
    call: Call


def _chat(answer: Any, vendor: str) -> str:
    """The text of a chat completion."""
    choice = answer.choices[0]
    if refusal := getattr(choice.message, "refusal", None):
        raise _without(vendor, f"the model refused: {refusal}")
    if choice.finish_reason == "length":
        raise _cut(vendor)
    return _text_or_refusal(choice.message.content, vendor)


def _openai(client: Any, model: str, request: Mapping[str, Any], fields: Mapping[str, Any]) -> str:
    return _chat(client.chat.completions.create(model=model, **request, **fields), "OpenAI")


def _mistral(client: Any, model: str, request: Mapping[str, Any], fields: Mapping[str, Any]) -> str:
    return _chat(client.chat.complete(model=model, **request, **fields), "Mistral")


def _anthropic(client: Any, model: str, request: Mapping[str, Any], fields: Mapping[str, Any]) -> str:
    answer = client.messages.create(model=model, **{"max_tokens": MAX_TOKENS, **request, **fields})
    if answer.stop_reason == "refusal":
        raise _without("Anthropic", "the model refused")
    if answer.stop_reason == "max_tokens":
        raise _cut("Anthropic")
    return _text_or_refusal("".join(block.text for block in answer.content if block.type == "text"), "Anthropic")


def _gemini(client: Any, model: str, request: Mapping[str, Any], fields: Mapping[str, Any]) -> str:
    config = {**request["generationConfig"], **fields}
    answer = client.models.generate_content(model=model, contents=request["contents"], config=config)
    reason = str(getattr(answer.candidates[0].finish_reason, "value", "")) if answer.candidates else "no candidate"
    if reason == "MAX_TOKENS":
        raise _cut("Gemini")
    if reason not in ("STOP", ""):
        raise _without("Gemini", f"the model stopped: {reason}")
    return _text_or_refusal(answer.text, "Gemini")


def _text_or_refusal(text: Any, vendor: str) -> str:
    if not isinstance(text, str) or not text:
        raise _without(vendor, "the answer has no text")
    return text


def _cut(vendor: str) -> EngineError:
    return EngineError(f"{vendor}: the answer was cut", where="answer", hint="allow the model more tokens")


def _without(vendor: str, reason: str) -> EngineError:
    return EngineError(f"{vendor}: {reason}", where="answer", hint="ask in other words, or another model")


#: Name of a dialect → its vendor's package.
SDKS = {
    "openai": SDK("openai", "openai", "openai", "openai", "OpenAI", _openai),
    "anthropic": SDK("anthropic", "anthropic", "anthropic", "anthropic", "Anthropic", _anthropic),
    "gemini": SDK("gemini", "gemini", "google-genai", "google.genai", "Client", _gemini),
    "mistral": SDK("mistral", "mistralai", "mistralai", "mistralai.client", "Mistral", _mistral),
}
