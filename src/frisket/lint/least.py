"""Schema × vocabulary → the tokens that its shortest document takes.

This is the one place that knows how the number is found; `FRK306` only compares it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from frisket.errors import FrisketError
from frisket.lint.tokens import tokens_of

if TYPE_CHECKING:
    from frisket.vocabulary import Vocabulary


def least_tokens(schema: Any, vocabulary: Vocabulary) -> tuple[int, str] | None:
    """How many tokens the shortest document takes, its end included, and the document; None where none is known.

    Shortest is in bytes: another document of more bytes may take fewer tokens.
    """
    from frisket.grammar import Grammar

    try:
        matcher = Grammar.from_json_schema(schema).compile(vocabulary).matcher()
        text = matcher.completion()
    except FrisketError:
        return None
    count = None if text is None else tokens_of(vocabulary).fewest(text)
    return None if text is None or count is None else (count + bool(vocabulary.eos), text.decode("utf-8", "replace"))
