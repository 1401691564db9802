"""Grammars that match nothing, and arguments that can mean nothing: refused, and nothing moved."""

from __future__ import annotations

import dataclasses
import enum
import functools
import importlib
import pathlib
import sys
import typing
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest
import typing_extensions

import frisket
from frisket import Grammar as PublicGrammar
from frisket._core import GrammarBuilder, Limits, Vocabulary, fill_masks
from frisket.errors import (
    EmptyGrammarError,
    GrammarError,
    GrammarSyntaxError,
    InvalidSchemaError,
    TokenRejectedError,
    UnsupportedSchemaError,
)


def test_a_grammar_that_matches_nothing() -> None:
    builder = GrammarBuilder()
    endless = builder.rule("endless")
    builder.define(endless, builder.seq([builder.literal(b"a"), endless]))
    with pytest.raises(EmptyGrammarError):
        builder.build(endless)


def test_a_rule_without_a_body() -> None:
    builder = GrammarBuilder()
    with pytest.raises(GrammarError):
        builder.build(builder.rule("nobody"))


@pytest.mark.parametrize("token", [-1, 257, 2**32 - 1, 2**32, -(2**70), pytest.param(10**5000, id="long")])
def test_an_integer_that_is_no_token_is_no_token_that_may_come(token: int) -> None:
    vocabulary = Vocabulary([*(bytes([value]) for value in range(256)), None], eos=[256])
    matcher = PublicGrammar.from_json_schema({"type": "integer"}).compile(vocabulary).matcher()
    assert not matcher.try_advance(token)
    assert matcher.validate([ord("4"), token, ord("2")]) == 1
    with pytest.raises(TokenRejectedError):
        matcher.advance(token)
    with pytest.raises(IndexError):
        vocabulary.token(token)
    assert matcher.steps == 0


@pytest.mark.parametrize("count", [-1, 2**64, pytest.param(10**5000, id="long")])
def test_counts_that_no_machine_has_are_misuse(count: int) -> None:
    vocabulary = Vocabulary([b"1", None], eos=[1])
    matcher = PublicGrammar.from_json_schema({"type": "integer"}).compile(vocabulary).matcher()
    bitmask = np.zeros((1, 1), np.uint32)
    calls: list[Callable[[], object]] = [
        lambda: matcher.rollback(count),
        lambda: matcher.fill_mask(bitmask, count),
        lambda: fill_masks([matcher], bitmask, [count]),
        lambda: Limits(steps=count),
        lambda: Vocabulary([b"1"], size=count),
        lambda: Vocabulary([b"1"], eos=[count]),
    ]
    for call in calls:
        with pytest.raises(ValueError, match=r"a number from 0 on is wanted|not between 0 and"):
            call()


@pytest.mark.parametrize("dtype", ["u4", "i4"])
def test_a_bitmask_of_the_other_byte_order_is_refused(dtype: str) -> None:
    vocabulary = Vocabulary([b"1", None], eos=[1])
    matcher = PublicGrammar.from_json_schema({"type": "integer"}).compile(vocabulary).matcher()
    native, other = ("<", ">") if sys.byteorder == "little" else (">", "<")
    matcher.fill_mask(np.zeros(1, native + dtype))
    with pytest.raises(TypeError, match="byte order"):
        matcher.fill_mask(np.zeros(1, other + dtype))


@pytest.mark.parametrize("limits", [5, "5", [], {"seconds": 1}])
def test_limits_that_are_none_are_misuse(limits: Any) -> None:
    constructors: list[Callable[..., object]] = [
        PublicGrammar.from_json_schema,
        PublicGrammar.from_regex,
        PublicGrammar.from_choices,
    ]
    for call in constructors:
        with pytest.raises(TypeError, match=r"[Ll]imits"):
            call("{}", limits=limits)


class Colour(enum.Enum):
    RED = "red"


@dataclasses.dataclass
class Point:
    x: int


@pytest.mark.parametrize(
    ("target", "hint"),
    [
        ({"type": "object", "properties": {}}, "Grammar.from_json_schema"),
        ({"type": "int"}, "Grammar.from_json_schema"),
        (' {"type": "integer"}', "Grammar.from_json_schema"),
        (5, "the type int, or Literal[5]"),
        (True, "the type bool, or Literal[True]"),
        (1.5, "pass the type float"),
        (Colour.RED, "the type Colour, or Literal[Colour.RED]"),
        (Point(1), "pass its class, Point"),
        (b"bytes", "pass its class, bytes"),
        (pathlib.Path("a.json"), "json.loads(Path('a.json').read_text())"),
        (
            PublicGrammar.from_choices(["a"]).compile(frisket.Vocabulary.from_bytes([b"a"], eos=())),
            "pass the Grammar that it was compiled from",
        ),
        ({"a", "b"}, "choices are a list of texts"),
        (frozenset("ab"), "choices are a list of texts"),
        ((letter for letter in "ab"), "choices are a list of texts"),
        (["a", "b"], "Grammar.from_choices"),
    ],
)
def test_a_value_is_no_type(target: Any, hint: str) -> None:
    with pytest.raises(UnsupportedSchemaError, match="a type is wanted, got a value of the type") as caught:
        PublicGrammar.from_type(target)
    assert hint in str(caught.value.hint) and "arbitrary_types_allowed" not in str(caught.value)


def test_a_path_is_no_schema() -> None:
    with pytest.raises(InvalidSchemaError, match="read_text"):
        PublicGrammar.from_json_schema(pathlib.Path("a.json"))


def test_arguments_of_another_kind_are_named() -> None:
    for call, said in (
        (lambda: frisket.think(["a"], max_chars="40"), "max_chars is an int"),
        (lambda: frisket.Sampler(temperature="0.7"), "temperature is a number"),
        (lambda: frisket.Sampler(top_k=1.5), "top_k is an int"),
        (lambda: PublicGrammar.from_choices(["a"]).accepts(None), "a text is a str or bytes"),
    ):
        with pytest.raises(TypeError, match=said):
            call()


@pytest.mark.parametrize("target", [5, {"a", "b"}, Point(1)])
def test_nor_is_it_a_target(target: Any) -> None:
    with pytest.raises(UnsupportedSchemaError, match="a type is wanted"):
        frisket.generate(frisket.models.embedded(), "?", target)


def test_an_object_of_a_pydantic_model_is_no_type() -> None:
    pydantic = pytest.importorskip("pydantic", reason="pydantic is not installed")
    model = pydantic.create_model("Ticket", text=(str, ...))
    with pytest.raises(UnsupportedSchemaError) as caught:
        PublicGrammar.from_type(model(text="a"))
    assert caught.value.hint == "pass its class, Ticket"
    for wrong in (model, model(text="a")):
        with pytest.raises(InvalidSchemaError) as refused:
            PublicGrammar.from_json_schema(wrong)
        assert refused.value.hint == "Grammar.from_type reads types: Grammar.from_type(Ticket)"


def test_what_pydantic_itself_refuses_comes_without_its_advice() -> None:
    pytest.importorskip("pydantic", reason="pydantic is not installed")
    with pytest.raises(UnsupportedSchemaError, match="no JSON Schema describes the type Plain") as caught:
        PublicGrammar.from_type(type("Plain", (), {}))
    assert "arbitrary_types_allowed" not in str(caught.value)


@pytest.mark.parametrize(
    ("schema", "shown"),
    [(int, "int"), (Colour, "Colour"), (Point(1), "Point"), (list[int], "list[int]"), (int | None, "int | None")],
)
def test_a_type_is_no_schema(schema: Any, shown: str) -> None:
    with pytest.raises(InvalidSchemaError, match="a schema is an object or a boolean") as caught:
        PublicGrammar.from_json_schema(schema)
    assert caught.value.hint == f"Grammar.from_type reads types: Grammar.from_type({shown})"


def test_what_annotations_are_made_of_is_a_type() -> None:
    pytest.importorskip("pydantic", reason="pydantic is not installed")
    alias = typing_extensions.TypeAliasType("alias", list[int])
    types = [typing.NewType("UserId", int), alias, typing.ForwardRef("int"), typing.Optional[int], int | None, Any]  # noqa: UP045
    for tp in [*types, None, "int", typing.Annotated[int, "a note"], Literal[5], typing.TypeVar("T", bound=int)]:
        assert PublicGrammar.from_type(tp).schema is not None


@pytest.mark.parametrize(
    ("choices", "hint"),
    [
        ([1, 2], "pass the type Literal[1, 2]"),
        (["a", None, True], "pass the type Literal['a', None, True]"),
        (list(range(9)), "Literal[0, 1, 2, 3, 4, …]"),
        (Colour, "the type Colour"),
        ([Colour.RED, 1], "Literal[Colour.RED, 1]"),
        ([Point, Literal["a"]], "pass their union, Point | typing.Literal['a']"),
        ([1.5, "a"], 'pass the schema {"enum": […]}'),
        ([Point], "pass Point, for a list of them list[Point]"),
    ],
)
def test_values_are_no_choices(choices: Any, hint: str) -> None:
    with pytest.raises(TypeError, match="choices are texts") as caught:
        PublicGrammar.from_choices(choices)
    assert hint in str(caught.value)


def test_a_grammar_is_compiled_for_a_vocabulary() -> None:
    model: Any = frisket.models.embedded()
    grammar = PublicGrammar.from_choices(["a"])
    with pytest.raises(TypeError, match=r"for a Vocabulary, not for .*Embedded.*: pass its vocabulary"):
        grammar.compile(model)
    with pytest.raises(TypeError, match=r"Vocabulary\.from_huggingface"):
        grammar.compile(model.tokenizer)
    with pytest.raises(TypeError, match=r"not for <class 'int'>$"):
        grammar.compile(5)  # type: ignore[arg-type]


def test_options_of_a_type_are_options() -> None:
    with pytest.raises(TypeError, match="options are JSONSchemaOptions, got dict"):
        PublicGrammar.from_type(bool, {"whitespace": "compact"})  # type: ignore[arg-type]


CALLS: list[object] = []


def delete_account(name: str) -> str:
    """What a model may name as a tool, and no target may run."""
    CALLS.append(name)
    return name


class Eraser:
    def erase(self, name: str) -> str:
        return delete_account(name)

    def __call__(self, name: str) -> str:
        return delete_account(name)


FUNCTIONS = [delete_account, Eraser().erase, Eraser(), functools.partial(delete_account), len, list[delete_account]]  # type: ignore[valid-type]


@pytest.mark.parametrize("target", [*FUNCTIONS, typing.Annotated[delete_account, 1]])
def test_a_function_is_no_target_and_is_not_called(target: Any) -> None:
    pytest.importorskip("pydantic", reason="pydantic is not installed")
    model = frisket.models.embedded()
    hosted = importlib.import_module("frisket.hosted")
    entrances: list[Callable[[], object]] = [
        lambda: PublicGrammar.from_type(target),
        lambda: frisket.generate(model, "?", target, max_tokens=8),
        lambda: frisket.stream(model, "?", target, max_tokens=8),
        lambda: frisket.sample(model, "?", target, n=1, max_tokens=8),
        lambda: frisket.generate_many(model, ["?"], target, max_tokens=8),
        lambda: frisket.parts.json(target),
        lambda: frisket.parts.template("{a}", a=target),
        lambda: frisket.think(target),
        lambda: PublicGrammar.from_tools([], "qwen3", final=target),
        lambda: hosted.generate(lambda request: '{"value": {"name": "a"}}', "?", target),
    ]
    for enter in entrances:
        with pytest.raises(UnsupportedSchemaError) as caught:
            enter()
        assert "Grammar.from_tools([" in str(caught.value.hint)
    assert not CALLS


def test_functions_are_no_choices() -> None:
    with pytest.raises(TypeError, match=r"Grammar.from_tools\(\[delete_account, len\], family\)"):
        frisket.generate(frisket.models.embedded(), "?", [delete_account, len])
    assert not CALLS


def test_a_named_tuple_is_a_type() -> None:
    pytest.importorskip("pydantic", reason="pydantic is not installed")
    assert PublicGrammar.from_type(typing.NamedTuple("Pair", [("a", int)])).value("[1]") == (1,)


@pytest.mark.parametrize("mark", ["__struct_fields__", "__attrs_attrs__"])
def test_msgspec_describes_its_structs_and_the_classes_of_attrs(mark: str) -> None:
    pytest.importorskip("pydantic", reason="pydantic is not installed")
    Point = type("Point", (), {mark: ()})
    for target in (Point, list[Point], dict[str, list[Point]]):  # type: ignore[valid-type]
        with pytest.raises(UnsupportedSchemaError) as caught:
            PublicGrammar.from_type(target)
        assert "Grammar.from_json_schema(msgspec.json.schema(Point))" in str(caught.value.hint)


@pytest.mark.parametrize("text", ['root ::= "a" | "b"\n', '# sums\n  a-b::= "x" [0-9]+\nws ::= [ ]*'])
def test_gbnf_given_to_lark_is_told(text: str) -> None:
    with pytest.raises(GrammarError) as caught:
        frisket.Grammar.from_lark(text)
    assert caught.value.hint is not None and "Grammar.from_gbnf" in caught.value.hint
    with pytest.raises(GrammarError) as caught:
        frisket.Grammar.from_lark('start: "a" | ) "b"\n')
    assert "from_gbnf" not in str(caught.value)


def test_a_file_in_place_of_a_schema_is_told(tmp_path: Path) -> None:
    path = tmp_path / "schema.json"
    path.write_text('{"type": "boolean"}', encoding="utf-8")
    for call in (frisket.Grammar.from_json_schema, frisket.Grammar.from_type):
        with pytest.raises(frisket.FrisketError, match="read_text"):
            call(path)  # type: ignore[arg-type]
    assert frisket.Grammar.from_json_schema(path.read_text(encoding="utf-8")).accepts("true")


def test_a_grammar_in_place_of_a_compiled_one_is_told() -> None:
    grammar = frisket.Grammar.from_regex("a")
    with pytest.raises(TypeError, match=r"grammar\.compile\(vocabulary\)"):
        importlib.import_module("frisket.engines.onnx").GrammarProcessor(grammar)
    pytest.importorskip("transformers")
    with pytest.raises(TypeError, match=r"grammar\.compile\(vocabulary\)"):
        importlib.import_module("frisket.engines.transformers").GrammarProcessor(grammar)


BACKWARD = {"name": "f", "parameters": {"properties": {"a": {"type": "string", "pattern": "^(a+)\\1$"}}}}


def test_the_hint_of_a_refused_tool_is_a_call_that_works() -> None:
    with pytest.raises(frisket.errors.RefusedToolsError) as caught:
        frisket.Grammar.from_tools([BACKWARD], "qwen3")
    assert caught.value.hint is not None and "frisket.tools.Tools(tools, policy='relaxed')" in caught.value.hint
    for policy in ("relaxed", "reject"):
        if policy == "relaxed":
            pytest.importorskip("jsonschema_rs")
        frisket.Grammar.from_tools(frisket.tools.Tools([BACKWARD], policy=policy), "qwen3")  # type: ignore[arg-type]


def test_a_relaxed_tool_without_the_validator_names_its_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jsonschema_rs", None)
    with pytest.raises(frisket.errors.MissingDependencyError, match="jsonschema-rs is not installed"):
        frisket.Grammar.from_tools(frisket.tools.Tools([BACKWARD], policy="relaxed"), "qwen3")


COMPILED: Any = PublicGrammar.from_choices(["a"]).compile(frisket.Vocabulary.from_bytes([b"a", None], eos=[1]))
MATCHER: Any = COMPILED.matcher()


def test_more_arguments_of_another_kind_are_named() -> None:
    frisket_model: Any = frisket.models.embedded()
    for call, said in (
        (lambda: frisket.Vocabulary.from_bytes({b"a": 0}), "token i stands at place i"),  # type: ignore[arg-type]
        (lambda: frisket.Matcher(COMPILED), r"Matcher\(\) makes nothing: write compiled\.matcher\(\)"),
        (lambda: frisket.CompiledGrammar(COMPILED), r"write grammar\.compile\(vocabulary\)"),
        (lambda: MATCHER.advance("a"), "advance_bytes takes bytes of text"),
        (lambda: PublicGrammar.from_tools([]), r"missing .* 'family': .*frisket\.tools\.families\(\)"),
        (lambda: frisket.parts.seq(["a", frisket.parts.lit("b")]), r"one by one: write seq\(\*parts\)"),
        (lambda: frisket.parts.choice(["a", "b"]), r"one by one: write choice\(\*parts\)"),
        (lambda: frisket.Vocabulary(["a"]), r"Vocabulary\(\) makes nothing of a list; .*from_huggingface"),
        (lambda: frisket.models.embedded("gpt2"), r"it takes no name: frisket\.models\.transformers"),
        (lambda: frisket.models.smollm2("gpt2"), r"it takes no name: frisket\.models\.transformers"),
        (lambda: PublicGrammar.from_json_schema({}).value(5), "a text is a str, got int"),
        (lambda: frisket.hosted.generate("openai", "?", int), r"frisket\.hosted\.connect\(client, model\)"),
        (
            lambda: frisket.lint.lint({}, frisket_model),
            r"vocabulary is a Vocabulary, got Embedded: .*model\.vocabulary",
        ),
    ):
        with pytest.raises(TypeError, match=said):
            call()
    with pytest.raises(GrammarSyntaxError) as caught:
        PublicGrammar.from_structural_tag({"type": "tag", "begin": "<", "content": {}, "end": ">"})
    assert '{"type": "structural_tag", "format": {…}}' in str(caught.value.hint)


@pytest.mark.parametrize(("name", "meant"), [("string", "string"), ("none", "null"), ("intger", "integer")])
def test_the_name_of_a_type_is_no_schema(name: str, meant: str) -> None:
    for schema in ({"type": "array", "items": name}, {"type": "object", "properties": {"a": name}}):
        with pytest.raises(InvalidSchemaError) as caught:
            PublicGrammar.from_json_schema(schema)
        assert caught.value.hint == f'write {{"type": "{meant}"}}'


@pytest.mark.parametrize(
    ("schema", "hint"),
    [
        ({"type": "object", "additionalProperties": "false"}, "write false, without quotes"),
        ({"type": "object", "properties": {"a": int}}, "for a type of Python write"),
        ({"type": str}, 'such as "string" for str'),
        ({"type": "json_object"}, "did you mean object?"),
        ({"$ref": "#/$defs/a", "definitions": {"a": {}}}, "did you mean #/definitions/a?"),
        ({"$ref": "#/definitions/a", "$defs": {"a": {}}}, "did you mean #/$defs/a?"),
    ],
)
def test_slips_of_a_schema_are_told(schema: dict[str, Any], hint: str) -> None:
    with pytest.raises(InvalidSchemaError) as caught:
        PublicGrammar.from_json_schema(schema)
    assert hint in str(caught.value.hint)


def test_masks_of_two_vocabularies_are_no_rows_of_one_bitmask() -> None:
    vocabularies = [Vocabulary([*(bytes([value]) for value in range(size)), None], eos=[size]) for size in (98, 99)]
    matchers = [PublicGrammar.from_choices(["a"]).compile(one).matcher() for one in vocabularies]
    with pytest.raises(ValueError, match="a bitmask for each vocabulary"):
        fill_masks(matchers, np.zeros((2, 4), np.uint32))


LARK, ISO, ABNF, GBNF = 'start: "a"', 'root = "a", {"b"} ;', 'root = "b" / %x20', 'root ::= "a"'


@pytest.mark.parametrize(
    ("constructor", "dialect", "text", "advice"),
    [
        ("from_ebnf", "w3c", LARK, "Grammar.from_lark reads them"),
        ("from_ebnf", "w3c", ISO, 'Grammar.from_ebnf(text, dialect="iso")'),
        ("from_ebnf", "w3c", ABNF, "Grammar.from_abnf reads them"),
        ("from_ebnf", "w3c", '# a comment\nroot ::= "a"', "Grammar.from_gbnf reads it"),
        ("from_ebnf", "w3c", 'root ::= "a"{2,3}', "Grammar.from_gbnf reads it"),
        ("from_ebnf", "w3c", 'root ::= Regex("a+")', 'Grammar.from_ebnf(text, dialect="xgrammar")'),
        ("from_ebnf", "w3c", "<root> ::= 'a'", "leave the brackets out"),
        ("from_ebnf", "iso", GBNF, "Grammar.from_gbnf or Grammar.from_ebnf"),
        ("from_ebnf", "iso", LARK, "Grammar.from_lark reads them"),
        ("from_ebnf", "iso", ABNF, "Grammar.from_abnf reads them"),
        ("from_ebnf", "iso", "root = 1*DIGIT", "Grammar.from_abnf reads them"),
        ("from_ebnf", "iso", 'root = "a', "close it with"),
        ("from_abnf", None, GBNF, "Grammar.from_gbnf or Grammar.from_ebnf"),
        ("from_abnf", None, LARK, "Grammar.from_lark reads them"),
        ("from_abnf", None, ISO, 'Grammar.from_ebnf(text, dialect="iso")'),
        ("from_abnf", None, 'root = "b" | "c"', "alternatives are separated by /"),
        ("from_gbnf", None, LARK, "Grammar.from_lark reads them"),
        ("from_gbnf", None, ISO, 'Grammar.from_ebnf(text, dialect="iso")'),
        ("from_gbnf", None, ABNF, "Grammar.from_abnf reads them"),
        ("from_gbnf", None, 'root ::= "a" /* W3C */', "Grammar.from_ebnf reads it"),
        ("from_gbnf", None, 'root[lazy] ::= "a"', 'Grammar.from_ebnf(text, dialect="xgrammar")'),
        ("from_gbnf", None, "root ::= 'a'", "GBNF has double quotes"),
        ("from_gbnf", None, '{"type": "object"}', "Grammar.from_json_schema reads JSON Schemas"),
        ("from_lark", None, GBNF, "Grammar.from_gbnf or Grammar.from_ebnf"),
        ("from_lark", None, ABNF, "Grammar.from_abnf reads them"),
        ("from_lark", None, 'start : "a" | b ;\nb : "c" ;', "ANTLR"),
        ("from_lark", None, '{"type": "object"}', "Grammar.from_json_schema reads JSON Schemas"),
    ],
)
def test_rules_in_another_notation_are_told_their_reader(
    constructor: str, dialect: str | None, text: str, advice: str
) -> None:
    with pytest.raises(GrammarSyntaxError) as caught:
        getattr(PublicGrammar, constructor)(text, **({} if dialect is None else {"dialect": dialect}))
    assert advice in str(caught.value.hint)


@pytest.mark.parametrize(
    ("constructor", "dialect"), [("from_ebnf", "gbnf"), ("from_ebnf", "lark"), ("from_lark", "ebnf")]
)
def test_a_notation_is_no_dialect_of_another_one(constructor: str, dialect: str) -> None:
    with pytest.raises(ValueError, match=rf"not '{dialect}', which Grammar\.from_{dialect} reads"):
        getattr(PublicGrammar, constructor)("", dialect=dialect)


def test_a_long_text_is_looked_at_in_linear_time() -> None:
    with pytest.raises(GrammarSyntaxError):
        PublicGrammar.from_ebnf("a = b (* \n" * 40_000)
