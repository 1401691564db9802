"""Bytes, special tokens, stop tokens and size → one immutable table, which can be written as a block of bytes."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import TypeAlias, overload

import numpy as np
from numpy.typing import NDArray

from frisket import log
from frisket.errors import VocabularyError

Eos: TypeAlias = "int | str | Iterable[int | str] | None"

# The largest real vocabularies have about a million tokens. An id far above that comes from a broken or hostile file,
# and would make the list of tokens too long.
MAX_SIZE = 1 << 22

# Real tokens have at most a few hundred bytes (runs of spaces), and the engine's trie is as deep as the longest token.
MAX_TOKEN_BYTES = 1 << 12

# Usual names of the end token, for tokenizers that name none (a bare `tokenizers.Tokenizer`, a rank file). Only special
# tokens are looked up here, so no word of the text is taken for a stop.
# fmt: off
EOS_NAMES = frozenset((
    "</s>", "<eos>", "<|endoftext|>", "<|end_of_text|>", "<|eot_id|>", "<|eom_id|>", "<|im_end|>", "<end_of_turn>",
    "<|end_of_turn|>", "<|return|>", "<|call|>", "<｜end▁of▁sentence｜>", "<|END_OF_TURN_TOKEN|>",
    "<end_of_utterance>", "[EOS]",
))
# fmt: on


#: Texts that are an end by their looks, such as `<|im_end|>`, for tokenizers that do not mark it as special.
_MARKER = re.compile(rb"[<\[{|].*\w.*[>\]}|]", re.DOTALL)


class Texts(Sequence["bytes | None"]):
    """Tokens in one block of bytes, cut out on access, since most are never used. Equals a tuple of the same tokens."""

    def __init__(self, lengths: NDArray[np.uint32], texts: bytes) -> None:
        self._lengths = lengths
        self._texts = texts

    @cached_property
    def _ends(self) -> NDArray[np.int64]:
        return np.cumsum(self._lengths, dtype=np.int64)

    @property
    def block(self) -> tuple[bytes, bytes]:
        """(the lengths as little-endian uint32, all texts joined)"""
        return self._lengths.tobytes(), self._texts

    def __len__(self) -> int:
        return len(self._lengths)

    @overload
    def __getitem__(self, place: int) -> bytes | None: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[bytes | None, ...]: ...
    def __getitem__(self, place: int | slice) -> bytes | tuple[bytes | None, ...] | None:
        if isinstance(place, slice):
            return tuple(self)[place]
        token_id = range(len(self))[place]
        start = int(self._ends[token_id - 1]) if token_id else 0
        return self._texts[start : int(self._ends[token_id])] or None

    def __iter__(self) -> Iterator[bytes | None]:
        ends = self._ends.tolist()
        for start, end in zip(chain((0,), ends), ends):  # noqa: B905
            yield self._texts[start:end] or None

    def __eq__(self, other: object) -> bool:
        return tuple(self) == tuple(other) if isinstance(other, (tuple, Texts)) else NotImplemented

    def __hash__(self) -> int:
        return hash(tuple(self))


@dataclass(frozen=True)
class TokenTable:
    """The parts of a vocabulary in one canonical form: equal tokenizers give equal tables and equal fingerprints.

    `tokens[i]` is the text of token i inside a text, or None if it has none (special, unused, padding, a stop). There
    are `size` of them. `prepends_space`: the tokenizer writes a space before a text that it encodes.
    """

    tokens: Texts
    special: Mapping[str, int]
    eos: tuple[int, ...]
    prepends_space: bool = False

    @classmethod
    def of(
        cls,
        tokens: Sequence[bytes | None],
        *,
        special: Mapping[str, int],
        eos: Eos = None,
        size: int | None = None,
        names: Mapping[str, int] | None = None,
        prepends_space: bool = False,
    ) -> TokenTable:
        """The canonical table, checked. `names` are more names that `eos` may use, of tokens that are not special."""
        for name, token_id in special.items():
            if not isinstance(name, str) or type(token_id) is not int:
                raise TypeError(f"special maps names to ids, got {type(name).__name__}: {type(token_id).__name__}")
            if not _is_text(name):
                raise VocabularyError(f"the special token {name!a} has no UTF-8 form", hint="leave it out")
        if size is not None and not isinstance(size, int):
            raise TypeError(f"size is a number of rows, got {type(size).__name__}")
        stops = _stops(eos, special, names or {})
        ids = [*special.values(), *stops]
        # A special token may be the last row, since it has a name; a stop that is only a number may be a mistake.
        rows = max([len(tokens) - 1, *special.values()], default=-1) + 1 if size is None else size
        if not 0 < rows <= MAX_SIZE:
            raise VocabularyError(
                f"a vocabulary of {rows:,} tokens is not possible",
                hint=f"the size is the number of rows of the model's logits, from 1 to {MAX_SIZE:,}",
            )
        # A special token never matches text, and the engine stops at a stop: neither may be read as its spelling.
        texts = [token or b"" for token in tokens[:rows]]
        texts.extend([b""] * (rows - len(texts)))
        for token_id in ids:
            if 0 <= token_id < rows:
                texts[token_id] = b""
        _check_ids(tokens, special, stops, rows)
        _warn_of_text(tokens, stops, special)
        lengths = np.fromiter(map(len, texts), dtype="<u4", count=rows)
        if lengths.max() > MAX_TOKEN_BYTES:
            long = np.flatnonzero(lengths > MAX_TOKEN_BYTES).tolist()
            raise VocabularyError(
                f"{len(long):,} tokens are longer than {MAX_TOKEN_BYTES:,} bytes, the first has id {long[0]}",
                hint="pass None for tokens that are not text",
            )
        kept = {name: token_id for name, token_id in sorted(special.items()) if token_id < rows}
        return cls(Texts(lengths, b"".join(texts)), kept, stops, prepends_space)

    @property
    def size(self) -> int:
        return len(self.tokens)

    @cached_property
    def data(self) -> bytes:
        """The table as bytes: a JSON head, the lengths of the tokens (0: no text), and their texts joined."""
        head = json.dumps(
            {"eos": self.eos, "prepends_space": self.prepends_space, "size": self.size, "special": dict(self.special)},
            sort_keys=True,
            ensure_ascii=True,
        ).encode()
        return b"".join([len(head).to_bytes(4, "little"), head, *self.block])

    @property
    def block(self) -> tuple[bytes, bytes]:
        """(the lengths of the tokens as little-endian uint32, 0 for no text; their texts joined)"""
        return self.tokens.block

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 of `data`, as hexadecimal."""
        return hashlib.sha256(self.data).hexdigest()

    @classmethod
    def from_data(cls, data: bytes, fingerprint: str | None = None) -> TokenTable:
        """The table whose `data` is given; ValueError if it is no such data. `fingerprint`, if it is known already."""
        body = 4 + int.from_bytes(data[:4], "little")
        head = json.loads(data[4:body])
        size, special, eos = head["size"], head["special"], head["eos"]
        if not (isinstance(size, int) and 0 < size <= MAX_SIZE and isinstance(special, dict) and isinstance(eos, list)):
            raise ValueError("not a token table")
        if not all(type(token_id) is int and 0 <= token_id < size for token_id in (*special.values(), *eos)):
            raise ValueError("a token table names ids that it does not have")
        lengths = np.frombuffer(data, "<u4", count=size, offset=body)
        if lengths.max() > MAX_TOKEN_BYTES:
            raise ValueError("a token table has tokens that nobody has")
        texts = data[body + 4 * size :]
        if len(texts) != int(lengths.sum(dtype=np.int64)):
            raise ValueError("a token table is cut short")
        table = cls(Texts(lengths, texts), special, tuple(eos), bool(head["prepends_space"]))
        # A known fingerprint saves another hash of a megabyte.
        if fingerprint is not None:
            table.__dict__["fingerprint"] = fingerprint
        table.__dict__["data"] = data
        return table


def kind_of(value: object) -> str:
    """The type of a value for a message, or the value itself if it is certainly short."""
    kind = type(value).__name__
    return f"{kind}: {ascii(value)[:60]}" if isinstance(value, (str, bytes, bool, float)) else kind


def _is_text(name: str) -> bool:
    return name.isascii() or not any("\ud800" <= character <= "\udfff" for character in name)


def unknown_bytes(tokens: Iterable[tuple[str, int]], reason: str, *, where: str | None, hint: str) -> VocabularyError:
    """An error about tokens whose bytes cannot be known; it names the first ten of them."""
    named = list(tokens)
    shown = ", ".join(f"{piece!r} (id {token_id})" for piece, token_id in named[:10])
    more = f" and {len(named) - 10:,} more" if len(named) > 10 else ""
    return VocabularyError(f"{reason}: {shown}{more}", where=where, hint=hint)


def _stops(eos: Eos, special: Mapping[str, int], names: Mapping[str, int]) -> tuple[int, ...]:
    if eos is None:
        return tuple(sorted({token_id for name, token_id in special.items() if name in EOS_NAMES}))
    stops: set[int] = set()
    for stop in [eos] if isinstance(eos, (int, str)) else eos:
        if isinstance(stop, bool) or not isinstance(stop, (int, str)):
            raise TypeError(f"eos is a token id, a token's name, or several of them; got {kind_of(stop)}")
        if isinstance(stop, int):
            stops.add(stop)
        elif stop in special:
            stops.add(special[stop])
        elif stop in names:
            stops.add(names[stop])
        else:
            raise VocabularyError(
                f"no token is called {stop!r}", hint="name a token of this tokenizer, or give its id as a number"
            )
    return tuple(sorted(stops))


def _warn_of_text(tokens: Sequence[bytes | None], stops: tuple[int, ...], special: Mapping[str, int]) -> None:
    """Warn of a stop that is an ordinary text: most often it is the id of another model's end token.

    It is no error, since some models end with a text, and their settings say so."""
    known = set(special.values())
    for stop in stops:
        text = (tokens[stop] or b"") if stop < len(tokens) and stop not in known else b""
        if text.strip() and not _MARKER.fullmatch(text.strip()):
            shown = text.decode(errors="replace")
            log.warn(
                f"the stop token {stop} is the text {shown!r}, which this token then cannot write: is it the end token "
                "of this model (eos=)? A text that is nothing but an end stands in special=, too"
            )


def _check_ids(tokens: Sequence[bytes | None], special: Mapping[str, int], stops: tuple[int, ...], size: int) -> None:
    negative = [(name, token_id) for name, token_id in special.items() if token_id < 0]
    if negative:
        raise unknown_bytes(negative, "special tokens have negative ids", where=None, hint="ids count from 0")
    outside = [stop for stop in stops if not 0 <= stop < size]
    if outside:
        raise VocabularyError(
            f"the stop token {outside[0]} is outside the vocabulary's {size:,} ids",
            hint="size is the number of rows of the model's logits, added and special tokens included",
        )
    # Cutting special tokens without a row (such as padding that the model never learned) is harmless; cutting text is
    # not.
    specials = set(special.values())
    cut = [token_id for token_id in range(size, len(tokens)) if tokens[token_id] and token_id not in specials]
    if cut:
        raise VocabularyError(
            f"size is {size:,}, but {len(cut):,} tokens with text lie beyond it, the first is "
            f"{tokens[cut[0]]!r} (id {cut[0]})",
            hint="size is the number of rows of the model's logits (model.config.vocab_size); it may be larger than "
            "the tokenizer, not smaller",
        )
