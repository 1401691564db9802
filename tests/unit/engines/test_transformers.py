"""`model.generate` with a GrammarProcessor: valid in every mode, and nothing changed that was valid before."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import Any

import pytest

import frisket
from frisket import Grammar, Limits, Vocabulary
from frisket.engines.transformers import GrammarProcessor
from frisket.errors import BudgetError, EngineError, LimitExceededError, MissingDependencyError
from tests import tiny_model

pytestmark = pytest.mark.filterwarnings("ignore")

WORD = {"type": "string", "maxLength": 6}
GRAMMARS = [
    Grammar.from_json_schema({"type": "object", "properties": {"a": WORD, "n": {"type": "integer", "maximum": 999,
        "minimum": 0}}, "required": ["a", "n"], "additionalProperties": False}),
    Grammar.from_json_schema({"type": "array", "items": {"type": "boolean"}, "minItems": 1, "maxItems": 5}),
    Grammar.from_json_schema({"enum": ["red", "green", 12, None, {"a": "b"}]}),
    Grammar.from_json_schema(WORD),
    Grammar.from_regex("[a-f]{3,9}"),
    Grammar.from_choices(["true", "truest", "tr"]),
    Grammar.from_regex("(ab){1,4}[0-9]{2}"),
    Grammar.from_json_schema({"type": "array", "prefixItems": [{"type": "null"}, {"const": "ü"}], "minItems": 2,
        "items": False}),
]  # fmt: skip
PROMPTS = ["a", "an answer:", "name true 12", "x", "{}", "what is it?", "", "abababab"]


@pytest.fixture(scope="module")
def setup(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tiny_model.save(tmp_path_factory.mktemp("tiny"))
    torch = pytest.importorskip("torch", reason="torch is not installed")
    model, tokenizer = tiny_model.load(folder)
    vocabulary = frisket.models.transformers(model, tokenizer).vocabulary
    draft, _ = tiny_model.load(tiny_model.save(tmp_path_factory.mktemp("draft"), seed=1, layers=1))
    return SimpleNamespace(torch=torch, model=model, tokenizer=tokenizer, vocabulary=vocabulary, draft=draft)


def generate(setup: Any, prompts: list[str], processor: Any, **options: Any) -> list[list[int]]:
    """The generated ids of each row, up to and with the end."""
    texts = [tiny_model.BOS + prompt for prompt in prompts]
    inputs = setup.tokenizer(texts, return_tensors="pt", padding=True, add_special_tokens=False)
    inputs.pop("token_type_ids", None)
    setup.torch.manual_seed(7)
    processors = [] if processor is None else [processor]
    options = {"max_new_tokens": 100, "do_sample": False} | options
    output = setup.model.generate(**inputs, logits_processor=processors, **options)
    rows = output[:, inputs["input_ids"].shape[1] :].tolist()
    eos = setup.vocabulary.eos[0]
    return [row[: row.index(eos) + 1] if eos in row else row for row in rows]


def is_whole(setup: Any, grammar: Grammar, ids: list[int]) -> bool:
    eos = setup.vocabulary.eos[0]
    data = b"".join(setup.vocabulary.token(token_id) or b"" for token_id in ids)
    return ids[-1] == eos and grammar.accepts(data.decode())


MODES: dict[str, dict[str, Any]] = {
    "greedy": {},
    "sampling": {"do_sample": True},
    "hot sampling": {"do_sample": True, "temperature": 3.0, "top_k": 5, "top_p": 0.8},
    "several samples": {"do_sample": True, "num_return_sequences": 3},
    "beams": {"num_beams": 4},
    "all beams": {"num_beams": 4, "num_return_sequences": 4},
    "beam sampling": {"num_beams": 4, "do_sample": True},
    "static cache": {"cache_implementation": "static", "disable_compile": True},
    "repetition penalty": {"repetition_penalty": 1.3, "num_beams": 2},
}


@pytest.mark.parametrize("mode", MODES)
def test_every_row_of_a_batch_follows_its_own_grammar(setup: Any, mode: str) -> None:
    processor = GrammarProcessor([grammar.compile(setup.vocabulary) for grammar in GRAMMARS])
    rows = generate(setup, PROMPTS, processor, **MODES[mode])
    each = len(rows) // len(GRAMMARS)
    for row, ids in enumerate(rows):
        assert is_whole(setup, GRAMMARS[row // each], ids), setup.tokenizer.decode(ids)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("more", [0, 1, 4])
def test_every_row_is_whole_within_the_budget(setup: Any, mode: str, more: int) -> None:
    long = Grammar.from_json_schema({"type": "array", "items": {"enum": ["abc", "cab"]}, "minItems": 2})
    compiled = long.compile(setup.vocabulary)
    most = compiled.matcher().least_tokens() + more
    processor = GrammarProcessor(compiled, max_tokens=most)
    rows = generate(setup, PROMPTS[:2], processor, max_new_tokens=most, **MODES[mode])
    eos = setup.vocabulary.eos[0]
    for ids in rows:
        text = b"".join(setup.vocabulary.token(token_id) or b"" for token_id in ids if token_id != eos)
        assert len(ids) <= most and long.accepts(text.decode()), text


def test_a_budget_below_the_least_is_refused(setup: Any) -> None:
    compiled = GRAMMARS[0].compile(setup.vocabulary)
    least = compiled.matcher().least_tokens()
    with pytest.raises(BudgetError) as refusal:
        generate(setup, PROMPTS[:1], GrammarProcessor(compiled, max_tokens=least - 1), max_new_tokens=least - 1)
    assert refusal.value.least == least
    with pytest.raises(ValueError):
        GrammarProcessor(compiled, max_tokens=0)


@pytest.mark.parametrize("mode", MODES)
def test_one_grammar_for_all_prompts(setup: Any, mode: str) -> None:
    rows = generate(setup, PROMPTS[:3], GrammarProcessor(GRAMMARS[0].compile(setup.vocabulary)), **MODES[mode])
    assert all(is_whole(setup, GRAMMARS[0], ids) for ids in rows)


@pytest.mark.parametrize("number", range(len(GRAMMARS)))
@pytest.mark.parametrize("sampled", [False, True])
@pytest.mark.parametrize("how", ["assistant", "prompt lookup"])
def test_drafts(setup: Any, number: int, sampled: bool, how: str) -> None:
    grammar = GRAMMARS[number]
    options = {"assistant_model": setup.draft} if how == "assistant" else {"prompt_lookup_num_tokens": 4}
    prompt = ['say {"a":"ab", "n": 12} {"a":"ab"'] if how == "prompt lookup" else PROMPTS[2:3]
    compiled = grammar.compile(setup.vocabulary)
    ids = generate(setup, prompt, GrammarProcessor(compiled), do_sample=sampled, **options)[0]
    assert is_whole(setup, grammar, ids)
    if not sampled:
        assert ids == generate(setup, prompt, GrammarProcessor(compiled))[0]


@pytest.mark.parametrize("mode", MODES)
def test_what_is_valid_anyway_is_reproduced(setup: Any, mode: str) -> None:
    printable = Grammar.from_regex("[ -~]*")
    bad = [
        token_id
        for token_id in range(setup.model.config.vocab_size)
        if token_id not in setup.vocabulary.eos
        and not (token_id < setup.vocabulary.size and printable.accepts((setup.vocabulary.token(token_id) or b"\0")
            .decode("latin-1")) and setup.vocabulary.token(token_id))
    ]  # fmt: skip
    options = {**MODES[mode], "suppress_tokens": bad, "max_new_tokens": 40}
    free = generate(setup, PROMPTS, None, **options)
    held = generate(setup, PROMPTS, GrammarProcessor(printable.compile(setup.vocabulary)), **options)
    assert held == free and any(len(ids) > 5 for ids in free)


def test_more_sequences_than_texts(setup: Any) -> None:
    # generate has to return four rows: those beyond the texts of the grammar have the lowest score there is.
    grammar = Grammar.from_choices(["q"])
    processor = GrammarProcessor(grammar.compile(setup.vocabulary))
    output = setup.model.generate(
        setup.torch.tensor([[1, 2]]), logits_processor=[processor], num_beams=4, num_return_sequences=4,
        max_new_tokens=9, return_dict_in_generate=True, output_scores=True,
    )  # fmt: skip
    eos = setup.vocabulary.eos[0]
    found = [
        (float(score) > -1e6, is_whole(setup, grammar, [*row[2 : row.index(eos)], eos] if eos in row else row[2:]))
        for row, score in zip(output.sequences.tolist(), output.sequences_scores, strict=True)
    ]
    assert found[0] == (True, True)
    assert all(whole for likely, whole in found if likely)


def test_a_prompt_may_stay_free(setup: Any) -> None:
    free = generate(setup, PROMPTS[:2], None, max_new_tokens=30)
    held = generate(
        setup, PROMPTS[:2], GrammarProcessor([None, GRAMMARS[1].compile(setup.vocabulary)]), max_new_tokens=30
    )
    assert held[0] == free[0] and is_whole(setup, GRAMMARS[1], held[1])


def test_embeddings_instead_of_ids(setup: Any) -> None:
    embeddings = setup.model.get_input_embeddings()(setup.torch.tensor([[1, 2, 3]]))
    processor = GrammarProcessor(GRAMMARS[0].compile(setup.vocabulary))
    ids = setup.model.generate(inputs_embeds=embeddings, logits_processor=[processor], max_new_tokens=100)[0].tolist()
    assert is_whole(setup, GRAMMARS[0], ids[: ids.index(setup.vocabulary.eos[0]) + 1])


def test_reset_prepares_for_another_call(setup: Any) -> None:
    processor = GrammarProcessor(GRAMMARS[0].compile(setup.vocabulary))
    first = generate(setup, PROMPTS[:2], processor)
    with pytest.raises(EngineError, match=r"transformers \d.*prompts of the first call"):
        generate(setup, PROMPTS[2:4], processor)
    processor.reset()
    assert generate(setup, PROMPTS[:2], processor) == first


def test_a_mask_that_cannot_be_had_ends_the_call(setup: Any) -> None:
    compiled = Grammar.from_regex("[a-z]{2}(x|y.*z){40}").compile(setup.vocabulary, limits=Limits(steps=30))
    with pytest.raises(LimitExceededError):
        generate(setup, PROMPTS[:2], GrammarProcessor([None, compiled]))


def test_a_conversation_is_another_call(setup: Any) -> None:
    processor = GrammarProcessor(GRAMMARS[0].compile(setup.vocabulary))
    generate(setup, ["a"], processor)
    with pytest.raises(EngineError, match="not generated"):
        generate(setup, ["a and more of it"], processor)


def test_what_another_processor_forbids_is_told(setup: Any) -> None:
    processor = GrammarProcessor(Grammar.from_choices(["ab"]).compile(setup.vocabulary))
    with pytest.raises(EngineError, match="another processor"):
        generate(setup, ["a"], processor, min_new_tokens=20)


def test_a_model_of_another_vocabulary_is_refused(setup: Any) -> None:
    other = Vocabulary.from_bytes([b"a"] * 900 + [None], eos=[900])
    with pytest.raises(EngineError, match="no token that ends a text"):
        generate(setup, ["a"], GrammarProcessor(Grammar.from_regex("a*").compile(other)))


# -- the processor alone ---------------------------------------------------------------------------------------------

LETTERS = Vocabulary.from_bytes([bytes([value]) for value in range(97, 105)] + [None], eos=[8])
ABC = Grammar.from_regex("abc|abd|b")


def allowed(processor: Any, torch: Any, *rows: list[int], columns: int = 9, dtype: str = "float32") -> list[list[int]]:
    scores = torch.zeros((len(rows), columns), dtype=getattr(torch, dtype))
    masked = processor(torch.tensor(rows, dtype=torch.int64).reshape(len(rows), -1), scores)
    assert not scores.any() and masked.dtype == scores.dtype
    assert not masked[~torch.isneginf(masked)].any()
    return [torch.nonzero(~torch.isneginf(row)).flatten().tolist() for row in masked]


@pytest.fixture
def torch() -> Any:
    pytest.importorskip("transformers", reason="transformers is not installed")
    return pytest.importorskip("torch", reason="torch is not installed")


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
def test_rows_are_known_by_what_they_hold(torch: Any, dtype: str) -> None:
    processor = GrammarProcessor(ABC.compile(LETTERS))
    assert allowed(processor, torch, [5, 5], [5, 5], dtype=dtype) == [[0, 1], [0, 1]]
    assert allowed(processor, torch, [5, 5, 0], [5, 5, 1], dtype=dtype) == [[1], [8]]
    # The rows change places.
    assert allowed(processor, torch, [5, 5, 1, 8], [5, 5, 0, 1], dtype=dtype) == [[8], [2, 3]]
    # One goes on from where the other was, and a row that has ended goes on with padding.
    assert allowed(processor, torch, [5, 5, 0, 1, 2], [5, 5, 0, 1, 3], dtype=dtype) == [[8], [8]]
    assert allowed(processor, torch, [5, 5, 0, 1, 2, 8], [5, 5, 0, 1, 3, 8], dtype=dtype) == [[8], [8]]
    assert allowed(processor, torch, [5, 5, 0, 1, 2, 8, 4], [5, 5, 0, 1, 3, 8, 4], dtype=dtype) == [[8], [8]]
    # Back to the beginning.
    assert allowed(processor, torch, [5, 5, 0], [5, 5, 0], dtype=dtype) == [[1], [1]]


def test_rejected_drafts_are_taken_back(torch: Any) -> None:
    processor = GrammarProcessor(ABC.compile(LETTERS))
    for row, expected in [
        ([5], [0, 1]), ([5, 0], [1]), ([5, 0, 1], [2, 3]), ([5, 0, 1, 2], [8]), ([5, 0, 1, 2, 8], [8]),
        ([5, 0, 1, 3], [8]), ([5, 1], [8]), ([5, 0, 1], [2, 3]),
        # A draft that no text has: only the end may follow, and it is taken back.
        ([5, 0, 1, 0], [8]), ([5, 0, 1, 0, 0], [8]), ([5, 0, 1], [2, 3]), ([5, 0, 1, 3], [8]),
    ]:  # fmt: skip
        assert allowed(processor, torch, row) == [expected]


def test_columns_beyond_the_vocabulary_are_forbidden(torch: Any) -> None:
    processor = GrammarProcessor([ABC.compile(LETTERS), None])
    first, second = allowed(processor, torch, [5], [5], columns=77)
    assert first == [0, 1] and second == list(range(77))
    with pytest.raises(EngineError, match="share the processor"):
        allowed(processor, torch, [5, 0], [5, 0], columns=80)


def test_modes_that_cannot_work_are_refused(torch: Any) -> None:
    processor = GrammarProcessor([ABC.compile(LETTERS)] * 2)
    with pytest.raises(EngineError, match="continuous batching"):
        processor(torch.tensor([1, 2]), torch.zeros((2, 9)))
    with pytest.raises(EngineError, match="no multiple of the 2 grammars"):
        allowed(processor, torch, [5], [5], [5])
    with pytest.raises(TypeError, match="CompiledGrammar"):
        GrammarProcessor([ABC])  # type: ignore[list-item]


def test_on_the_accelerator(torch: Any) -> None:
    if not torch.cuda.is_available():
        pytest.skip("no CUDA device")
    processor = GrammarProcessor(ABC.compile(LETTERS))
    masked = processor(torch.tensor([[5]], device="cuda"), torch.zeros((1, 9), device="cuda"))
    assert torch.nonzero(~torch.isneginf(masked[0])).flatten().tolist() == [0, 1]


@pytest.mark.parametrize("package", ["torch", "transformers"])
def test_without_the_packages_the_error_names_what_to_install(monkeypatch: pytest.MonkeyPatch, package: str) -> None:
    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace())
    monkeypatch.setitem(sys.modules, "transformers", SimpleNamespace())
    monkeypatch.setitem(sys.modules, package, None)
    hint = r'pip install "frisket-llm\[transformers\]"'
    with pytest.raises(MissingDependencyError, match=f"{package} is not installed\nhint: {hint}"):
        GrammarProcessor(ABC.compile(LETTERS))


@pytest.mark.parametrize(
    ("options", "advice"),
    [
        ({"max_new_tokens": 5}, "write max_tokens=5"),
        ({"tokenizer": None}, r"grammar\.compile\(vocabulary\)"),
        ({"max_token": 5}, "do you mean max_tokens"),
    ],
)
def test_an_argument_of_another_processor_is_told(options: dict[str, Any], advice: str) -> None:
    with pytest.raises(TypeError, match=f"GrammarProcessor takes no .*{advice}"):
        GrammarProcessor(None, **options)  # type: ignore[arg-type]


def test_a_mask_of_another_models_vocabulary_is_refused(setup: Any) -> None:
    other = Vocabulary.from_bytes([bytes([value]) for value in range(256)] + [None], eos=256, size=5_000)
    with pytest.raises(ValueError, match="the mask is for 5,000 token ids, the logits are for"):
        generate(setup, ["a"], GrammarProcessor(GRAMMARS[1].compile(other)))
