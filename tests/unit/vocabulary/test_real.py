"""The real tokenizers: known counts, known tokens, and the same bytes whichever way they were read."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from frisket.vocabulary import huggingface, mistral, sentencepiece, tiktoken
from frisket.vocabulary.table import TokenTable
from tests.data import llama3_tokens


@pytest.fixture(scope="module")
def folder(data_dir: Path) -> Path:
    return data_dir / "tokenizers"


@pytest.fixture(autouse=True)
def no_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FRISKET_CACHE_BYTES", "0")


def shape(table: TokenTable) -> tuple[int, int, int, int]:
    """Ids, ids with text, ids whose text is not UTF-8 on its own, ids that share their text with another."""
    texts = Counter(token for token in table.tokens if token is not None)
    torn = sum(count for token, count in texts.items() if token.decode(errors="ignore").encode() != token)
    shared = sum(count for count in texts.values() if count > 1)
    return table.size, texts.total(), torn, shared


def test_llama3(data_dir: Path, folder: Path) -> None:
    table = huggingface.read(folder / "llama3")
    assert list(table.tokens) == llama3_tokens(data_dir)
    assert shape(table) == (128_256, 128_000, 1_352, 0)
    assert len(table.special) == 256
    # The folder has no generation_config.json: <|eot_id|> is what its tokenizer_config.json names.
    assert table.eos == (table.special["<|eot_id|>"],)


def test_llama3_live_has_all_its_stops(folder: Path) -> None:
    library = pytest.importorskip("tokenizers", reason="needs the package tokenizers")
    live = library.Tokenizer.from_file(str(folder / "llama3" / "tokenizer.json"))
    table = huggingface.read(live)
    assert table.tokens == huggingface.read(folder / "llama3").tokens
    assert table.eos == (128_001, 128_008, 128_009)


def test_qwen_is_padded(folder: Path) -> None:
    table = huggingface.read(folder / "qwen")
    assert shape(table) == (151_936, 151_643, 1_448, 0)
    assert table.special == {"<|endoftext|>": 151_643, "<|im_start|>": 151_644, "<|im_end|>": 151_645}
    assert table.eos == (151_645,)
    assert not any(table.tokens[151_643:])


def test_llama2(folder: Path) -> None:
    table = sentencepiece.read(folder / "llama2.spm.model")
    assert shape(table) == (32_000, 31_997, 128, 192)
    assert table.special == {"<unk>": 0, "<s>": 1, "</s>": 2}
    assert table.eos == (2,)
    assert table.tokens[37] == table.tokens[29908] == b'"'
    assert table.tokens[13] == b"\n"
    assert table.prepends_space


def test_gpt2_and_o200k(folder: Path) -> None:
    gpt2 = tiktoken.read(folder / "r50k_base.tiktoken", special={"<|endoftext|>": 50_256})
    assert shape(gpt2)[:2] == (50_257, 50_256)
    assert gpt2.eos == (50_256,)
    o200k = tiktoken.read(
        folder / "o200k_base.tiktoken", special={"<|endoftext|>": 199_999, "<|endofprompt|>": 200_018}
    )
    # Seventeen ids before <|endofprompt|> belong to nobody.
    assert shape(o200k)[:2] == (200_019, 199_998)
    assert o200k.eos == (199_999,)


@pytest.mark.parametrize("name", ["llama3", "qwen"])
def test_every_token_is_what_the_library_decodes(folder: Path, name: str) -> None:
    library = pytest.importorskip("tokenizers", reason="needs the package tokenizers")
    live = library.Tokenizer.from_file(str(folder / name / "tokenizer.json"))
    tokens = huggingface.read(folder / name).tokens
    ids = [token_id for token_id, token in enumerate(tokens) if token is not None]
    decoded = live.decode_batch([[token_id] for token_id in ids])
    wrong = [
        token_id
        for token_id, text in zip(ids, decoded, strict=True)
        if (tokens[token_id] or b"").decode(errors="replace") != text
    ]
    assert wrong == []


def test_every_piece_is_what_sentencepiece_decodes_inside_a_text(folder: Path) -> None:
    library = pytest.importorskip("sentencepiece", reason="needs the package sentencepiece")
    path = folder / "llama2.spm.model"
    live = library.SentencePieceProcessor(model_file=str(path))
    tokens = sentencepiece.read(path).tokens
    before = live.piece_to_id("x")
    ids = [token_id for token_id, token in enumerate(tokens) if token is not None]
    decoded = live.decode([[before, token_id] for token_id in ids])
    wrong = [
        token_id
        for token_id, text in zip(ids, decoded, strict=True)
        if "x" + (tokens[token_id] or b"").decode(errors="replace") != text
    ]
    assert wrong == []


@pytest.mark.parametrize(
    "file, expected",
    [
        ("tekken_240911.json", (131_072, 130_072, 1_435, 0)),
        ("tokenizer.model.v1", (32_000, 31_997, 128, 250)),
        ("mistral_instruct_tokenizer_240323.model.v3", (32_768, 32_017, 128, 250)),
    ],
)
def test_mistral(file: str, expected: tuple[int, int, int, int]) -> None:
    package = pytest.importorskip("mistral_common", reason="needs the package mistral-common")
    path = Path(package.__file__).parent / "data" / file
    if not path.is_file():
        pytest.skip(f"this mistral-common does not bring {file}")
    table = mistral.read(path)
    assert shape(table) == expected
    assert table.eos == (2,)


def test_readers_give_what_they_gave_when_the_cache_was_numbered(folder: Path) -> None:
    """A change here means other bytes for the same tokenizer: raise `cache.READERS`, then change the fingerprint."""
    found = {
        "llama3": huggingface.read(folder / "llama3").fingerprint[:16],
        "qwen": huggingface.read(folder / "qwen").fingerprint[:16],
        "llama2": sentencepiece.read(folder / "llama2.spm.model").fingerprint[:16],
        "r50k": tiktoken.read(folder / "r50k_base.tiktoken").fingerprint[:16],
    }
    assert found == {
        "llama3": "336846008ce37d26",
        "qwen": "2914b884493c3097",
        "llama2": "5463d557cc6fffbf",
        "r50k": "2753c318a948a4dd",
    }
