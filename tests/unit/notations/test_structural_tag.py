"""Structural tags → Grammar: which texts, and the JSON pointer of what cannot be read."""

from __future__ import annotations

import itertools
import json
import pickle
from typing import Any

import pytest

from frisket import Grammar, JSONSchemaOptions, Vocabulary
from frisket.errors import GrammarSyntaxError, VocabularyError
from frisket.parts import seq
from tests.data import data_dir

OBJECT = {"type": "object", "properties": {"x": {"type": "integer"}}, "required": ["x"]}
MEMBERS: dict[str, Any] = {
    "type": "object",
    "properties": {
        "s": {"type": "string", "maxLength": 5},
        "n": {"type": "number"},
        "e": {"enum": ["a", 7]},
        "l": {"type": "array", "items": {"type": "integer"}},
    },
    "required": ["s"],
}


def const(value: str) -> dict[str, Any]:
    return {"type": "const_string", "value": value}


def wrapped(begin: Any, content: dict[str, Any], end: Any) -> dict[str, Any]:
    return {"type": "tag", "begin": begin, "content": content, "end": end}


def schema(of: Any, **more: Any) -> dict[str, Any]:
    return {"type": "json_schema", "json_schema": of, **more}


ANY = {"type": "any_text"}
TAGS = [wrapped("<f=a>", const("1"), "</f>"), wrapped("<f=b>", const("2"), ["</f>", "."])]
TRIGGERED = {"type": "triggered_tags", "triggers": ["<f="], "tags": TAGS}
SEPARATED = {"type": "tags_with_separator", "tags": TAGS, "separator": ","}
DISPATCH = {"type": "dispatch", "rules": [["@a", const("1")], ["@b", const("2")]]}

CASES: list[tuple[dict[str, Any], list[str], list[str]]] = [
    (const("é"), ["é"], ["", "e"]),
    (schema(OBJECT), ['{"x": 1}', ' {\n "x" :  1}', '{"\\u0078":1}'], ["{}", '{"x": "1"}']),
    (schema(OBJECT, max_whitespace_cnt=0), ['{"x":1}'], ['{"x": 1}']),
    (schema(OBJECT, max_whitespace_cnt=1), ['{"x": 1}', '{\n"x":1}'], ['{"x":  1}', '{\n "x":1}']),
    (schema(OBJECT, max_whitespace_cnt=2), ['{"x":  1}', '{\n "x":1}'], ['{"x":     1}', '{\n  "x":1}']),
    (
        schema({"properties": {"a": {}, "b": {}}, "required": ["a", "b"]}, any_order=True),
        ['{"b":1,"a":2}'],
        ['{"a":1}'],
    ),
    ({"type": "grammar", "grammar": 'root ::= "(" root ")" | "x"'}, ["x", "((x))"], ["(x"]),
    ({"type": "regex", "pattern": "a|\\d{2}"}, ["a", "12"], ["1", "xa"]),
    (ANY, ["", "a\n"], []),
    ({"type": "any_text", "excludes": ["no"], "max_chars": 3}, ["", "nnn", "éöü"], ["no", "abcd"]),
    ({"type": "sequence", "elements": [const("a"), const("b")]}, ["ab"], ["a", "b"]),
    ({"type": "or", "elements": [const("a"), const("b")]}, ["a", "b"], ["ab", ""]),
    ({"type": "optional", "content": const("a")}, ["", "a"], ["aa"]),
    ({"type": "plus", "content": const("a")}, ["a", "aaa"], [""]),
    ({"type": "star", "content": const("a")}, ["", "aaa"], ["b"]),
    ({"type": "repeat", "min": 1, "max": 2, "content": const("a")}, ["a", "aa"], ["", "aaa"]),
    ({"type": "repeat", "min": 1, "max": -1, "content": const("a")}, ["a", "aaaa"], [""]),
    (wrapped("<t>", ANY, "</t>"), ["<t></t>", "<t>a<b</t>"], ["<t>", "<t></t></t>", "<t></t>a"]),
    (wrapped("<t>", ANY, ["</t>", "."]), ["<t>a.", "<t></t>"], ["<t>a.b</t>"]),
    (wrapped("", {"type": "sequence", "elements": [ANY, const("!")]}, "."), ["a!.", "!!."], ["a.!.", "a."]),
    (TRIGGERED, ["", "a<f=a>1</f>b<f=b>2.", "<f", "<f=b>2</f></f>"], ["<f=", "<f=a>2</f>", "<f=c>"]),
    ({**TRIGGERED, "at_least_one": True}, ["<f=a>1</f>", "<f=a>1</f>a<f=b>2."], ["", "a<f=a>1</f>"]),
    ({**TRIGGERED, "stop_after_first": True}, ["", "a", "a<f=a>1</f>"], ["<f=a>1</f>a", "<f=a>1</f><f=b>2."]),
    ({**TRIGGERED, "at_least_one": True, "stop_after_first": True}, ["<f=a>1</f>"], ["", "a<f=a>1</f>"]),
    ({**TRIGGERED, "excludes": ["no"]}, ["n<f=a>1</f>o"], ["no", "<f=a>1</f>no"]),
    ({**TRIGGERED, "triggers": ["<f=", "<g="]}, ["<f=a>1</f>"], ["<g="]),
    (wrapped("<t>", TRIGGERED, "</t>"), ["<t>a<f=a>1</f></t>"], ["<t>a</t>b</t>"]),
    (SEPARATED, ["", "<f=a>1</f>", "<f=a>1</f>,<f=b>2."], ["<f=a>1</f><f=b>2.", "<f=a>1</f>,", "a"]),
    ({**SEPARATED, "at_least_one": True}, ["<f=a>1</f>"], [""]),
    ({**SEPARATED, "stop_after_first": True}, ["", "<f=a>1</f>"], ["<f=a>1</f>,<f=b>2."]),
    (DISPATCH, ["", "a@a1b@b2c"], ["@a", "@a2"]),
    ({**DISPATCH, "loop": False}, ["", "a", "a@a1"], ["@a1b", "@a1@b2"]),
    (
        schema(MEMBERS, style="qwen_xml"),
        [
            "<parameter=s>a < b</parameter>",
            "\n<parameter=s>x</parameter>\n<parameter=n> 1.5 </parameter>\n",
            "<parameter=s></parameter><parameter=e>a</parameter><parameter=l>[1, 2]</parameter>",
            "<parameter=s></parameter><parameter=e>7</parameter>",
        ],
        [
            "<parameter=s>abcdef</parameter>",
            "<parameter=n>1.5</parameter>",
            "<parameter=s></parameter></parameter>",
            "<parameter=s>x</parameter><parameter=e>b</parameter>",
            "<parameter=s>x</parameter><parameter=z>b</parameter>",
        ],
    ),
    (
        {"type": "qwen_xml_parameter", "json_schema": {"type": "object", "properties": {"a": {}}}},
        ["", "<parameter=a>x</parameter>", "<parameter=a>[1]</parameter>"],
        ["<parameter=b>x</parameter>"],
    ),
    (
        schema(True, style="minimax_xml"),
        ["", '<parameter name="k">x</parameter>'],
        ['<parameter name="1">x</parameter>'],
    ),
    (
        schema(MEMBERS, style="deepseek_xml"),
        [
            '<｜DSML｜parameter name="s" string="true">x</｜DSML｜parameter>'
            '<｜DSML｜parameter name="e" string="false">7</｜DSML｜parameter>'
        ],
        ['<｜DSML｜parameter name="s" string="false">x</｜DSML｜parameter>'],
    ),
    (
        schema(MEMBERS, style="glm_xml"),
        ["<arg_key>s</arg_key>\n<arg_value>x</arg_value><arg_key>n</arg_key><arg_value>1</arg_value>"],
        ["<arg_key>n</arg_key><arg_value>1</arg_value>"],
    ),
    (
        schema({"type": "object", "properties": {'"&': {"type": ["string", "null"]}}}, style="cohere_xml"),
        [
            '<cofl:value name="&quot;&amp;" type="raw">x</cofl:value>',
            '<cofl:value name="&quot;&amp;" type="json">null</cofl:value>',
        ],
        ['<cofl:value name="&quot;&amp;" type="json">x</cofl:value>'],
    ),
    (
        schema(MEMBERS, style="kimi_k3_xml"),
        [
            '<|open|>argument key="s" type="string"<|sep|>x<|close|>argument<|sep|>'
            '<|open|>argument key="l" type="array"<|sep|>[1]<|close|>argument<|sep|>'
        ],
        ['<|open|>argument key="s" type="number"<|sep|>x<|close|>argument<|sep|>'],
    ),
    (
        schema(MEMBERS, style="qwen_xml", any_order=True),
        ["<parameter=n>1</parameter><parameter=s>x</parameter>"],
        ["<parameter=n>1</parameter>", "<parameter=s>x</parameter><parameter=s>x</parameter>"],
    ),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: json.dumps(case[0], ensure_ascii=False)[:60])
def test_texts(case: tuple[dict[str, Any], list[str], list[str]]) -> None:
    form, accepted, rejected = case
    grammar = Grammar.from_structural_tag({"type": "structural_tag", "format": form})
    assert [text for text in accepted if not grammar.accepts(text)] == []
    assert [text for text in rejected if grammar.accepts(text)] == []


def test_the_older_kind() -> None:
    tag = {
        "structures": [
            {"begin": "<f=a>", "schema": OBJECT, "end": "</f>"},
            {"begin": "<f=b>", "schema": {"type": "boolean"}, "end": "</f>"},
        ],
        "triggers": ["<f="],
    }
    for given in (tag, {"type": "structural_tag", **tag}, json.dumps(tag)):
        grammar = Grammar.from_structural_tag(given)
        assert grammar.accepts('a<f=a>{"x": 1}</f>b<f=b>true</f>')
        assert not grammar.accepts("<f=b>1</f>")


def test_a_structural_tag_is_a_value() -> None:
    grammar = Grammar.from_structural_tag({"type": "structural_tag", "format": TRIGGERED})
    copy = pickle.loads(pickle.dumps(grammar))
    assert copy == grammar
    assert copy.accepts("a<f=a>1</f>")
    assert copy != Grammar.from_structural_tag({"type": "structural_tag", "format": SEPARATED})
    assert "from_structural_tag" in repr(grammar)
    assert seq("(", grammar, ")").accepts("(<f=a>1</f>)")


def test_options_are_those_of_the_schemas() -> None:
    tag = {"type": "structural_tag", "format": schema(OBJECT)}
    bounded = Grammar.from_structural_tag(tag, JSONSchemaOptions(closed_objects=True))
    assert not bounded.accepts('{"x":     1}')
    assert not bounded.accepts('{"x": 1, "y": 2}')
    assert Grammar.from_structural_tag(tag).accepts('{"x": 1, "y": 2}')


def test_tokens() -> None:
    begin, end = ({"type": "token", "token": name} for name in ("<b>", "<e>"))
    vocabulary = Vocabulary.from_bytes(
        [b"a", b"1", None, None, None, None], special={"<b>": 2, "<e>": 3, "<x>": 4}, eos=[5]
    )

    def allowed(form: dict[str, Any], *tokens: int) -> list[int]:
        matcher = Grammar.from_structural_tag({"type": "structural_tag", "format": form}).compile(vocabulary).matcher()
        for token in tokens:
            matcher.advance(token)
        return matcher.allowed()

    tag = wrapped(begin, const("1"), end)
    assert allowed(begin) == [2]
    assert allowed(tag, 2) == [1]
    assert allowed(tag, 2, 1) == [3]
    tokens = {"type": "any_tokens", "exclude_tokens": ["<x>"]}
    assert allowed(wrapped(begin, tokens, end), 2, 0) == [0, 1, 3]
    triggered = {"type": "token_triggered_tags", "trigger_tokens": ["<b>"], "tags": [tag], "exclude_tokens": ["<x>"]}
    assert allowed(triggered, 0) == [0, 1, 2, 5]
    assert allowed({**triggered, "at_least_one": True}) == [2]
    assert allowed({"type": "token_dispatch", "rules": [["<b>", const("a")]]}, 2) == [0]
    # A token that is to be excluded must be special: of a token with a text a grammar knows nothing.
    with pytest.raises(VocabularyError, match="<y>"):
        allowed({**triggered, "exclude_tokens": ["<y>"]})
    with pytest.raises(VocabularyError, match="<y>"):
        allowed({"type": "sequence", "elements": [const("a"), {**tokens, "exclude_tokens": ["<y>"]}]})


@pytest.mark.parametrize(
    ("tag", "where", "said"),
    [
        ("[", "1:2", "not JSON"),
        ([], "", "a structural tag is a JSON object"),
        ({"type": "other", "format": ANY}, "/type", "structural_tag"),
        ({"type": "structural_tag"}, "", "neither a format nor structures"),
        ({"structures": [{"begin": "a", "end": "b"}], "triggers": ["a"]}, "/structures/0", "begin, schema and end"),
        ({"structures": [], "triggers": ["a"]}, "/structures", "there are no tags"),
        (
            {"structures": [{"begin": "a", "schema": {"type": 3}, "end": "b"}], "triggers": ["a"]},
            "/structures/0/schema/type",
            "",
        ),
        ({"type": "no"}, "/format/type", "there is no format 'no'"),
        ({"type": "exclude_token"}, "/format", "a grammar knows no vocabulary"),
        ({"type": "any_text", "max_tokens": 3}, "/format/max_tokens", "a number of tokens"),
        ({"type": "any_text", "max_chars": -1}, "/format/max_chars", "integer from 0"),
        ({"type": "any_text", "excludes": [""]}, "/format/excludes/0", "not empty"),
        ({"type": "token", "token": -3}, "/format/token", "text or the number of a special token"),
        ({"type": "token", "token": 3.5}, "/format/token", "text or the number of a special token"),
        ({"type": "or", "elements": "a"}, "/format/elements", "elements is a list"),
        ({"type": "optional"}, "/format", "the content is missing"),
        ({"type": "repeat", "min": 3, "max": 2, "content": ANY}, "/format", "is never"),
        ({"type": "repeat", "min": 3, "max": -2, "content": ANY}, "/format/max", "integer from 0"),
        (wrapped(3, ANY, "e"), "/format/begin", "a text or a token"),
        (wrapped("a", ANY, 3), "/format/end", "the end of a tag"),
        (wrapped("a", ANY, []), "/format/end", "the end of a tag"),
        (wrapped("a", ANY, ""), "/format/end", "the content has no end"),
        ({**TRIGGERED, "triggers": []}, "/format/triggers", "there are no triggers"),
        ({**TRIGGERED, "triggers": ["<f", "<f="]}, "/format/tags/0/begin", "'<f' and with '<f='"),
        ({**TRIGGERED, "triggers": ["x"]}, "/format/tags/0/begin", "begins with none of them"),
        ({**TRIGGERED, "at_least_one": 1}, "/format/at_least_one", "true or false"),
        ({"type": "dispatch", "rules": [["a"]]}, "/format/rules/0", "a pattern and a format"),
        (schema({"type": 3}), "/format/json_schema/type", ""),
        (schema(OBJECT, style="no"), "/format/style", "there is no style"),
        (schema(OBJECT, style=["json"]), "/format/style", "there is no style"),
        (schema({"properties": 2}, style="glm_xml"), "/format/json_schema/properties", "an object"),
        (schema({"properties": {}, "required": "a"}, style="glm_xml"), "/format/json_schema/required", "an array"),
        (
            schema({"type": "object", "minProperties": 2}, style="glm_xml"),
            "/format/json_schema/minProperties",
            "relates",
        ),
        (schema({"type": "array"}, style="glm_xml"), "/format/json_schema", "members of an object"),
        ({"type": "regex", "pattern": "("}, "/format/pattern", "offset"),
        ({"type": "grammar", "grammar": "root ::= x"}, "/format/grammar", "1:10"),
        (
            {"type": "dispatch", "rules": [["aa", ANY], ["a", ANY]]},
            "/format, trigger 0",
            "'aa' never comes: 'a' ends the text before it",
        ),
    ],
)
def test_errors(tag: Any, where: str, said: str) -> None:
    if isinstance(tag, dict) and "structures" not in tag and tag.get("type") not in ("other", "structural_tag"):
        tag = {"type": "structural_tag", "format": tag}
    with pytest.raises(GrammarSyntaxError) as caught:
        Grammar.from_structural_tag(tag)
    assert caught.value.where == where
    assert said in str(caught.value)


#: Cases of xgrammar's own tests that differ here, by the reason.
DIFFERENT = {
    # xgrammar looks a token's name up when it reads the tag; here the vocabulary is asked when the grammar is compiled.
    "accepted": 2,
}


@pytest.mark.data
def test_cases_of_xgrammar() -> None:
    different: dict[str, int] = {}
    cases = data_dir() / "grammar-cases" / "structural_tag.jsonl"
    for line in cases.read_text(encoding="utf-8").splitlines():
        case = json.loads(line)
        refused = case["note"].startswith("peer refuses")
        try:
            grammar = Grammar.from_structural_tag(case["grammar"])
        except GrammarSyntaxError as error:
            if not refused:
                different[error.message] = different.get(error.message, 0) + 1
            continue
        if refused:
            different["accepted"] = different.get("accepted", 0) + 1
        assert [text for text in case["accept"] if not grammar.accepts(text)] == [], line
        assert [text for text in case["reject"] if grammar.accepts(text)] == [], line
    assert different == DIFFERENT


def test_blanks_around_members() -> None:
    made = Grammar.from_structural_tag(
        {"type": "structural_tag", "format": schema({"properties": {"a": {"type": "integer"}}}, style="qwen_xml")}
    )
    for char in map(chr, range(0x80)):
        blank = char in "\t\n\r "
        assert made.accepts(f"{char}<parameter=a>7</parameter>") is made.accepts(char) is blank, repr(char)
        assert made.accepts(f"<parameter=a>{char}7{char}</parameter>") is (blank or char in "123456789")
    for count in (0, 63, 64, 65):
        blanks = " " * count
        assert made.accepts(f"{blanks}<parameter=a>{blanks}7{blanks}</parameter>{blanks}") is (count <= 64)


def test_names_of_members_that_the_schema_does_not_name() -> None:
    made = Grammar.from_structural_tag({"type": "structural_tag", "format": schema(True, style="qwen_xml")})
    for char in map(chr, range(0x80)):
        first = char.isalpha() or char == "_"
        assert made.accepts(f"<parameter={char}>1</parameter>") is first, repr(char)
        if char != ">":  # it ends the name, and the rest is the value's
            assert made.accepts(f"<parameter=a{char}b>1</parameter>") is (first or char.isdigit()), repr(char)


@pytest.mark.parametrize("required", [[], ["b"], ["a", "c"]])
def test_members_in_any_order_come_once(required: list[str]) -> None:
    of = {"properties": {name: {"const": 1} for name in "abc"}, "required": required}
    made = Grammar.from_structural_tag(
        {"type": "structural_tag", "format": schema(of, style="qwen_xml", any_order=True)}
    )
    for length in range(5):
        for names in itertools.product("abc", repeat=length):
            text = "".join(f"<parameter={name}>1</parameter>" for name in names)
            assert made.accepts(text) is (len({*names}) == length and {*required} <= {*names}), names
