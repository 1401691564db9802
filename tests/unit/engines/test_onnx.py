"""A generator of ONNX Runtime GenAI with a GrammarProcessor: one that behaves as theirs does, and theirs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from frisket import Grammar, Vocabulary
from frisket.engines.onnx import GrammarProcessor
from frisket.engines.sequence import Sequence
from frisket.errors import EngineError, LimitExceededError
from tests import tiny_model
from tests.docs.document import ROOT, blocks

LETTERS = Vocabulary.from_bytes([bytes([value]) for value in range(97, 105)] + [None], eos=[8])
ABC = Grammar.from_regex("abc|abd|b")


class Generator:
    """What a processor calls, with the shapes that they have: logits (batch, 1, vocabulary), as a copy."""

    def __init__(self, prompt: list[int], likes: list[int], *, rows: int = 1, columns: int = 40) -> None:
        self.ids, self._likes, self._rows, self._columns = list(prompt), likes, rows, columns
        self._prompt = len(prompt)
        self._logits: Any = None

    def is_done(self) -> bool:
        return self.ids[-1] == 8 and len(self.ids) > self._prompt

    def get_logits(self) -> Any:
        if self._logits is None:
            self._logits = np.zeros((self._rows, 1, self._columns), dtype=np.float32)
            self._logits[..., self._likes] = range(len(self._likes), 0, -1)
        return self._logits.copy()

    def set_logits(self, logits: Any) -> None:
        assert logits.shape == self._logits.shape and logits.dtype == np.float32
        self._logits = logits

    def get_sequence(self, index: int) -> Any:
        assert index == 0
        return np.array(self.ids, dtype=np.int32)

    def generate_next_token(self) -> None:
        self.ids.append(int(self.get_logits()[0, 0].argmax()))
        self._logits = None

    def rewind_to(self, length: int) -> None:
        del self.ids[length:]
        self._logits = None


def answer(processor: GrammarProcessor, generator: Generator) -> list[int]:
    begin = len(generator.ids)
    while not generator.is_done():
        processor(generator)
        generator.generate_next_token()
    return generator.ids[begin:]


@pytest.mark.parametrize(("likes", "expected"), [([0, 3], [0, 1, 3, 8]), ([1], [1, 8]), ([39, 7, 0, 2], [0, 1, 2, 8])])
def test_the_likeliest_allowed_token_comes(likes: list[int], expected: list[int]) -> None:
    processor = GrammarProcessor(ABC.compile(LETTERS))
    assert answer(processor, Generator([5, 5], likes)) == expected
    processor.reset()
    assert answer(processor, Generator([6], likes)) == expected, "after reset, for another prompt"


def test_other_logits_stay_as_they_are() -> None:
    generator = Generator([5], [1])
    GrammarProcessor(ABC.compile(LETTERS))(generator)
    logits = generator.get_logits()[0, 0]
    assert np.flatnonzero(np.isfinite(logits)).tolist() == [0, 1]
    assert logits[:2].tolist() == [0, 1]


def test_tokens_are_taken_back() -> None:
    processor, generator = GrammarProcessor(ABC.compile(LETTERS)), Generator([5], [0, 2])
    assert answer(processor, generator) == [0, 1, 2, 8]
    generator.rewind_to(3)
    assert answer(processor, generator) == [2, 8]
    generator.rewind_to(1)
    assert answer(processor, generator) == [0, 1, 2, 8]


def test_what_it_cannot_follow_is_refused() -> None:
    with pytest.raises(TypeError, match="CompiledGrammar"):
        GrammarProcessor(ABC)  # type: ignore[arg-type]
    processor = GrammarProcessor(ABC.compile(LETTERS))
    with pytest.raises(EngineError, match="2 rows of logits"):
        processor(Generator([5], [0], rows=2))
    with pytest.raises(EngineError, match="no token that ends a text"):
        processor(Generator([5], [0], columns=8))
    processor(Generator([5], [0]))
    with pytest.raises(EngineError, match="do not begin with the prompt"):
        processor(Generator([6, 6], [0]))


def test_a_mask_that_cannot_be_had_is_told_and_leaves_the_logits(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise LimitExceededError("too many steps")

    processor, generator = GrammarProcessor(ABC.compile(LETTERS)), Generator([5], [0])
    before = generator.get_logits()
    with monkeypatch.context() as patch, pytest.raises(LimitExceededError):
        patch.setattr(Sequence, "mask", fail)
        processor(generator)
    assert (generator.get_logits() == before).all()
    assert answer(processor, generator) == [0, 1, 2, 8]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model as the builder writes it, of random weights."""
    for package in ("onnxruntime_genai", "onnx_ir"):
        pytest.importorskip(package, reason=f"{package} is not installed", exc_type=ImportError)
    tiny = tiny_model.save(tmp_path_factory.mktemp("tiny"), head_dim=16)
    built, cache = tmp_path_factory.mktemp("built"), tmp_path_factory.mktemp("cache")
    builder = [sys.executable, "-m", "onnxruntime_genai.models.builder", "-p", "fp32", "-e", "cpu"]
    subprocess.run([*builder, "-i", str(tiny), "-o", str(built), "-c", str(cache)], check=True, capture_output=True)
    return built


@pytest.mark.parametrize(
    "grammar", [Grammar.from_regex("(ab){1,4}[0-9]{2}"), Grammar.from_json_schema({"enum": [1, {"a": 22}]})]
)
@pytest.mark.parametrize("sampling", [False, True])
def test_every_answer_of_a_real_generator_is_valid(folder: Path, grammar: Grammar, sampling: bool) -> None:
    import onnxruntime_genai as og

    model = og.Model(str(folder))
    tokenizer, parameters = og.Tokenizer(model), og.GeneratorParams(model)
    parameters.set_search_options(max_length=120, do_sample=sampling)
    generator = og.Generator(model, parameters)
    ids = tokenizer.encode("true 12")
    generator.append_tokens(ids)
    processor = GrammarProcessor(grammar.compile(Vocabulary.from_huggingface(folder)))
    while not generator.is_done():
        processor(generator)
        generator.generate_next_token()
    text = tokenizer.decode(generator.get_sequence(0)[len(ids) :])
    assert grammar.accepts(text), text


def test_the_program_of_the_page(folder: Path) -> None:
    program: dict[str, Any] = {}
    (block,) = (one for one in blocks(ROOT / "docs" / "engines" / "onnx.md") if one.language == "python")
    exec(block.text, program)
    answer = program["ask"](str(folder), "true 12", program["grammar"])
    assert program["grammar"].accepts(answer), answer
