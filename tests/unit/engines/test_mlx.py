"""`mlx_lm` with a GrammarProcessor: every answer is valid, also with a draft model."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import frisket
from frisket import Grammar, Limits, Vocabulary
from frisket.engines.mlx import GrammarProcessor
from frisket.errors import EngineError, LimitExceededError, MissingDependencyError
from tests import tiny_model
from tests.docs.document import ROOT, blocks

pytestmark = pytest.mark.filterwarnings("ignore")

LETTERS = Vocabulary.from_bytes([bytes([value]) for value in range(97, 105)] + [None], eos=[8])
WORD = {"type": "string", "maxLength": 4}
GRAMMARS = [
    Grammar.from_json_schema({"type": "object", "properties": {"a": WORD, "n": {"enum": [1, 22]}},
        "required": ["a", "n"], "additionalProperties": False}),
    Grammar.from_regex("(ab){1,4}[0-9]{2}"),
]  # fmt: skip


def need() -> Any:
    return pytest.importorskip("mlx_lm", reason="mlx-lm is not installed", exc_type=ImportError)


@pytest.fixture(scope="module")
def setup(tmp_path_factory: pytest.TempPathFactory) -> Any:
    library = need()
    model, tokenizer = library.load(str(tiny_model.save(tmp_path_factory.mktemp("tiny"))))
    draft, _ = library.load(str(tiny_model.save(tmp_path_factory.mktemp("draft"), seed=1, layers=1)))
    vocabulary = Vocabulary.from_huggingface(tokenizer._tokenizer, size=model.args.vocab_size)
    return SimpleNamespace(library=library, model=model, tokenizer=tokenizer, vocabulary=vocabulary, draft=draft)


@pytest.mark.parametrize("grammar", GRAMMARS)
@pytest.mark.parametrize("mode", ["greedy", "sampling", "drafts"])
def test_every_answer_is_valid(setup: Any, grammar: Grammar, mode: str) -> None:
    from mlx_lm.sample_utils import make_sampler

    processor = GrammarProcessor(grammar.compile(setup.vocabulary))
    options: dict[str, Any] = {"sampler": make_sampler(temp=float(mode == "sampling"))}
    options |= {"draft_model": setup.draft} if mode == "drafts" else {}
    text = setup.library.generate(
        setup.model, setup.tokenizer, "true 12", logits_processors=[processor], max_tokens=100, **options
    )
    assert grammar.accepts(text), text


def test_an_error_ends_the_call(setup: Any) -> None:
    def ask(processor: GrammarProcessor, prompt: str) -> str:
        return str(setup.library.generate(setup.model, setup.tokenizer, prompt, logits_processors=[processor]))

    dear = Grammar.from_regex("[a-z]{2}(x|y.*z){40}").compile(setup.vocabulary, limits=Limits(steps=30))
    with pytest.raises(LimitExceededError):
        ask(GrammarProcessor(dear), "true 12")
    processor = GrammarProcessor(GRAMMARS[1].compile(setup.vocabulary))
    assert GRAMMARS[1].accepts(ask(processor, "true 12"))
    with pytest.raises(EngineError, match="prompt of the first call"):
        ask(processor, "12 true")


def test_the_program_of_the_page(tmp_path: Path) -> None:
    need()
    program: dict[str, Any] = {}
    (block,) = (one for one in blocks(ROOT / "docs" / "engines" / "mlx.md") if one.language == "python")
    exec(block.text, program)
    answer = program["ask"](str(tiny_model.save(tmp_path)), "true 12", program["grammar"])
    assert program["grammar"].accepts(answer), answer


def test_new_logits_are_masked() -> None:
    need()
    import mlx.core as mx

    processor = GrammarProcessor(Grammar.from_regex("abc|abd|b").compile(LETTERS))
    for dtype in (mx.float32, mx.float16, mx.bfloat16):
        processor.reset()
        for ids, expected in (([5], [0, 1]), ([5, 0], [1]), ([5, 0, 1], [2, 3]), ([5, 1], [8]), ([5, 0, 1, 2], [8])):
            logits = mx.zeros((1, 70), dtype=dtype)
            masked = processor(mx.array(ids), logits)
            assert masked.dtype == dtype and not np.array(logits.astype(mx.float32)).any()
            assert np.flatnonzero(np.isfinite(np.array(masked.astype(mx.float32))[0])).tolist() == expected


def test_without_the_package_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mlx.core", None)
    with pytest.raises(MissingDependencyError, match=r'pip install "frisket-llm\[mlx\]"'):
        GrammarProcessor(frisket.Grammar.from_regex("a").compile(LETTERS))
