"""`Llama` with a GrammarProcessor: a real one where llama-cpp-python is installed; the processor alone anywhere."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import frisket
from frisket import Grammar, Vocabulary
from frisket.engines.llama_cpp import GrammarProcessor, vocabulary
from frisket.errors import EngineError
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
    with pytest.raises(EngineError, match="prompt of the first call"):
        allowed(processor, 5, 6, 0)
    processor.reset()
    assert allowed(processor, 5, 6, 0) == [0, 1]


def test_misuse_is_told() -> None:
    with pytest.raises(TypeError, match="CompiledGrammar"):
        GrammarProcessor(ABC)  # type: ignore[arg-type]
    with pytest.raises(EngineError, match="no token that ends a text"):
        allowed(GrammarProcessor(ABC.compile(LETTERS)), 5, columns=7)
    scores = np.full(9, -np.inf, dtype=np.float32)
    with pytest.raises(EngineError, match="score −∞"):
        GrammarProcessor(ABC.compile(LETTERS))(np.array([5], dtype=np.intc), scores)


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
    from llama_cpp import LogitsProcessorList

    _, live = llama
    word = {"type": "string", "maxLength": 4}
    schema = {"type": "object", "properties": {"hello": word, "n": {"enum": [1, 22]}}, "required": ["hello", "n"],
        "additionalProperties": False}  # fmt: skip
    for grammar in (Grammar.from_json_schema(schema), Grammar.from_regex("(he|lo){2,9}[0-9]{3}")):
        processor = GrammarProcessor(grammar.compile(vocabulary(live)))
        answer = live.create_completion(
            "hello 12", logits_processor=LogitsProcessorList([processor]), max_tokens=100, temperature=temperature
        )["choices"][0]
        assert answer["finish_reason"] == "stop" and grammar.accepts(answer["text"]), answer
