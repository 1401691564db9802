"""Why a token or a text may not come next."""

import json
from dataclasses import fields
from typing import Any

import pytest

from frisket import Grammar, JSONSchemaOptions, Vocabulary
from frisket._core import GrammarBuilder, Matcher
from frisket.errors import TokenRejectedError
from frisket.explanation.reason import OPTIONS

LETTERS = Vocabulary.from_bytes([bytes([value]) for value in range(256)] + [None], eos=[256], special={"<end>": 256})

PERSON: dict[str, Any] = {
    "type": "object",
    "properties": {
        "age": {"type": "integer", "maximum": 120},
        "size": {"enum": ["small", "large"]},
        "mail": {"$ref": "#/$defs/mail"},
        "tags": {"type": "array", "items": {"type": "string", "maxLength": 3}, "uniqueItems": True, "maxItems": 2},
        "both": {"pattern": "^a", "enum": ["a", "ab"]},
    },
    "required": ["age", "mail"],
    "additionalProperties": False,
    "$defs": {"mail": {"type": "string", "format": "email"}},
}


def matcher(grammar: Grammar, prefix: str = "") -> Matcher:
    made = grammar.compile(LETTERS).matcher()
    made.advance_bytes(prefix.encode())
    return made


WHOLE = '{"age":3,"mail":"a@b.c"'


@pytest.mark.parametrize(
    ("prefix", "given", "taken", "path", "name"),
    [
        ('{"age":', "130", 2, "/age", "/properties/age/maximum"),
        ('{"age":', '"', 0, "/age", "/properties/age/type"),
        ('{"age":3', "}", 0, "/age", "/required"),
        ("{", '"mail', 1, "", "/required"),
        ("{", '"name"', 1, "", "/additionalProperties"),
        ('{"age":3,"size":"', "medium", 0, "/size", "/properties/size/enum"),
        ('{"age":3,"mail":"', "a b", 1, "/mail", "/$defs/mail/format"),
        (WHOLE + ',"tags":["', "abcd", 3, "/tags/0", "/properties/tags/items/maxLength"),
        (WHOLE + ',"tags":["a","', 'a"', 1, "/tags/1", "/properties/tags/uniqueItems"),
        (WHOLE + ',"tags":["a","b"', ',"c', 0, "/tags", "/properties/tags/maxItems"),
        (WHOLE + ',"both":"', "c", 0, "/both", "/properties/both"),
    ],
    ids=repr,
)
def test_the_keyword_without_which_the_text_could_go_on(
    prefix: str, given: str, taken: int, path: str, name: str
) -> None:
    explanation = matcher(Grammar.from_json_schema(PERSON), prefix).explain(given)
    assert explanation.reason is not None
    assert (explanation.allowed, explanation.taken, explanation.path) == (False, taken, path)
    assert explanation.reason.name == name


@pytest.mark.parametrize(
    ("options", "prefix", "given", "option"),
    [
        ({}, "{", "\n\n", "whitespace"),
        ({"escapes": "raw"}, '{"any":"', "\\u0061", "escapes"),
        ({"max_integer_digits": 3}, '{"any":', "1234", "max_integer_digits"),
        ({"max_items": 2}, '{"any":[1,2', ",3", "max_items"),
        ({"separators": (", ", ": ")}, '{"any": [1', ",2", "separators"),
        ({"max_whitespace": 1}, '{"any":', "  1", "max_whitespace"),
        ({"forbidden_texts": ("</x>",)}, '{"any":"', "a</x>", "forbidden_texts"),
    ],
)
def test_an_option_may_be_the_reason(options: dict[str, Any], prefix: str, given: str, option: str) -> None:
    schema = {} if "any" in prefix else PERSON
    grammar = Grammar.from_json_schema(schema, JSONSchemaOptions(**options))
    reason = matcher(grammar, prefix).explain(given).reason
    assert reason is not None
    assert (reason.kind, reason.name) == ("option", option)
    assert option in str(reason)


def test_syntax_is_the_reason_where_no_document_goes_on_so() -> None:
    reason = matcher(Grammar.from_json_schema(PERSON), '{"age":').explain("0x").reason
    assert reason is not None
    assert (reason.kind, str(reason)) == ("syntax", "JSON's own syntax")


def test_what_may_come_next_needs_no_reason() -> None:
    explanation = matcher(Grammar.from_json_schema(PERSON)).explain('{"age"')
    assert (explanation.allowed, explanation.reason, explanation.taken) == (True, None, 6)
    assert str(explanation) == "'{\"age\"' may come next"


def test_special_tokens_are_called_by_name() -> None:
    opened = matcher(Grammar.from_json_schema(PERSON), "{")
    explanation = opened.explain(256)
    assert (explanation.allowed, explanation.special, explanation.reason) == (False, "<end>", None)
    assert "special token <end>" in str(explanation)
    assert matcher(Grammar.from_json_schema(True), "[]").explain(256).allowed


def test_tokens_are_explained_as_their_bytes() -> None:
    explanation = matcher(Grammar.from_json_schema(PERSON), '{"age":').explain(ord("x"))
    assert (explanation.text, explanation.allowed) == (b"x", False)


@pytest.mark.parametrize("token", [-1, 257])
def test_an_id_beyond_the_vocabulary_is_misuse(token: int) -> None:
    with pytest.raises(ValueError, match="token ids are 0 to 256"):
        matcher(Grammar.from_json_schema(True)).explain(token)


def test_explaining_leaves_the_matcher_where_it_is() -> None:
    begun = matcher(Grammar.from_json_schema(PERSON), '{"age":')
    before = begun.mask_bytes(), begun.steps, begun.text
    begun.explain("999")
    assert (begun.mask_bytes(), begun.steps, begun.text) == before


def test_other_notations_say_what_is_expected() -> None:
    explanation = matcher(Grammar.from_regex("(ab|cd)+[0-9]"), "ab").explain("ax")
    assert (explanation.taken, explanation.path, explanation.reason) == (1, "", None)
    assert explanation.expected == ("'b'",)


def test_a_refused_token_can_be_explained_later() -> None:
    begun = matcher(Grammar.from_json_schema({"maximum": 5, "type": "integer"}))
    with pytest.raises(TokenRejectedError) as refusal:
        begun.advance_bytes(b"77")
    begun.advance_bytes(b"3")
    explanation = refusal.value.explain()
    assert explanation is not None and explanation.reason is not None
    assert explanation.reason.name == "/maximum"
    assert TokenRejectedError("made by hand").explain() is None


def test_an_explanation_as_json() -> None:
    said = matcher(Grammar.from_json_schema(PERSON), '{"age":').explain("130").as_dict()
    assert json.loads(json.dumps(said))["reason"] == {
        "kind": "keyword",
        "name": "/properties/age/maximum",
        "value": 120,
    }


def test_the_path_follows_the_text() -> None:
    begun = matcher(Grammar.from_json_schema(True))
    seen = []
    for piece in ('{"a/b"', ":", "[", "1", ",", '{"c": tru', "e}", "]", "}"):
        begun.advance_bytes(piece.encode())
        seen.append(begun.path)
    assert seen == ["", "/a~1b", "/a~1b", "/a~1b/0", "/a~1b/1", "/a~1b/1/c", "/a~1b", "", ""]
    assert matcher(Grammar.from_regex("a+"), "a").path == ""


def test_the_text_is_what_tokens_and_texts_wrote() -> None:
    begun = matcher(Grammar.from_json_schema(True))
    begun.advance_bytes(b'{"a')
    begun.advance(ord('"'))
    begun.advance_bytes(b":1")
    assert begun.text == b'{"a":1'
    begun.rollback(2)
    assert (begun.text, begun.fork().text) == (b'{"a', b'{"a')
    begun.reset()
    assert begun.text == b""


#: Options that narrow no document, or that say how others are meant.
NO_REASON = {"indent", "nullable", "relaxed", "max_alternatives"}


def test_every_option_that_narrows_documents_may_be_the_reason() -> None:
    assert {name for name, *_ in OPTIONS} | NO_REASON == {field.name for field in fields(JSONSchemaOptions)}


def test_a_grammar_of_the_engine_alone_has_no_path_and_no_reason() -> None:
    builder = GrammarBuilder()
    matcher = builder.build(builder.literal(b"[1]")).compile(LETTERS.core).matcher()
    matcher.advance_bytes(b"[")
    assert matcher.path == ""
    explanation = matcher.explain("2")
    assert (explanation.allowed, explanation.reason, explanation.expected) == (False, None, ("'1]'",))


@pytest.mark.parametrize("taken", [0, 1, 2, 3, 7, 8, 9, 100])
def test_the_place_of_a_refusal_is_exact_in_texts_of_any_length(taken: int) -> None:
    matcher = Grammar.from_regex("a*").compile(LETTERS).matcher()
    for behind in ("", "a", "a" * 50):
        told = matcher.explain("a" * taken + "b" + behind)
        assert (told.taken, told.allowed) == (taken, False)
    assert matcher.explain("a" * taken).allowed
