"""The decoder of a tokenizer.json × pieces → bytes.

The bytes of a token are those that the decoder writes for it in the middle of a text:

* ByteLevel: every character of a piece stands for one byte (GPT-2's map).
* Metaspace, or Replace + ByteFallback + Fuse (SentencePiece): `▁` is a space, `<0x0A>` is one byte. The tokenizer
  writes a space before a text, and its decoder strips it; here it is an ordinary space: `▁yes` is b" yes" everywhere.
* WordPiece: `##ing` is b"ing", and `play` is b" play", with one space before every word. That is WordPiece's own
  spelling of the text. The tokens do not tell other white space between words, nor their case if the normaliser folds
  it (`Don't` comes back as b" don ' t"). The decoder's removal of spaces before punctuation is not applied.

The bytes of an added token are its content.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias

from frisket.errors import VocabularyError
from frisket.vocabulary.bytelevel import spell_byte_level
from frisket.vocabulary.sentencepiece import fallback_byte
from frisket.vocabulary.table import unknown_bytes

Definition: TypeAlias = "dict[str, Any]"
Pieces: TypeAlias = "list[str | None]"
Texts: TypeAlias = "list[bytes | None]"

_RAW_BYTES = "give the bytes of each token yourself with Vocabulary.from_bytes"


def spell(
    definition: Definition, pieces: Pieces, added: Mapping[int, str], special: set[int], where: str | None
) -> Texts:
    """The bytes, by id, of the model's `pieces` and of the `added` tokens (id → content)."""
    steps = _decoder(definition, where)
    kinds = {str(step.get("type")) for step in steps}
    whole = pieces + [None] * (max(added, default=-1) + 1 - len(pieces))
    if kinds != {"WordPiece"}:
        _refuse_marks(definition["model"], whole, where)
    if "ByteLevel" in kinds and kinds <= {"ByteLevel", "Fuse"}:
        texts = _encode(spell_byte_level, whole, where)
        return _with_added(texts, whole, added, special, where)
    # These decoders treat added tokens like all others.
    for token_id, content in added.items():
        whole[token_id] = content
    spell_one = _word_piece(steps[0]) if kinds == {"WordPiece"} else _sentence_piece(steps, where)
    return _encode(lambda all_of_them: [None if p is None else spell_one(p) for p in all_of_them], whole, where)


def prepends_space(definition: Definition) -> bool:
    """Whether the tokenizer writes a space before a text that it encodes."""
    for step in flatten(definition.get("normalizer"), "normalizers"):
        if step.get("type") == "Prepend" and step.get("prepend") in ("▁", " "):
            return True
    for step in flatten(definition.get("pre_tokenizer"), "pretokenizers"):
        if step.get("type") == "Metaspace":
            # Before `prepend_scheme`, files had a boolean.
            default = "always" if step.get("add_prefix_space", True) else "never"
            return bool(step.get("prepend_scheme", default) != "never")
        if step.get("type") == "ByteLevel" and step.get("add_prefix_space"):
            return True
    return any(step.get("type") == "WordPiece" for step in flatten(definition.get("decoder"), "decoders"))


def flatten(step: object, inner: str) -> Iterator[Definition]:
    """The step itself, or if it is a Sequence its steps, which stand under the key `inner`."""
    steps = [step]
    while steps:
        step = steps.pop()
        if not isinstance(step, dict):
            continue
        if step.get("type") == "Sequence":
            parts = step.get(inner)
            steps.extend(reversed(parts) if isinstance(parts, list) else ())
        else:
            yield step


def _decoder(definition: Definition, where: str | None) -> list[Definition]:
    steps = list(flatten(definition.get("decoder"), "decoders"))
    if not steps:
        # If there is no decoder, the pre-tokenizer tells the alphabet of the pieces.
        before = flatten(definition.get("pre_tokenizer"), "pretokenizers")
        steps = [step for step in before if step.get("type") in ("ByteLevel", "Metaspace")]
    if not steps:
        raise VocabularyError(
            "the tokenizer has no decoder, so how its tokens join into text is not defined",
            where=where,
            hint=f"set tokenizer.decoder (ByteLevel, Metaspace or WordPiece), or {_RAW_BYTES}",
        )
    return steps


def _with_added(texts: Texts, pieces: Pieces, added: Mapping[int, str], special: set[int], where: str | None) -> Texts:
    """Byte-level tokens, with added tokens as plain text.

    The decoder reads added tokens in its own alphabet, too. That makes no difference for ASCII and for characters
    outside the alphabet, but it writes `é` as the single byte E9. A token with such a character has no single meaning.
    """
    spoken = {token_id: content for token_id, content in added.items() if token_id not in special}
    literal = _encode(
        lambda contents: [None if c is None else c.encode() for c in contents], list(spoken.values()), where
    )
    decoded = _encode(spell_byte_level, list(spoken.values()), where)
    torn: list[tuple[str, int]] = []
    for (token_id, content), as_text, as_bytes in zip(spoken.items(), literal, decoded, strict=True):
        # A piece that also belongs to the model keeps the model's spelling.
        if as_text != as_bytes and pieces[token_id] != content:
            torn.append((content, token_id))
        texts[token_id] = as_bytes
    if torn:
        raise unknown_bytes(
            torn,
            "added tokens are encoded as one text and decoded as another",
            where=where,
            hint=f"remove them from the tokenizer, mark them special, or {_RAW_BYTES}",
        )
    return texts


def _word_piece(step: Definition) -> Callable[[str], bytes]:
    prefix = str(step.get("prefix", "##"))

    def spell_one(piece: str) -> bytes:
        return (piece[len(prefix) :] if piece.startswith(prefix) else " " + piece).encode()

    return spell_one


def _sentence_piece(steps: list[Definition], where: str | None) -> Callable[[str], bytes]:
    """Piece → its bytes, under decoders that treat every piece separately."""
    swaps: list[tuple[str, str]] = []
    byte_fallback = fused = False
    for step in steps:
        kind = step.get("type")
        if kind == "Metaspace":
            swaps.append((str(step.get("replacement", "▁")), " "))
        elif kind == "Replace" and (pattern := _local_pattern(step, fused=fused)):
            swaps.append((pattern, str(step.get("content", ""))))
        elif kind == "ByteFallback":
            byte_fallback = True
        elif kind == "Fuse":
            fused = True
        elif kind == "Strip" and fused and not step.get("stop") and step.get("content") == " ":
            # This step strips the prepended space from the start of a text, and does nothing inside a text.
            continue
        else:
            raise VocabularyError(
                f"the decoder step {kind} does not write each token on its own, so no token has bytes of its own",
                where=where,
                hint=f"known: ByteLevel, Metaspace, Replace, ByteFallback, Fuse, Strip, WordPiece; or {_RAW_BYTES}",
            )

    def spell_one(piece: str) -> bytes:
        if byte_fallback and (byte := fallback_byte(piece)) is not None:
            return byte
        for old, new in swaps:
            piece = piece.replace(old, new)
        return piece.encode()

    return spell_one


def _local_pattern(step: Definition, *, fused: bool) -> str | None:
    """The text that a Replace step searches for, if it can occur only inside single tokens; otherwise None."""
    pattern = step.get("pattern")
    text = pattern.get("String") if isinstance(pattern, dict) else None
    return text if isinstance(text, str) and (len(text) == 1 or not fused) else None


def _refuse_marks(model: Definition, pieces: Pieces, where: str | None) -> None:
    for key in ("end_of_word_suffix", "continuing_subword_prefix"):
        mark = model.get(key)
        if not isinstance(mark, str) or not mark:
            continue
        marked = [(piece, token_id) for token_id, piece in enumerate(pieces) if piece is not None and mark in piece]
        if marked:
            raise unknown_bytes(
                marked,
                f"what the mark {mark!r} ({key}) writes between words is not defined by the decoder",
                where=where,
                hint=_RAW_BYTES,
            )


def _encode(spell_all: Callable[[Pieces], Texts], pieces: Pieces, where: str | None) -> Texts:
    try:
        return spell_all(pieces)
    except UnicodeEncodeError:
        broken = [
            (piece, token_id)
            for token_id, piece in enumerate(pieces)
            if piece is not None and any("\ud800" <= character <= "\udfff" for character in piece)
        ]
        raise unknown_bytes(
            broken, "tokens hold half a surrogate pair, which no text can", where=where, hint=_RAW_BYTES
        ) from None
