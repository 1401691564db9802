"""SGLang's own base classes, registry and masks × frisket's backend; only the scheduler and the model are missing."""

from __future__ import annotations

import json
import random
from typing import Any

import numpy as np
import pytest

from frisket import Grammar, Limits, Vocabulary
from frisket._core.front_end import MaskRows
from frisket.engines import sglang as ours
from frisket.errors import EngineError
from tests.contract.sglang.conftest import BEYOND, compiled, created, masks

pytestmark = pytest.mark.filterwarnings("ignore")

SCHEMA = {"type": "object", "properties": {"a": {"type": "string", "maxLength": 6}, "n": {"enum": [1, 22]}},
          "required": ["a", "n"], "additionalProperties": False}  # fmt: skip

WANTED = [
    ("json", json.dumps(SCHEMA), Grammar.from_json_schema(SCHEMA)),
    ("json", "$$ANY$$", Grammar.from_json_schema(True)),
    ("regex", "[a-f]{3,9}", Grammar.from_regex("[a-f]{3,9}")),
    ("ebnf", 'root ::= "a" ("b" | root)', Grammar.from_gbnf('root ::= "a" ("b" | root)')),
]


@pytest.mark.parametrize("number", range(len(WANTED)))
def test_every_kind_of_request_gives_texts_of_its_grammar(
    sglang: Any, backend: Any, tokenizer: Any, number: int
) -> None:
    kind, specification, grammar = WANTED[number]
    vocabulary = Vocabulary.from_huggingface(tokenizer, size=len(tokenizer) + BEYOND, eos=tokenizer.eos_token_id)
    for seed in range(3):
        rng, request = random.Random(seed), compiled(backend, kind, specification)
        matcher = grammar.compile(vocabulary).matcher()
        ids: list[int] = []
        while not request.is_terminated():
            free, allowed = masks(sglang, vocabulary.size, [None, request])
            assert len(free) == vocabulary.size and allowed == matcher.allowed()
            token = tokenizer.eos_token_id if len(ids) > 30 and matcher.can_end else rng.choice(allowed)
            request.accept_token(token)
            matcher.advance(token)
            ids.append(token)
        assert grammar.accepts(tokenizer.decode(ids, skip_special_tokens=True))
        request.accept_token(3)  # what comes after the end is ignored


def test_a_tree_of_drafts_is_walked_and_taken_back(sglang: Any, backend: Any, tokenizer: Any) -> None:
    size = len(tokenizer) + BEYOND
    request = compiled(backend, "regex", "q(b|c(d|e))")
    a, b, c, d, e, eos = *tokenizer.convert_tokens_to_ids([*"qbcde"]), tokenizer.eos_token_id
    request.accept_token(a)
    assert masks(sglang, size, [request]) == [[b, c]]
    for branch, expected in ([b], [eos]), ([c], [d, e]), ([c, e], [eos]), ([b, eos], None):
        for token in branch:
            request.accept_token(token)
        assert request.is_terminated() is (expected is None)
        assert expected is None or masks(sglang, size, [request]) == [expected]
        for _ in branch:
            request.rollback(1)
        assert masks(sglang, size, [request]) == [[b, c]]
    with pytest.raises(ValueError, match="token-rejected"):
        request.accept_token(a)
    assert masks(sglang, size, [request]) == [[b, c]]
    # A copy begins anew.
    assert masks(sglang, size, [request.copy()]) == [[a]]


@pytest.mark.parametrize(
    ("kind", "specification", "message"),
    [
        ("json", '{"type": "nope"}', r"\[schema-invalid\]"),
        ("json", "{", r"\[schema-invalid\]"),
        ("regex", "(a", "never closed"),
        ("ebnf", "root ::= nobody", r"\[grammar-syntax\]"),
    ],
)
def test_what_is_not_served_fails_its_request(
    sglang: Any, backend: Any, kind: str, specification: str, message: str
) -> None:
    made = compiled(backend, kind, specification)
    assert isinstance(made, sglang.base.InvalidGrammarObject)
    with pytest.raises(AssertionError, match=message):
        raise AssertionError(made.error_message)


def test_a_mask_that_cannot_be_had_fails_its_request(sglang: Any, backend: Any, tokenizer: Any) -> None:
    from frisket.engines.progress import Progress
    from frisket.engines.sglang.backend import RequestGrammar

    vocabulary = Vocabulary.from_huggingface(tokenizer, size=len(tokenizer) + BEYOND)
    dear = Grammar.from_regex("[a-z]{2}(x|y.*z){40}").compile(vocabulary, limits=Limits(steps=30))
    request, other = RequestGrammar(Progress(dear)), compiled(backend, "regex", "a")
    (a,) = tokenizer.convert_tokens_to_ids(["a"])
    assert masks(sglang, vocabulary.size, [request, other]) == [vocabulary.eos, [a]]
    with pytest.raises(ValueError, match=r"\[limit\]"):
        request.accept_token(vocabulary.eos[0])


def test_a_defect_fails_its_request_alone(
    sglang: Any, backend: Any, tokenizer: Any, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a panic of the core comes: an exception that is none of frisket's own."""
    broken, other = compiled(backend, "regex", "a+"), compiled(backend, "regex", "a")

    class Rows(Broken):
        matcher = broken.progress._matcher

    monkeypatch.setattr("frisket.engines.progress.MaskRows", Rows)
    (a,) = tokenizer.convert_tokens_to_ids(["a"])
    size, eos = len(tokenizer) + BEYOND, tokenizer.eos_token_id
    assert masks(sglang, size, [broken, other]) == [[eos], [a]]
    with pytest.raises(ValueError, match=r"a panic[\s\S]*\[engine\]"):
        broken.accept_token(a)
    broken.rollback(1)
    assert masks(sglang, size, [broken, other]) == [[eos], [a]]
    assert "a request fails" in caplog.text


class Broken:
    """The rows of a bitmask that fail where they are asked for those of one matcher."""

    matcher: Any

    def __init__(self, bitmask: Any) -> None:
        self._rows = MaskRows(bitmask)
        self.write = self._rows.write

    def fill(self, matchers: Any, *rest: Any) -> Any:
        if self.matcher in matchers:
            raise RuntimeError("a bug in frisket: a panic")
        return self._rows.fill(matchers, *rest)


def test_settings_of_the_server(sglang: Any, tokenizer: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    compact = created(sglang, tokenizer, monkeypatch, constrained_json_disable_any_whitespace=True)
    request = compiled(compact, "json", json.dumps(SCHEMA))
    for token in tokenizer.encode('{"a":', add_special_tokens=False):
        request.accept_token(token)
    (allowed,) = masks(sglang, len(tokenizer) + BEYOND, [request])
    assert all(tokenizer.decode([token]).startswith('"') for token in allowed)
    with pytest.raises(EngineError, match="whitespace-pattern is not supported"):
        created(sglang, tokenizer, monkeypatch, constrained_json_whitespace_pattern=" ?")


def test_thoughts_are_free_and_what_follows_is_not(
    sglang: Any, tokenizer: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    backend = created(sglang, tokenizer, monkeypatch, reasoning_parser="deepseek-r1")
    made, _ = backend.get_cached_or_future_value(("regex", "qb"), True)
    request = made.result()
    request.maybe_init_reasoning(True)
    a, b, thought = tokenizer.convert_tokens_to_ids(["q", "b", "</think>"])
    size = len(tokenizer) + BEYOND
    for token in (b, b):
        mask = request.allocate_vocab_mask(vocab_size=size, batch_size=1, device="cpu")
        request.fill_vocab_mask(mask, 0)
        assert (mask == -1).all()
        request.accept_token(token)
    request.accept_token(thought)
    mask = request.allocate_vocab_mask(vocab_size=size, batch_size=1, device="cpu")
    request.fill_vocab_mask(mask, 0)
    bits = np.unpackbits(mask.numpy().view(np.uint8), bitorder="little")
    assert np.flatnonzero(bits).tolist() == [a]


def test_a_version_that_was_not_tested_is_refused(sglang: Any, tokenizer: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sglang.package, "__version__", "0.6.0")
    with pytest.raises(EngineError, match=r"SGLang 0.6.0 was not tested"):
        ours.make(None, tokenizer, len(tokenizer), None)
