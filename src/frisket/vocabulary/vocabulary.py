"""Tokenizer of any library → Vocabulary."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any
from weakref import WeakValueDictionary

import numpy as np

from frisket.argument_name import explain_slips
from frisket.errors import VocabularyError
from frisket.foreign_name import ExplainsNames, missing
from frisket.vocabulary import huggingface, mistral, sentencepiece, tiktoken
from frisket.vocabulary.table import Eos, Texts, TokenTable, kind_of

if TYPE_CHECKING:
    from frisket import _core

#: Arguments as other libraries name them → what to write instead.
_SLIPS = {
    **dict.fromkeys(("eos_token_id", "eos_token", "eos_id", "stop_token_ids"), "write eos={value}"),
    **dict.fromkeys(("vocab_size", "n_vocab"), "write size={value}, the number of the model's logits"),
    "special_tokens": "write special={value}, the names with their ids",
}


class Vocabulary(metaclass=ExplainsNames):
    """The exact bytes of every token of one tokenizer; immutable, shared by all grammars and threads.

    >>> vocabulary = Vocabulary.from_bytes([b"yes", b"no", b" ", None], special={"<end>": 3}, eos="<end>")
    >>> vocabulary.size, vocabulary.token(0), vocabulary.eos
    (4, b'yes', [3])

    The bytes of a token are those that it writes in the middle of a text: a token that begins a word has its space. For
    any text, the bytes of its tokens concatenate to the text as the tokenizer normalises it, after one space if
    `prepends_space`. Special tokens and stops have no bytes (None). Several tokens may have the same bytes.

    Every constructor takes `size`, the number of the model's logits if that is more than the tokenizer's ids. It is
    read from a config.json beside the tokenizer. Ids beyond the tokenizer's are never allowed. `eos` is an id, a
    token's name, or several of them. By default it is the end named by the tokenizer or the files beside it, or else
    all special tokens with usual names for the end (`</s>`, `<|eot_id|>`, ...). If none is found, the tokenizer is
    refused. A stop that is an ordinary text is warned of, since that token then cannot write it. `eos=()` says that no
    token ends a document: where a document can only end, a mask then has no bit (`Matcher.can_end`).

    Tables built from files are kept on disk (`FRISKET_CACHE_DIR`, `FRISKET_CACHE_BYTES`; 0 switches that off). A
    VocabularyError says which tokens have bytes that cannot be known, and why.

    Vocabularies of equal content are equal. A pickled vocabulary contains all its tokens (a megabyte or two), and is
    loaded without the tokenizer's library. A process that loads an equal one while the first is in use gets the same
    object. So a worker that receives a vocabulary with each task keeps one, with all that grammars have learned about
    it.
    """

    __slots__ = ("__weakref__", "_core", "_fingerprint", "_prepends_space")

    def __init__(self, table: TokenTable) -> None:
        from frisket import _core

        if not isinstance(table, TokenTable):
            made = ", ".join(name for name in vars(Vocabulary) if name.startswith("from_"))
            raise TypeError(f"Vocabulary() makes nothing of a {type(table).__name__}; call a constructor of it: {made}")
        lengths, texts = table.block
        self._core = _core.Vocabulary.from_block(lengths, texts, special=dict(table.special), eos=table.eos)
        self._fingerprint = table.fingerprint
        self._prepends_space = table.prepends_space

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            raise missing(self, name)

    @classmethod
    @explain_slips("Vocabulary.from_huggingface", _SLIPS)
    def from_huggingface(cls, tokenizer: object, size: int | None = None, eos: Eos = None) -> Vocabulary:
        """The vocabulary of a folder with tokenizer.json, of that file, of a `tokenizers.Tokenizer`, or of a fast
        tokenizer of transformers. A path is read without loading the tokenizer; nothing is downloaded."""
        return cls(_ending(huggingface.read(tokenizer, size=size, eos=eos), eos))

    @classmethod
    @explain_slips("Vocabulary.from_sentencepiece", _SLIPS)
    def from_sentencepiece(cls, model: object, size: int | None = None, eos: Eos = None) -> Vocabulary:
        """The vocabulary of a SentencePiece model file or of a `SentencePieceProcessor`."""
        return cls(_ending(sentencepiece.read(model, size=size, eos=eos), eos))

    @classmethod
    @explain_slips("Vocabulary.from_tiktoken", _SLIPS)
    def from_tiktoken(
        cls,
        encoding: object,
        special: Mapping[str, int] | None = None,
        size: int | None = None,
        eos: Eos = None,
    ) -> Vocabulary:
        """The vocabulary of a `tiktoken.Encoding`, or of a .tiktoken file of ranks and its `special` tokens."""
        return cls(_ending(tiktoken.read(encoding, special=special, size=size, eos=eos), eos))

    @classmethod
    @explain_slips("Vocabulary.from_mistral", _SLIPS)
    def from_mistral(cls, tokenizer: object, size: int | None = None, eos: Eos = None) -> Vocabulary:
        """The vocabulary of a tokenizer of mistral-common (tekken or SentencePiece), or of its file."""
        return cls(_ending(mistral.read(tokenizer, size=size, eos=eos), eos))

    @classmethod
    @explain_slips("Vocabulary.from_bytes", _SLIPS)
    def from_bytes(
        cls,
        tokens: Sequence[bytes | None],
        special: Mapping[str, int] | None = None,
        eos: Eos = None,
        size: int | None = None,
    ) -> Vocabulary:
        """The vocabulary in which token i has the bytes `tokens[i]`; None and empty bytes mean no text."""
        if isinstance(tokens, Mapping):
            raise TypeError("tokens are a list, in which token i stands at place i, got a mapping")
        wrong = [token for token in tokens if token is not None and not isinstance(token, bytes)]
        if wrong:
            raise TypeError(f"tokens are bytes or None, got {kind_of(wrong[0])}")
        if not len(tokens) and not size:
            raise VocabularyError("a vocabulary has at least one token", hint="pass the bytes of every token")
        return cls(TokenTable.of(tokens, special=dict(special or {}), eos=eos, size=size))

    @property
    def core(self) -> _core.Vocabulary:
        """The native vocabulary."""
        return self._core

    @property
    def size(self) -> int:
        """The number of ids that a mask covers: the number of the model's logits."""
        return self._core.size

    @property
    def eos(self) -> list[int]:
        """The ids that end a document, ascending."""
        return self._core.eos

    @property
    def special(self) -> dict[str, int]:
        """The special tokens, name → id."""
        return self._core.special

    @property
    def mask_words(self) -> int:
        """The number of uint32 words of a mask: ceil(size / 32)."""
        return self._core.mask_words

    @property
    def prepends_space(self) -> bool:
        """Whether the tokenizer writes a space before a text that it encodes (some only if the text begins with none).

        Only `JSONSchemaOptions(leading_space=True)` gives a grammar that space. Without it, masks make the model begin
        with `{`, and the first token of `encode('{"a": 5}')`, which writes the space, is refused.
        """
        return self._prepends_space

    @property
    def fingerprint(self) -> str:
        """SHA-256 of the content: equal for equal vocabularies, whatever files they were built from."""
        return self._fingerprint

    @property
    def memory_bytes(self) -> int:
        """Bytes of the tokens and of all that grammars have learned about them."""
        return self._core.memory_bytes

    def token(self, token_id: int) -> bytes | None:
        """The text of a token, None if it has none."""
        return self._core.token(token_id)

    def __len__(self) -> int:
        return self.size

    def __repr__(self) -> str:
        return f"<Vocabulary of {self.size:,} tokens, eos {self.eos}, {self.fingerprint[:12]}>"

    def __eq__(self, other: object) -> bool:
        return self.fingerprint == other.fingerprint if isinstance(other, Vocabulary) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.fingerprint)

    def __copy__(self) -> Vocabulary:
        return self

    def __deepcopy__(self, memo: object) -> Vocabulary:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        lengths, texts = self._core.block
        tokens = Texts(np.frombuffer(lengths, "<u4"), texts)
        table = TokenTable(tokens, self.special, tuple(self.eos), self.prepends_space)
        return _received, (type(self), table.data, self.fingerprint)


#: Vocabularies that came from pickles and are in use, by fingerprint.
_RECEIVED: WeakValueDictionary[str, Vocabulary] = WeakValueDictionary()


def _received(cls: type[Vocabulary], data: bytes, fingerprint: str) -> Vocabulary:
    """The vocabulary of a pickle."""
    known = _RECEIVED.get(fingerprint)
    if known is None or type(known) is not cls:
        known = _RECEIVED[fingerprint] = cls(TokenTable.from_data(data, fingerprint))
    return known


def _ending(table: TokenTable, eos: Eos) -> TokenTable:
    """The table, if it has an end token; without one, the last mask of a text would be empty."""
    if eos is None and not table.eos:
        raise VocabularyError(
            "no token of the tokenizer is known to end a text",
            hint="pass eos=, the id or the name of the model's end token (a rank file needs it in special=, too); "
            "eos=() if there is none",
        )
    return table
