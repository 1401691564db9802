"""Metadata of a GGUF file → its tokenizer and its chat template."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

from frisket.chat_template import ChatTemplate
from frisket.errors import MissingDependencyError, VocabularyError
from frisket.models import prompt as template

#: Types of tokens in `tokenizer.ggml.token_type`.
UNKNOWN, CONTROL, USER_DEFINED, UNUSED = 2, 3, 4, 5

LLAMA3 = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)


class Chat:
    """Text ↔ token ids, and the prompt format in which the model was trained."""

    def __init__(self, metadata: Mapping[str, Any], *, where: str) -> None:
        self.tokenizer = _tokenizer(metadata, where)
        pieces = metadata["tokenizer.ggml.tokens"]
        ends = (metadata.get(f"tokenizer.ggml.{name}_token_id") for name in ("eos", "eot", "eom"))
        self.eos = sorted({int(token_id) for token_id in ends if token_id is not None})
        begin = metadata.get("tokenizer.ggml.bos_token_id")
        self._begin = None if begin is None else int(begin)
        self._adds_begin = bool(metadata.get("tokenizer.ggml.add_bos_token", False))
        self._template = metadata.get("tokenizer.chat_template")
        self._names = {
            "bos_token": "" if self._begin is None else pieces[self._begin],
            "eos_token": pieces[self.eos[0]] if self.eos else "",
        }
        self.name_or_path = str(metadata.get("general.name", ""))

    @property
    def chat_template(self) -> str | None:
        """The template's text; None if the file has none."""
        return self._template

    @property
    def bos_token(self) -> str:
        """The token that begins a text; empty if there is none."""
        return str(self._names["bos_token"])

    @property
    def eos_token(self) -> str:
        """The token that ends a turn; empty if there is none."""
        return str(self._names["eos_token"])

    def get_added_vocab(self) -> dict[str, int]:
        """Name → id of the special tokens."""
        return {token.content: token_id for token_id, token in self.tokenizer.get_added_tokens_decoder().items()}

    def encode(self, text: str) -> list[int]:
        ids: list[int] = self.tokenizer.encode(text, add_special_tokens=False).ids
        # A chat template writes the special tokens itself.
        first = [self._begin] if self._adds_begin and not self._template and self._begin is not None else []
        return first + ids

    def decode(self, ids: Sequence[int]) -> str:
        return str(self.tokenizer.decode(list(ids), skip_special_tokens=True))

    @cached_property
    def template(self) -> ChatTemplate | None:
        """The chat template of the model; None if the file has none."""
        return ChatTemplate(self._template, self._names) if self._template else None

    def prompt(self, text: str, keys: Sequence[str] | None, draft: str | None = None) -> str:
        if self.template is None:
            return template.render(text, keys or (), draft)
        return self.template.render(template.turns(text, keys, draft))


def _tokenizer(metadata: Mapping[str, Any], where: str) -> Any:
    try:
        library: Any = importlib.import_module("tokenizers")
    except ImportError as error:
        raise MissingDependencyError.of("tokenizers", "gguf") from error
    kind, splitting = metadata.get("tokenizer.ggml.model"), metadata.get("tokenizer.ggml.pre", "")
    make = SPLITTERS.get(str(splitting)) if kind == "gpt2" else None
    if make is None:
        raise VocabularyError(
            f"the tokenizer of the file is {kind!r} with the splitting {splitting!r}, which is not known here",
            where=where,
            hint=f"known are byte-level tokenizers (gpt2) with the splitting {', '.join(SPLITTERS)}",
        )
    pieces = [str(piece) for piece in metadata["tokenizer.ggml.tokens"]]
    merges = [tuple(str(merge).split(" ", 1)) for merge in metadata.get("tokenizer.ggml.merges", ())]
    vocab = {piece: token_id for token_id, piece in enumerate(pieces)}
    if len(vocab) != len(pieces):
        raise VocabularyError("two tokens of the file have the same text", where=where, hint="is the file complete?")
    tokenizer = library.Tokenizer(library.models.BPE(vocab, merges, ignore_merges=make is _llama3))
    tokenizer.pre_tokenizer = make(library.pre_tokenizers, library)
    tokenizer.decoder = library.decoders.ByteLevel()
    kinds = metadata.get("tokenizer.ggml.token_type") or [1] * len(pieces)
    for piece, number in zip(pieces, kinds, strict=True):
        if number in (UNKNOWN, CONTROL, UNUSED):
            tokenizer.add_special_tokens([library.AddedToken(piece, special=True, normalized=False)])
        elif number == USER_DEFINED:
            tokenizer.add_tokens([library.AddedToken(piece, normalized=False)])
    return tokenizer


def _gpt2(split: Any, library: Any) -> Any:
    return split.ByteLevel(add_prefix_space=False)


def _digits(split: Any, library: Any) -> Any:
    return split.Sequence([split.Digits(individual_digits=True), split.ByteLevel(add_prefix_space=False)])


def _llama3(split: Any, library: Any) -> Any:
    cut = split.Split(library.Regex(LLAMA3), "isolated")
    return split.Sequence([cut, split.ByteLevel(add_prefix_space=False, use_regex=False)])


#: Name in `tokenizer.ggml.pre` → pre-tokenizer, which splits text before merging (llama.cpp, `llama-vocab.cpp`).
SPLITTERS: dict[str, Callable[[Any, Any], Any]] = {
    "gpt-2": _gpt2,
    "olmo": _gpt2,
    "smollm": _digits,
    "starcoder": _digits,
    "llama-bpe": _llama3,
}
