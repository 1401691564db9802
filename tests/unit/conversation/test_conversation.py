"""Turns, tools and a model → prompt: by a template with tools, by one without, and as lines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from frisket.chat_template import ChatTemplate
from frisket.conversation import Conversation, read_turns
from frisket.conversation.tool_text import describe_tools, to_description, to_functions
from frisket.errors import ConversationError
from frisket.tools import Tool, family

pytest.importorskip("jinja2", reason="jinja2 is not installed")
TURNS = "{% for m in messages %}<{{ m.role }}>{{ m.content }}{% endfor %}"
WITH_TOOLS = (
    "{% if tools %}{{ tools | tojson }}{% endif %}" + TURNS + "{% if add_generation_prompt %}<assistant>{% endif %}"
)
NO_SYSTEM = "{% if messages[0].role == 'system' %}{{ raise_exception('no system') }}{% endif %}" + TURNS
TOOL = {"name": "now", "description": "The time."}
USER = {"role": "user", "content": "Late?"}


class Plain:
    """A model whose prompt is the text."""

    def __init__(self, template: str | None = None) -> None:
        self.chat_template = None if template is None else ChatTemplate(template)

    def prompt(self, text: str, keys: Sequence[str] | None = None, *, draft: str | None = None) -> str:
        return f"{text}|{','.join(keys or ())}|{draft or ''}"


def render(template: str | None, *messages: Any, tools: Any = (), **more: Any) -> str:
    model: Any = Plain(template)
    return Conversation(read_turns(list(messages)), tools, family("hermes")).render(model, **more)


TOLD = describe_tools([TOOL], family("hermes"))


def test_what_a_model_is_told() -> None:
    assert TOLD == (
        'You may call these functions:\n{"name": "now", "description": "The time."}\nA call is written so:\n'
        '<tool_call>\n{"name": "NAME", "arguments": ARGUMENTS}\n</tool_call>'
    )


def test_a_template_that_reads_tools_writes_them() -> None:
    function = '{"parameters": {"type": "object"}, "name": "now", "description": "The time."}'
    said = f'[{{"type": "function", "function": {function}}}]'
    assert render(WITH_TOOLS, USER, tools=[TOOL]) == f"{said}<user>Late?<assistant>"
    assert render(WITH_TOOLS, USER) == "<user>Late?<assistant>"


def test_a_template_without_tools_gets_a_text() -> None:
    assert render(TURNS, USER, tools=[TOOL]) == f"<system>{TOLD}<user>Late?"
    system = {"role": "system", "content": "Be brief."}
    assert render(TURNS, system, USER, tools=[TOOL]) == f"<system>Be brief.\n\n{TOLD}<user>Late?"
    assert render(NO_SYSTEM, USER, tools=[TOOL]) == f"<user>{TOLD}\n\nLate?"


def test_a_model_without_a_template_reads_lines() -> None:
    system, answer = {"role": "system", "content": "Be brief."}, {"role": "assistant", "content": "No."}
    assert render(None, USER, keys=["a"]) == "Late?|a|"
    assert render(None, system, USER) == "Be brief.\nLate?||"
    assert render(None, system, USER, answer, USER) == "Be brief.\nuser: Late?\nassistant: No.\nuser: Late?||"
    assert render(None, USER, tools=[TOOL]) == f"{TOLD}\nLate?||"


def test_names_descriptions_and_drafts_follow_the_last_message() -> None:
    assert render(TURNS, USER, keys=["a", "b"]) == "<user>Late?\n\nAnswer with one JSON value, keys: a, b."
    assert "{a: number}" in render(TURNS, USER, keys=["a"], described=("typescript", "{a: number}"))
    again = "Write this answer as one JSON value, keys: a."
    assert render(TURNS, USER, keys=["a"], draft="It is.") == f"<user>Late?<assistant>It is.<user>{again}"
    assert render(None, USER, draft="It is.") == "Late?||It is."


def test_what_a_template_refuses() -> None:
    with pytest.raises(ConversationError, match="no system") as caught:
        render(NO_SYSTEM, {"role": "system", "content": "Be brief."}, USER)
    assert caught.value.where == "/messages"


def test_descriptions_of_tools() -> None:
    pydantic = pytest.importorskip("pydantic", reason="pydantic is not installed")

    def book(title: str, kind: str = "title") -> None:
        """Book it."""

    said = to_description(Tool.of(book))
    assert said["parameters"] == {
        "type": "object", "required": ["title"], "additionalProperties": False,
        "properties": {"title": {"type": "string"}, "kind": {"type": "string", "default": "title"}},
    }  # fmt: skip
    inner = pydantic.create_model("Inner", title=(str, ...))
    outer = Tool.of(pydantic.create_model("Outer", inner=(inner, ...)))
    assert "Inner" in to_description(outer)["parameters"]["$defs"] and "'Title'" not in str(to_description(outer))
    titled = {"name": "x", "parameters": {"type": "object", "title": "X"}}
    assert to_description(Tool.of(titled)) == titled, "a client's own schema stays as it is"
    grammar = {"type": "grammar", "syntax": "regex", "definition": "[a-z]+"}
    custom = {"type": "custom", "name": "patch", "format": grammar}
    assert to_description(Tool.of(custom)) == custom
    assert to_functions([custom])[0]["function"]["parameters"]["required"] == ["input"]
    assert "A custom function takes one argument" in describe_tools([custom], family("hermes"))
