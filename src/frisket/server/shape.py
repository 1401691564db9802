"""Bodies and events of answers as typed dictionaries: mypy checks the code by them, the OpenAPI document shows them."""

from __future__ import annotations

from typing import Literal

from typing_extensions import NotRequired, TypedDict  # Pydantic refuses those of `typing` before Python 3.12

ErrorType = Literal[
    "invalid_request_error", "authentication_error", "not_found_error", "rate_limit_error", "server_error"
]
FinishReason = Literal["stop", "length", "tool_calls"]


class Place(TypedDict):
    """One refused place of the request."""

    pointer: str
    reason: str


class Error(TypedDict):
    """The error, its place, and a hint."""

    message: str
    type: ErrorType
    param: str | None
    code: str
    where: str | None
    hint: str | None
    places: NotRequired[list[Place]]


class ErrorBody(TypedDict):
    """The body of every refusal."""

    error: Error


class Head(TypedDict):
    """The fields that all bodies and events of answers share."""

    id: str
    created: int
    model: str


class Usage(TypedDict):
    """Numbers of tokens read and written."""

    prompt_tokens: int
    completion_tokens: int
    total_tokens: int


class Logprob(TypedDict):
    """A token and its log-probability."""

    token: str
    logprob: float
    bytes: list[int]


class TokenLogprob(Logprob):
    """A token of the answer, with the likeliest tokens at its place."""

    top_logprobs: list[Logprob]


class ChatLogprobs(TypedDict):
    """`logprobs` of a chat: the tokens of `content`, and in separate lists those of other fields, if there are any."""

    content: list[TokenLogprob]
    refusal: None
    reasoning_content: NotRequired[list[TokenLogprob]]
    tool_calls: NotRequired[list[TokenLogprob]]


class FunctionCall(TypedDict):
    """The function of a call."""

    name: str
    arguments: str


class CustomCall(TypedDict):
    """The custom tool of a call, and its text."""

    name: str
    input: str


class FunctionToolCall(TypedDict):
    """A call of a function."""

    id: str
    type: Literal["function"]
    function: FunctionCall


class CustomToolCall(TypedDict):
    """A call of a custom tool."""

    id: str
    type: Literal["custom"]
    custom: CustomCall


ToolCall = FunctionToolCall | CustomToolCall


class FunctionDelta(TypedDict):
    """An addition to the arguments of a call; `name` comes first."""

    name: NotRequired[str]
    arguments: str


class CustomDelta(TypedDict):
    """An addition to the text of a call; `name` comes first."""

    name: NotRequired[str]
    input: str


class ToolCallDelta(TypedDict):
    """An addition to a call; its id and type come first."""

    index: int
    id: NotRequired[str]
    type: NotRequired[Literal["function", "custom"]]
    function: NotRequired[FunctionDelta]
    custom: NotRequired[CustomDelta]


class AssistantMessage(TypedDict):
    """The message of an answer."""

    role: Literal["assistant"]
    content: str | None
    refusal: None
    reasoning_content: NotRequired[str]
    tool_calls: NotRequired[list[ToolCall]]


class ChatChoice(TypedDict):
    """One answer of a chat."""

    index: int
    message: AssistantMessage
    logprobs: ChatLogprobs | None
    finish_reason: FinishReason
    missing: NotRequired[str]
    """If a stop string cut the answer: a text that would complete it."""
    budgeted: NotRequired[Literal[True]]
    """Present if `max_tokens` decided a token of the answer, or ended it where more could have followed."""


class ChatCompletion(Head):
    """The body of an answer to a chat."""

    object: Literal["chat.completion"]
    choices: list[ChatChoice]
    usage: Usage


class Delta(TypedDict):
    """An addition to a message."""

    role: NotRequired[Literal["assistant"]]
    content: NotRequired[str]
    reasoning_content: NotRequired[str]
    tool_calls: NotRequired[list[ToolCallDelta]]


class ChunkChoice(TypedDict):
    """An addition to one answer."""

    index: int
    delta: Delta
    logprobs: ChatLogprobs | None
    finish_reason: FinishReason | None
    missing: NotRequired[str]
    budgeted: NotRequired[Literal[True]]


class ChatChunk(Head):
    """An event of a chat."""

    object: Literal["chat.completion.chunk"]
    choices: list[ChunkChoice]
    usage: NotRequired[Usage | None]


class TextLogprobs(TypedDict):
    """`logprobs` of a completion: parallel lists."""

    tokens: list[str]
    token_logprobs: list[float | None]
    top_logprobs: list[dict[str, float]] | None
    text_offset: list[int]


class TextChoice(TypedDict):
    """One answer to a prompt; in an event, an addition to it."""

    index: int
    text: str
    logprobs: TextLogprobs | None
    finish_reason: Literal["stop", "length"] | None
    missing: NotRequired[str]
    budgeted: NotRequired[Literal[True]]


class Completion(Head):
    """The body of an answer to a prompt."""

    object: Literal["text_completion"]
    choices: list[TextChoice]
    usage: Usage


class CompletionChunk(Head):
    """An event of an answer to a prompt."""

    object: Literal["text_completion"]
    choices: list[TextChoice]
    usage: NotRequired[Usage | None]


class ModelCard(TypedDict):
    """The model."""

    id: str
    object: Literal["model"]
    created: int
    owned_by: str
    max_model_len: int


class ModelList(TypedDict):
    """The list of models, which has one entry."""

    object: Literal["list"]
    data: list[ModelCard]


class Health(TypedDict):
    """Whether answers are being written, and how many."""

    status: Literal["ok", "failed"]
    active: int
    queued: int
