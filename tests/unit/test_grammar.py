"""Grammar and its constructors, and what a compiled one hands out."""

from __future__ import annotations

import enum
import re
import sys
from typing import Any, Literal, TypedDict

import numpy as np
import pytest

import frisket
from frisket.errors import (
    EmptyGrammarError,
    FrisketError,
    GrammarSyntaxError,
    InvalidSchemaError,
    LimitExceededError,
    MissingDependencyError,
    TokenRejectedError,
    UnsatisfiableSchemaError,
    VocabularyError,
)
from frisket.grammar import Grammar
from frisket.vocabulary import Vocabulary

BYTES = Vocabulary.from_bytes([bytes([byte]) for byte in range(256)] + [None], special={"<end>": 256}, eos=[256])


class Size(enum.Enum):
    SMALL = "S"
    LARGE = "L"


class Order(TypedDict):
    size: Size
    count: Literal[1, 2]


class TestConstructors:
    def test_choices(self) -> None:
        grammar = Grammar.from_choices(["low", "lower", "é"])
        assert [grammar.accepts(text) for text in ("low", "lower", "é", "lo", "lowe", "")] == [True] * 3 + [False] * 3
        assert grammar.accepts_prefix("lowe")
        assert not grammar.accepts_prefix("lows")
        assert grammar.schema is None and grammar.report is None
        assert grammar.value("low") == "low"

    def test_choices_may_be_any_iterable(self) -> None:
        assert Grammar.from_choices(text for text in ("a", "b")).accepts("b")

    def test_no_choice_at_all(self) -> None:
        with pytest.raises((EmptyGrammarError, ValueError)):
            Grammar.from_choices([])

    def test_regex_matches_the_whole_text(self) -> None:
        grammar = Grammar.from_regex(r"[0-9]{2,3}")
        assert [grammar.accepts(text) for text in ("1", "12", "123", "1234", " 12")] == [
            False,
            True,
            True,
            False,
            False,
        ]

    def test_regex_that_searches_and_speaks_javascript(self) -> None:
        grammar = Grammar.from_regex("^a|b$", dialect="ecma", search=True)
        assert [grammar.accepts(text) for text in ("axx", "xxb", "xax")] == [True, True, False]

    @pytest.mark.parametrize(("pattern", "place"), [(r"(a+)\1", "4"), ("a(b", None), ("[z-a]", None), ("*", None)])
    def test_regex_that_cannot_be(self, pattern: str, place: str | None) -> None:
        with pytest.raises(GrammarSyntaxError) as caught:
            Grammar.from_regex(pattern)
        assert caught.value.where is not None
        if place is not None:
            assert place in caught.value.where

    @pytest.mark.parametrize(
        "schema",
        [{"type": "boolean"}, '{"type": "boolean"}', '\ufeff{"type": "boolean"}'.lstrip("\ufeff")],
        ids=["dict", "text", "stripped"],
    )
    def test_json_schema(self, schema: Any) -> None:
        grammar = Grammar.from_json_schema(schema)
        assert grammar.accepts("true") and not grammar.accepts("1")
        assert grammar.value("true") is True
        assert grammar.report is not None and grammar.report.exact
        assert grammar.schema == {"type": "boolean"}

    def test_json_schema_true_and_false(self) -> None:
        assert Grammar.from_json_schema(True).accepts('[1, {"a": null}]')
        with pytest.raises((UnsatisfiableSchemaError, EmptyGrammarError)):
            Grammar.from_json_schema(False)

    @pytest.mark.parametrize(
        ("text", "place"),
        [('{"type":\n "object" oops}', "2:11"), ("", "1:1"), ("schema.json", "1:1"), ('{"minimum": NaN}', "1:13")],
    )
    def test_a_schema_that_is_not_json(self, text: str, place: str | None) -> None:
        with pytest.raises(InvalidSchemaError, match="not JSON") as caught:
            Grammar.from_json_schema(text)
        assert caught.value.where == place
        assert "not its name" in (caught.value.hint or "")

    @pytest.mark.parametrize("given", [(), ({"type": "integer"},), ("a",)])
    def test_a_grammar_is_made_by_a_constructor(self, given: tuple[Any, ...]) -> None:
        with pytest.raises(TypeError, match=r"Grammar\(\) makes nothing; call a constructor of it: from_choices, "):
            Grammar(*given)

    def test_what_relaxed_leaves_out_is_validated_afterwards(self, monkeypatch: pytest.MonkeyPatch) -> None:
        pytest.importorskip("jsonschema_rs", reason="jsonschema-rs is not installed")
        from frisket import json_schema

        exact = json_schema.compile_json_schema
        # No other test's: what was compiled lately is not compiled again.
        schema = {"type": "string", "maxLength": 3, "title": "half of this is forgotten"}

        def forgetful(schema: Any, *rest: Any) -> Any:
            grammar, report = exact({"type": schema["type"]})
            report.loosened.append(json_schema.Entry("", "maxLength", "loosened", "texts of any length"))
            return grammar, report

        monkeypatch.setattr(json_schema, "compile_json_schema", forgetful)
        grammar = Grammar.from_json_schema(schema, json_schema.JSONSchemaOptions())
        assert grammar.accepts('"long"') and grammar.value('"lon"') == "lon"
        with pytest.raises(FrisketError, match="breaks its schema") as caught:
            grammar.value('"long"')
        assert caught.value.code == "value-refused"
        monkeypatch.setitem(sys.modules, "jsonschema_rs", None)
        with pytest.raises(MissingDependencyError, match=r'pip install "frisket-llm\[validate\]"'):
            Grammar.from_json_schema(schema, json_schema.JSONSchemaOptions())

    def test_a_schema_nested_too_deep_to_be_read(self) -> None:
        with pytest.raises((LimitExceededError, InvalidSchemaError)):
            Grammar.from_json_schema('{"not": ' * 100_000 + "{}" + "}" * 100_000)

    def test_a_schema_that_breaks_its_specification(self) -> None:
        with pytest.raises(InvalidSchemaError) as caught:
            Grammar.from_json_schema({"properties": {"a": {"type": "strng"}}})
        assert "/properties/a" in (caught.value.where or "")

    def test_a_type_that_does_not_exist_in_json(self) -> None:
        with pytest.raises(FrisketError):
            Grammar.from_type(object())

    def test_type(self) -> None:
        pytest.importorskip("pydantic", reason="pydantic is not installed")
        grammar = Grammar.from_type(Order)
        assert grammar.accepts('{"size": "S", "count": 2}')
        assert not grammar.accepts('{"size": "M", "count": 2}')
        assert grammar.value('{"size": "S", "count": 2}') == {"size": Size.SMALL, "count": 2}

    def test_type_without_pydantic(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, "pydantic", None)
        with pytest.raises(MissingDependencyError, match=r'pip install "frisket-llm\[pydantic\]"'):
            Grammar.from_type(int)


class TestCompiled:
    def test_one_grammar_many_vocabularies(self) -> None:
        grammar = Grammar.from_choices(["ab", "ac"])
        words = Vocabulary.from_bytes([b"ab", b"a", b"c", None], special={"<end>": 3}, eos=[3])
        assert grammar.compile(BYTES).matcher().allowed() == [ord("a")]
        assert grammar.compile(words).matcher().allowed() == [0, 1]
        assert grammar.compile(words.core).vocabulary.size == 4

    def test_matcher(self) -> None:
        compiled = Grammar.from_regex("ab?").compile(BYTES)
        matcher = compiled.matcher()
        assert isinstance(matcher, frisket.Matcher)
        matcher.advance(ord("a"))
        assert matcher.can_end
        assert matcher.allowed() == [ord("b"), 256]
        with pytest.raises(TokenRejectedError) as caught:
            matcher.advance(ord("a"))
        assert caught.value.code == "token-rejected"
        assert matcher.allowed() == [ord("b"), 256]
        assert compiled.matcher().allowed() == [ord("a")]
        assert compiled.memory_bytes >= 0

    def test_masks_of_a_batch(self) -> None:
        compiled = Grammar.from_choices(["ab", "cd"]).compile(BYTES)
        matchers = [compiled.matcher(), compiled.matcher()]
        matchers[1].advance(ord("c"))
        bitmask = np.zeros((2, BYTES.mask_words), dtype=np.uint32)
        frisket.fill_masks(matchers, bitmask)
        logits = np.zeros((2, 300), dtype=np.float32)
        from frisket.logits.numpy import apply_mask

        apply_mask(logits, bitmask)
        assert [np.flatnonzero(row == 0).tolist() for row in logits] == [[ord("a"), ord("c")], [ord("d")]]

    def test_a_vocabulary_that_cannot_spell_the_grammar(self) -> None:
        letters = Vocabulary.from_bytes([b"a", b"b", None], special={"<end>": 2}, eos=[2])
        with pytest.raises(VocabularyError) as caught:
            Grammar.from_json_schema({"type": "integer"}).compile(letters)
        assert caught.value.hint


class TestPublicNames:
    def test_all_are_there(self) -> None:
        assert [name for name in frisket.__all__ if not hasattr(frisket, name)] == []
        assert set(frisket.__all__) <= set(dir(frisket))
        assert len(set(frisket.__all__)) == len(frisket.__all__)

    def test_no_other_name(self) -> None:
        with pytest.raises(AttributeError, match="guide"):
            frisket.guide  # noqa: B018

    def test_import_is_cheap(self) -> None:
        import subprocess

        code = (
            "import frisket, sys; print(sorted(m for m in ('numpy', 'pydantic', 'frisket._core') if m in sys.modules))"
        )
        ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        assert ran.stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("pattern", "flags"),
    [
        *(
            ("a.b", re.DOTALL),
            ("a.b", 0),
            ("yes", re.IGNORECASE),
            (r"\w+ # word", re.VERBOSE),
            ("^a$\n^b$", re.MULTILINE),
        ),
        *(
            (r"\w", re.ASCII),
            (r"\w", re.UNICODE),
            ("(?i:a)b", 0),
            ("k", re.I | re.A),
            ("k", re.I),
            ("(?ai)[^ké]", 0),
            ("(?ai)É", 0),
        ),
    ],
)
def test_a_compiled_pattern_counts_with_its_flags(pattern: str, flags: int) -> None:
    compiled = re.compile(pattern, flags)
    made = Grammar.from_regex(compiled)
    for text in ("a\nb", "acb", "Yes", "yes", "word", "word # word", "é", "e", "Ab", "AB", "\u212a", "É", "K", "k"):
        assert made.accepts(text) == bool(compiled.fullmatch(text)), text


def test_a_compiled_pattern_is_of_texts_in_pythons_dialect() -> None:
    with pytest.raises(TypeError, match="dialect"):
        Grammar.from_regex(re.compile("a"), dialect="ecma")
    with pytest.raises(TypeError, match="texts"):
        Grammar.from_regex(re.compile(b"a"))  # type: ignore[arg-type]
