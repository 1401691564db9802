"""A bad tool degrades alone, by policy, and the report names it."""

from __future__ import annotations

import functools
from dataclasses import replace
from typing import Annotated, Any, Literal

import pytest

from frisket import Grammar, JSONSchemaOptions, Vocabulary
from frisket.errors import FrisketError, InvalidSchemaError, RefusedToolsError, UnknownFamilyError
from frisket.tools import Family, Tool, Tools, families, family

from .independent import PARSERS

pydantic: Any = pytest.importorskip("pydantic")

GOOD = {"type": "function", "function": {"name": "good", "parameters": {"type": "object", "properties": {"a": {}}}}}
BACK = {"name": "back", "inputSchema": {"type": "object", "properties": {"a": {"pattern": r"(x+)\1"}}}}
TYPO = {"name": "typo", "input_schema": {"type": "object", "properties": {"a": {"type": "strin"}}}}
NEVER = {
    "name": "never",
    "parameters": {
        "type": "object",
        "properties": {"n": {"enum": []}},
        "required": ["n"],
        "additionalProperties": False,
    },
}
ARRAY = {"name": "array", "parameters": {"type": "array"}}
NAMELESS = {"description": "no name"}
BYTES = Vocabulary.from_bytes([*(bytes([value]) for value in range(256)), None], eos=[256])
ALL = [GOOD, BACK, TYPO, NEVER, ARRAY, NAMELESS, GOOD]


def statuses(tools: Tools, wanted: str | None = None) -> list[tuple[str, str]]:
    return [(report.name, report.status) for report in tools.report(wanted)]


def test_strict_lists_every_bad_tool() -> None:
    with pytest.raises(RefusedToolsError) as caught:
        Grammar.from_tools(ALL, "qwen3")
    assert [name for name, _ in caught.value.places] == ["back", "typo", "never", "array", "tool 5", "good"]
    assert "6 of 7 tools" in str(caught.value) and (caught.value.where or "").startswith("back: /properties/a")


def test_reject_drops_bad_tools_and_no_other() -> None:
    tools = Tools(ALL, policy="reject")
    refused = [("back", "refused"), ("typo", "refused"), ("never", "refused"), ("array", "refused")]
    assert statuses(tools) == [("good", "exact"), *refused, ("tool 5", "refused"), ("good", "refused")]
    grammar = Grammar.from_tools(tools, "hermes")
    assert grammar.accepts('<tool_call>{"name": "good", "arguments": {"a": 1}}</tool_call>')
    assert not grammar.accepts_prefix('<tool_call>{"name": "back')
    assert grammar.report is not None
    assert [note.partition(":")[0] for note in grammar.report.notes][:2] == [
        "back cannot be called",
        "typo cannot be called",
    ]


def test_relaxed_leaves_out_what_cannot_be_enforced_and_says_so() -> None:
    tools = Tools([GOOD, BACK, TYPO, NEVER], policy="relaxed")
    assert statuses(tools) == [("good", "exact"), ("back", "relaxed"), ("typo", "relaxed"), ("never", "refused")]
    back, typo = tools.report()[1:3]
    assert [pointer for pointer, _ in back.places] == ["/properties/a/pattern"]
    assert [pointer for pointer, _ in typo.places] == ["/properties/a/type"]
    assert typo.hint == "did you mean string?"
    grammar = Grammar.from_tools(tools, "qwen3")
    assert grammar.value('<tool_call>{"name": "typo", "arguments": {"a": 5}}</tool_call>').calls[0].arguments == {
        "a": 5
    }
    assert grammar.report is not None
    assert [(entry.pointer, entry.keyword) for entry in grammar.report.loosened] == [
        ("/back/properties/a", "pattern"),
        ("/typo/properties/a", "type"),
    ]
    assert TYPO["input_schema"] == {"type": "object", "properties": {"a": {"type": "strin"}}}, "what was given stays"


@pytest.mark.parametrize(
    ("tool", "wanted", "where"),
    [
        ({"name": "t", "parameters": {"type": "object", "anyOf": [{}]}}, "glm45", "/anyOf"),
        ({"name": "t", "parameters": {"type": "object", "properties": {"a b": {}}}}, "qwen3_coder", "/properties/a b"),
        (
            {"name": "t", "parameters": {"type": "object", "properties": {"from": {}}}},
            "llama4_pythonic",
            "/properties/from",
        ),
        ({"name": "get-it"}, "llama4_pythonic", "/name"),
        ({"name": "all"}, "functionary_v32", "/name"),
        ({"name": 'a"b'}, "hermes", "/name"),
    ],
)
def test_what_a_family_cannot_write_is_refused(tool: dict[str, Any], wanted: str, where: str) -> None:
    [report] = Tools([tool], policy="reject").report(wanted)
    assert (report.status, report.places[0][0]) == ("refused", where)
    [report] = Tools([tool], policy="relaxed").report(wanted)
    assert report.status == ("refused" if where == "/name" else "relaxed")
    assert [place for place, _ in report.places] == [where]


@pytest.mark.parametrize("name", ["look up", "files:read", "查天气", "день.погода"])
@pytest.mark.parametrize("wanted", families())
def test_names_are_those_that_a_format_can_hold(wanted: str, name: str) -> None:
    found = family(wanted)
    # What stands behind a name ends it, and a function of Python is an identifier.
    ends = any(call.partition("$name")[2].startswith(end) for call in found.call for end in name if end in " :")
    holds = found.arguments != "python" and not ends
    assert (found.problem_of(name) is None) == holds
    if holds:
        plain = replace(found, special=frozenset(), stops=())
        grammar = Grammar.from_tools([{"name": name}, {"name": "look"}], plain, choice=name)
        text = grammar.compile(BYTES).matcher().completion()
        assert text is not None and [call.name for call in grammar.value(text.decode()).calls] == [name]


def put(schema: Any, *, required: bool = True) -> dict[str, Any]:
    asked = {"required": ["v"]} if required else {}
    return {"name": "put", "parameters": {"type": "object", "properties": {"v": schema}, **asked}}


@pytest.mark.parametrize(
    ("tool", "relaxed", "where"),
    [
        (put({"enum": ["</tool_call>", "b"]}), "relaxed", "/properties/v/enum"),
        (put({"anyOf": [{"const": "x<tool_call>"}, {"type": "integer"}]}), "relaxed", "/properties/v/anyOf/0/const"),
        (put({"const": "x<tool_call>"}, required=False), "relaxed", "/properties/v/const"),
        (put({"const": "<tool_call>"}), "refused", "/properties/v/const"),
        (put({"type": "string", "pattern": "^</tool_call>$"}), "refused", ""),
    ],
)
def test_a_listed_value_with_a_tag_of_the_family_is_told(tool: Any, relaxed: str, where: str) -> None:
    for policy, status in (("reject", "refused"), ("relaxed", relaxed)):
        [report] = Tools([tool], policy=policy).report("qwen3_coder")  # type: ignore[arg-type]
        assert (report.status, [pointer for pointer, _ in report.places]) == (status, [where])
        assert "qwen3_coder" in report.places[0][1] and "tag" in report.places[0][1] and report.hint
    # In JSON an escape begins the tag.
    assert statuses(Tools([tool], policy="reject"), "hermes") == [("put", "exact")]
    assert statuses(Tools([tool], policy="reject"), "mistral_v3") == [("put", "exact")]


def test_a_value_with_a_tag_is_told_beside_what_is_left_out() -> None:
    values = {"a": {"type": "strin"}, "b": {"enum": ["</tool_call>", "x"]}, "c": {"const": ["</tool_call>"]}}
    tool = {"name": "put", "parameters": {"type": "object", "properties": values}}
    tools = Tools([tool], policy="relaxed")
    [report] = tools.report("qwen3_coder")
    assert report.status == "relaxed"
    assert [pointer for pointer, _ in report.places] == ["/properties/a/type", "/properties/b/enum"]
    said = Grammar.from_tools(tools, "qwen3_coder").report
    assert said is not None and [entry.pointer for entry in said.loosened] == ["/put/properties/a"]
    narrowed = [(entry.pointer, entry.keyword, entry.slips) for entry in said.narrowed]
    assert narrowed == [
        ("/put/properties", "a", "no text holds a tag of qwen3_coder"),
        ("/put/properties/b", "enum", 'qwen3_coder cannot write "</tool_call>": no text of its calls holds its tags'),
    ]


@pytest.mark.parametrize(
    "schema", [{"type": "strin"}, {"type": "array", "items": {"type": "string", "pattern": r"(a+)\1"}}]
)
def test_what_cannot_be_enforced_of_a_parameter_is_told_by_its_place(schema: Any) -> None:
    for wanted in ("hermes", "qwen3_coder", "glm45", "lfm2"):
        [report] = Tools([put(schema)], policy="relaxed").report(wanted)
        assert report.status == "relaxed", wanted
        assert all(pointer.startswith("/properties/v/") for pointer, _ in report.places)


def test_texts_that_lose_a_tag_are_told_by_their_place() -> None:
    values = {
        "a": {"type": "string"}, "b": {"type": ["string", "null"], "maxLength": 90}, "c": {"pattern": "^[a-z]+$"},
        "d": {"type": "array", "items": {"type": "string"}}, "e": {"enum": ["x", "<y>"]}, "f": {"maxLength": 3},
    }  # fmt: skip
    tool = {"name": "put", "parameters": {"type": "object", "properties": values}}
    [report] = Tools([tool]).report("qwen3_coder")
    assert (report.status, report.places) == ("exact", ())
    assert report.narrowed == tuple(
        (f"/properties/{key}/type", "no text holds a tag of qwen3_coder") for key in ("a", "b")
    )
    assert report.to_json()["narrowed"][0]["pointer"] == "/properties/a/type"
    for wanted in ("hermes", "lfm2", "mistral_v3"):
        assert Tools([tool]).report(wanted)[0].narrowed == ()


def test_where_texts_are_bare_at_any_depth_those_in_lists_are_told_too() -> None:
    bare = Family("bare", "", (), ("<call>$name{$arguments}</call>",), arguments="delimited", quote="<|q|>")
    values = {"a": {"type": "array", "items": {"type": "string"}}, "b": {"type": "array", "items": {"type": "number"}}}
    [report] = Tools([{"name": "put", "parameters": {"type": "object", "properties": values}}]).report(bare)
    assert report.narrowed == (("/properties/a/type", "no text holds a tag of bare"),)
    [report] = Tools([put({"const": ["<call>"]})], policy="relaxed").report(bare)
    assert report.status != "exact"


@pytest.mark.parametrize("name", [name for name in families() if family(name).arguments in ("json", "python")])
def test_a_value_with_a_tag_is_written_with_an_escape_and_read_back(name: str) -> None:
    wanted = replace(family(name), special=frozenset(), stops=())
    thinking: Any = "off" if wanted.thinking else "auto"
    tags = [*wanted.tags, "<none>"]
    texts = [text for tag in tags for text in (tag, f'say "{tag}', f"<{tag}{tag[:-1]}", f"</{tag}\n[ <")]
    value = [texts, {f"x{tag}": {"a": f"[{tag}"} for tag in tags}]
    grammar = Grammar.from_tools([put({"const": value})], wanted, choice="put", thinking=thinking)
    text = grammar.compile(BYTES).matcher().completion()
    assert text is not None
    assert grammar.value(text.decode()).calls[0].arguments == {"v": value}
    assert PARSERS[name](text.decode(), {"put": {}}) == [("put", {"v": value})]


def test_a_text_that_the_caller_forbids_is_no_tag() -> None:
    options = JSONSchemaOptions(forbidden_texts=("nobody",))
    [report] = Tools([put({"const": "nobody"})], policy="reject", options=options).report("hermes")
    assert (report.status, report.places[0][1]) == ("refused", "no value can ever be valid here")


@pytest.mark.parametrize("inner", [{"type": "string"}, {"enum": ["</tool_call>", "a"]}])
def test_a_deep_schema_is_searched_for_tags(inner: Any) -> None:
    schema = inner
    for _ in range(3_000):
        schema = {"type": "array", "items": schema}
    [report] = Tools([put(schema)], policy="reject").report("hermes")
    assert report.status == "exact"


def test_a_tag_in_a_description_or_a_key_is_no_value() -> None:
    tool = put({"type": "string", "enum": ["a"], "description": "not <tool_call>", "x-const": "<tool_call>"})
    assert statuses(Tools([tool]), "hermes") == [("put", "exact")]
    assert statuses(Tools([put({"properties": {"const": {"title": "</tool_call>"}}})]), "hermes") == [("put", "exact")]


@pytest.mark.parametrize(
    ("wanted", "said"),
    [
        ("hermes", "strings in the JSON of a call begin a tag of hermes with an escape: <tool_call>, </tool_call>"),
        (
            "minimax_m2",
            "no text of a call holds a tag of minimax_m2; in JSON it begins with an escape: <minimax:tool_call>",
        ),
    ],
)
def test_the_report_lists_the_tags_and_what_becomes_of_them(wanted: str, said: str) -> None:
    report = Grammar.from_tools([{"name": "now"}], wanted).report
    assert report is not None and report.exact
    [note] = report.notes
    assert note.code == "tags" and str(note).startswith(said)


def test_one_bad_tool_leaves_the_language_of_the_others_as_it_was() -> None:
    alone = Grammar.from_tools([GOOD], "qwen3")
    beside = Grammar.from_tools(Tools([BACK, GOOD, NEVER], policy="reject"), "qwen3")
    for text in ("hello", '<tool_call>{"name": "good", "arguments": {"a": [1]}}</tool_call>', "<tool_call>", "<think>"):
        assert alone.accepts(text) == beside.accepts(text)


def test_a_tool_that_is_required_but_refused_is_named() -> None:
    tools = Tools([BACK], policy="reject")
    with pytest.raises(RefusedToolsError, match="no tool to call") as caught:
        Grammar.from_tools(tools, "qwen3", choice="required")
    assert "back was refused" in (caught.value.hint or "")
    with pytest.raises(RefusedToolsError, match="'bakc'") as caught:
        Grammar.from_tools([GOOD], "qwen3", choice="bakc")
    assert "the tools are good" in (caught.value.hint or "")
    assert Grammar.from_tools(tools, "qwen3").value("Nobody to call.").content == "Nobody to call."


def test_unknown_families_are_answered_with_the_known_ones() -> None:
    with pytest.raises(UnknownFamilyError) as caught:
        family("qwem3")
    assert (caught.value.hint or "").startswith("did you mean qwen3? known are apertus, ")
    with pytest.raises(UnknownFamilyError) as caught:
        Grammar.from_tools([GOOD], "gpt-17")
    assert "known are" in (caught.value.hint or "")
    assert len(families()) >= 12


@pytest.mark.parametrize("name", families())
def test_a_family_cites_its_source(name: str) -> None:
    known = family(name)
    assert known.name == name and known.models
    assert known.sources and all(source.startswith("https://") for source in known.sources)


def test_a_model_writes_no_member_that_its_type_would_drop() -> None:
    class Line(pydantic.BaseModel):
        size: int

    class Order(pydantic.BaseModel):
        line: Line

    class Open(pydantic.BaseModel):
        model_config = pydantic.ConfigDict(extra="allow")
        n: int

    grammar = Grammar.from_tools([Order, Open], "hermes", choice="required", parallel=False)
    call = '<tool_call>\n{"name": "%s", "arguments": %s}\n</tool_call>'
    assert grammar.accepts(call % ("Order", '{"line": {"size": 3}}'))
    assert not grammar.accepts(call % ("Order", '{"line": {"size": 3}, "more": 1}'))
    assert not grammar.accepts(call % ("Order", '{"line": {"size": 3, "more": 1}}'))
    assert grammar.accepts(call % ("Open", '{"n": 3, "more": 1}'))


def test_tools_of_python() -> None:
    def book(
        city: str, nights: Annotated[int, pydantic.Field(ge=1)] = 1, board: Literal["full", "half"] = "half"
    ) -> None:
        """Book a room."""

    class Search(pydantic.BaseModel):
        """Search the catalogue."""

        words: list[str]

    grammar = Grammar.from_tools([book, Search], "hermes")
    text = '<tool_call>{"name": "book", "arguments": {"city": "Rome", "nights": 2}}</tool_call>'
    [call] = grammar.value(text).calls
    assert call.arguments == call.value == {"city": "Rome", "nights": 2}
    [call] = grammar.value('<tool_call>{"name": "Search", "arguments": {"words": ["a"]}}</tool_call>').calls
    assert call.value == Search(words=["a"])
    assert not grammar.accepts('<tool_call>{"name": "book", "arguments": {"city": "Rome", "nights": 0}}</tool_call>')
    assert not grammar.accepts('<tool_call>{"name": "book", "arguments": {"city": "Rome", "wifi": true}}</tool_call>')
    assert Tool.of(book).description == "Book a room."


def test_values_that_a_validator_refuses() -> None:
    class Even(pydantic.BaseModel):
        n: int

        @pydantic.field_validator("n")
        @classmethod
        def is_even(cls, n: int) -> int:
            assert n % 2 == 0, "odd"
            return n

    [call] = (
        Grammar.from_tools([Even], "hermes")
        .value('<tool_call>{"name": "Even", "arguments": {"n": 3}}</tool_call>')
        .calls
    )
    with pytest.raises(FrisketError, match="odd"):
        _ = call.value


def test_misuse_is_told() -> None:
    with pytest.raises(TypeError, match="list of tools"):
        Tools({"name": "now"})
    with pytest.raises(ValueError, match="policy"):
        Tools([], policy="none")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="a tool is"):
        Grammar.from_tools([3], "qwen3")
    with pytest.raises(TypeError, match="choice"):
        Grammar.from_tools([GOOD], "qwen3", choice=None)  # type: ignore[arg-type]

    def lost(place: Nowhere) -> None:  # type: ignore[name-defined]  # noqa: F821
        """A name that nothing has."""

    with pytest.raises(RefusedToolsError, match="Nowhere"):
        Grammar.from_tools([lost], "qwen3")

    def many(*cities: str) -> None: ...

    with pytest.raises(RefusedToolsError, match="go by name") as caught:
        Grammar.from_tools([many], "qwen3")
    assert caught.value.where == "many: cities"

    class Shop:
        def price(self, name: str) -> float:
            """What it costs."""
            return 1.0

    with pytest.raises(RefusedToolsError, match="method of no instance") as caught:
        Grammar.from_tools([Shop.price], "qwen3")
    assert caught.value.where == "price: self" and "instance.price" in (caught.value.hint or "")
    assert Tool.of(Shop().price).schema["required"] == ["name"]


@pytest.mark.parametrize("tool", [lambda city: city, functools.partial(print, "a")], ids=["lambda", "partial"])
def test_a_function_without_a_name_is_refused(tool: Any) -> None:
    with pytest.raises(RefusedToolsError, match="has no name that a model could call") as caught:
        Grammar.from_tools([tool], "hermes")
    assert "write def" in str(caught.value)


@pytest.mark.parametrize(
    ("tool", "where", "hint"),
    [
        ({"name": "a", "paramters": {"type": "object"}}, "/paramters", "do you mean parameters?"),
        ({"type": "function", "function": {"name": "a", "parameter": {}}}, "/parameter", "do you mean parameters?"),
        ({"name": "a", "inputschema": {}}, "/inputschema", "do you mean input_schema?"),
        ({"name": "a", "parameters": {"propertys": {}}}, "/parameters", "do you mean properties?"),
        ({"name": "a", "parameters": {"$defs": {"x": {}}}}, "/parameters", 'write {"$ref": "#/$defs/x", …}'),
    ],
)
def test_a_tool_whose_schema_is_not_found_is_refused(tool: dict[str, Any], where: str, hint: str) -> None:
    with pytest.raises(InvalidSchemaError) as refused:
        Tool.of(tool)
    assert (refused.value.where, refused.value.hint) == (where, hint)


@pytest.mark.parametrize("parameters", [{}, {"title": "nothing"}, {"description": "any"}])
def test_a_tool_with_a_schema_that_asks_nothing_takes_any_object(parameters: dict[str, Any]) -> None:
    assert Tool.of({"name": "a", "parameters": parameters}).schema == {**parameters, "type": "object"}


def test_misspelt_keywords_of_a_tool_are_reported() -> None:
    schema = {"type": "object", "properties": {"a/b": {"type": "string", "maxlength": 9}}, "requierd": ["a/b"]}
    tools = Tools([{"name": "put", "parameters": schema}])
    [report] = tools.report()
    assert report.status == "exact"
    assert report.misspelt == (("/requierd", "required"), ("/properties/a~1b/maxlength", "maxLength"))
    assert repr(report).endswith("('/properties/a~1b/maxlength', 'maxLength')))")
    assert report.to_json()["misspelt"][0] == {"pointer": "/requierd", "meant": "required"}
    said = Grammar.from_tools(tools, "hermes").report
    assert said is not None and said.exact
    assert [(entry.pointer, entry.keyword, entry.meant) for entry in said.misspelt] == [
        ("/put", "requierd", "required"),
        ("/put/properties/a~1b", "maxlength", "maxLength"),
    ]


def test_only_what_a_mask_cannot_enforce_may_be_left_out() -> None:
    for tools, hint in (
        ([BACK], "policy='relaxed'"),
        ([lambda city: city], "write def get_weather"),
        ([int], "write a function, or a Pydantic model"),
    ):
        with pytest.raises(RefusedToolsError) as caught:
            Grammar.from_tools(tools, "qwen3")
        assert hint in str(caught.value.hint) and ("policy" in str(caught.value.hint)) == (tools == [BACK])


def test_a_parameter_without_an_annotation_is_refused() -> None:
    def weather(city, days: int = 1):  # type: ignore[no-untyped-def]
        """The weather of a city."""

    def anything(value: Any) -> None: ...

    with pytest.raises(RefusedToolsError, match="the parameter city of weather has no annotation") as caught:
        Grammar.from_tools([weather], "qwen3")
    assert "write city: str" in str(caught.value.hint)
    assert Tools([anything]).report()[0].status == "exact"
