"""Tokens of an answer → their log-probabilities in OpenAI's two forms; they are the model's own, before the mask."""

from __future__ import annotations

from collections.abc import Sequence

from frisket import Vocabulary
from frisket.extension import token_name
from frisket.server.job import Token
from frisket.server.reply import Field
from frisket.server.shape import ChatLogprobs, Logprob, TextLogprobs, TokenLogprob


def spelled(vocabulary: Vocabulary, token: int) -> tuple[str, list[int]]:
    """A token's text and bytes; a special token has its name as text, and no bytes."""
    data = vocabulary.token(token) if token < vocabulary.size else None
    if data is None:
        return token_name(vocabulary, token) or "", []
    return data.decode("utf-8", "replace"), list(data)


def of_fields(vocabulary: Vocabulary, placed: Sequence[tuple[Field, Token]]) -> ChatLogprobs:
    """The tokens of each field, in the form of `choices[].logprobs` of a chat."""
    found: ChatLogprobs = {"content": of_chat(vocabulary, [one for field, one in placed if field == "content"]),
                           "refusal": None}  # fmt: skip
    if reasoning := [one for field, one in placed if field == "reasoning"]:
        found["reasoning_content"] = of_chat(vocabulary, reasoning)
    if calls := [one for field, one in placed if field == "call"]:
        found["tool_calls"] = of_chat(vocabulary, calls)
    return found


def of_chat(vocabulary: Vocabulary, written: Sequence[Token]) -> list[TokenLogprob]:
    """One entry per token, in the form of `choices[].logprobs.content`."""

    def entry(token: int, logprob: float) -> Logprob:
        text, data = spelled(vocabulary, token)
        return {"token": text, "logprob": max(logprob, -9999.0), "bytes": data}

    return [{**entry(one.id, one.logprob or 0.0), "top_logprobs": [entry(*top) for top in one.top]} for one in written]


def of_completion(vocabulary: Vocabulary, written: Sequence[Token], offset: int) -> TextLogprobs:
    """Parallel lists, in the form of `choices[].logprobs` of a completion; `offset` is where the first token begins."""
    texts = [spelled(vocabulary, one.id)[0] for one in written]
    places = [offset + sum(map(len, texts[:number])) for number in range(len(texts))]
    top = [{spelled(vocabulary, token)[0]: max(logprob, -9999.0) for token, logprob in one.top} for one in written]
    return {
        "tokens": texts,
        "token_logprobs": [None if one.logprob is None else max(one.logprob, -9999.0) for one in written],
        "top_logprobs": top if any(top) else None,
        "text_offset": places,
    }
