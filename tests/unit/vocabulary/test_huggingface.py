"""tokenizer.json → bytes: each decoder, added tokens, stops and rows, and what cannot be known."""

from __future__ import annotations

import copy
import json
import random
from pathlib import Path
from typing import Any

import pytest

from frisket.errors import VocabularyError
from frisket.vocabulary import huggingface
from frisket.vocabulary.table import TokenTable

BYTE_LEVEL = {"type": "ByteLevel"}
LLAMA = {
    "type": "Sequence",
    "decoders": [
        {"type": "Replace", "pattern": {"String": "▁"}, "content": " "},
        {"type": "ByteFallback"},
        {"type": "Fuse"},
        {"type": "Strip", "content": " ", "start": 1, "stop": 0},
    ],
}


@pytest.fixture(autouse=True)
def no_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FRISKET_CACHE_BYTES", "0")


def definition(
    vocab: object, decoder: object, *, added: list[dict[str, Any]] | None = None, kind: str = "BPE", **more: Any
) -> dict[str, Any]:
    model = {"type": kind, "vocab": vocab, **more.pop("model", {})}
    return {"model": model, "decoder": decoder, "added_tokens": added or [], **more}


def table(whole: dict[str, Any], **sides: dict[str, Any]) -> TokenTable:
    files = {f"{name}.json": json.dumps(content).encode() for name, content in sides.items()}
    return huggingface.build({"tokenizer.json": json.dumps(whole).encode(), **files}, where=None)


def added(token_id: int, content: str, *, special: bool = True) -> dict[str, Any]:
    return {"id": token_id, "content": content, "special": special}


def ids(*pieces: str) -> dict[str, int]:
    return {piece: token_id for token_id, piece in enumerate(pieces)}


# -- the file ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "merges",
    [
        '["a b"]',
        '[["]", "\\"merges\\": ["]]',
        "[]",
        "null",
        '{"model": {"merges": 1}}',
        '["\\ud800"]',
        "[NaN]",
        '["é"]',
    ],
)
def test_merges_are_not_read(merges: str) -> None:
    plain = json.dumps(definition(ids("a", "b", "merges"), BYTE_LEVEL))
    whole = plain.replace('"vocab"', f'"merges": {merges}, "vocab"', 1)
    assert huggingface.build({"tokenizer.json": whole.encode()}, where=None) == table(json.loads(plain))


@pytest.mark.parametrize("merges", ["[", '["a b"', "]", '["a" "b"]', '["a b"]]', "["])
def test_broken_merges_are_no_json(merges: str) -> None:
    whole = json.dumps(definition(ids("a"), BYTE_LEVEL)).replace('"vocab"', f'"merges": {merges}, "vocab"', 1)
    with pytest.raises(VocabularyError, match="is not JSON"):
        huggingface.build({"tokenizer.json": whole.encode()}, where=None)


# -- bytes ---------------------------------------------------------------------------------------------------------


def test_byte_level_pieces_are_bytes() -> None:
    found = table(definition(ids("a", "Ġb", "Ċ", "Ã©", "Ã", "Ń", "Ā", "¡", "ÿ"), BYTE_LEVEL))
    assert found.tokens == (b"a", b" b", b"\n", "é".encode(), b"\xc3", b"\xad", b"\x00", b"\xa1", b"\xff")
    assert not found.prepends_space


def test_byte_level_is_known_by_the_pre_tokenizer_where_there_is_no_decoder() -> None:
    before = {
        "type": "Sequence",
        "pretokenizers": [{"type": "Digits"}, {"type": "ByteLevel", "add_prefix_space": True}],
    }
    found = table(definition(ids("Ġa"), None, pre_tokenizer=before))
    assert found.tokens == (b" a",)
    assert found.prepends_space


def test_a_piece_outside_the_byte_alphabet_is_its_own_text() -> None:
    assert table(definition(ids("中", "é", "a b"), BYTE_LEVEL)).tokens == ("中".encode(), b"\xe9", b"a b")


def test_sentencepiece_pieces_have_spaces_and_bytes() -> None:
    found = table(
        definition(
            ids("<unk>", "▁a", "▁", "é", "<0x0A>", "<0xff>", "<0xZZ>", "a▁b", "\n"),
            LLAMA,
            model={"unk_token": "<unk>", "byte_fallback": True},
            normalizer={"type": "Sequence", "normalizers": [{"type": "Prepend", "prepend": "▁"}]},
        )
    )
    assert found.tokens == (None, b" a", b" ", "é".encode(), b"\n", b"\xff", b"<0xZZ>", b"a b", b"\n")
    assert found.special == {"<unk>": 0}
    assert found.prepends_space


@pytest.mark.parametrize(
    "step, expected",
    [
        ({"prepend_scheme": "always"}, True),
        ({"prepend_scheme": "first"}, True),
        ({"prepend_scheme": "never"}, False),
        ({"add_prefix_space": True}, True),
        ({"add_prefix_space": False}, False),
        ({}, True),
    ],
)
def test_metaspace_prepend_schemes(step: dict[str, Any], expected: bool) -> None:
    metaspace = {"type": "Metaspace", "replacement": "▁", **step}
    whole = definition([["<unk>", 0.0], ["▁a", -1.0], ["b", -2.0]], metaspace, kind="Unigram", model={"unk_id": 0})
    found = table({**whole, "pre_tokenizer": metaspace})
    assert found.tokens == (None, b" a", b"b")
    assert found.prepends_space is expected


def test_metaspace_has_the_replacement_it_names() -> None:
    assert table(definition(ids("_a", "▁"), {"type": "Metaspace", "replacement": "_"})).tokens == (b" a", "▁".encode())


def test_word_piece_words_have_one_space_before_them() -> None:
    vocab = ids("[UNK]", "[CLS]", "play", "##ing", "##", ".")
    found = table(
        definition(
            vocab,
            {"type": "WordPiece", "prefix": "##", "cleanup": True},
            added=[added(1, "[CLS]")],
            kind="WordPiece",
            model={"unk_token": "[UNK]", "continuing_subword_prefix": "##"},
        )
    )
    assert found.tokens == (None, None, b" play", b"ing", None, b" .")
    assert found.special == {"[UNK]": 0, "[CLS]": 1}
    assert found.prepends_space


def test_ids_without_a_piece_have_no_text() -> None:
    assert table(definition({"a": 0, "b": 3}, BYTE_LEVEL)).tokens == (b"a", None, None, b"b")


# -- added tokens --------------------------------------------------------------------------------------------------


def test_added_tokens_are_special_or_text() -> None:
    found = table(
        definition(
            ids("a", "<tool>"),
            BYTE_LEVEL,
            added=[added(1, "<tool>", special=False), added(2, "<|x|>"), added(4, "  ", special=False)],
        )
    )
    assert found.tokens == (b"a", b"<tool>", None, None, b"  ")
    assert found.special == {"<|x|>": 2}


def test_added_tokens_outside_the_byte_alphabet_are_text() -> None:
    found = table(definition(ids("a"), BYTE_LEVEL, added=[added(1, "｜中 文▁", special=False)]))
    assert found.tokens == (b"a", "｜中 文▁".encode())


def test_an_added_token_that_is_decoded_as_another_text_is_named() -> None:
    tokens = [added(1, "été", special=False), added(2, "Ġx", special=False), added(3, "ok", special=False)]
    with pytest.raises(VocabularyError, match=r"'été' \(id 1\), 'Ġx' \(id 2\)\n") as caught:
        table(definition(ids("a"), BYTE_LEVEL, added=tokens))
    assert caught.value.hint and "from_bytes" in caught.value.hint
    # It is the model's own piece, or never text: no doubt then.
    assert table(definition(ids("a", "Ġx"), BYTE_LEVEL, added=[added(1, "Ġx", special=False)])).tokens[1] == b" x"
    assert table(definition(ids("a"), BYTE_LEVEL, added=[added(1, "été")])).tokens[1] is None


def test_sentencepiece_added_tokens_are_spelt_as_all_others() -> None:
    found = table(
        definition(ids("a", "▁▁"), LLAMA, added=[added(1, "▁▁", special=False), added(2, "x y", special=False)])
    )
    assert found.tokens == (b"a", b"  ", b"x y")


def test_tokenizer_config_has_the_last_word_on_added_tokens() -> None:
    config = {
        "added_tokens_decoder": {"1": {"content": "<x>", "special": True}, "2": {"content": "<y>", "special": False}}
    }
    found = table(definition(ids("a"), BYTE_LEVEL, added=[added(1, "<x>", special=False)]), tokenizer_config=config)
    assert found.tokens == (b"a", None, b"<y>")
    assert found.special == {"<x>": 1}


# -- stops and rows ------------------------------------------------------------------------------------------------

WITH_STOPS = definition(
    ids("a", "b"), BYTE_LEVEL, added=[added(2, "<s>"), added(3, "</s>"), added(4, "<|eot_id|>"), added(5, "<|im_end|>")]
)


def test_stops_come_from_every_file_that_names_one() -> None:
    found = table(
        WITH_STOPS,
        generation_config={"eos_token_id": [3, 4]},
        config={"eos_token_id": 4, "vocab_size": 8},
        tokenizer_config={"eos_token": {"content": "<|im_end|>"}},
    )
    assert found.eos == (3, 4, 5)
    assert found.size == 8


def test_special_tokens_map_and_text_config_count_too() -> None:
    found = table(
        WITH_STOPS,
        config={"text_config": {"eos_token_id": 4, "vocab_size": 7}},
        special_tokens_map={"eos_token": "</s>"},
    )
    assert found.eos == (3, 4)
    assert found.size == 7


def test_without_files_the_well_known_names_are_stops() -> None:
    assert table(WITH_STOPS).eos == (3, 4, 5)


def test_stops_that_the_tokenizer_does_not_have_are_left_out() -> None:
    assert table(WITH_STOPS, config={"eos_token_id": 50256}, tokenizer_config={"eos_token": "<nowhere>"}).eos == (
        3,
        4,
        5,
    )
    assert table(WITH_STOPS, config={"eos_token_id": [None, True, 3]}).eos == (3,)


@pytest.mark.filterwarnings("ignore:the stop token .* is the text")
def test_the_caller_decides() -> None:
    files = {"tokenizer.json": json.dumps(WITH_STOPS).encode(), "config.json": b'{"eos_token_id": 3, "vocab_size": 8}'}
    found = huggingface.build(files, size=100, eos=["</s>", "b"], where=None)
    assert found.eos == (1, 3)
    assert found.tokens[1] is None
    assert found.size == 100


def test_a_model_with_fewer_rows_than_the_tokenizer_has_text_is_an_error() -> None:
    with pytest.raises(VocabularyError, match=r"size is 1, but 1 tokens with text"):
        table(WITH_STOPS, config={"vocab_size": 1, "eos_token_id": 0})


# -- sources -------------------------------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "tokenizer.json").write_text(json.dumps(WITH_STOPS))
    (tmp_path / "config.json").write_text('{"vocab_size": 10}')
    (tmp_path / "generation_config.json").write_text('{"eos_token_id": [3, 5]}')
    return tmp_path


def test_a_folder_and_its_file_are_the_same(folder: Path) -> None:
    found = huggingface.read(folder)
    assert found == huggingface.read(str(folder / "tokenizer.json"))
    assert (found.size, found.eos) == (10, (3, 5))


class Live:
    """A stand-in for a fast tokenizer of transformers."""

    def __init__(self, text: str, folder: str, eos_token: str | None) -> None:
        self.backend_tokenizer = self
        self.name_or_path = folder
        self.eos_token = eos_token
        self._text = text

    def to_str(self) -> str:
        return self._text


def test_a_live_tokenizer_tells_its_tokens_and_its_folder_the_rest(folder: Path) -> None:
    text = json.dumps({**WITH_STOPS, "added_tokens": [*WITH_STOPS["added_tokens"], added(6, "<new>")]})
    found = huggingface.read(Live(text, str(folder), "<|eot_id|>"))
    assert found.special["<new>"] == 6
    assert (found.size, found.eos) == (10, (3, 4, 5))
    elsewhere = huggingface.read(Live(text, "some/model", "<|eot_id|>"))
    assert (elsewhere.size, elsewhere.eos) == (7, (4,))


def test_a_change_beside_the_tokenizer_is_seen_through_the_cache(
    folder: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("FRISKET_CACHE_BYTES")
    monkeypatch.setenv("FRISKET_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
    assert huggingface.read(folder).eos == (3, 5)
    assert huggingface.read(folder).eos == (3, 5)
    assert huggingface.read(folder, eos=(stop for stop in (4,))).eos == (4,)
    (folder / "generation_config.json").write_text('{"eos_token_id": 4}')
    assert huggingface.read(folder).eos == (4,)


def test_no_tokenizer_there(tmp_path: Path) -> None:
    with pytest.raises(VocabularyError, match=r"no tokenizer\.json") as caught:
        huggingface.read("meta-llama/Llama-3.1-8B")
    assert caught.value.hint and "downloads nothing" in caught.value.hint
    (tmp_path / "tokenizer.model").write_bytes(b"")
    with pytest.raises(VocabularyError) as caught:
        huggingface.read(tmp_path)
    assert caught.value.hint and "from_sentencepiece" in caught.value.hint
    with pytest.raises(VocabularyError, match="object is not a Hugging Face fast tokenizer"):
        huggingface.read(object())


@pytest.mark.parametrize(
    "content, message",
    [
        (b"{", "not JSON"),
        (b"\xff", "not JSON"),
        (b"[" * 100_000, "nests too deep"),
        (b"[]", "not a JSON object"),
        (b"{}", "no model with a vocabulary"),
        (b'{"model": {"vocab": 1}}', "does not map pieces to ids"),
        (b'{"model": {"vocab": {"a": "b"}}}', "does not map pieces to ids"),
        (b'{"model": {"vocab": {"a": true}}}', "does not map pieces to ids"),
        (b'{"model": {"vocab": {"a": -1}}}', "token ids are not between"),
        (b'{"model": {"vocab": {"a": 99999999999}}}', "token ids are not between"),
        (b'{"model": {"vocab": [["a"]]}}', r"list of \[piece, score\]"),
        (b'{"model": {"vocab": [[1, 2]]}}', r"list of \[piece, score\]"),
        (b'{"model": {"vocab": {}}, "added_tokens": [1]}', "added tokens"),
        (b'{"model": {"vocab": {}}, "added_tokens": [{"id": 1}]}', "added tokens"),
        (b'{"model": {"vocab": {}}, "added_tokens": [{"id": -1, "content": "a"}]}', "added tokens"),
        (b'{"model": {"vocab": {}}, "decoder": {"type": "ByteLevel"}}', "is not possible"),
        (b'{"model": {"vocab": {"a": 0}}}', "no decoder"),
    ],
)
def test_damaged_files_are_named(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "tokenizer.json"
    path.write_bytes(content)
    with pytest.raises(VocabularyError, match=message):
        huggingface.read(path)


@pytest.mark.parametrize(
    "decoder, name",
    [
        ({"type": "CTC"}, "CTC"),
        ({"type": "BPEDecoder", "suffix": "</w>"}, "BPEDecoder"),
        ({"type": "Replace", "pattern": {"Regex": "a+"}, "content": ""}, "Replace"),
        ({"type": "Strip", "content": " ", "start": 1, "stop": 0}, "Strip"),
        ({"type": "Sequence", "decoders": [{"type": "ByteLevel"}, {"type": "Metaspace"}]}, "ByteLevel"),
        (
            {
                "type": "Sequence",
                "decoders": [{"type": "Fuse"}, {"type": "Replace", "pattern": {"String": "ab"}, "content": ""}],
            },
            "Replace",
        ),
    ],
)
def test_decoders_that_give_tokens_no_bytes_of_their_own(decoder: dict[str, Any], name: str) -> None:
    with pytest.raises(VocabularyError, match=f"the decoder step {name}"):
        table(definition(ids("a"), decoder))


def test_word_marks_that_the_decoder_leaves_in_the_text_are_named() -> None:
    with pytest.raises(VocabularyError, match=r"'</w>' \(end_of_word_suffix\).*: 'a</w>' \(id 1\)\n"):
        table(definition(ids("a", "a</w>"), BYTE_LEVEL, model={"end_of_word_suffix": "</w>"}))


def test_half_a_surrogate_pair_is_named() -> None:
    whole = json.dumps(definition({"a": 0, "\ud83d": 1}, LLAMA))
    with pytest.raises(VocabularyError, match=r"half a surrogate pair.*\(id 1\)"):
        huggingface.build({"tokenizer.json": whole.encode()}, where=None)
    whole = json.dumps(definition({"a": 0, "\ud83d": 1}, BYTE_LEVEL))
    with pytest.raises(VocabularyError, match=r"half a surrogate pair.*\(id 1\)"):
        huggingface.build({"tokenizer.json": whole.encode()}, where=None)


def test_pieces_that_share_an_id_are_named() -> None:
    with pytest.raises(VocabularyError, match=r"share their id.*'a' \(id 0\)"):
        table(definition({"a": 0, "b": 0}, BYTE_LEVEL))


def test_only_ten_tokens_are_named() -> None:
    tokens = [added(token_id, f"é{token_id}", special=False) for token_id in range(1, 21)]
    with pytest.raises(VocabularyError, match="and 10 more\n"):
        table(definition(ids("a"), BYTE_LEVEL, added=tokens))


# -- damage --------------------------------------------------------------------------------------------------------

WHOLE: dict[str, Any] = {
    "tokenizer.json": {
        **definition(
            ids("a", "Ġb", "▁c", "<0x0A>", "##d"), LLAMA, added=[added(5, "<s>"), added(6, "x", special=False)]
        ),
        "normalizer": {"type": "Sequence", "normalizers": [{"type": "Prepend", "prepend": "▁"}]},
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": [BYTE_LEVEL, {"type": "Metaspace"}]},
    },
    "config.json": {"vocab_size": 10, "eos_token_id": [5], "text_config": {"vocab_size": 3}},
    "generation_config.json": {"eos_token_id": 5},
    "tokenizer_config.json": {"eos_token": {"content": "<s>"}, "added_tokens_decoder": {"7": added(7, "<y>")}},
    "special_tokens_map.json": {"eos_token": "<s>"},
}
WHOLE["tokenizer.json"]["model"].update(unk_token="a", unk_id=0, continuing_subword_prefix="##", end_of_word_suffix="")
JUNK: list[Any] = [None, True, 0, -1, 5, 2**40, 1.5, "", "x", "▁", "é", "\ud800", "WordPiece", "Fuse", "Strip", "CTC"]
JUNK += [[], {}, [1], {"a": 1}, [["a", 0.1], ["b", 0.2]], {"type": []}, {"type": "ByteLevel"}, {"String": ""}]


def places(node: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    parts = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    return [path, *(place for key, part in parts for place in places(part, (*path, key)))]


@pytest.mark.filterwarnings("ignore:the stop token .* is the text")
def test_any_damage_is_a_vocabulary_error() -> None:
    chance = random.Random(0)
    fine = 0
    for _ in range(2_000):
        files = copy.deepcopy(WHOLE)
        files["tokenizer.json"]["decoder"] = copy.deepcopy(chance.choice([LLAMA, BYTE_LEVEL, {"type": "WordPiece"}]))
        for _ in range(chance.randint(1, 3)):
            *path, last = chance.choice(places(files)[1:])
            node: Any = files
            for key in path:
                node = node[key]
            node[last] = copy.deepcopy(chance.choice(JUNK))
        try:
            huggingface.build({name: json.dumps(content).encode() for name, content in files.items()}, where=None)
            fine += 1
        except VocabularyError as error:
            assert error.message
    assert 0 < fine < 2_000
