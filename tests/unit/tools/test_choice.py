"""tool_choice, parallel calls, a final answer beside tools, reasoning: what each admits."""

from __future__ import annotations

import re
from typing import Any

import pytest

from frisket import Grammar, Vocabulary
from frisket.errors import MessageSyntaxError, UnsupportedSchemaError
from frisket.thinking import Thinking
from frisket.tools import Tools, families, family

NOW = {"name": "now"}
TIME = {"name": "now_in", "parameters": {"type": "object", "properties": {"city": {"type": "string"}}}}
CALL = '<tool_call>\n{"name": "now", "arguments": {}}\n</tool_call>'
OTHER = '<tool_call>\n{"name": "now_in", "arguments": {"city": "Rome"}}\n</tool_call>'


@pytest.mark.parametrize(
    ("choice", "parallel", "accepted"),
    [
        ("auto", True, {"", "text", CALL, f"text {CALL}", f"{CALL}\n{OTHER}", f"{CALL} and {OTHER} done"}),
        ("auto", False, {"", "text", CALL, f"text {CALL}"}),
        ("required", True, {CALL, f"{CALL}\n{OTHER}"}),
        ("required", False, {CALL}),
        ("now", True, {CALL}),
        ("none", True, {"", "text"}),
    ],
)
def test_choice_and_parallel(choice: str, parallel: bool, accepted: set[str]) -> None:
    grammar = Grammar.from_tools([NOW, TIME], "hermes", choice=choice, parallel=parallel)
    texts = ["", "text", CALL, f"text {CALL}", f"{CALL}\n{OTHER}", f"{CALL} and {OTHER} done", OTHER + CALL + "x"]
    for text in texts[:-1]:
        assert grammar.accepts(text) == (text in accepted), text


def test_text_never_holds_half_a_call() -> None:
    grammar = Grammar.from_tools([NOW], "qwen3")
    assert grammar.accepts("a < b <tool_cal")
    assert not grammar.accepts("<tool_call>")
    assert not grammar.accepts(f"{CALL}</think>")
    assert grammar.value(f"<{CALL}").content == "<"


def test_the_longer_of_two_names_is_read() -> None:
    grammar = Grammar.from_tools([NOW, TIME], "deepseek_v31", choice="required")
    text = (
        "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>now_in<｜tool▁sep｜>{}<｜tool▁call▁end｜>"
        "<｜tool▁call▁begin｜>now<｜tool▁sep｜>{}<｜tool▁call▁end｜><｜tool▁calls▁end｜>"
    )
    assert [call.name for call in grammar.value(text).calls] == ["now_in", "now"]


def test_a_final_answer_beside_tools() -> None:
    final = {
        "type": "object",
        "properties": {"n": {"type": "integer"}},
        "required": ["n"],
        "additionalProperties": False,
    }
    grammar = Grammar.from_tools([NOW], "qwen3", final=final)
    message = grammar.value('<think>\nhm\n</think>\n\n{"n": 3}')
    assert (message.reasoning, message.final, message.calls) == ("hm", {"n": 3}, [])
    assert [call.name for call in grammar.value(CALL).calls] == ["now"]
    assert (
        not grammar.accepts("text") and not grammar.accepts(f"text {CALL}") and not grammar.accepts(f'{CALL}{{"n": 3}}')
    )


def test_a_final_answer_may_hold_what_announces_a_call() -> None:
    grammar = Grammar.from_tools([NOW], "qwen3", final={"type": "string"})
    message = grammar.value('"<tool_call>"')
    assert (message.final, message.calls) == ("<tool_call>", [])


@pytest.mark.parametrize("name", families())
def test_every_family_has_final_answers_or_says_why_not(name: str) -> None:
    final = {
        "type": "object",
        "properties": {"n": {"type": "integer"}},
        "required": ["n"],
        "additionalProperties": False,
    }
    known = family(name)
    if known.opener == "{":
        with pytest.raises(UnsupportedSchemaError, match="both begin"):
            Grammar.from_tools([NOW], name, final=final)
        return
    grammar = Grammar.from_tools([NOW], name, final=final)
    message = grammar.value(f'{known.content[0]}{{"n": 3}}{known.content[1]}')
    assert message.final == {"n": 3} and not message.calls


def test_reasoning_and_the_prompt() -> None:
    opened = Grammar.from_tools([NOW], "qwen3", prompt="<|im_start|>assistant\n<think>\n")
    message = opened.value(f"I should look.\n</think>\n\n{CALL}")
    assert message.reasoning == "I should look." and len(message.calls) == 1
    assert not opened.accepts(CALL)
    off = Grammar.from_tools([NOW], "qwen3", thinking="off")
    assert off.accepts(CALL) and not off.accepts_prefix("<think>")
    on = Grammar.from_tools([NOW], "qwen3", thinking="on")
    assert on.accepts(f"<think></think>{CALL}") and not on.accepts(CALL)
    assert Grammar.from_tools([NOW], "qwen3", thinking="on", prompt=Thinking.CLOSED).accepts(CALL)
    assert not Grammar.from_tools([NOW], "qwen3", max_thinking_chars=3).accepts_prefix("<think>abcd")
    with pytest.raises(ValueError, match="do not think"):
        Grammar.from_tools([NOW], "hermes", thinking="on")


@pytest.mark.parametrize("choice", ["auto", "required", "now"])
@pytest.mark.parametrize("parallel", [True, False])
def test_a_message_may_end_after_the_line_break_of_its_last_call(choice: str, parallel: bool) -> None:
    for name in families():
        known = family(name)
        if known.text_between and known.arguments == "json" and known.call[0].startswith("<tool_call>"):
            grammar = Grammar.from_tools([NOW, TIME], name, choice=choice, parallel=parallel)
            assert [call.name for call in grammar.value(f"{CALL}\n").calls] == ["now"]
    assert not Grammar.from_tools([NOW], "hermes", choice="now").accepts(f"{CALL}\n{CALL}")


@pytest.mark.parametrize("choice", ["auto", "required", "now"])
@pytest.mark.parametrize(("mode", "prompt"), [("auto", Thinking.CLOSED), ("off", None), ("auto", None), ("off", "x")])
def test_a_line_break_may_stand_before_the_first_call(choice: str, mode: Any, prompt: Any) -> None:
    grammar = Grammar.from_tools([NOW], "qwen3", choice=choice, thinking=mode, prompt=prompt)
    for blanks in ("", "\n", "\n\n"):
        message = grammar.value(f"{blanks}{CALL}")
        assert [call.name for call in message.calls] == ["now"] and message.content is None
    final = Grammar.from_tools([NOW], "qwen3", final={"const": 3}, thinking=mode, prompt=prompt)
    assert final.value("\n\n3").final == 3 and len(final.value(f"\n{CALL}\n").calls) == 1


_SOLAR = "<|tool_calls|><|tool_call:begin|>a<|tool_call:name|>now<|tool_call:args|>{}<|tool_call:end|>"
_HARMONY = "<|channel|>analysis<|message|>{}<|end|><|start|>assistant"


@pytest.mark.parametrize(
    ("name", "text", "reasoning", "content"),
    [
        ("solar_open", "<|think|>hm<|end|><|begin|>assistant<|content|>Hi", "hm", "Hi"),
        ("solar_open", f"<|think|>hm<|end|><|begin|>assistant{_SOLAR}", "hm", None),
        ("solar_open", f"<|content|>Hi<|end|><|begin|>assistant{_SOLAR}", None, "Hi"),
        ("apertus", "<|inner_prefix|>hm<|inner_suffix|>Hi", "hm", "Hi"),
        ("apertus", '<|inner_prefix|>hm<|inner_suffix|><|tools_prefix|>[{"now": {}}]<|tools_suffix|>', "hm", None),
        ("apertus", '<|inner_prefix|>hm<|tools_prefix|>[{"now": {}}]<|tools_suffix|>', "hm", None),
        ("command_a", "<|START_THINKING|>hm<|END_THINKING|><|START_TEXT|>Hi<|END_TEXT|>", "hm", "Hi"),
        ("command_a", "<|START_RESPONSE|>Hi<|END_RESPONSE|>", None, "Hi"),
        ("gpt_oss", f"{_HARMONY.format('a')}<|channel|>final <|constrain|>json<|message|>1", "a", "1"),
        ("gpt_oss", f"{_HARMONY.format('a')}{_HARMONY.format('b')}<|channel|>final<|message|>Hi", "a\nb", "Hi"),
        ("gpt_oss", f"{_HARMONY.format('a')}{_HARMONY.format('b')} to=functions.now<|channel|>commentary"
         " json<|message|>{}", "a\nb", None),
        ("granite3", "<think>hm</think><response>Hi</response>", "hm", "Hi"),
        ("granite3", '<think>hm</think>\n<|tool_call|>[{"name": "now", "arguments": {}}]', "hm", None),
    ],
)  # fmt: skip
def test_all_parts_of_a_familys_own_messages(name: str, text: str, reasoning: str | None, content: str | None) -> None:
    known = family(name)
    vocabulary = Vocabulary.from_bytes(
        [*(bytes([value]) for value in range(256)), *(None for _ in known.special), None],
        special={each: 256 + place for place, each in enumerate([*sorted(known.special), "<end>"])},
        eos="<end>",
    )
    grammar = Grammar.from_tools([NOW], name)
    message = grammar.value(text)
    assert (message.reasoning, message.content) == (reasoning, content)
    assert [call.name for call in message.calls] == ([] if content and "now" not in text else ["now"])
    matcher = grammar.compile(vocabulary).matcher()
    parts = re.split(f"({'|'.join(map(re.escape, sorted(known.special, key=len, reverse=True)))})", text)
    for part in parts:
        for token in [vocabulary.special[part]] if part in vocabulary.special else part.encode():
            assert matcher.try_advance(token), part
    assert matcher.can_end


def test_a_final_answer_has_all_markers_of_an_answer() -> None:
    for name, begin, end in (
        ("gpt_oss", "<|channel|>final <|constrain|>json<|message|>", ""),
        ("command_a", "<|START_TEXT|>", "<|END_TEXT|>"),
        ("granite3", "<response>", "</response>"),
        ("granite3", "", ""),
    ):
        grammar = Grammar.from_tools([NOW], name, final={"type": "integer"})
        assert grammar.value(f"{begin}3{end}").final == 3


@pytest.mark.parametrize("thinking", ["auto", "off"])
def test_no_gap_takes_the_blank_with_which_a_call_begins(thinking: Any) -> None:
    plain = Vocabulary.from_bytes(
        [*(bytes([value]) for value in range(256)), None], special={"<end>": 256}, eos="<end>"
    )
    grammar = Grammar.from_tools([NOW], "gpt_oss", choice="required", thinking=thinking, vocabulary=plain)
    call = " to=functions.now<|channel|>commentary json<|message|>{}"
    reasoning = "<|channel|>analysis<|message|>hm<|end|><|start|>assistant" if thinking == "auto" else ""
    for text in (call, reasoning + call):
        assert [call.name for call in grammar.value(text).calls] == ["now"]


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ('<tool_call>\n{"name": "later"', "offset 22"),
        ('<tool_call>\n{"name": "now_in", "arguments": {"city": 5}}\n</tool_call>', "offset 53"),
        ('<tool_call>\n{"name": "now", "arguments": {}', "offset 43"),
        ("né <tool_call> x", "offset 15"),
    ],
)
def test_a_message_that_is_none_is_told_with_its_place(text: str, place: str) -> None:
    with pytest.raises(MessageSyntaxError) as caught:
        Grammar.from_tools([NOW, TIME], "hermes").value(text)
    assert caught.value.where == place


def test_a_vocabulary_says_which_markers_are_special_tokens() -> None:
    tokens = [bytes([value]) for value in range(256)]
    plain = Vocabulary.from_bytes([*tokens, None], special={"<end>": 256}, eos="<end>")
    special = Vocabulary.from_bytes([*tokens, None, None], special={"<tool_call>": 256, "<end>": 257}, eos="<end>")
    blanks = [ord("\n"), ord(" ")]
    as_text = Grammar.from_tools([NOW], "qwen3", choice="required", thinking="off", vocabulary=plain)
    assert as_text.compile(plain).matcher().allowed() == [*blanks, ord("<")]
    as_token = Grammar.from_tools([NOW], "qwen3", choice="required", thinking="off", vocabulary=special)
    assert as_token.compile(special).matcher().allowed() == [*blanks, 256]
    assert as_token.value(CALL).calls[0].name == "now"


@pytest.mark.parametrize(
    ("name", "special", "eos", "told"),
    [
        ("qwen3", ["<|im_end|>"], ["<|im_end|>"], None),
        ("qwen3", ["<|endoftext|>", "<|im_end|>"], ["<|endoftext|>"], "ends it with <|endoftext|>; add <|im_end|>"),
        ("qwen3", ["<end>"], ["<end>"], "end a message with <|im_end|>, the vocabulary ends it with <end>"),
        ("llama3", ["<|eot_id|>"], ["<|eot_id|>"], None),
        ("gpt_oss", ["<|call|>", "<|return|>"], ["<|return|>"], "add <|call|> to its eos"),
        ("gpt_oss", ["<|call|>", "<|return|>"], ["<|return|>", "<|call|>"], None),
    ],
)
def test_an_end_that_is_not_the_familys_is_told(
    name: str, special: list[str], eos: list[str], told: str | None
) -> None:
    ids = {each: 256 + place for place, each in enumerate(special)}
    tokens = [*(bytes([value]) for value in range(256)), *(None for _ in special)]
    vocabulary = Vocabulary.from_bytes(tokens, special=ids, eos=[ids[each] for each in eos])
    report = Grammar.from_tools([NOW], name, vocabulary=vocabulary).report
    assert report is not None and report.exact
    notes = [str(note) for note in report.notes if note.code == "end"]
    assert len(notes) == (told is not None) and (told or "") in "".join(notes)


def test_texts_in_tags_hold_no_tag() -> None:
    tool = {"name": "write", "parameters": {"type": "object", "properties": {"text": {"type": "string"}}}}
    grammar = Grammar.from_tools([tool], "qwen3_coder", thinking="off")
    head, tail = "<tool_call>\n<function=write>\n<parameter=text>\n", "\n</parameter>\n</function>\n</tool_call>"
    for text in ("", "a\nb", "a < b > c", "</para", "\n\n", 'say "hi"', "5", "null"):
        assert grammar.value(head + text + tail).calls[0].arguments == {"text": text}
    for text in ("</parameter>", "x<parameter=y>", "</tool_call>"):
        assert not grammar.accepts(head + text + tail), text


def test_what_may_be_text_or_not_is_read_as_json_first() -> None:
    tool = {
        "name": "put",
        "parameters": {"type": "object", "properties": {"v": {"type": ["string", "integer", "null"]}}},
    }
    grammar = Grammar.from_tools([tool], "glm45", thinking="off")
    for text, value in (("5", 5), ("null", None), ("5.5", "5.5"), ("true", "true"), ('"5"', '"5"'), ("", "")):
        said = f"<tool_call>put\n<arg_key>v</arg_key>\n<arg_value>{text}</arg_value>\n</tool_call>"
        assert grammar.value(said).calls[0].arguments == {"v": value}
    typed = Grammar.from_tools([tool], "deepseek_v32", thinking="off")
    for kind, value in (("true", "5"), ("false", 5)):
        said = (
            '<｜DSML｜function_calls>\n<｜DSML｜invoke name="put">\n'
            f'<｜DSML｜parameter name="v" string="{kind}">5</｜DSML｜parameter>\n'
            "</｜DSML｜invoke>\n</｜DSML｜function_calls>"
        )
        assert typed.value(said).calls[0].arguments == {"v": value}


def test_no_quotes_let_a_tag_through() -> None:
    end = "<|tool_call_end|>"
    tool = {"name": "put", "parameters": {"type": "object", "properties": {"v": {"enum": ["a", end]}, "w": {}}}}
    grammar = Grammar.from_tools(Tools([tool], policy="relaxed"), "lfm2", thinking="off")
    for quote in "'\"":
        assert len(grammar.value(f"<|tool_call_start|>[put(v={quote}a{quote})]{end}").calls) == 1
        for key in "vw":
            with pytest.raises(MessageSyntaxError):
                grammar.value(f"<|tool_call_start|>[put({key}={quote}{end}{quote})]{end}")


def test_an_answer_goes_on_where_the_prompt_has_begun_it() -> None:
    call = "<|tool_calls|><|tool_call:begin|>1<|tool_call:name|>now<|tool_call:args|>{}<|tool_call:end|>"
    prompt = "<|begin|>user<|content|>Hi<|end|><|begin|>assistant<|think|><|end|><|begin|>assistant<|content|>"
    grammar = Grammar.from_tools([NOW], "solar_open", prompt=prompt)
    assert grammar.value("Hello.").content == "Hello." and not grammar.accepts("<|content|>Hello.")
    message = grammar.value(f"So.<|end|><|begin|>assistant{call}")
    assert (message.content, message.reasoning, len(message.calls)) == ("So.", None, 1)
    required = Grammar.from_tools([NOW], "solar_open", choice="required", prompt=prompt)
    assert required.value(f"<|end|><|begin|>assistant{call}").calls[0].name == "now"
    assert not required.accepts(call) and not required.accepts("So.") and not grammar.accepts(call)
    # A final answer of gpt-oss goes on as text: calls begin otherwise.
    final = Grammar.from_tools([NOW], "gpt_oss", prompt="<|start|>assistant<|channel|>final<|message|>")
    assert final.value("Hello.").content == "Hello." and not final.accepts("<|channel|>final<|message|>Hello.")
    assert family("gpt_oss").prompt_says("<|start|>assistant") is family("hermes").prompt_says("<think>")
