"""Values of arguments as templates write them: Python's words, CDATA, calls without arguments, tags within texts."""

from __future__ import annotations

from typing import Any

import pytest

from frisket import Grammar
from frisket.errors import MessageSyntaxError
from frisket.events import Events
from frisket.events.event import Closed

NOW = {"name": "now"}
#: Family → what stands before and after the value of the only argument `v` of `put`.
TAGGED = {
    "qwen3_coder": ("<tool_call>\n<function=put>\n<parameter=v>\n", "\n</parameter>\n</function>\n</tool_call>"),
    "seed_oss": ("<seed:tool_call>\n<function=put>\n<parameter=v>", "</parameter>\n</function>\n</seed:tool_call>"),
    "minicpm5": ('<function name="put"><param name="v">', "</param></function>"),
}


def put(schema: Any) -> dict[str, Any]:
    return {"name": "put", "parameters": {"type": "object", "properties": {"v": schema}, "required": ["v"]}}


def closed(grammar: Grammar, text: str) -> list[Any]:
    """The values of `v` that the events of the text close."""
    events = Events(grammar).feed(text)
    return [event.value for event in events if isinstance(event, Closed) and event.path == ("put", "v")]


@pytest.mark.parametrize("family", TAGGED)
@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"type": ["string", "null"]}, None),
        ({"type": ["integer", "null"]}, None),
        ({"type": "null"}, None),
        ({"anyOf": [{"type": "string"}, {"type": "null"}]}, None),
        ({}, None),
        ({"type": "string"}, "None"),
        ({"enum": ["None", "a"]}, "None"),
    ],
)
def test_none_is_null_where_null_is_allowed(family: str, schema: Any, value: Any) -> None:
    before, after = TAGGED[family]
    text = f"{before}None{after}"
    grammar = Grammar.from_tools([put(schema)], family, thinking="off")
    assert grammar.value(text).calls[0].arguments == {"v": value}
    assert closed(grammar, text) == [value]


@pytest.mark.parametrize("text", ["5", "true", "True", "5 apples", "[1]", "[1] x", '"5"', "x"])
def test_a_stream_reads_a_value_of_any_type_as_the_whole_text_does(text: str) -> None:
    before, after = TAGGED["qwen3_coder"]
    grammar = Grammar.from_tools([put({})], "qwen3_coder", thinking="off")
    [call] = grammar.value(before + text + after).calls
    assert closed(grammar, before + text + after) == [call.arguments["v"]]


def test_none_is_nothing_where_null_is_not_allowed() -> None:
    before, after = TAGGED["qwen3_coder"]
    grammar = Grammar.from_tools([put({"type": "integer"})], "qwen3_coder", thinking="off")
    assert grammar.accepts(f"{before}3{after}") and not grammar.accepts(f"{before}None{after}")


@pytest.mark.parametrize(("family", "section"), [("deepseek_v32", "function_calls"), ("deepseek_v4", "tool_calls")])
@pytest.mark.parametrize("choice", ["auto", "required", "now"])
def test_deepseek_writes_an_empty_line_in_place_of_no_arguments(family: str, section: str, choice: str) -> None:
    tools = [NOW, {"name": "put", "parameters": {"type": "object", "properties": {"v": {"type": "integer"}}}}]
    grammar = Grammar.from_tools(tools, family, choice=choice, thinking="off")
    for name in ("now", "put") if choice != "now" else ("now",):
        for blank in ("", "\n"):
            call = f'<｜DSML｜invoke name="{name}">\n{blank}</｜DSML｜invoke>'
            text = f"\n\n<｜DSML｜{section}>\n{call}\n</｜DSML｜{section}>"
            assert [(call.name, call.arguments) for call in grammar.value(text).calls] == [(name, {})]
    assert not grammar.accepts(text.replace("\n\n</", "\n\n\n</"))


@pytest.mark.parametrize("text", ['{"a": true, "b": [null, {}]}', '{"a": True, "b": [None, {}]}'])
@pytest.mark.parametrize("schema", [{"type": "object"}, {}, {"properties": {"a": {"type": "boolean"}}}])
def test_lfm_writes_objects_as_json(schema: Any, text: str) -> None:
    grammar = Grammar.from_tools([put(schema)], "lfm2", thinking="off")
    whole = f"<|tool_call_start|>[put(v={text})]<|tool_call_end|>"
    assert grammar.value(whole).calls[0].arguments == {"v": {"a": True, "b": [None, {}]}}
    assert closed(grammar, whole) == [{"a": True, "b": [None, {}]}]
    assert not Grammar.from_tools([put(schema)], "llama4_pythonic").accepts('[put(v={"a": true})]')


def test_lfm_writes_truth_values_as_python_does() -> None:
    grammar = Grammar.from_tools([put({"type": "boolean"})], "lfm2", thinking="off")
    assert grammar.value("<|tool_call_start|>[put(v=True)]<|tool_call_end|>").calls[0].arguments == {"v": True}
    with pytest.raises(MessageSyntaxError):
        grammar.value("<|tool_call_start|>[put(v=true)]<|tool_call_end|>")


@pytest.mark.parametrize("value", ["a < b", "R&D", "a\nb", "", "<b>\n", "5", "]]", "]]>"])
@pytest.mark.parametrize("schema", [{"type": "string"}, {"type": ["string", "null"]}, {}])
def test_minicpm_writes_markup_in_cdata(schema: Any, value: str) -> None:
    before, after = TAGGED["minicpm5"]
    grammar = Grammar.from_tools([put(schema)], "minicpm5", thinking="off")
    text = f"{before}<![CDATA[{value}]]>{after}"
    if "]]>" in value:
        assert not grammar.accepts(text)
        return
    assert grammar.value(text).calls[0].arguments == {"v": value}
    assert grammar.accepts(f"{before}{value}{after}") == (not set(value) & set("<&\n"))
