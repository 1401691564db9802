"""What may come next, in a few words."""

import pytest

from frisket import Grammar, Vocabulary
from frisket.explanation.expectation import expected, next_bytes

LETTERS = Vocabulary.from_bytes([bytes([value]) for value in range(256)] + [None], eos=[256], special={"<x>": 256})


@pytest.mark.parametrize(
    ("pattern", "prefix", "said"),
    [
        ("abc|abd|x", "", ("'ab'", "'x'")),
        ("[0-9]+", "1", ("a digit", "the end")),
        ("[0-8]", "", tuple(f"'{digit}'" for digit in range(9))),
        ("[ \\t]x", "", ("white space",)),
        (".", "", ("almost any character",)),
        ("[a-zA-Z0-9_]é?", "_", ("'é'", "the end")),
        ("[a-zA-Z0-9_]", "", ("a digit", "a letter", "'_'")),
        ("[a-p]", "", ("'a' to 'p'",)),
        ("[a-klq-zA]", "", ("'A'", "'a' to 'l'", "'q' to 'z'")),
        ("[acegikmoqsuwyz]", "", (*(f"'{letter}'" for letter in "acegikmoqsuwy"), "'z'")),
        ("x{50}", "", (repr("x" * 40)[:-1] + "…'",)),
    ],
)
def test_texts_where_there_are_few_and_kinds_where_there_are_many(
    pattern: str, prefix: str, said: tuple[str, ...]
) -> None:
    matcher = Grammar.from_regex(pattern).compile(LETTERS).matcher()
    matcher.advance_bytes(prefix.encode())
    assert expected(matcher) == said


def test_nothing_but_the_end() -> None:
    matcher = Grammar.from_choices(["a"]).compile(LETTERS).matcher()
    matcher.advance_bytes(b"a")
    assert (expected(matcher), next_bytes(matcher)) == (("the end",), [])
    matcher.advance(256)
    assert expected(matcher) == ("the end",)
