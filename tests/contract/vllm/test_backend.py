"""vLLM's own manager × frisket's backend: rows of masks, drafts, stop tokens, reasoning, failures."""

from __future__ import annotations

import json
import random
from concurrent.futures import Future
from types import SimpleNamespace
from typing import Any

import pytest

from frisket import Grammar, JSONSchemaOptions, Limits, Vocabulary
from tests.contract.vllm.conftest import ROWS_BEYOND, THINK, THOUGHT, Engine

pytestmark = pytest.mark.filterwarnings("ignore")

SCHEMA = {
    "type": "object",
    "properties": {"a": {"type": "string", "maxLength": 6}, "n": {"type": "integer", "minimum": 0, "maximum": 99}},
    "required": ["a", "n"],
    "additionalProperties": False,
}
WANTED: list[tuple[dict[str, Any], Grammar]] = [
    ({"json": SCHEMA}, Grammar.from_json_schema(SCHEMA)),
    ({"json": json.dumps(SCHEMA)}, Grammar.from_json_schema(SCHEMA)),
    ({"json_object": True}, Grammar.from_json_schema({"type": "object"})),
    ({"regex": "[a-f]{3,9}"}, Grammar.from_regex("[a-f]{3,9}")),
    ({"choice": ["red", "green", 'a "b"']}, Grammar.from_choices(["red", "green", 'a "b"'])),
    ({"grammar": 'root ::= "a" ("b" | root)'}, Grammar.from_gbnf('root ::= "a" ("b" | root)')),
]


@pytest.mark.parametrize("number", range(len(WANTED)))
def test_every_kind_of_request_gives_texts_of_its_grammar(engine: Engine, number: int) -> None:
    wanted, grammar = WANTED[number]
    for seed in range(3):
        text = engine.finish(engine.request(**wanted), random.Random(seed))
        assert grammar.accepts(text), text


TAG = {"type": "structural_tag", "format": {"type": "sequence", "elements": [
    {"type": "const_string", "value": "say "},
    {"type": "tag", "begin": "<n>", "content": {"type": "json_schema", "json_schema": SCHEMA}, "end": "</n>"},
]}}  # fmt: skip


def test_structural_tags(engine: Engine) -> None:
    text = engine.finish(engine.request(structural_tag=json.dumps(TAG)), random.Random(0))
    assert text.startswith("say <n>") and text.endswith("</n>")
    # As the format has it: any white space and escapes, around the document, too.
    assert Grammar.from_json_schema(SCHEMA, JSONSchemaOptions.free()).accepts(text[len("say <n>") : -len("</n>")])


def test_rules_of_lark(engine: Engine) -> None:
    assert set(engine.finish(engine.request(grammar='start: "a" | "b" start'), random.Random(0))) <= {"a", "b"}


def test_masks_are_the_matchers_own(engine: Engine) -> None:
    request = engine.request(json=SCHEMA)
    vocabulary = Vocabulary.from_huggingface(engine.tokenizer, size=engine.size, eos=engine.tokenizer.eos_token_id)
    matcher = Grammar.from_json_schema(SCHEMA).compile(vocabulary).matcher()
    rng = random.Random(0)
    while not matcher.ended:
        (allowed,) = engine.masks(request)
        assert allowed == matcher.allowed()
        assert max(allowed) < engine.size - ROWS_BEYOND
        token = rng.choice(allowed)
        matcher.advance(token)
        assert engine.manager.accept_tokens(request, [token])
    # The engine stops at the end token; until it does, vLLM lets the row be free.
    assert len(engine.masks(request)[0]) >= engine.size
    assert engine.manager.accept_tokens(request, [3, 4])


def test_rows_of_many_requests_are_filled_by_threads(engine: Engine) -> None:
    engine.restart(sequences=200)
    requests = [engine.request(str(number), **WANTED[number % len(WANTED)][0]) for number in range(150)]
    assert engine.masks(*requests) == [engine.masks(request)[0] for request in requests]


def test_what_the_grammar_does_not_accept_fails_the_request_and_moves_nothing(engine: Engine) -> None:
    request = engine.request(choice=["ab", "ba"])
    a, b = engine.tokenizer.convert_tokens_to_ids(["a", "b"])
    before = engine.masks(request)
    assert not engine.manager.accept_tokens(request, [a, a])
    assert engine.masks(request) == before
    assert engine.manager.accept_tokens(request, [a, b])


def test_drafts_are_trimmed_and_taken_back(engine: Engine) -> None:
    """Rows beside drafts are those of a request without drafts, whatever was rejected in between."""
    engine.restart(drafts=3)
    rng = random.Random(5)
    for _ in range(10):
        drafted, plain = engine.request("drafted", json=SCHEMA), engine.request("plain", json=SCHEMA)
        grammar = drafted.structured_output_request.grammar
        while not grammar.is_terminated():
            guess = follow(engine, engine.request("guess", json=SCHEMA), drafted.all_token_ids[1:], rng)
            wrong = rng.choice([guess, [*guess[:1], engine.size - 1, *guess[1:]], [engine.size - 1]])
            right = engine.manager.validate_tokens(drafted, [*wrong, -1, -1])
            assert right == (wrong if wrong is guess else wrong[: wrong.index(engine.size - 1)])
            rows = engine.masks(drafted, drafts={"drafted": right})
            taken = 0
            for row, token in zip(rows, right, strict=False):
                assert row == engine.masks(plain)[0]
                if rng.random() < 0.3:
                    break
                assert engine.manager.accept_tokens(plain, [token])
                taken += 1
            new = right[:taken]
            if not plain.structured_output_request.grammar.is_terminated():
                assert rows[taken] == engine.masks(plain)[0]
                bonus = rng.choice(rows[taken])
                assert engine.manager.accept_tokens(plain, [bonus])
                new = [*new, bonus]
            assert engine.manager.accept_tokens(drafted, new)
            drafted.all_token_ids += new
        assert plain.structured_output_request.grammar.is_terminated()


def follow(engine: Engine, request: Any, taken: list[int], rng: random.Random) -> list[int]:
    """At most three tokens that may follow, the end included."""
    assert engine.manager.accept_tokens(request, taken)
    ids: list[int] = []
    while len(ids) < 3 and not request.structured_output_request.grammar.is_terminated():
        ids.append(rng.choice(engine.masks(request)[0]))
        assert engine.manager.accept_tokens(request, ids[-1:])
    return ids


def test_stop_tokens_come_where_the_text_may_end(engine: Engine) -> None:
    x, eos = engine.tokenizer.convert_tokens_to_ids(["x", tokenizer_end(engine)])
    request = engine.request(regex="[a-z]{2}", stops=(x,))
    (first,) = engine.masks(request)
    assert x not in first and eos not in first
    a = engine.tokenizer.convert_tokens_to_ids("a")
    assert engine.manager.accept_tokens(request, [a, a])
    assert engine.masks(request) == [sorted([x, eos])]
    # Another request of the same grammar has the usual end.
    assert x in engine.masks(engine.request(regex="[a-z]{2}"))[0]


def tokenizer_end(engine: Engine) -> str:
    return str(engine.tokenizer.eos_token)


def test_thoughts_are_free_and_what_follows_is_not(engine: Engine) -> None:
    engine.restart(reasoning_parser="deepseek_r1")
    think, thought, a, b = engine.tokenizer.convert_tokens_to_ids([THINK, THOUGHT, "a", "b"])
    request = engine.request(choice=["ab"])
    for token in (think, b, b):
        assert len(engine.masks(request)[0]) >= engine.size
        request.all_token_ids.append(token)
        assert engine.manager.accept_tokens(request, [token])
    request.all_token_ids += [thought, a]
    assert engine.manager.accept_tokens(request, [thought, a])
    assert engine.masks(request) == [[b]]


def test_a_mask_that_cannot_be_had_fails_the_request_and_not_the_engine(engine: Engine) -> None:
    from frisket.engines.progress import Progress
    from frisket.engines.vllm.backend import RequestGrammar

    request = engine.request(json=SCHEMA)
    vocabulary = Vocabulary.from_huggingface(engine.tokenizer, size=engine.size)
    compiled = Grammar.from_regex("[a-z]{2}(x|y.*z){40}").compile(vocabulary, limits=Limits(steps=30))
    grammar = request.structured_output_request._grammar = RequestGrammar(Progress(compiled))
    assert engine.masks(request) == [vocabulary.eos]
    assert not engine.manager.accept_tokens(request, vocabulary.eos)
    grammar.reset()
    assert grammar.validate_tokens([3]) == [] and not grammar.is_terminated()


def test_a_defect_fails_its_request_alone(engine: Engine, caplog: pytest.LogCaptureFixture) -> None:
    """As a panic of the core comes: an exception that is none of frisket's own."""
    a, eos = engine.tokenizer.convert_tokens_to_ids("a"), engine.tokenizer.eos_token_id
    broken, other = engine.request("broken", regex="a+"), engine.request("other", regex="a")
    grammar = broken.structured_output_request.grammar
    grammar.progress._matcher = Broken()
    assert grammar.validate_tokens([a]) == []
    assert engine.masks(broken, other) == [[eos], [a]]
    assert not engine.manager.accept_tokens(broken, [a]) and engine.manager.accept_tokens(other, [a])
    grammar.rollback(1)
    assert engine.masks(broken, other) == [[eos], [eos]]
    assert "a bug in frisket: a panic" in caplog.text


class Broken:
    """A matcher of which each call fails."""

    ended, steps = False, 0

    def __init__(self) -> None:
        self.fill_mask = self.advance = self.rollback = self.validate = self._fail

    def _fail(self, *_: Any) -> None:
        raise RuntimeError("a bug in frisket: a panic")


def test_a_grammar_that_cannot_be_compiled_fails_its_request_alone(engine: Engine) -> None:
    params = engine.params(regex="[a-z]+")
    params.structured_outputs.regex = "(a"
    made = engine.vllm.request.StructuredOutputRequest.from_sampling_params(params)
    request = SimpleNamespace(request_id="r", sampling_params=params, structured_output_request=made, max_tokens=99)
    request.num_prompt_tokens = 1
    engine.manager.grammar_init(request)
    assert isinstance(made._grammar, Future)
    assert "never closed" in str(made._grammar.exception())
    assert engine.finish(engine.request(regex="[a-z]{3}"), random.Random(0)).isalpha()


def test_mistrals_tokenizers_are_read_by_their_bytes() -> None:
    tekken = pytest.importorskip("mistral_common.tokens.tokenizers.mistral", reason="mistral-common is not installed")
    from frisket.engines.vllm.tokenizer import vocabulary_of

    inner = tekken.MistralTokenizer.v3(is_tekken=True).instruct_tokenizer.tokenizer
    wrapped = SimpleNamespace(IS_MISTRAL_TOKENIZER=True, tokenizer=inner)
    assert vocabulary_of(wrapped, inner.n_words, None) == Vocabulary.from_mistral(inner)
