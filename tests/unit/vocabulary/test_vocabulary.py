"""Vocabulary: the face of the engine's own, whichever library made the tokenizer."""

from __future__ import annotations

import base64
import json
from pathlib import Path

import pytest

from frisket import Vocabulary, _core
from frisket.errors import VocabularyError

TOKENS = [b"a", b"b", b"ab", "é".encode(), None]


@pytest.fixture(autouse=True)
def no_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FRISKET_CACHE_BYTES", "0")


def test_what_it_knows() -> None:
    vocabulary = Vocabulary.from_bytes(TOKENS, special={"<end>": 4}, eos="<end>", size=40)
    assert isinstance(vocabulary.core, _core.Vocabulary)
    assert vocabulary.size == len(vocabulary) == 40
    assert vocabulary.eos == [4]
    assert vocabulary.special == {"<end>": 4}
    assert vocabulary.mask_words == 2
    assert [vocabulary.token(token_id) for token_id in range(5)] == TOKENS
    assert vocabulary.token(39) is None
    assert not vocabulary.prepends_space
    assert repr(vocabulary) == f"<Vocabulary of 40 tokens, eos [4], {vocabulary.fingerprint[:12]}>"


def test_the_fingerprint_is_of_the_content() -> None:
    first = Vocabulary.from_bytes([b"a", b"", None])
    assert first.fingerprint == Vocabulary.from_bytes([b"a"], size=3).fingerprint
    assert first.fingerprint != Vocabulary.from_bytes([b"a"], size=4).fingerprint
    assert len(first.fingerprint) == 64


def test_what_is_not_bytes_is_misuse() -> None:
    with pytest.raises(TypeError, match="tokens are bytes or None, got str: 'b'"):
        Vocabulary.from_bytes([b"a", "b"])  # type: ignore[list-item]


def test_no_tokens_at_all() -> None:
    with pytest.raises(VocabularyError, match="at least one token"):
        Vocabulary.from_bytes([])


@pytest.mark.filterwarnings("ignore:the stop token .* is the text")
def test_every_constructor_takes_size_and_eos(tmp_path: Path) -> None:
    whole = {
        "model": {"type": "BPE", "vocab": {"a": 0, "b": 1}},
        "decoder": {"type": "ByteLevel"},
        "added_tokens": [{"id": 2, "content": "</s>", "special": True}],
    }
    (tmp_path / "tokenizer.json").write_text(json.dumps(whole))
    (tmp_path / "x.tiktoken").write_text("YQ== 0\nYg== 1\n")
    (tmp_path / "tekken.json").write_text(
        json.dumps(
            {
                "vocab": [
                    {"rank": rank, "token_bytes": base64.b64encode(token).decode()}
                    for rank, token in enumerate((b"a", b"b"))
                ],
                "config": {"default_vocab_size": 5, "default_num_special_tokens": 3},
                "special_tokens": None,
            }
        )
    )
    # Two pieces of a SentencePiece model, by hand: {"a", "b"} without scores or types.
    (tmp_path / "x.model").write_bytes(b"\n\x03\n\x01a\n\x03\n\x01b")
    made = [
        Vocabulary.from_huggingface(tmp_path, size=9, eos=1),
        Vocabulary.from_tiktoken(tmp_path / "x.tiktoken", special={"</s>": 2}, size=9, eos=1),
        Vocabulary.from_mistral(tmp_path / "tekken.json", size=9, eos=1),
        Vocabulary.from_sentencepiece(tmp_path / "x.model", size=9, eos=1),
    ]
    assert [vocabulary.size for vocabulary in made] == [9] * 4
    assert [vocabulary.eos for vocabulary in made] == [[1]] * 4
    assert made[0].fingerprint == made[1].fingerprint
    assert made[3].prepends_space
