"""GPT-2's alphabet of bytes: a bijection, and nothing outside it passes for a byte."""

from __future__ import annotations

import pytest

from frisket.vocabulary.bytelevel import ALPHABET, spell_byte_level


def test_every_byte_has_one_character() -> None:
    assert sorted(ALPHABET.values()) == list(range(256))
    assert spell_byte_level(list(ALPHABET)) == [bytes([byte]) for byte in ALPHABET.values()]


def test_it_is_the_alphabet_of_tokenizers() -> None:
    library = pytest.importorskip("tokenizers", reason="needs the package tokenizers")
    assert set(ALPHABET) == set(library.pre_tokenizers.ByteLevel.alphabet())
    live = library.pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    for text in ("".join(map(chr, range(0x250))), "東京 😀\n"):
        [(piece, _)] = live.pre_tokenize_str(text)
        assert spell_byte_level([piece]) == [text.encode()]


def test_a_piece_with_any_other_character_is_its_own_text() -> None:
    others = [chr(code) for code in range(0x250) if chr(code) not in ALPHABET]
    assert len(others) == 0x250 - 256
    others += ["\u0800", "\uffff", "\U0010ffff"]
    for other in others:
        assert spell_byte_level(["Ġa", f"Ġ{other}", None, ""]) == [b" a", f"Ġ{other}".encode(), None, b""]
