"""For any text, the bytes of its tokens concatenate to the text: on every real tokenizer, and on small trained ones."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from frisket.vocabulary import huggingface, mistral, sentencepiece, tiktoken
from frisket.vocabulary.table import TokenTable
from tests.data import data_dir

SETTINGS = settings(
    max_examples=200,
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture, HealthCheck.data_too_large],
)

EMOJI = st.sampled_from(["😀", "👩🏽‍🚀", "🏳️‍🌈", "🇩🇪", "✌️", "🫠", "\u200d", "\ufe0f", "🏿"])
WORDS = st.sampled_from(
    [
        "the",
        " the",
        "Hello",
        "don't",
        '{"key":',
        " [1, 2.50e-3]",
        "null",
        "\\u00e9",
        "def f(x):\n    return x\n",
        "1234567",
    ]
)
SCRIPTS = st.text(
    st.characters(codec="utf-8", categories=["L", "M", "N"])
    | st.characters(min_codepoint=0x4E00, max_codepoint=0x9FFF)
    | st.characters(min_codepoint=0xAC00, max_codepoint=0xD7A3)
    | st.characters(min_codepoint=0x600, max_codepoint=0x6FF),
    max_size=8,
)
SPACES = st.text(st.sampled_from(" \t\n\r\v\f\x85\xa0\u2003\u2028\u3000\ufeff"), max_size=12)
CONTROLS = st.text(st.characters(min_codepoint=0, max_codepoint=0x9F, categories=["Cc"]), max_size=4)
ANYTHING = st.text(st.characters(codec="utf-8"), max_size=12)
PARTS = st.lists(EMOJI | WORDS | SCRIPTS | SPACES | CONTROLS | ANYTHING, min_size=4, max_size=8, unique=True)


def every_neighbour(parts: list[str]) -> list[str]:
    """Each part beside each other one, and all in a row: tokenizers err where unlike things meet."""
    return ["".join(parts), *(left + right for left in parts for right in parts)]


# 200 of these are some 6,000 different texts.
BATCHES = PARTS.map(every_neighbour)


@dataclass(frozen=True)
class Case:
    """A tokenizer under test: its table, its own encoder, and the text that its tokens stand for."""

    table: TokenTable
    encode: Callable[[str], list[int]]
    expected: Callable[[str], bytes]


def exact(text: str) -> bytes:
    return text.encode()


def after_a_space(text: str) -> bytes:
    return b" " + text.encode() if text else b""


def after_one_space(text: str) -> bytes:
    return text.encode() if text.startswith(" ") else after_a_space(text)


# -- real tokenizers -----------------------------------------------------------------------------------------------


def package(name: str) -> Any:
    return pytest.importorskip(name, reason=f"needs the package {name}")


def from_folder(name: str) -> Case:
    folder = data_dir() / "tokenizers" / name
    live = package("tokenizers").Tokenizer.from_file(str(folder / "tokenizer.json"))
    return Case(huggingface.read(folder), lambda text: live.encode(text, add_special_tokens=False).ids, exact)


PATTERNS = {
    "r50k_base": r"""'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s""",
    "o200k_base": "|".join(
        [
            r"""[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?""",
            r"""[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?""",
            r"""\p{N}{1,3}""",
            r""" ?[^\s\p{L}\p{N}]+[\r\n/]*""",
            r"""\s*[\r\n]+""",
            r"""\s+(?!\S)""",
            r"""\s+""",
        ]
    ),
}
SPECIAL = {
    "r50k_base": {"<|endoftext|>": 50256},
    "o200k_base": {"<|endoftext|>": 199999, "<|endofprompt|>": 200018},
}


def from_ranks(name: str) -> Case:
    path = data_dir() / "tokenizers" / f"{name}.tiktoken"
    tokens = tiktoken.parse_ranks(path.read_bytes())
    ranks = {token: rank for rank, token in enumerate(tokens) if token is not None}
    encoding = package("tiktoken").Encoding(
        name, pat_str=PATTERNS[name], mergeable_ranks=ranks, special_tokens=SPECIAL[name]
    )
    table = tiktoken.read(path, special=SPECIAL[name])
    assert table == tiktoken.read(encoding)
    return Case(table, encoding.encode_ordinary, exact)


def from_model() -> Case:
    path = data_dir() / "tokenizers" / "llama2.spm.model"
    live = package("sentencepiece").SentencePieceProcessor(model_file=str(path))
    return Case(sentencepiece.read(path), live.encode, after_a_space)


def converted_model() -> Case:
    """Llama 2 as a tokenizer.json with metaspace and byte fallback, the way it is published beside its model."""
    path = data_dir() / "tokenizers" / "llama2.spm.model"
    live = package("sentencepiece").SentencePieceProcessor(model_file=str(path))
    library = package("tokenizers")
    pieces = [live.id_to_piece(token_id) for token_id in range(live.get_piece_size())]
    vocab = {piece: token_id for token_id, piece in enumerate(pieces)}
    merges = []
    for token_id, piece in enumerate(pieces):
        if not (live.is_byte(token_id) or live.is_control(token_id) or live.is_unknown(token_id)):
            splits = [(piece[:at], piece[at:]) for at in range(1, len(piece))]
            found = [(vocab[left], vocab[right]) for left, right in splits if left in vocab and right in vocab]
            merges += [(-live.get_score(token_id), pair) for pair in sorted(found)]
    ordered = [(pieces[left], pieces[right]) for _, (left, right) in sorted(merges, key=lambda merge: merge[0])]
    tokenizer = library.Tokenizer(
        library.models.BPE(vocab, ordered, unk_token="<unk>", fuse_unk=True, byte_fallback=True)
    )
    tokenizer.normalizer = library.normalizers.Sequence(
        [library.normalizers.Prepend("▁"), library.normalizers.Replace(" ", "▁")]
    )
    steps = library.decoders
    tokenizer.decoder = steps.Sequence(
        [steps.Replace("▁", " "), steps.ByteFallback(), steps.Fuse(), steps.Strip(" ", 1, 0)]
    )
    tokenizer.add_special_tokens(["<unk>", "<s>", "</s>"])
    table = huggingface.read(tokenizer)
    assert table == sentencepiece.read(path)
    return Case(table, lambda text: tokenizer.encode(text, add_special_tokens=False).ids, after_a_space)


def from_mistral(file: str) -> Case:
    data = Path(package("mistral_common").__file__).parent / "data" / file
    if not data.is_file():
        pytest.skip(f"this mistral-common does not bring {file}")
    from mistral_common.tokens.tokenizers.mistral import MistralTokenizer

    tokenizer = MistralTokenizer.from_file(str(data))
    inner = tokenizer.instruct_tokenizer.tokenizer
    table = mistral.read(tokenizer)
    assert table == mistral.read(inner) == mistral.read(data)
    expected = after_a_space if ".model" in file else exact
    return Case(table, lambda text: inner.encode(text, bos=False, eos=False), expected)


# -- small trained tokenizers --------------------------------------------------------------------------------------

CORPUS = ["the quick brown fox jumps over the lazy dog", "a fox, a dog; don't!", "ångström 東京 {'a': [1, 2]}"] * 50


def trained_byte_level(*, prefix: bool) -> Case:
    library = package("tokenizers")
    tokenizer = library.Tokenizer(library.models.BPE())
    tokenizer.pre_tokenizer = library.pre_tokenizers.ByteLevel(add_prefix_space=prefix)
    tokenizer.decoder = library.decoders.ByteLevel()
    alphabet = library.pre_tokenizers.ByteLevel.alphabet()
    trainer = library.trainers.BpeTrainer(
        vocab_size=400, initial_alphabet=alphabet, special_tokens=["</s>"], show_progress=False
    )
    tokenizer.train_from_iterator(CORPUS, trainer)
    if not prefix:
        # With a prefix, every stretch between added tokens gets its own: the text does not come back.
        tokenizer.add_tokens(["<tool>", "    ", "｜東｜", "null"])
    expected = after_one_space if prefix else exact
    return Case(huggingface.read(tokenizer), lambda text: tokenizer.encode(text).ids, expected)


def trained_metaspace(scheme: str) -> Case:
    library = package("tokenizers")
    bytes_ = [f"<0x{byte:02X}>" for byte in range(256)]
    tokenizer = library.Tokenizer(library.models.BPE(unk_token="<unk>", byte_fallback=True))
    tokenizer.pre_tokenizer = library.pre_tokenizers.Metaspace(prepend_scheme=scheme)
    steps = library.decoders
    tokenizer.decoder = steps.Sequence([steps.ByteFallback(), steps.Metaspace(prepend_scheme=scheme)])
    trainer = library.trainers.BpeTrainer(
        vocab_size=500, special_tokens=["<unk>", "</s>", *bytes_], show_progress=False
    )
    tokenizer.train_from_iterator(CORPUS, trainer)
    # The trainer can only reserve pieces as special; a published vocabulary has them as pieces.
    whole = json.loads(tokenizer.to_str())
    whole["added_tokens"] = whole["added_tokens"][:2]
    tokenizer = library.Tokenizer.from_str(json.dumps(whole))
    expected = exact if scheme == "never" else after_one_space
    return Case(huggingface.read(tokenizer), lambda text: tokenizer.encode(text).ids, expected)


REAL: dict[str, Callable[[], Case]] = {
    "llama3": lambda: from_folder("llama3"),
    "qwen": lambda: from_folder("qwen"),
    "llama2": from_model,
    "llama2 as tokenizer.json": converted_model,
    "gpt2": lambda: from_ranks("r50k_base"),
    "o200k": lambda: from_ranks("o200k_base"),
    "tekken": lambda: from_mistral("tekken_240911.json"),
    "mistral v1": lambda: from_mistral("tokenizer.model.v1"),
    "mistral v3": lambda: from_mistral("mistral_instruct_tokenizer_240323.model.v3"),
    "trained byte-level": lambda: trained_byte_level(prefix=False),
    "trained byte-level, prefix": lambda: trained_byte_level(prefix=True),
    "trained metaspace, first": lambda: trained_metaspace("first"),
    "trained metaspace, always": lambda: trained_metaspace("always"),
    "trained metaspace, never": lambda: trained_metaspace("never"),
}


def trained_unigram() -> tuple[Any, TokenTable]:
    library = package("tokenizers")
    tokenizer = library.Tokenizer(library.models.Unigram())
    tokenizer.pre_tokenizer = library.pre_tokenizers.Metaspace()
    tokenizer.decoder = library.decoders.Metaspace()
    trainer = library.trainers.UnigramTrainer(
        vocab_size=60, special_tokens=["<unk>", "</s>"], unk_token="<unk>", show_progress=False
    )
    tokenizer.train_from_iterator(CORPUS, trainer)
    return tokenizer, huggingface.read(tokenizer)


def trained_word_piece() -> tuple[Any, TokenTable]:
    library = package("tokenizers")
    tokenizer = library.Tokenizer(library.models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = library.normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = library.pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = library.decoders.WordPiece()
    trainer = library.trainers.WordPieceTrainer(
        vocab_size=120, special_tokens=["[UNK]", "[CLS]", "[SEP]"], show_progress=False
    )
    tokenizer.train_from_iterator(CORPUS, trainer)
    return tokenizer, huggingface.read(tokenizer)


@functools.cache
def case(name: str) -> Case:
    return REAL[name]()


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FRISKET_CACHE_DIR", str(tmp_path_factory.getbasetemp() / "cache"))
    monkeypatch.delenv("FRISKET_CACHE_BYTES", raising=False)


@pytest.mark.data
@pytest.mark.parametrize("name", REAL)
def test_the_bytes_of_the_tokens_of_a_text_are_the_text(name: str) -> None:
    tokenizer = case(name)

    @SETTINGS
    @given(BATCHES)
    def check(texts: list[str]) -> None:
        for text in texts:
            if tokenizer.table.prepends_space or "metaspace" in name:
                # To SentencePiece, U+2581 is the space: a text that holds it comes back with spaces.
                text = text.replace("▁", " ")
            token_ids = tokenizer.encode(text)
            spelt = [tokenizer.table.tokens[token_id] for token_id in token_ids]
            assert None not in spelt, (text, token_ids)
            assert b"".join(token for token in spelt if token) == tokenizer.expected(text), (text, token_ids)

    check()
    assert tokenizer.table.prepends_space is (tokenizer.expected is not exact)


KNOWN = st.text(st.sampled_from(sorted(set("".join(CORPUS)))), max_size=30)


def test_a_unigram_without_byte_fallback_spells_the_characters_that_it_knows() -> None:
    tokenizer, table = trained_unigram()
    assert table.tokens[0] is None and table.special["<unk>"] == 0

    @SETTINGS
    @given(st.lists(KNOWN, min_size=8, max_size=16))
    def check(texts: list[str]) -> None:
        for text in texts:
            spelt = b"".join(table.tokens[token_id] or b"?" for token_id in tokenizer.encode(text).ids)
            assert spelt == after_one_space(text), text

    check()


def test_word_piece_spells_the_words_with_one_space_before_each() -> None:
    tokenizer, table = trained_word_piece()
    unknown = table.special["[UNK]"]

    # The trained pieces cannot continue a word by every character: the corpus's own words are what is surely known.
    known = st.sampled_from(" ".join(CORPUS[:3]).split()) | st.sampled_from(["  ", "\t", "\n"])

    @SETTINGS
    @given(st.lists(st.lists(known, max_size=12).map(" ".join), min_size=8, max_size=16))
    def check(texts: list[str]) -> None:
        for text in texts:
            token_ids = tokenizer.encode(text).ids
            assert unknown not in token_ids
            normal = tokenizer.normalizer.normalize_str(text)
            words = [word for word, _ in tokenizer.pre_tokenizer.pre_tokenize_str(normal)]
            spelt = b"".join(table.tokens[token_id] or b"?" for token_id in token_ids)
            assert spelt == b"".join(b" " + word.encode() for word in words), text

    check()
