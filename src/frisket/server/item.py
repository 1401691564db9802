"""Fields of a message, as they become certain → the output items of a response, and the events that tell of them."""

from __future__ import annotations

import copy
import secrets
from collections.abc import Iterator
from typing import Any, Literal

from frisket.server.shape import Delta, TokenLogprob, ToolCallDelta

#: The name of an event, and its fields beside type and number.
Told = tuple[str, dict[str, Any]]
Kind = Literal["message", "reasoning"]

PREFIX = {"message": "msg", "reasoning": "rs", "function_call": "fc"}
#: What the events about the text of an item are called.
TEXT = {"message": "output_text", "reasoning": "reasoning_text"}


class Output:
    """What a response holds so far. One item is open at most, the last."""

    def __init__(self) -> None:
        self.items: list[dict[str, Any]] = []
        self._open: dict[str, Any] | None = None

    def begin(self, kind: Kind) -> Iterator[Told]:
        """An item of text, still without any."""
        more: dict[str, Any] = {"role": "assistant", "status": "in_progress"} if kind == "message" else {"summary": []}
        yield from self._add({"type": kind, "id": _id(kind), **more, "content": []})
        part: dict[str, Any] = {"type": TEXT[kind], "text": ""}
        if kind == "message":
            part |= {"annotations": [], "logprobs": []}
        yield "content_part.added", {**self._place(0), "part": copy.deepcopy(part)}
        assert self._open is not None
        self._open["content"].append(part)

    def take(self, delta: Delta, logprobs: list[TokenLogprob]) -> Iterator[Told]:
        """What a message has gained."""
        if text := delta.get("reasoning_content"):
            yield from self._write("reasoning", text, {})
        if text := delta.get("content"):
            yield from self._write("message", text, {"logprobs": logprobs})
        elif logprobs and self._open is not None and self._open["type"] == "message":
            self._open["content"][0]["logprobs"] += logprobs
        for call in delta.get("tool_calls", ()):
            yield from self._call(call)

    def close(self, status: str) -> Iterator[Told]:
        """The end of the item that is open, if one is."""
        item = self._open
        if item is None:
            return
        if item["type"] == "message":
            item["status"] = status
        part, name = item["content"][0], TEXT[item["type"]]
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

    def _call(self, call: ToolCallDelta) -> Iterator[Told]:
        """A call, which comes whole."""
        yield from self.close("completed")
        name, arguments = call["function"]["name"], call["function"]["arguments"]
        item = {"type": "function_call", "id": _id("function_call"), "call_id": call["id"], "name": name}
        yield from self._add({**item, "arguments": "", "status": "in_progress"})
        place = {"item_id": item["id"], "output_index": len(self.items) - 1}
        yield "function_call_arguments.delta", {**place, "delta": arguments}
        yield "function_call_arguments.done", {**place, "name": name, "arguments": arguments}
        self.items[-1] |= {"arguments": arguments, "status": "completed"}
        yield "output_item.done", {"output_index": place["output_index"], "item": self.items[-1]}
        self._open = None

    def _add(self, item: dict[str, Any]) -> Iterator[Told]:
        self.items.append(item)
        self._open = item
        yield "output_item.added", {"output_index": len(self.items) - 1, "item": copy.deepcopy(item)}

    def _place(self, content: int) -> dict[str, Any]:
        return {"item_id": self.items[-1]["id"], "output_index": len(self.items) - 1, "content_index": content}


def _id(kind: str) -> str:
    return f"{PREFIX[kind]}_{secrets.token_hex(12)}"
