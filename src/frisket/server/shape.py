"""The bodies and events of answers → typed dictionaries: mypy checks what is built, the OpenAPI document shows them."""

from __future__ import annotations

from typing import Literal

from typing_extensions import NotRequired, TypedDict  # Pydantic reads these alone before Python 3.12

ErrorType = Literal[
    "invalid_request_error", "authentication_error", "not_found_error", "rate_limit_error", "server_error"
]
FinishReason = Literal["stop", "length", "tool_calls"]


class Place(TypedDict):
    """One place that is refused."""

    pointer: str
    reason: str


class Error(TypedDict):
    """What went wrong, where, and what helps."""

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
    """What all parts of an answer share."""

    id: str
    created: int
    model: str


class Usage(TypedDict):
    """Tokens read and written."""

    prompt_tokens: int
    completion_tokens: int
    total_tokens: int


class Logprob(TypedDict):
    """A token and its log-probability."""

    token: str
    logprob: float
    bytes: list[int]


class TokenLogprob(Logprob):
    """A token of the answer, beside the likeliest in its place."""

    top_logprobs: list[Logprob]


class ChatLogprobs(TypedDict):
    """`logprobs` of a chat: those of `content`, and apart from them those of all other tokens, where there are any."""

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
    """What the arguments of a call have gained; `name` comes first."""

    name: NotRequired[str]
    arguments: str


class CustomDelta(TypedDict):
    """What the text of a call has gained; `name` comes first."""

    name: NotRequired[str]
    input: str


class ToolCallDelta(TypedDict):
    """What a call has gained; its id and type come first."""

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
    """A text that would make the answer whole, where a stop string has cut it."""
    budgeted: NotRequired[Literal[True]]
    """There where `max_tokens` decided a token of the answer, or ended it where more could have followed."""


class ChatCompletion(Head):
    """The body of an answer to a chat."""

    object: Literal["chat.completion"]
    choices: list[ChatChoice]
    usage: Usage


class Delta(TypedDict):
    """What a message has gained."""

    role: NotRequired[Literal["assistant"]]
    content: NotRequired[str]
    reasoning_content: NotRequired[str]
    tool_calls: NotRequired[list[ToolCallDelta]]


class ChunkChoice(TypedDict):
    """What one answer has gained."""

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
    """One answer to a prompt; in an event, what it has gained."""

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
    """All models: one."""

    object: Literal["list"]
    data: list[ModelCard]


class Health(TypedDict):
    """Whether answers are being written, and how many."""

    status: Literal["ok", "failed"]
    active: int
    queued: int
