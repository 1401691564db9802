"""Tokenizer → the exact bytes of every token."""

from frisket.vocabulary.vocabulary import Vocabulary

__all__ = ["Vocabulary"]
