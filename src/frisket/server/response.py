"""The body and the events of `/v1/responses` as typed dictionaries, like those of chats in `shape`."""

from __future__ import annotations

from typing import Any, Literal

from typing_extensions import NotRequired, TypedDict  # Pydantic refuses those of `typing` before Python 3.12

from frisket.server.shape import ErrorBody, TokenLogprob

ItemStatus = Literal["in_progress", "completed", "incomplete"]


class TextPart(TypedDict):
    """The text of a message."""

    type: Literal["output_text"]
    text: str
    annotations: list[Any]
    logprobs: list[TokenLogprob]


class ReasoningPart(TypedDict):
    """The text of reasoning."""

    type: Literal["reasoning_text"]
    text: str


class MessageOutput(TypedDict):
    """A message in the output."""

    type: Literal["message"]
    id: str
    role: Literal["assistant"]
    status: ItemStatus
    content: list[TextPart]


class ReasoningOutput(TypedDict):
    """Reasoning in the output."""

    type: Literal["reasoning"]
    id: str
    summary: list[Any]
    content: list[ReasoningPart]


class CallOutput(TypedDict):
    """A call in the output."""

    type: Literal["function_call"]
    id: str
    call_id: str
    name: str
    arguments: str
    status: ItemStatus
    namespace: NotRequired[str]


class CustomCallOutput(TypedDict):
    """A call of a custom tool in the output."""

    type: Literal["custom_tool_call"]
    id: str
    call_id: str
    name: str
    input: str
    status: ItemStatus
    namespace: NotRequired[str]


OutputItem = MessageOutput | ReasoningOutput | CallOutput | CustomCallOutput


class InputDetails(TypedDict):
    """Details of the tokens read."""

    cached_tokens: int


class OutputDetails(TypedDict):
    """Details of the tokens written."""

    reasoning_tokens: int


class ResponseUsage(TypedDict):
    """Numbers of tokens read and written, under the names of the Responses API."""

    input_tokens: int
    input_tokens_details: InputDetails
    output_tokens: int
    output_tokens_details: OutputDetails
    total_tokens: int


class Incomplete(TypedDict):
    """The reason why a response is not whole."""

    reason: Literal["max_output_tokens"]


class TextFormat(TypedDict):
    """`text` of a response: the requested format."""

    format: dict[str, Any]


class ResponseBody(TypedDict):
    """A response, so far as it is known."""

    id: str
    object: Literal["response"]
    created_at: int
    status: ItemStatus
    error: None
    incomplete_details: Incomplete | None
    instructions: str | None
    max_output_tokens: int | None
    metadata: dict[str, Any]
    model: str
    output: list[OutputItem]
    parallel_tool_calls: bool
    store: Literal[False]
    temperature: float | None
    text: TextFormat
    tool_choice: str | dict[str, Any]
    tools: list[dict[str, Any]]
    top_p: float | None
    truncation: Literal["auto", "disabled"]
    usage: ResponseUsage | None
    budgeted: NotRequired[Literal[True]]
    """Present if `max_output_tokens` decided a token of the answer, or ended it where more could have followed."""


class ResponseEvent(TypedDict):
    """An event of a response; its type determines its other fields."""

    type: str
    sequence_number: int
    response: NotRequired[ResponseBody]
    item: NotRequired[OutputItem]
    part: NotRequired[TextPart | ReasoningPart]
    item_id: NotRequired[str]
    output_index: NotRequired[int]
    content_index: NotRequired[int]
    text: NotRequired[str]
    delta: NotRequired[str]
    logprobs: NotRequired[list[TokenLogprob]]
    name: NotRequired[str]
    arguments: NotRequired[str]
    input: NotRequired[str]


class ErrorEvent(ErrorBody):
    """The last event of a response that failed while it was streamed."""

    type: Literal["error"]
