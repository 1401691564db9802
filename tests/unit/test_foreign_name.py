"""Names that users bring from other libraries: the AttributeError says what to write here, and nothing else changes."""

from __future__ import annotations

import copy
import importlib
import inspect
import pickle
import re
from operator import add, or_
from typing import Any

import pytest

import frisket
import frisket.hosted
import frisket.logits
from frisket import CompiledGrammar, Grammar, Matcher, Vocabulary
from frisket.foreign_name import _ADVICE
from frisket.models.gguf import GGUF
from frisket.models.transformers import Transformers

LETTERS = Vocabulary.from_bytes([bytes([value]) for value in range(256)] + [None], eos=[256])
GRAMMAR = Grammar.from_json_schema({"type": "integer"})
COMPILED = GRAMMAR.compile(LETTERS)
MATCHER = COMPILED.matcher()

MODEL = frisket.models.embedded()
STREAM = frisket.stream(MODEL, "?", ["yes"])
GENERATION = STREAM.generation()
OWNERS: dict[str, list[Any]] = {
    "frisket.parts": [frisket.parts],
    "frisket.logits": [frisket.logits],
    "Embedded": [type(MODEL), MODEL],
    "GGUF": [GGUF],
    "Transformers": [Transformers],
    "Stream": [frisket.Stream, STREAM],
    "Generation": [frisket.Generation, GENERATION],
    "frisket": [frisket],
    "frisket.models": [frisket.models],
    "Grammar": [Grammar, GRAMMAR],
    "Vocabulary": [Vocabulary, LETTERS],
    "CompiledGrammar": [CompiledGrammar, COMPILED],
    "Matcher": [Matcher, MATCHER],
}
#: The word for an object in an advice → its class.
WORDS = {
    "matcher": Matcher,
    "grammar": Grammar,
    "vocabulary": Vocabulary,
    "compiled": CompiledGrammar,
    "Grammar": Grammar,
    "Vocabulary": Vocabulary,
    "model": frisket.models.Model,
    "answer": frisket.Stream,
    "generation": frisket.Generation,
}


@pytest.mark.parametrize(
    ("owner", "name", "advice"),
    [
        (MATCHER, "accept_token", "matcher.advance(token)"),
        (MATCHER, "try_consume_tokens", "matcher.validate(tokens)"),
        (MATCHER, "fill_next_token_bitmask", "matcher.fill_mask(bitmask, row)"),
        (MATCHER, "compute_mask", "matcher.mask()"),
        (MATCHER, "is_terminated", "matcher.ended"),
        (MATCHER, "find_jump_forward_string", "matcher.forced_bytes()"),
        (COMPILED, "accept_token", "compiled.matcher()"),
        (Grammar, "from_pydantic", "Grammar.from_type(Model)"),
        (Grammar, "from_cfg", "from_lark"),
        (GRAMMAR, "fullmatch", "grammar.accepts(text)"),
        (Vocabulary, "from_transformers", "Vocabulary.from_huggingface(tokenizer)"),
        (LETTERS, "eos_token_id", "vocabulary.eos"),
        (frisket, "Generator", "frisket.generate(model, prompt, target)"),
        (frisket, "types", "any type of Python"),
        (frisket, "inputs", "a list of messages"),
        (frisket, "from_transformers", "frisket.models.transformers"),
        (frisket, "GrammarCompiler", "grammar.compile(vocabulary)"),
        (frisket, "TokenizerInfo", "Vocabulary.from_huggingface"),
        (frisket, "LLMatcher", ".matcher()"),
        (frisket.parts, "select", "choice(a, b)"),
        (frisket, "from_openai", "frisket.hosted.connect(client, model)"),
        (frisket.logits, "apply_mask", "frisket.logits.numpy"),
        (MODEL, "generate", "frisket.generate(model, prompt, target)"),
        (STREAM, "result", "answer.generation().value()"),
        (GENERATION, "parsed", "generation.value()"),
        (GENERATION, "json", "`text` is what was written"),
    ],
)
def test_a_name_of_another_library_is_told(owner: Any, name: str, advice: str) -> None:
    with pytest.raises(AttributeError, match=rf"has no attribute '{name}': .*{re.escape(advice)}"):
        getattr(owner, name)


@pytest.mark.parametrize("key", list(_ADVICE))
def test_no_advised_name_is_there(key: str) -> None:
    for owner in OWNERS[key]:
        for name in _ADVICE[key]:
            if inspect.ismodule(getattr(owner, name, None)):
                continue  # a private module, which is an attribute once it is imported
            assert not hasattr(owner, name), name
            # What is set on a class is in its `dir`, and not in that of its objects.
            assert name not in dir(owner) or isinstance(owner, type), name


@pytest.mark.parametrize("key", list(_ADVICE))
def test_what_is_advised_is_there(key: str) -> None:
    for advice in _ADVICE[key].values():
        for path in re.findall(r"\bfrisket(?:\.\w+)+", advice):
            assert resolved(path) is not None, advice
        for word, name in re.findall(r"\b(\w+)\.(\w+)", re.sub(r"\bfrisket(?:\.\w+)+", "", advice)):
            if word in WORDS:
                assert hasattr(WORDS[word], name), advice


def resolved(path: str) -> Any:
    """The object of a dotted path."""
    found: Any = frisket
    for place, name in enumerate(path.split(".")[1:], 2):
        if not hasattr(found, name):
            importlib.import_module(".".join(path.split(".")[:place]))
        found = getattr(found, name)
    return found


@pytest.mark.parametrize("owner", [GRAMMAR, LETTERS, MATCHER, COMPILED, Grammar, Vocabulary, Matcher, frisket])
def test_another_missing_name_is_an_attribute_error_as_ever(owner: Any) -> None:
    assert not hasattr(owner, "nothing")
    with pytest.raises(AttributeError, match=r"has no attribute 'nothing'$"):
        _ = owner.nothing


def test_a_class_made_of_another_one_is_told_too() -> None:
    class Named(Grammar):
        pass

    with pytest.raises(AttributeError, match=r"type object 'Named' .*Grammar\.from_type"):
        _ = Named.from_pydantic  # type: ignore[attr-defined]


def test_copies_pickles_and_inspection_are_as_before() -> None:
    assert copy.copy(LETTERS) is LETTERS and copy.deepcopy(GRAMMAR) is GRAMMAR
    assert pickle.loads(pickle.dumps(GRAMMAR)) == GRAMMAR and pickle.loads(pickle.dumps(LETTERS)) == LETTERS
    assert "advance" in dir(MATCHER) and "advance" in dict(inspect.getmembers(MATCHER))
    assert "accept_token" not in dict(inspect.getmembers(MATCHER))


@pytest.mark.parametrize(("operator", "call"), [(add, "seq"), (or_, "choice")])
def test_operators_of_terms_are_told(operator: Any, call: str) -> None:
    for left, right in ((GRAMMAR, GRAMMAR), ("a", GRAMMAR), (GRAMMAR, "a")):
        with pytest.raises(TypeError, match=rf"write frisket\.parts\.{call}\(a, b\)"):
            operator(left, right)
