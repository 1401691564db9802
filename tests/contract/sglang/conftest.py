"""SGLang's grammar backends and masks with frisket among them; only the scheduler and the model are missing."""

from __future__ import annotations

import importlib
from importlib.metadata import entry_points
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tests import tiny_model

#: Rows of the model beyond its tokenizer's tokens.
BEYOND = 5


@pytest.fixture(scope="session")
def sglang() -> Any:
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pytest.importorskip("torch", reason="torch is not installed")
        pytest.importorskip(
            "sglang", reason="sglang is neither installed nor unpacked: python -m tests.contract sglang 0.5.23"
        )
        base = importlib.import_module("sglang.srt.constrained.base_grammar_backend")
        choices = importlib.import_module("sglang.srt.arg_groups.choices")
    return SimpleNamespace(package=importlib.import_module("sglang"), base=base, choices=choices)


@pytest.fixture(scope="session")
def tokenizer() -> Any:
    library = pytest.importorskip("transformers", reason="transformers is not installed")
    made = tiny_model.make_tokenizer(library)
    made.add_special_tokens({"additional_special_tokens": ["<think>", "</think>"]})
    return made


@pytest.fixture
def backend(sglang: Any, tokenizer: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    return created(sglang, tokenizer, monkeypatch)


def created(sglang: Any, tokenizer: Any, monkeypatch: pytest.MonkeyPatch, **settings: Any) -> Any:
    """What SGLang's own function makes of `--grammar-backend frisket` and other settings."""
    (entry,) = (entry for entry in entry_points(group="sglang.srt.plugins") if entry.name == "frisket")
    entry.load()()
    entry.load()()
    assert sglang.choices.GRAMMAR_BACKEND_CHOICES.count("frisket") == 1
    serving = SimpleNamespace(**{
        "reasoning_parser": None, "enable_strict_thinking": False, "constrained_json_whitespace_pattern": None,
        "constrained_json_disable_any_whitespace": False,
    } | settings)  # fmt: skip
    chosen = SimpleNamespace(kernel=SimpleNamespace(grammar_backend="frisket"))
    monkeypatch.setattr(sglang.base, "get_exec", lambda: chosen)
    monkeypatch.setattr(importlib.import_module("frisket.engines.sglang.backend"), "get_serving", lambda: serving)
    return sglang.base.create_grammar_backend(None, tokenizer, len(tokenizer) + BEYOND, {tokenizer.eos_token_id})


def compiled(backend: Any, kind: str, specification: str) -> Any:
    """The grammar of a request, as the grammar manager gets it: made once, then a copy for each."""
    made, hit = backend.get_cached_or_future_value((kind, specification), False)
    if not hit:
        made = made.result()
        backend.set_cache((kind, specification), made.copy())
        again, hit = backend.get_cached_or_future_value((kind, specification), False)
        assert hit and (again is not made or hasattr(made, "error_message"))
    return made


def masks(sglang: Any, size: int, rows: list[Any]) -> list[list[int]]:
    """The allowed ids of each row, filled and applied as SGLang's batches are; None is a row without a grammar."""
    import torch

    handle = next(row for row in rows if row is not None)
    mask = handle.allocate_vocab_mask(vocab_size=size, batch_size=len(rows), device="cpu")
    handle.reset_vocab_mask(mask)
    entries = [sglang.base.GrammarRow(place, row) for place, row in enumerate(rows) if row is not None]
    handle.fill_vocab_mask_batched(entries, mask)
    alone = mask.clone()
    for entry in entries:
        entry.grammar.fill_vocab_mask(alone, entry.row)
    assert torch.equal(mask, alone)
    logits = torch.zeros((len(rows), size))
    sglang.base.GrammarMask(handle, handle.move_vocab_mask(mask, "cpu")).apply(logits)
    return [np.flatnonzero(~np.isneginf(row)).tolist() for row in logits.numpy()]
