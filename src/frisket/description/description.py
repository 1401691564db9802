"""Text of a description × tokenizer → the number of tokens that it adds to a prompt."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from frisket.vocabulary import Vocabulary


class Encodes(Protocol):
    """An object that tokenizes text: a `Model`, or a tokenizer of Hugging Face, tiktoken or SentencePiece."""

    def encode(self, text: str, /) -> Any:
        """The ids, as a sequence or in an attribute `ids`."""
        ...


class Description(str):
    """A description of a grammar's documents: text for a prompt that can count its own tokens.

    >>> import frisket
    >>> told = frisket.Grammar.from_json_schema({"type": "integer", "maximum": 9}).describe()
    >>> told, told.tokens(frisket.models.embedded())
    ('// at most 9\\ninteger', 12)
    """

    __slots__ = ()

    def tokens(self, tokenizer: Encodes | Vocabulary) -> int:
        """The number of the text's tokens, without those that a tokenizer puts before every text.

        A `Vocabulary` has no merges, so it gives the fewest tokens that spell the text; a tokenizer may take more.
        ValueError if no tokens spell it.
        """
        from frisket.vocabulary import Vocabulary

        if not isinstance(tokenizer, Vocabulary):
            return _count(tokenizer, self) - _count(tokenizer, "")
        from frisket.lint.tokens import tokens_of

        fewest = tokens_of(tokenizer).fewest(self.encode())
        if fewest is None:
            raise ValueError("the vocabulary's tokens do not spell this text: it lacks a byte")
        return fewest


def _count(tokenizer: Encodes, text: str) -> int:
    found = tokenizer.encode(str(text))
    return len(getattr(found, "ids", found))
