"""SentencePiece models, rank files and tekken.json → bytes, on small files written here."""

from __future__ import annotations

import base64
import json
import os
from pathlib import Path
from typing import Any

import pytest

from frisket.errors import VocabularyError
from frisket.vocabulary import Vocabulary, mistral, sentencepiece, tiktoken

NORMAL, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE = range(1, 7)


@pytest.fixture(autouse=True)
def no_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FRISKET_CACHE_BYTES", "0")


# -- SentencePiece -------------------------------------------------------------------------------------------------


def varint(value: int) -> bytes:
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def message(number: int, content: bytes) -> bytes:
    return varint(number << 3 | 2) + varint(len(content)) + content


def number(field: int, value: int) -> bytes:
    return varint(field << 3) + varint(value)


def model(pieces: list[tuple[str, int]], *, trainer: bytes = b"", normalizer: bytes = b"") -> bytes:
    score = varint(2 << 3 | 5) + b"\0\0\x80\xbf"
    listed = [message(1, message(1, piece.encode()) + score + number(3, kind)) for piece, kind in pieces]
    return b"".join([*listed, message(2, trainer), message(3, normalizer), varint(9 << 3 | 1) + b"\0" * 8])


PIECES = [
    ("<unk>", UNKNOWN),
    ("<s>", CONTROL),
    ("</s>", CONTROL),
    ("<0x0A>", BYTE),
    ("▁a", NORMAL),
    ("é", NORMAL),
    ("<tool▁x>", USER_DEFINED),
    ("nothing", UNUSED),
]


def test_each_type_of_piece() -> None:
    table = sentencepiece.build(model(PIECES))
    assert table.tokens == (None, None, None, b"\n", b" a", "é".encode(), b"<tool x>", None)
    assert table.special == {"<unk>": 0, "<s>": 1, "</s>": 2}
    assert table.eos == (2,)
    assert table.prepends_space


def test_a_piece_without_a_type_is_text() -> None:
    assert sentencepiece.build(message(1, message(1, b"x"))).tokens == (b"x",)


def test_the_trainer_and_the_normalizer_are_read() -> None:
    table = sentencepiece.build(model(PIECES, trainer=number(42, 1), normalizer=number(3, 0) + number(5, 0)))
    assert table.eos == (1,)
    assert not table.prepends_space
    assert table.tokens[4] == "▁a".encode()


def test_a_model_without_a_stop() -> None:
    assert sentencepiece.build(model([("<unk>", UNKNOWN), ("a", NORMAL)], trainer=number(42, -1))).eos == ()


def test_the_caller_decides() -> None:
    table = sentencepiece.build(model(PIECES), size=40, eos="<s>")
    assert (table.size, table.eos) == (40, (1,))


def test_byte_pieces_that_name_no_byte_are_named() -> None:
    with pytest.raises(VocabularyError, match=r"do not name a byte: '<0xGG>' \(id 0\), 'x' \(id 1\)"):
        sentencepiece.build(model([("<0xGG>", BYTE), ("x", BYTE)]))


def test_a_damaged_model_is_an_error() -> None:
    whole = model(PIECES)
    for cut in range(len(whole)):
        try:
            sentencepiece.build(whole[:cut])
        except VocabularyError as error:
            assert "not a SentencePiece model" in str(error)
    for broken in (b"", b"\xff" * 20, b"\x0b", b"{}", message(1, message(1, b"\xff")), message(2, message(42, b"x"))):
        with pytest.raises(VocabularyError, match="not a SentencePiece model"):
            sentencepiece.build(broken)


def test_sources_of_a_model(tmp_path: Path) -> None:
    path = tmp_path / "x.model"
    path.write_bytes(model(PIECES))

    class Processor:
        def serialized_model_proto(self) -> bytes:
            return path.read_bytes()

    assert sentencepiece.read(path) == sentencepiece.read(os.fspath(path)) == sentencepiece.read(Processor())
    with pytest.raises(VocabularyError, match="cannot be read"):
        sentencepiece.read(tmp_path / "nowhere.model")
    with pytest.raises(VocabularyError, match="int is not a SentencePiece model"):
        sentencepiece.read(3)


# -- rank files ----------------------------------------------------------------------------------------------------


def ranks(*entries: tuple[bytes, int]) -> bytes:
    return b"".join(base64.b64encode(token) + b" %d\n" % rank for token, rank in entries)


@pytest.mark.filterwarnings("ignore:the stop token .* is the text")
def test_a_rank_file(tmp_path: Path) -> None:
    path = tmp_path / "x.tiktoken"
    path.write_bytes(ranks((b"a", 0), (b"\xff", 3), (b"b c", 1)) + b"\n")
    table = tiktoken.read(path, special={"<|endoftext|>": 5})
    assert table.tokens == (b"a", b"b c", None, b"\xff", None, None)
    assert table.eos == (5,)
    assert tiktoken.read(os.fspath(path), eos=1).tokens == (b"a", None, None, b"\xff")


@pytest.mark.parametrize(
    "content, message",
    [
        (b"", "empty"),
        (b"YQ==\n", "not `base64 rank`"),
        (b"YQ== x\n", "not `base64 rank`"),
        (b"Y 0\n", "not `base64 rank`"),
        (b"!!!! 0\n", "not `base64 rank`"),
        (b"YQ== -1\n", "rank -1 is not between"),
        (b"YQ== 99999999999\n", "is not between"),
        (b"YQ== 1\nYg== 1\n", "rank 1 is there twice"),
        (b"YQ== 0\nYg== 0\n", "rank 0 is there twice"),
    ],
)
def test_damaged_rank_files(content: bytes, message: str) -> None:
    with pytest.raises(VocabularyError, match=message) as caught:
        tiktoken.parse_ranks(content, where="x.tiktoken")
    assert caught.value.where and caught.value.where.startswith("x.tiktoken")


def test_no_rank_file(tmp_path: Path) -> None:
    with pytest.raises(VocabularyError, match="cannot be read"):
        tiktoken.read(tmp_path / "nowhere.tiktoken")
    with pytest.raises(VocabularyError, match="dict is not a tiktoken encoding"):
        tiktoken.read({})


def test_an_encoding_object() -> None:
    package = pytest.importorskip("tiktoken", reason="needs the package tiktoken")
    tokens = {bytes([byte]): byte for byte in range(256)} | {b"ab": 256}
    encoding = package.Encoding(
        "small", pat_str=r"\w+|\W", mergeable_ranks=tokens, special_tokens={"<|endoftext|>": 260, "<x>": 258}
    )
    table = tiktoken.read(encoding)
    assert table.tokens == (*(bytes([byte]) for byte in range(256)), b"ab", None, None, None, None)
    assert table.special == {"<|endoftext|>": 260, "<x>": 258}
    assert table.eos == (260,)
    with pytest.raises(TypeError, match="special is for rank files"):
        tiktoken.read(encoding, special={})


# -- tekken --------------------------------------------------------------------------------------------------------


def tekken(**changes: Any) -> bytes:
    tokens = [bytes([byte]) for byte in range(256)] + [b"ab", b"never used"]
    vocab = [
        {"rank": rank, "token_bytes": base64.b64encode(token).decode(), "token_str": None}
        for rank, token in enumerate(tokens)
    ]
    config = {"pattern": ".", "default_vocab_size": 261, "default_num_special_tokens": 4, "version": "v13"}
    special = [
        {"rank": rank, "token_str": name, "is_control": True} for rank, name in enumerate(["<unk>", "<s>", "</s>"])
    ]
    return json.dumps({"vocab": vocab, "config": config, "special_tokens": special, **changes}).encode()


def test_tekken_has_special_tokens_first_and_fillers() -> None:
    table = mistral.build(tekken())
    assert table.size == 261
    assert table.tokens[:4] == (None,) * 4
    assert table.tokens[4 + 255 :] == (b"\xff", b"ab")
    assert table.special == {"<unk>": 0, "<s>": 1, "</s>": 2, "<SPECIAL_3>": 3}
    assert table.eos == (2,)


def test_early_tekken_files_do_not_list_their_special_tokens() -> None:
    config = {"default_vocab_size": 282, "default_num_special_tokens": 25}
    table = mistral.build(tekken(config=config, special_tokens=None))
    assert table.special["[TOOL_CONTENT]"] == 19
    assert table.special["<SPECIAL_24>"] == 24
    assert table.tokens[25 + 256] == b"ab"


@pytest.mark.parametrize(
    "content", [b"", b"[]", b"{}", tekken(vocab=[1]), tekken(config={}), tekken(vocab=[{"token_bytes": "a"}])]
)
def test_damaged_tekken_files(content: bytes) -> None:
    with pytest.raises(VocabularyError, match="not a tekken tokenizer"):
        mistral.build(content)


def test_mistral_files(tmp_path: Path) -> None:
    (tmp_path / "tekken.json").write_bytes(tekken())
    (tmp_path / "tokenizer.model.v3").write_bytes(model(PIECES))
    assert mistral.read(tmp_path / "tekken.json").size == 261
    assert mistral.read(os.fspath(tmp_path / "tokenizer.model.v3")).size == len(PIECES)
    with pytest.raises(VocabularyError, match="cannot be read"):
        mistral.read(tmp_path / "nowhere.json")
    with pytest.raises(VocabularyError, match="not a tokenizer of mistral-common"):
        mistral.read(object())


def test_a_rank_file_whose_end_nobody_names_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "some.tiktoken"
    path.write_bytes(b"MQ== 0\nMg== 1\n")
    with pytest.raises(VocabularyError, match="end") as caught:
        Vocabulary.from_tiktoken(path)
    assert "special=" in (caught.value.hint or "")
    assert Vocabulary.from_tiktoken(path, eos=()).eos == []
    assert Vocabulary.from_tiktoken(path, special={"<|endoftext|>": 2}).eos == [2]


@pytest.mark.parametrize("name", ["\0", "a\ud800"])
def test_a_name_that_no_file_has(name: str) -> None:
    for read in (Vocabulary.from_tiktoken, Vocabulary.from_sentencepiece, Vocabulary.from_mistral):
        with pytest.raises(VocabularyError) as caught:
            read(name)
        assert str(caught.value).encode()


@pytest.mark.parametrize("read", ["from_huggingface", "from_mistral", "from_sentencepiece", "from_tiktoken"])
@pytest.mark.parametrize("name", ["a" * 300, "é" * 5000, "a/" * 3000], ids=["name", "characters", "path"])
def test_a_name_longer_than_the_system_takes_is_no_file(read: str, name: str) -> None:
    with pytest.raises(VocabularyError):
        getattr(Vocabulary, read)(name)
