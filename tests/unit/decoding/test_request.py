"""Messages and tools × a model with a template: what it reads, and the message that comes back."""

from __future__ import annotations

import asyncio
from typing import Any, Literal

import pytest

import frisket
from frisket.chat_template import ChatTemplate
from frisket.errors import BudgetError, ConversationError, RefusedToolsError, UnknownFamilyError
from frisket.target import as_grammar
from frisket.tools import Message, Tools, family
from tests.unit.decoding.test_generate import Wishful

pytest.importorskip("jinja2", reason="jinja2 is not installed")
#: As Qwen 2.5 and Hermes write calls.
TEMPLATE = """\
{%- if tools %}<tools>{{ tools | tojson }}</tools>{% endif -%}
{%- for m in messages %}<{{ m.role }}>{{ m.content }}
{%- for c in m.tool_calls %}
<tool_call>
{"name": "{{ c.function.name }}", "arguments": {{ c.function.arguments | tojson }}}
</tool_call>{% endfor %}{% endfor -%}
{%- if add_generation_prompt %}<assistant>{% if enable_thinking is defined and not enable_thinking %}<think>

</think>

{% endif %}{% endif -%}
"""
ASK = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Is it warm in Rome?"}]
CALL = '<tool_call>\n{"name": "weather", "arguments": {"city": "Rome", "day": 2}}\n</tool_call>'
WEATHER = {
    "name": "weather",
    "description": "The weather in a city.",
    "parameters": {
        "type": "object",
        "properties": {"city": {"enum": ["Rome", "Oslo"]}, "day": {"type": "integer", "minimum": 0, "maximum": 9}},
        "required": ["city", "day"],
        "additionalProperties": False,
    },
}


class Templated(Wishful):
    """A model that reads a chat template, and keeps its prompts."""

    def __init__(self, wish: str, template: str | None = TEMPLATE) -> None:
        super().__init__(wish, context=10_000)
        self.chat_template = None if template is None else ChatTemplate(template)
        self.read: list[str] = []

    def encode(self, text: str) -> list[int]:
        self.read.append(text)
        return super().encode(text)


def test_the_model_is_told_and_the_answer_is_a_message() -> None:
    model: Any = Templated(CALL)
    answer = frisket.generate(model, ASK, tools=[WEATHER])
    assert isinstance(answer, Message) and [call.value for call in answer.calls] == [{"city": "Rome", "day": 2}]
    (prompt,) = model.read
    assert prompt.startswith('<tools>[{"type": "function", "function": {"parameters": ') and "The weather" in prompt
    assert prompt.endswith("<system>Be brief.<user>Is it warm in Rome?<assistant>")


def test_values_have_the_types_of_a_function() -> None:
    pytest.importorskip("pydantic", reason="pydantic is not installed")

    def weather(city: Literal["Rome", "Oslo"], day: int) -> str:
        """The weather in a city."""
        return f"{city} {day}"

    model: Any = Templated(CALL)
    (call,) = frisket.generate(model, ASK, tools=[weather], choice="required", parallel=False).calls
    assert weather(**call.value) == "Rome 2"


def test_the_conversation_goes_on() -> None:
    model: Any = Templated(CALL)
    answer = frisket.generate(model, ASK, tools=[WEATHER])
    model.wish = b"Yes."
    result = {"role": "tool", "tool_call_id": answer.calls[0].id, "content": "31 degrees"}
    last = frisket.generate(model, [*ASK, answer, result], tools=[WEATHER])
    assert last.content == "Yes." and not last.calls
    assert model.read[-1].endswith(f"<assistant>{CALL}<tool>31 degrees<assistant>")


def test_every_call_takes_messages_and_tools() -> None:
    model: Any = Templated(CALL)
    expected = frisket.generate(model, ASK, tools=[WEATHER])
    stream = frisket.stream(model, ASK, tools=[WEATHER])
    assert stream.generation().value() == expected and stream.partial == expected
    one, two = frisket.generate_many(model, [ASK, "Is it warm?"], tools=iter([WEATHER]))
    assert one == two == expected
    (found,) = frisket.sample(model, ASK, tools=[WEATHER], sampler=frisket.Sampler.GREEDY)
    assert found.value.value() == expected

    async def later() -> tuple[Any, Any]:
        answer = frisket.astream(model, ASK, tools=[WEATHER])
        return await frisket.agenerate(model, ASK, tools=[WEATHER]), (await answer.generation()).value()

    assert asyncio.run(later()) == (expected, expected)
    assert len(set(model.read) - {model.read[0]}) == 1, "all have read one prompt, but for the text without a system"


def test_messages_with_a_target() -> None:
    schema = {"type": "object", "properties": {"warm": {"type": "boolean"}}, "required": ["warm"],
              "additionalProperties": False}  # fmt: skip
    model: Any = Templated('{"warm": true}')
    assert frisket.generate(model, ASK, schema) == {"warm": True}
    assert model.read[-1].endswith("Is it warm in Rome?\n\nAnswer with one JSON value, keys: warm.<assistant>")
    assert frisket.generate(model, ASK, schema, describe=True) == {"warm": True}
    assert "warm: boolean" in model.read[-1]
    draft = frisket.strategies.Draft(tokens=8)
    assert frisket.generate(model, ASK, schema, strategy=draft) == {"warm": True}
    assert model.read[-1].endswith("<user>Write this answer as one JSON value, keys: warm.<assistant>")


def test_a_final_answer_in_place_of_text() -> None:
    model: Any = Templated("42")
    assert frisket.generate(model, ASK, tools=[WEATHER], final={"type": "integer"}).final == 42


def test_a_choice_without_tools_tells_of_none() -> None:
    model: Any = Templated("No.")
    assert frisket.generate(model, ASK, tools=[WEATHER], choice="none").content == "No."
    assert "<tools>" not in model.read[-1]
    with pytest.raises(RefusedToolsError, match="there is no tool 'nobody' to call"):
        frisket.generate(model, ASK, tools=[WEATHER], choice="nobody")


def test_refused_tools_are_not_told() -> None:
    bad = {"name": "mail", "parameters": {"type": "object", "properties": {"to": {"pattern": "(a+)\\1"}}}}
    model: Any = Templated(CALL)
    frisket.generate(model, ASK, tools=Tools([WEATHER, bad], policy="reject"))
    assert "weather" in model.read[-1] and "mail" not in model.read[-1]
    with pytest.raises(RefusedToolsError, match="mail"):
        frisket.generate(model, ASK, tools=[WEATHER, bad])


def test_thinking_is_told_to_the_template() -> None:
    model: Any = Templated("Yes.")
    answer = frisket.generate(model, ASK, tools=[WEATHER], thinking="off", family="qwen3")
    assert model.read[-1].endswith("<assistant><think>\n\n</think>\n\n") and answer.content == "Yes."
    model = Templated("<think>hm</think>Yes.")
    answer = frisket.generate(model, ASK, tools=[WEATHER], thinking="on", family=family("qwen3"))
    assert (answer.reasoning, answer.content) == ("hm", "Yes.") and model.read[-1].endswith("<assistant>")


def test_a_template_tells_how_its_model_calls() -> None:
    head, body = TEMPLATE.split("\n<tool_call>\n")
    mark = (
        head + "[CALL {{ c.function.name }}]{{ c.function.arguments | tojson }}[/CALL]" + body.split("</tool_call>")[1]
    )
    model: Any = Templated('[CALL weather]{"city": "Rome", "day": 2}[/CALL]', mark)
    (call,) = frisket.generate(model, ASK, tools=[WEATHER]).calls
    assert call.value == {"city": "Rome", "day": 2}


def test_a_template_that_does_not_tell_it_needs_a_name() -> None:
    model: Any = Templated(CALL, "{{ tools | length }}{% for m in messages %}<{{ m.role }}>{{ m.content }}{% endfor %}")
    with pytest.raises(UnknownFamilyError, match=r"does not tell how it calls tools: (.|\n)*family=…, one of"):
        frisket.generate(model, ASK, tools=[WEATHER])
    assert frisket.generate(model, ASK, tools=[WEATHER], family="Qwen/Qwen2.5-7B-Instruct").calls


def test_a_model_without_tools_in_its_template_is_told_in_words() -> None:
    model: Any = Templated(CALL, "{% for m in messages %}<{{ m.role }}>{{ m.content }}{% endfor %}")
    assert frisket.generate(model, ASK, tools=[WEATHER]).calls
    assert model.read[-1].startswith("<system>Be brief.\n\nYou may call these functions:\n{")
    model = Templated(CALL, None)
    assert frisket.generate(model, "Is it warm?", tools=[WEATHER]).calls
    assert model.read[-1].endswith("</tool_call>\nIs it warm?") and model.keys[-1] == ["city", "day"]


def test_what_is_wrong_is_said_before_the_model_is_asked() -> None:
    model: Any = Templated(CALL)
    with pytest.raises(ConversationError, match="the role 'bot' is unknown"):
        frisket.generate(model, [{"role": "bot", "content": "x"}], tools=[WEATHER])
    with pytest.raises(BudgetError):
        frisket.generate(model, ASK, tools=[WEATHER], choice="required", max_tokens=5)
    assert len(model.read) == 1, "the prompt of the one that had no room was measured"


def test_a_word_that_may_mean_a_keyword_is_warned_of() -> None:
    schema = {"type": "object", "propertys": {"a": {"type": "string"}}, "decription": "not told", "x-own": 1}
    with pytest.warns(UserWarning) as told:
        as_grammar(schema)
    assert [str(one.message) for one in told] == [
        "(root): propertys is no keyword and asks nothing; do you mean properties?"
    ]


def test_misspelt_keywords_of_tools_are_warned_of_at_the_line_of_the_program() -> None:
    tool = {"name": "put", "parameters": {"type": "object", "properties": {"a": {"type": "string", "maxlength": 9}}}}
    with pytest.warns(UserWarning, match="/put/properties/a: maxlength is no keyword .*do you mean maxLength?") as told:
        frisket.generate(Templated(CALL), ASK, tools=[tool, WEATHER], max_tokens=100)
    assert told[0].filename == __file__


def test_the_result_of_a_call_that_nobody_made_is_told() -> None:
    result = {"role": "tool", "tool_call_id": "b", "content": "5"}
    call = {"id": "a", "type": "function", "function": {"name": "now", "arguments": "{}"}}
    asked = {"role": "user", "content": "x"}
    for messages, hint in (
        ([asked, result], "comes first"),
        ([asked, {"role": "assistant", "tool_calls": [call]}, result], "the calls are a"),
    ):
        with pytest.raises(ConversationError, match="no message before makes the call 'b'") as caught:
            frisket.generate(Templated(CALL), messages, ["a"])
        assert hint in str(caught.value.hint)
