"""Gains of a message (see `reply`) → the output items of a response, and their events."""

from __future__ import annotations

import copy
import secrets
from collections.abc import Iterator
from typing import Any, Literal

from frisket.server.reply import Call, Gain
from frisket.server.shape import TokenLogprob

#: The name of an event, and its fields besides type and number.
Told = tuple[str, dict[str, Any]]
Kind = Literal["message", "reasoning"]

PREFIX = {"message": "msg", "reasoning": "rs", "function_call": "fc", "custom_tool_call": "ctc"}
#: Item type → the name of its text in event names.
TEXT = {"message": "output_text", "reasoning": "reasoning_text", "function_call": "function_call_arguments",
        "custom_tool_call": "custom_tool_call_input"}  # fmt: skip
#: Type of a call → the field that grows while the call is written.
GROWS = {"function_call": "arguments", "custom_tool_call": "input"}


class Output:
    """The output of a response so far. At most its last item is open."""

    def __init__(self) -> None:
        self.items: list[dict[str, Any]] = []
        self._open: dict[str, Any] | None = None

    def begin(self, kind: Kind) -> Iterator[Told]:
        """Begin an empty text item."""
        more: dict[str, Any] = {"role": "assistant", "status": "in_progress"} if kind == "message" else {"summary": []}
        yield from self._add({"type": kind, "id": _id(kind), **more, "content": []})
        part: dict[str, Any] = {"type": TEXT[kind], "text": ""}
        if kind == "message":
            part |= {"annotations": [], "logprobs": []}
        yield "content_part.added", {**self._place(0), "part": copy.deepcopy(part)}
        assert self._open is not None
        self._open["content"].append(part)

    def take(self, gain: Gain, logprobs: list[TokenLogprob]) -> Iterator[Told]:
        """Add a gain of the message; `logprobs` belong to its content."""
        if gain.kind == "content":
            yield from self._write("message", gain.text, {"logprobs": logprobs})
        elif gain.kind == "reasoning":
            yield from self._write("reasoning", gain.text, {})
        elif gain.kind == "begin" and gain.call is not None:
            yield from self._begin_call(gain.call)
        elif gain.kind == "end":
            yield from self.close("completed")
        elif (item := self._open) is not None:
            item[GROWS[item["type"]]] += gain.text
            yield f"{TEXT[item['type']]}.delta", {**self._place(), "delta": gain.text}

    def add_logprobs(self, logprobs: list[TokenLogprob]) -> None:
        """Add log-probabilities of tokens without text."""
        message = next((item for item in reversed(self.items) if item["type"] == "message"), None)
        if message is not None:
            message["content"][0]["logprobs"] += logprobs

    def close(self, status: str) -> Iterator[Told]:
        """Close the open item, if there is one."""
        item = self._open
        if item is None:
            return
        name = TEXT[item["type"]]
        if item["type"] != "reasoning":
            item["status"] = status
        if grows := GROWS.get(item["type"]):
            more = {"name": item["name"]} if grows == "arguments" else {}
            yield f"{name}.done", {**self._place(), **more, grows: item[grows]}
        else:
            part = item["content"][0]
            more = {"logprobs": part["logprobs"]} if item["type"] == "message" else {}
            yield f"{name}.done", {**self._place(0), "text": part["text"], **more}
            yield "content_part.done", {**self._place(0), "part": part}
        yield "output_item.done", {"output_index": len(self.items) - 1, "item": item}
        self._open = None

    def _write(self, kind: Kind, text: str, more: dict[str, Any]) -> Iterator[Told]:
        if self._open is None or self._open["type"] != kind:
            yield from self.close("completed")
            yield from self.begin(kind)
        assert self._open is not None
        part = self._open["content"][0]
        part["text"] += text
        if kind == "message":
            part["logprobs"] += more["logprobs"]
        yield f"{TEXT[kind]}.delta", {**self._place(0), "delta": text, **more}

    def _begin_call(self, call: Call) -> Iterator[Told]:
        yield from self.close("completed")
        kind = "custom_tool_call" if call.tool.is_custom else "function_call"
        item = {"type": kind, "id": _id(kind), "call_id": call.id, "name": call.tool.name, GROWS[kind]: ""}
        if call.tool.namespace is not None:
            item["namespace"] = call.tool.namespace
        yield from self._add({**item, "status": "in_progress"})

    def _add(self, item: dict[str, Any]) -> Iterator[Told]:
        self.items.append(item)
        self._open = item
        yield "output_item.added", {"output_index": len(self.items) - 1, "item": copy.deepcopy(item)}

    def _place(self, content: int | None = None) -> dict[str, Any]:
        more = {} if content is None else {"content_index": content}
        return {"item_id": self.items[-1]["id"], "output_index": len(self.items) - 1, **more}


def _id(kind: str) -> str:
    return f"{PREFIX[kind]}_{secrets.token_hex(12)}"
