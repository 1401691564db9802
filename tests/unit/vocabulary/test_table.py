"""Token tables: one canonical form, every contradiction named."""

from __future__ import annotations

from typing import Any

import pytest

from frisket import _core
from frisket.errors import VocabularyError
from frisket.vocabulary.table import MAX_SIZE, MAX_TOKEN_BYTES, TokenTable

TOKENS = [b"a", b"b", "é".encode(), b"<end>", None]


def test_equal_vocabularies_are_equal_tables_and_fingerprints() -> None:
    first = TokenTable.of([b"a", b"b", b"<end>"], special={"<x>": 3, "<end>": 2}, eos=[2, 2], size=5)
    second = TokenTable.of([b"a", b"b", b"", None], special={"<end>": 2, "<x>": 3}, eos="<end>", size=5)
    assert first == second
    assert first.fingerprint == second.fingerprint
    assert first.tokens == (b"a", b"b", None, None, None)
    assert first.eos == (2,)


@pytest.mark.parametrize(
    "other",
    [
        TokenTable.of([b"a", b"c"], special={}),
        TokenTable.of([b"a", b"b"], special={}, size=3),
        TokenTable.of([b"a", b"b"], special={}, size=3, eos=2),
        TokenTable.of([b"a", b"b"], special={"<x>": 2}),
        TokenTable.of([b"a", b"b"], special={}, prepends_space=True),
        TokenTable.of([b"ab", None], special={}),
        TokenTable.of([None, b"ab"], special={}),
    ],
)
def test_any_difference_changes_the_fingerprint(other: TokenTable) -> None:
    assert TokenTable.of([b"a", b"b"], special={}).fingerprint != other.fingerprint


def test_special_tokens_and_stops_have_no_text() -> None:
    table = TokenTable.of(TOKENS, special={"<b>": 1}, eos=3)
    assert table.tokens == (b"a", None, "é".encode(), None, None)


def test_the_same_bytes_may_belong_to_several_tokens() -> None:
    assert TokenTable.of([b"a", b"a"], special={}).tokens == (b"a", b"a")


def test_padding_has_no_text() -> None:
    table = TokenTable.of([b"a"], special={}, size=4)
    assert table.size == 4
    assert table.tokens == (b"a", None, None, None)


def test_without_eos_the_special_tokens_with_well_known_names_are_stops() -> None:
    special = {"<|eot_id|>": 3, "<|begin_of_text|>": 1, "</s>": 4}
    assert TokenTable.of(TOKENS, special=special).eos == (3, 4)
    assert TokenTable.of(TOKENS, special=special, eos=()).eos == ()
    # The same name as text is no stop.
    assert TokenTable.of([b"</s>"], special={}).eos == ()


@pytest.mark.filterwarnings("ignore:the stop token .* is the text")
def test_eos_by_name_id_or_several() -> None:
    names = {"b": 1}
    assert TokenTable.of(TOKENS, special={"<end>": 3}, eos=["b", "<end>", 0], names=names).eos == (0, 1, 3)
    with pytest.raises(VocabularyError, match="no token is called '<stop>'"):
        TokenTable.of(TOKENS, special={}, eos="<stop>")
    with pytest.raises(TypeError, match=r"2\.5"):
        TokenTable.of(TOKENS, special={}, eos=[2.5])  # type: ignore[list-item]
    with pytest.raises(TypeError, match="True"):
        TokenTable.of(TOKENS, special={}, eos=True)


@pytest.mark.parametrize(("token", "name"), [(b"a", None), (b"#", None), (b" word", None), ("é".encode(), "é")])
def test_a_stop_that_is_a_text_is_warned_of(token: bytes, name: str | None) -> None:
    names = {} if name is None else {name: 0}
    with pytest.warns(UserWarning, match="the stop token 0 is the text .* which this token then cannot write"):
        table = TokenTable.of([token, b"b"], special={}, eos=0 if name is None else name, names=names)
    assert table.tokens == (None, b"b")


@pytest.mark.parametrize("token", [b"<end>", b"<|im_end|>", b" <EOT>", b"[EOS]", b"\n\n", b"", None])
def test_a_stop_that_looks_like_an_end_is_taken(token: bytes | None) -> None:
    assert TokenTable.of([token, b"b"], special={}, eos=0).eos == (0,)
    assert TokenTable.of([b"END", b"b"], special={"END": 0}, eos=0).eos == (0,)


@pytest.mark.parametrize("eos", [5, -1])
def test_a_stop_outside_the_vocabulary_is_an_error(eos: int) -> None:
    with pytest.raises(VocabularyError, match=f"stop token {eos} is outside") as caught:
        TokenTable.of(TOKENS, special={}, eos=eos, size=5)
    assert caught.value.hint and "rows of the model's logits" in caught.value.hint


def test_a_size_that_cuts_text_is_an_error_and_one_that_cuts_special_tokens_is_not() -> None:
    with pytest.raises(VocabularyError, match=r"2 tokens with text lie beyond it.*id 2"):
        TokenTable.of(TOKENS, special={}, size=2)
    table = TokenTable.of([b"a", b"b", b"<pad>"], special={"<pad>": 2}, size=2)
    assert table.tokens == (b"a", b"b")
    assert table.special == {}


@pytest.mark.parametrize("size", [0, -1, MAX_SIZE + 1])
def test_impossible_sizes(size: int) -> None:
    with pytest.raises(VocabularyError, match="is not possible"):
        TokenTable.of([], special={}, size=size)


def test_endless_tokens_are_refused() -> None:
    with pytest.raises(VocabularyError, match=r"1 tokens are longer than 4,096 bytes, the first has id 1"):
        TokenTable.of([b"a", b"a" * (MAX_TOKEN_BYTES + 1)], special={})


def test_negative_special_ids_are_named() -> None:
    with pytest.raises(VocabularyError, match=r"'<x>' \(id -1\)"):
        TokenTable.of(TOKENS, special={"<x>": -1})


def test_data_holds_the_whole_table() -> None:
    table = TokenTable.of(
        [b"a", None, b"\x00\xff" * (MAX_TOKEN_BYTES // 2)], special={"<é>": 3}, eos=1, size=9, prepends_space=True
    )
    again = TokenTable.from_data(table.data)
    assert again == table
    assert again.fingerprint == table.fingerprint


def test_damaged_data_is_a_value_error() -> None:
    data = TokenTable.of([b"abc", b"d"], special={}).data
    for cut in range(len(data)):
        with pytest.raises(ValueError):
            TokenTable.from_data(data[:cut])
    with pytest.raises(ValueError):
        TokenTable.from_data(data + b"x")


def test_a_stored_table_cuts_its_texts_when_they_are_asked_for() -> None:
    table = TokenTable.of(TOKENS, special={"<end>": 3}, size=6)
    stored = TokenTable.from_data(table.data)
    assert stored == table and table == stored and stored.block == table.block
    assert list(stored.tokens) == list(table.tokens)
    assert [stored.tokens[place] for place in range(-6, 6)] == [table.tokens[place] for place in range(-6, 6)]
    assert stored.tokens[1:3] == table.tokens[1:3]
    assert hash(stored.tokens) == hash(table.tokens)
    assert stored.tokens != (*table.tokens[:-1], b"x")
    for place in (6, -7):
        with pytest.raises(IndexError):
            stored.tokens[place]


def test_a_block_and_a_list_make_the_same_vocabulary() -> None:
    table = TokenTable.of(TOKENS, special={"<end>": 3}, eos="<end>", size=6)
    listed = _core.Vocabulary(table.tokens, special={"<end>": 3}, eos=[3], size=6)
    lengths, texts = table.block
    block = _core.Vocabulary.from_block(lengths, texts, special={"<end>": 3}, eos=[3])
    for vocabulary in (listed, block):
        assert [vocabulary.token(token_id) for token_id in range(6)] == list(table.tokens)
        assert (vocabulary.size, vocabulary.eos, vocabulary.special) == (6, [3], {"<end>": 3})
    with pytest.raises(VocabularyError, match="lengths"):
        _core.Vocabulary.from_block(lengths, texts + b"x")
    with pytest.raises(VocabularyError, match="lengths"):
        _core.Vocabulary.from_block(lengths, texts[:-1])
    with pytest.raises(ValueError, match="four bytes"):
        _core.Vocabulary.from_block(lengths[:-1], texts)


def test_a_stop_beyond_the_tokens_is_a_slip() -> None:
    tokens = [bytes([value]) for value in range(256)]
    with pytest.raises(VocabularyError, match="999 is outside"):
        TokenTable.of(tokens, special={}, eos=[999])
    assert TokenTable.of(tokens, special={"<end>": 999}, eos="<end>").size == 1000
    assert TokenTable.of(tokens, special={}, eos=[999], size=1000).size == 1000


@pytest.mark.parametrize("special", [{1: 1}, {"x": "y"}, {"x": True}])
def test_special_tokens_are_names_and_ids(special: Any) -> None:
    with pytest.raises(TypeError, match="names to ids"):
        TokenTable.of([b"a", b"b"], special=special)
