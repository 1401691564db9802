"""Messages as clients write them → turns, or an error that says which part no model reads."""

from __future__ import annotations

from typing import Any

import pytest

from frisket.conversation import Turn, read_turns
from frisket.errors import ConversationError
from frisket.grammar import Grammar

CALL = {"id": "c1", "type": "function", "function": {"name": "now", "arguments": '{"zone": "UTC"}'}}
READ = {"id": "c1", "type": "function", "function": {"name": "now", "arguments": {"zone": "UTC"}}}
TOOL = {"name": "now", "parameters": {"type": "object", "properties": {"zone": {"type": "string"}}}}
WRONG: list[tuple[Any, str, str]] = [
    ([{"role": "bot", "content": "x"}], "/messages/0/role", "the role 'bot' is unknown"),
    ([{"content": "x"}], "/messages/0/role", "the message has no role"),
    ([{"role": "user", "content": "x"}, "x"], "/messages/1", "a message is a dict with a role and a content, got str"),
    ({"role": "user", "content": "x"}, "/messages", "this is one message"),
    ([], "/messages", "at least one message"),
    ([{"role": "user", "content": {"text": "x"}}], "/messages/0/content", "content of a message is a text, got dict"),
    ([{"role": "user", "content": [{"type": "image_url"}]}], "/messages/0/content/0", "a part of type 'image_url'"),
    ([{"role": "user", "content": "x", "image": "y"}], "/messages/0", "a message has no field 'image'"),
    ([{"role": "tool", "content": "x"}], "/messages/0/tool_call_id", "a tool's message names its call"),
    ([{"role": "user"}], "/messages/0/content", "a message of the user has a content"),
    ([{"role": "user", "content": "x", "tool_calls": [CALL]}], "/messages/0/tool_calls", "only an assistant calls"),
    ([{"role": "assistant", "tool_calls": [{"id": "c"}]}], "/messages/0/tool_calls/0", "a call has a function"),
    ([{"role": "assistant", "tool_calls": "now"}], "/messages/0/tool_calls", "calls of a message are a list"),
]  # fmt: skip


@pytest.mark.parametrize(("messages", "where", "message"), WRONG)
def test_an_error_names_the_place(messages: Any, where: str, message: str) -> None:
    with pytest.raises(ConversationError, match=message) as caught:
        read_turns(messages)
    assert caught.value.where == where and caught.value.hint


def test_dicts() -> None:
    system, user, assistant, tool = read_turns(
        [
            {"role": "developer", "content": "Be brief."},
            {
                "role": "user",
                "content": [{"type": "text", "text": "a"}, {"type": "input_text", "text": "b"}],
                "name": "Al",
            },
            {"role": "assistant", "content": None, "tool_calls": [CALL], "reasoning_content": "hm", "refusal": None},
            {"role": "tool", "tool_call_id": "c1", "name": "now", "content": "12:00"},
        ]
    )
    assert system.for_template() == {"role": "system", "content": "Be brief."}
    assert user.for_template() == {"role": "user", "content": "a\nb"}
    assert assistant.for_template() == {
        "role": "assistant", "content": "", "reasoning_content": "hm", "tool_calls": [READ],
    }  # fmt: skip
    assert tool.for_template() == {"role": "tool", "content": "12:00", "tool_call_id": "c1", "name": "now"}


def test_templates_that_read_no_tools_get_text() -> None:
    said = Turn.of({"role": "assistant", "content": "Let me see.", "tool_calls": [CALL, READ]}).as_text()
    call = '<tool_call>\n{"name": "now", "arguments": {"zone": "UTC"}}\n</tool_call>'
    assert said == {"role": "assistant", "content": f"Let me see.\n{call}\n{call}"}
    result = Turn.of({"role": "tool", "tool_call_id": "c1", "content": "12:00"}).as_text()
    assert result == {"role": "user", "content": "<tool_response>\n12:00\n</tool_response>"}


def test_arguments_that_were_cut_stay_text() -> None:
    cut = {"id": "c", "type": "function", "function": {"name": "now", "arguments": '{"zone": "U'}}
    (call,) = Turn.of({"role": "assistant", "tool_calls": [cut]}).calls
    assert call.arguments == call.text == '{"zone": "U'
    custom = {"id": "c", "type": "custom", "custom": {"name": "patch", "input": "*** Begin"}}
    (call,) = Turn.of({"role": "assistant", "tool_calls": [custom]}).calls
    assert call.arguments == {"input": "*** Begin"}


def test_an_answer_is_a_message() -> None:
    grammar = Grammar.from_tools([TOOL], "qwen3")
    answer = grammar.value('Let me see.\n<tool_call>\n{"name": "now", "arguments": {"zone": "UTC"}}\n</tool_call>')
    turn = Turn.of(answer)
    (call,) = answer.calls
    assert turn == Turn.of({"role": "assistant", "content": "Let me see.", "tool_calls": [{**READ, "id": "call_0"}]})
    assert turn == Turn.of({"role": "assistant", "content": "Let me see.", "tool_calls": [call.to_openai()]})
    final = Grammar.from_tools([TOOL], "qwen3", final={"type": "integer"}).value("42")
    assert Turn.of(final) == Turn("assistant", "42")


def test_messages_of_the_openai_package() -> None:
    pytest.importorskip("openai", reason="openai is not installed")
    from openai.types.chat import ChatCompletionMessage, ChatCompletionUserMessageParam

    message = ChatCompletionMessage.model_validate({"role": "assistant", "content": None, "tool_calls": [CALL]})
    user: ChatCompletionUserMessageParam = {"role": "user", "content": "x"}
    assert read_turns([user, message]) == read_turns([user, {"role": "assistant", "tool_calls": [READ]}])
    with pytest.raises(ConversationError, match=r"this is one message(.|\n)*write \[message\]"):
        read_turns(message)
