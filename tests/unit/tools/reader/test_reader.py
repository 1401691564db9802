"""Families read from chat templates: the formats that these say in Jinja, and what a template does not tell."""

from __future__ import annotations

import random
from types import SimpleNamespace
from typing import Any

import jsonschema
import pytest

from frisket import Grammar
from frisket.chat_template import ChatTemplate
from frisket.cli import serve
from frisket.errors import UnreadableTemplateError
from frisket.tools import Family, family, family_of
from tests.unit.tools.test_walks import vocabulary_of, walk

#: A turn of each role, what the assistant writes beside its text, and the prompt that begins its turn.
TURNS = """{%- for m in messages %}<|{{ m.role }}|>
{% if m.role == 'assistant' %}THINKING{{ m.content }}{% for c in m.tool_calls %}CALL{% endfor %}
{%- else %}{{ m.content }}{% endif %}<|end|>
{% endfor %}{% if add_generation_prompt %}<|assistant|>
{% endif %}"""
PARAMETERS = (
    "<call={{ c.function.name }}>{% for k, v in c.function.arguments.items() %}"
    "<{{ k }}>VALUE</{{ k }}>{% endfor %}</call>"
)
JSON_CALL = '<call>{"name": "{{ c.function.name }}", "arguments": {{ c.function.arguments | tojson }}}</call>'
THINKING = "{% if m.reasoning_content %}<think>\n{{ m.reasoning_content }}\n</think>\n{% endif %}"

TOOL = {
    "name": "weather",
    "parameters": {
        "type": "object",
        "properties": {
            "city": {"type": "string", "minLength": 2},
            "days": {"type": "integer", "minimum": 1},
            "daily": {"type": "boolean"},
            "note": {"type": ["string", "null"]},
            "where": {
                "type": "object",
                "properties": {"sea": {"type": "boolean"}, "at": {"type": "number"}},
                "required": ["sea"],
                "additionalProperties": False,
            },
            "hours": {"type": "array", "items": {"enum": ["am", "pm", 3]}, "maxItems": 3},
        },
        "required": ["city"],
        "additionalProperties": False,
    },
}


def read(call: str, thinking: str = "", **variables: Any) -> Family:
    """The family of a template that writes calls like this."""
    return Family.from_chat_template(TURNS.replace("CALL", call).replace("THINKING", thinking), **variables)


def parameters(value: str) -> str:
    return PARAMETERS.replace("VALUE", value)


def test_json_in_tags() -> None:
    found = read(JSON_CALL, THINKING, name="mine")
    assert found == Family(
        name="mine",
        models="the model of this chat template",
        sources=("its chat template",),
        call=('<call>{"name": "$name", "arguments": $arguments}</call>',),
        thinking=("<think>", "</think>"),
        stops=("<|end|>",),
    )
    assert found.note == ""


def test_a_templates_text_stands_for_its_family() -> None:
    text = TURNS.replace("CALL", JSON_CALL).replace("THINKING", "")
    assert family(text) == Family.from_chat_template(text)
    with pytest.raises(UnreadableTemplateError):
        family("{{ messages }}")


def test_calls_in_a_list() -> None:
    text = TURNS.replace("THINKING", "").replace(
        "{% for c in m.tool_calls %}CALL{% endfor %}",
        "{% if m.tool_calls %}[CALLS][{% for c in m.tool_calls %}{{ c.function | tojson }}"
        "{{ ', ' if not loop.last }}{% endfor %}]{% endif %}",
    )
    found = Family.from_chat_template(text)
    assert (found.call, found.calls, found.separators) == (
        ('{"name": "$name", "arguments": $arguments}',),
        "[CALLS][$calls]",
        (", ",),
    )


@pytest.mark.parametrize(
    ("value", "python_words", "python_values"),
    [
        ("{{ v if v is string else v | tojson }}", False, set()),
        ("{{ v }}", True, {"array", "object"}),
        ("{{ v | tojson if v is mapping else v }}", True, {"array"}),
    ],
)
def test_how_values_are_printed(value: str, python_words: bool, python_values: set[str]) -> None:
    found = read(parameters(value))
    assert (found.arguments, found.parameter) == ("parameters", "<$key>$value</$key>")
    assert (found.python_words, found.python_values) == (python_words, python_values)


def test_types_that_parameters_say() -> None:
    kind = "'text' if v is string else 'map' if v is mapping else 'flag' if v is boolean else 'other'"
    call = (
        "<call={{ c.function.name }}>{% for k, v in c.function.arguments.items() %}"
        f"<p={{{{ k }}}} is={{{{ {kind} }}}}>{{{{ v if v is string else v | tojson }}}}</p>{{% endfor %}}</call>"
    )
    found = read(call)
    assert found.parameter == "<p=$key is=$kind>$value</p>"
    assert dict(found.kinds) == {
        "string": "text", "number": "other", "boolean": "flag", "null": "other", "array": "other", "object": "map",
    }  # fmt: skip


def test_a_number_that_counts_calls_is_an_identifier() -> None:
    found = read("<call n={{ loop.index0 }} of=2>" + JSON_CALL.removeprefix("<call>"))
    assert found.call == ('<call n=$id of=2>{"name": "$name", "arguments": $arguments}</call>',)
    assert found.id == "[0-9]{1,4}"


@pytest.mark.parametrize(("check", "pattern"), [("", "[A-Za-z0-9_-]{1,64}"), ("9", "[A-Za-z0-9]{9}")])
def test_identifiers_that_the_template_takes(check: str, pattern: str) -> None:
    refused = "{% if c.id | length != 9 %}{{ raise_exception('nine characters') }}{% endif %}" if check else ""
    found = read(refused + "<call id={{ c.id }}>" + JSON_CALL.removeprefix("<call>"))
    assert (found.call[0].partition(">")[0], found.id) == ("<call id=$id", pattern)


def test_the_name_may_stand_twice() -> None:
    found = read("to {{ c.function.name }}:" + JSON_CALL, name="twice")
    assert found.call == ('to $name:<call>{"name": "$name", "arguments": $arguments}</call>',)
    grammar = Grammar.from_tools([{"name": "now"}, {"name": "never"}], found, choice="required")
    assert grammar.value('to now:<call>{"name": "now", "arguments": {}}</call>').calls[0].name == "now"
    assert not grammar.accepts('to now:<call>{"name": "never", "arguments": {}}</call>')


def test_markers_of_text_that_stand_before_every_call() -> None:
    text = TURNS.replace("THINKING{{ m.content }}", "<text>{{ m.content }}</text>").replace("CALL", JSON_CALL)
    found = Family.from_chat_template(text)
    assert (found.content, found.preamble, found.has_empty_preamble) == (("<text>", "</text>"),) * 2 + (True,)
    required = Grammar.from_tools([{"name": "now"}], found, choice="required")
    assert required.value('<text></text><call>{"name": "now", "arguments": {}}</call>').content is None
    assert not required.accepts('<text>so</text><call>{"name": "now", "arguments": {}}</call>')
    assert Grammar.from_tools([{"name": "now"}], found).value("<text>so</text>").content == "so"


STYLES = {
    "json": JSON_CALL,
    "parameters": parameters("{{ v if v is string else v | tojson }}"),
    "printed parameters": parameters("{{ v }}"),
    "delimited": """{% macro put(v) %}{% if v is string %}<|q|>{{ v }}<|q|>{% elif v is mapping %}{
{%- for k, w in v | dictsort %}{{ ',' if not loop.first }}{{ k }}:{{ put(w) }}{% endfor %}}
{%- elif v is sequence %}[{% for w in v %}{{ ',' if not loop.first }}{{ put(w) }}{% endfor %}]
{%- else %}{{ v | tojson }}{% endif %}{% endmacro %}
{%- set f = c.function %}<call>{{ f.name }}{{ put(f.arguments) }}</call>""",
}


@pytest.mark.parametrize("style", STYLES)
def test_walks_under_a_family_that_was_read_parse_back(style: str) -> None:
    found = read(STYLES[style], THINKING)
    vocabulary, rng = vocabulary_of(found), random.Random(style)
    grammar = Grammar.from_tools([TOOL, {"name": "now"}], found, choice="required", thinking="off")
    calls = []
    for _ in range(12):
        text = walk(grammar, vocabulary, rng)
        if text is not None:
            calls += grammar.value(text).calls
    for call in calls:
        schema: Any = TOOL["parameters"] if call.name == "weather" else {"maxProperties": 0}
        jsonschema.validate(call.arguments, schema)
    assert {call.name for call in calls} == {"weather", "now"}


@pytest.mark.parametrize(
    ("template", "part", "reason"),
    [
        ("{% for m in messages %}{{ m.content }}{% endfor %}", "calls", "writes no calls"),
        (TURNS.replace("CALL", "{{ raise_exception('no tools') }}"), "template", "no tools"),
        (TURNS.replace("CALL", "{{ loop.last }}" + JSON_CALL), "calls", "two calls are written otherwise than one"),
        (TURNS.replace("CALL", '{{ c.id }} <{{ loop.index }}> ' + JSON_CALL), "id", "several identifiers"),
        (TURNS.replace("CALL", JSON_CALL.replace("<call>", "<|end|>")), "stops", "begins a call, too"),
        (TURNS.replace("CALL", "{{ c.function.arguments.values() | join }}" + PARAMETERS), "arguments", "order"),
        (TURNS.replace("CALL", parameters("{{ '' if v is none else v }}")), "arguments", "type null"),
        (TURNS.replace("CALL", parameters("{{ v | trim if v is string else v }}")), "the value", "two  blanks"),
    ],
)  # fmt: skip
def test_what_a_template_does_not_tell(template: str, part: str, reason: str) -> None:
    with pytest.raises(UnreadableTemplateError) as raised:
        Family.from_chat_template(template.replace("THINKING", ""))
    assert (raised.value.where or "").startswith(part) and reason in raised.value.message


#: A call is a message of its own, behind the token that ends messages; one call at most.
MESSAGES = """{%- for m in messages %}{{ m.role }}<|role|>
{{ m.content }}<|sep|>

{% if m.tool_calls %}call<|role|>
{{ m.tool_calls[0].function | tojson }}<|sep|>

{% endif %}{% endfor %}{% if add_generation_prompt %}assistant<|role|>
{% endif %}"""


def test_a_token_that_ends_messages_and_begins_calls_needs_the_end_of_the_turn() -> None:
    for variables in ({}, {"eos_token": ""}, {"eos_token": "<|sep|>"}):
        with pytest.raises(UnreadableTemplateError, match="which token ends the turn") as caught:
            Family.from_chat_template(MESSAGES, **variables)
        assert caught.value.where == "stops" and "eos_token" in (caught.value.hint or "")
    found = Family.from_chat_template(MESSAGES, eos_token="</s>")
    assert found.call == ('<|sep|>\n\ncall<|role|>\n{"name": "$name", "arguments": $arguments}',)
    assert (found.calls, found.content, found.stops) == ("$calls<|sep|>\n\n", ("", "<|sep|>\n\n"), ("</s>",))
    grammar = Grammar.from_tools([{"name": "now"}], found)
    call = '<|sep|>\n\ncall<|role|>\n{"name": "now", "arguments": {}}<|sep|>\n\n'
    assert [each.name for each in grammar.value(f"So:{call}</s>").calls] == ["now"]
    assert grammar.value("So.<|sep|>\n\n</s>").content == "So."
    assert not grammar.accepts("So.") and not grammar.accepts(f"So.<|sep|>\n\n{call}")


def test_a_tokenizer_tells_its_template_its_end_and_its_special_tokens() -> None:
    text = TURNS.replace("CALL", JSON_CALL).replace("THINKING", "").replace("<|end|>", "{{ eos_token }}")
    tokenizer = SimpleNamespace(
        chat_template={"default": "{{ messages }}", "tool_use": text},
        eos_token="</s>",
        get_added_vocab=lambda: {"<call>": 7, "<|other|>": 8},
        name_or_path="somebody/model",
    )
    found = Family.from_tokenizer(tokenizer)
    assert (found.name, found.stops, found.special) == ("somebody/model", ("</s>",), {"<call>"})
    with pytest.raises(UnreadableTemplateError, match="no chat template"):
        Family.from_tokenizer(SimpleNamespace())


def test_the_family_of_a_model_is_its_templates_else_that_of_its_name() -> None:
    text = TURNS.replace("CALL", JSON_CALL).replace("THINKING", "")
    model = SimpleNamespace(tokenizer=SimpleNamespace(chat_template=text, name_or_path="Qwen/Qwen3-8B"))
    assert family_of(model).call == ('<call>{"name": "$name", "arguments": $arguments}</call>',)
    assert family_of(SimpleNamespace(name_or_path="Qwen/Qwen3-8B")) is family("qwen3")
    with pytest.raises(UnreadableTemplateError, match="no chat template"):
        family_of(SimpleNamespace(name_or_path="nobody/nothing"))


@pytest.mark.parametrize(
    ("template", "served", "said"),
    [
        (None, "hermes", ""),
        ("{% for m in messages %}{{ m.content }}{% endfor %}", "hermes", ""),
        ("{{ tools }}{% for m in messages %}{{ m.content }}{% endfor %}", "hermes", "writes no calls"),
        (TURNS.replace("CALL", JSON_CALL).replace("THINKING", ""), "chat template", ""),
    ],
)
def test_serve_asks_the_models_own_template(
    template: str | None, served: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    chat = None if template is None else ChatTemplate(template)
    model: Any = SimpleNamespace(chat_template=chat, vocabulary=SimpleNamespace(special={"<call>": 7, None: 8}))
    found = serve._family_of(model)
    assert (found if isinstance(found, str) else found.name) == served
    assert isinstance(found, str) or found.special == {"<call>"}
    assert said in capsys.readouterr().err


def test_quotes_and_separators_may_be_special_tokens() -> None:
    separated = "{{ '<|next|>' if not loop.first }}" + STYLES["delimited"]
    found = read(separated, special={"<|q|>", "<|next|>", "<|unused|>"})
    assert found.special == {"<|q|>", "<|next|>"}
    vocabulary = vocabulary_of(found)
    matcher = Grammar.from_tools([TOOL], found, choice="required").compile(vocabulary).matcher()
    call = ["<call>weather{city:", "<|q|>", "Rome", "<|q|>", "}</call>"]
    for part in [*call, "<|next|>", *call]:
        if part in vocabulary.special:
            assert matcher.try_advance(vocabulary.special[part]), part
        else:
            matcher.advance_bytes(part.encode())
    assert matcher.can_end
