"""`Llama` with a GrammarProcessor: a real one where llama-cpp-python is installed; the processor alone anywhere."""

from __future__ import annotations

import ctypes
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import frisket
from frisket import Grammar, Vocabulary
from frisket.engines.llama_cpp import GrammarProcessor, vocabulary
from frisket.engines.sequence import Sequence
from frisket.errors import EngineError, LimitExceededError
from tests.unit.models.test_gguf import write

pytestmark = pytest.mark.filterwarnings("ignore")

LETTERS = Vocabulary.from_bytes([bytes([value]) for value in range(97, 105)] + [None], eos=[8])
ABC = Grammar.from_regex("abc|abd|b")


def allowed(processor: GrammarProcessor, *ids: int, columns: int = 9) -> list[int]:
    # As llama-cpp-python gives them: every third number of a structure, which it reads again afterwards.
    structure = np.zeros((columns, 3), dtype=np.float32)
    scores = structure[:, 1]
    assert processor(np.array(ids, dtype=np.intc), scores) is scores
    assert not structure[:, [0, 2]].any()
    return np.flatnonzero(np.isfinite(structure[:, 1])).tolist()


def test_the_scores_are_changed_in_place() -> None:
    processor = GrammarProcessor(ABC.compile(LETTERS))
    assert allowed(processor, 5, 5) == [0, 1]
    assert allowed(processor, 5, 5, 0) == [1]
    assert allowed(processor, 5, 5, 0, 1) == [2, 3]
    assert allowed(processor, 5, 5, 0, 1, 3) == [8]
    assert allowed(processor, 5, 5, 0, 1, 3, 8) == [8]
    # Back, as after a draft.
    assert allowed(processor, 5, 5, 0) == [1]
    assert processor.check() is False


def through_c(processor: GrammarProcessor, ids: list[int], columns: int = 9) -> list[int]:
    """As llama-cpp-python calls it: by a function of C, which swallows what it raises."""
    scores = np.zeros(columns, dtype=np.float32)
    ctypes.CFUNCTYPE(None)(lambda: scores.__setitem__(slice(None), processor(np.array(ids, dtype=np.intc), scores)))()
    return np.flatnonzero(np.isfinite(scores)).tolist()


def test_a_second_answer_is_ended_and_told() -> None:
    processor = GrammarProcessor(ABC.compile(LETTERS))
    assert through_c(processor, [5, 5, 0]) == [0, 1]
    for _ in range(2):
        assert through_c(processor, [5, 6, 0]) == [8]
    # Nor does it go on with the first one.
    assert through_c(processor, [5, 5, 0]) == [8]
    with pytest.raises(EngineError, match="prompt of the first call"):
        processor.check(None, None)
    processor.reset()  # it was told already
    assert through_c(processor, [5, 6, 0]) == [0, 1]


@pytest.mark.parametrize("error", [LimitExceededError("too many steps"), RuntimeError("a panic"), KeyboardInterrupt()])
def test_an_error_that_c_swallows_is_raised_by_the_next_call(
    monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    def fail(*_: object) -> None:
        raise error

    processor = GrammarProcessor(ABC.compile(LETTERS))
    assert through_c(processor, [5]) == [0, 1]
    with monkeypatch.context() as patch:
        patch.setattr(Sequence, "mask", fail)
        assert through_c(processor, [5, 0]) == [8]
    assert through_c(processor, [5, 0]) == [8]
    with pytest.raises(type(error)):
        processor.reset()
    assert through_c(processor, [5, 0]) == [0, 1]
    assert processor.check(None, None) is False


def test_processors_that_are_dropped_are_noticed_by_the_criterion() -> None:
    processor = GrammarProcessor(ABC.compile(LETTERS))
    with pytest.raises(EngineError, match="without the processor"):
        processor.check(np.array([5]), np.zeros(9))


def test_misuse_is_told() -> None:
    with pytest.raises(TypeError, match="CompiledGrammar"):
        GrammarProcessor(ABC)  # type: ignore[arg-type]
    processor = GrammarProcessor(ABC.compile(LETTERS))
    assert allowed(processor, 5, columns=7) == []
    with pytest.raises(EngineError, match="no token that ends a text"):
        processor.check()
    scores = np.full(9, -np.inf, dtype=np.float32)
    processor = GrammarProcessor(ABC.compile(LETTERS))
    assert np.flatnonzero(np.isfinite(processor(np.array([5], dtype=np.intc), scores))).tolist() == [8]
    with pytest.raises(EngineError, match="score −∞"):
        processor.check()


@pytest.fixture(scope="module")
def llama(tmp_path_factory: pytest.TempPathFactory) -> Any:
    # `.ci/run` does not install it: PyPI has its sources alone, which take minutes of a C++ compiler.
    library = pytest.importorskip("llama_cpp", reason="llama-cpp-python is not installed", exc_type=ImportError)
    path = write(tmp_path_factory.mktemp("gguf") / "tiny.gguf")
    return path, library.Llama(str(path), n_ctx=256, verbose=False, seed=1)


def test_the_vocabulary_of_the_live_model(llama: tuple[Path, Any]) -> None:
    path, live = llama
    found, expected = vocabulary(live), frisket.models.gguf(path, runtime="numpy").vocabulary
    assert found.eos == expected.eos and found.size == expected.size
    assert [found.token(token) for token in range(found.size)] == [expected.token(t) for t in range(expected.size)]


@pytest.mark.parametrize("temperature", [0.0, 1.5])
def test_every_answer_is_valid(llama: tuple[Path, Any], temperature: float) -> None:
    from llama_cpp import LogitsProcessorList, StoppingCriteriaList

    _, live = llama
    word = {"type": "string", "maxLength": 4}
    schema = {"type": "object", "properties": {"hello": word, "n": {"enum": [1, 22]}}, "required": ["hello", "n"],
        "additionalProperties": False}  # fmt: skip
    for grammar in (Grammar.from_json_schema(schema), Grammar.from_regex("(he|lo){2,9}[0-9]{3}")):
        processor = GrammarProcessor(grammar.compile(vocabulary(live)))
        answer = live.create_completion(
            "hello 12",
            logits_processor=LogitsProcessorList([processor]),
            stopping_criteria=StoppingCriteriaList([processor.check]),
            max_tokens=100,
            temperature=temperature,
        )["choices"][0]
        assert answer["finish_reason"] == "stop" and grammar.accepts(answer["text"]), answer


def test_a_processor_that_is_used_twice_fails_the_second_call(llama: tuple[Path, Any]) -> None:
    from llama_cpp import LogitsProcessorList, StoppingCriteriaList

    _, live = llama
    processor = GrammarProcessor(Grammar.from_regex("he[0-9]{3}").compile(vocabulary(live)))
    processors = LogitsProcessorList([processor])
    live.create_completion("hello 12", logits_processor=processors, max_tokens=20)
    answer = live.create_completion("12 hello", logits_processor=processors, max_tokens=20)["choices"][0]
    assert answer["text"] == ""
    with pytest.raises(EngineError, match="prompt of the first call"):
        live.create_completion(
            "12 hello", logits_processor=processors, stopping_criteria=StoppingCriteriaList([processor.check])
        )
