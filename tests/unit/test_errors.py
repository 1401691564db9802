"""Every error has a code, a type to catch and advice; every code is reached by real use."""

from __future__ import annotations

import importlib.metadata
from collections.abc import Callable
from typing import NoReturn

import pytest

import frisket
from frisket import Grammar, errors
from frisket._core import GrammarBuilder, Vocabulary
from frisket.errors import FrisketError, MissingDependencyError, TokenRejectedError, UnsupportedSchemaError


def all_errors() -> list[type[FrisketError]]:
    found = [FrisketError]
    for error in found:
        found += error.__subclasses__()
    return found


def test_codes_are_unique_and_written_down_in_the_tree() -> None:
    codes = [error.code for error in all_errors()]
    assert len(codes) == len(set(codes))
    for error in all_errors():
        assert error.__module__ == "frisket.errors"
        assert error.__name__ in (errors.__doc__ or "")
        assert error.__name__ in errors.__all__


@pytest.mark.parametrize("error", all_errors(), ids=lambda error: error.code)
def test_an_error_says_what_where_and_what_to_do(error: type[FrisketError]) -> None:
    raised = error("it broke", where="/properties/a", hint="mend it")
    assert str(raised) == "it broke (at /properties/a)\nhint: mend it"
    assert (raised.message, raised.where, raised.hint) == ("it broke", "/properties/a", "mend it")
    assert str(error("it broke")) == "it broke"


@pytest.mark.parametrize(
    ("error", "builtin"),
    [
        (errors.SchemaError, ValueError),
        (errors.GrammarError, ValueError),
        (errors.VocabularyError, ValueError),
        (errors.ToolError, ValueError),
        (errors.ConversationError, ValueError),
        (errors.StrategyError, ValueError),
        (errors.MissingDependencyError, ImportError),
    ],
)
def test_errors_are_also_what_python_would_raise(error: type[FrisketError], builtin: type[Exception]) -> None:
    assert issubclass(error, builtin)


def empty_grammar() -> None:
    builder = GrammarBuilder()
    builder.build(builder.empty())


def rejected_token() -> None:
    vocabulary = Vocabulary([b"a", b"b"], eos=[])
    builder = GrammarBuilder()
    builder.build(builder.literal(b"a")).compile(vocabulary).matcher().advance(1)


def unspellable() -> None:
    builder = GrammarBuilder()
    builder.build(builder.literal(b"z")).compile(Vocabulary([b"a"]))


def undefined_rule() -> None:
    builder = GrammarBuilder()
    builder.build(builder.rule("nobody"))


def too_deep() -> None:
    Grammar.from_json_schema('{"items":' * 100_000 + "{}" + "}" * 100_000)


def no_such_model() -> None:
    raise MissingDependencyError.of("torch", "torch")


def draw_greedily() -> None:
    frisket.generate(
        frisket.models.embedded(), "?", ["a", "b"], strategy=frisket.strategies.Exact(), sampler=frisket.Sampler.GREEDY
    )


#: Real use → the code it must end in. Codes of pure parents, and those that need something broken to break, are below.
USES: dict[str, Callable[[], object]] = {
    "schema-invalid": lambda: Grammar.from_json_schema({"properties": {"a": {"type": "strnig"}}}),
    "schema-unsatisfiable": lambda: Grammar.from_json_schema({"type": "string", "minLength": 3, "maxLength": 2}),
    "grammar": undefined_rule,
    "grammar-syntax": lambda: Grammar.from_regex(r"(a+)\1"),
    "grammar-empty": empty_grammar,
    "vocabulary": unspellable,
    "limit": too_deep,
    "budget": lambda: frisket.generate(frisket.models.embedded(), "?", ["abc" * 99], max_tokens=2),
    "token-rejected": rejected_token,
    "text-rejected": lambda: Grammar.from_json_schema(True).value("[1, "),
    "missing-dependency": no_such_model,
    "strategy": draw_greedily,
    "family-unknown": lambda: frisket.tools.family("qwen"),
    "tools-refused": lambda: Grammar.from_tools([{"name": 'a"b'}], "qwen3"),
    "template-unreadable": lambda: frisket.tools.Family.from_chat_template("Hello"),
    "request": lambda: frisket.generate(frisket.models.embedded(), [], ["a", "b"]),
    "message-syntax": lambda: Grammar.from_tools([{"name": "now"}], "qwen3").value("<tool_call>"),
}

#: Parents are never raised themselves; an engine's failure is provoked beside its engine; what JSON Schema cannot be
#: enforced shrinks with every version, so the shape of that error is tested here and its causes with JSON Schema.
ELSEWHERE = {"frisket", "schema", "engine", "schema-unsupported", "tool"}


def test_every_code_is_walked() -> None:
    assert set(USES) | ELSEWHERE == {error.code for error in all_errors()}


@pytest.mark.parametrize("code", USES)
def test_real_use_ends_in_the_code(code: str) -> None:
    with pytest.raises(FrisketError) as caught:
        USES[code]()
    assert caught.value.code == code
    assert caught.value.message
    assert caught.value.hint or caught.value.where, "every refusal says what to change, or where"


def test_an_unsupported_schema_lists_every_place() -> None:
    places = [("/a", "not yet"), ("/b", "never")]
    assert UnsupportedSchemaError("no", places=places).places == places
    assert UnsupportedSchemaError("no").places == []


def test_a_regex_error_names_the_place_in_the_pattern() -> None:
    with pytest.raises(errors.GrammarSyntaxError) as caught:
        Grammar.from_regex(r"ab(c+)\1")
    assert caught.value.where


def test_a_missing_package_prints_the_exact_pip_line() -> None:
    assert MissingDependencyError.of("torch", "torch").hint == 'pip install "frisket-llm[torch]"'
    assert MissingDependencyError.of("llama-cpp-python", "llama-cpp").hint == 'pip install "frisket-llm[llama-cpp]"'


def test_frisket_from_a_folder_of_sources_names_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> NoReturn:
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "metadata", missing)
    assert MissingDependencyError.of("llama-cpp-python", "llama-cpp").hint == "pip install llama-cpp-python"


def test_a_rejected_token_names_what_was_expected() -> None:
    with pytest.raises(TokenRejectedError) as caught:
        rejected_token()
    assert "1" in caught.value.message


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"x", '"x" may not come next; expected a, c, the end'),
        (b"ababx and", '"x and" may not come next, at offset 4 of the text; expected a, c, the end'),
        (b"abac", '"c" may not come next, at offset 3 of the text; expected b'),
        (b"ab" * 50 + b"cc", '"c" may not come next, at offset 101 of the text; expected the end'),
        (b"y" * 90, f'"{"y" * 80}" … may not come next; expected a, c, the end'),
    ],
)
def test_a_rejected_text_is_shown_from_where_it_is_wrong(text: bytes, message: str) -> None:
    matcher = Grammar.from_regex("(ab)*c?").compile(Vocabulary([b"a", b"b", b"c"])).matcher()
    with pytest.raises(TokenRejectedError) as caught:
        matcher.advance_bytes(text)
    assert caught.value.message == message
    assert matcher.text == b"" and matcher.steps == 0
