"""GrammarBuilder's arguments: what no Rust integer holds is a ValueError that names the range."""

from __future__ import annotations

from typing import Any

import pytest

from frisket import Limits
from frisket._core import GrammarBuilder, Vocabulary
from frisket.errors import LimitExceededError

BYTE, NODE, COUNT = 255, 2**32 - 1, 2**64 - 1
SIGNS = dict.fromkeys(("open", "close", "comma", "empty"), 2)


@pytest.mark.parametrize("wrong", [-1, 2**70])
@pytest.mark.parametrize(
    ("call", "arguments", "keywords", "greatest"),
    [
        ("repeat", (2, ...), {}, COUNT),
        ("repeat", (2, 0, ...), {}, COUNT),
        ("repeat", (..., 0), {}, NODE),
        ("bounded", (2, ..., 3), {}, COUNT),
        ("byte_class", ([(0, ...)],), {}, BYTE),
        ("char_class", ([(..., 9)],), {}, NODE),
        ("cat", ([2, ...],), {}, NODE),
        ("alt", ([...],), {}, NODE),
        ("array", ([2], ...), SIGNS, NODE),
        ("array", ([...], 2), SIGNS, NODE),
        ("array", ([2], None), {**SIGNS, "comma": ...}, NODE),
        ("array", ([2], None), {**SIGNS, "max_items": ...}, COUNT),
        ("object", ([("a", True, [(2, ...)])], []), {**SIGNS, "colon": 2}, COUNT),
        ("object", ([], [(2, [(..., 0)])]), {**SIGNS, "colon": 2}, COUNT),
        ("object", ([], []), {**SIGNS, "colon": 2, "required_marks": ...}, COUNT),
        ("object", ([], []), {**SIGNS, "colon": 2, "clauses": [(0, ...)]}, COUNT),
        ("object", ([], []), {**SIGNS, "colon": 2, "implies": [(0, ...)]}, NODE),
        ("define", (..., 2), {}, NODE),
        ("check", (...,), {}, COUNT),
        ("build", (...,), {}, NODE),
    ],
)
def test_integers_without_room_are_refused(call: str, arguments: Any, keywords: Any, greatest: int, wrong: int) -> None:
    builder = GrammarBuilder()
    builder.literal(b"a")

    def filled(value: Any) -> Any:
        if isinstance(value, (list, tuple)):
            return type(value)(filled(item) for item in value)
        return wrong if value is ... else value

    keywords = {name: filled(value) for name, value in keywords.items()}
    with pytest.raises(ValueError, match=rf"a number from 0 on is wanted, not -1|is not between 0 and {greatest}$"):
        getattr(builder, call)(*filled(arguments), **keywords)


def test_what_is_no_integer_is_misuse() -> None:
    with pytest.raises(TypeError, match="argument 'min'"):
        GrammarBuilder().repeat(0, "1")  # type: ignore[arg-type]


def test_a_byte_after_any_text_may_also_begin_a_character() -> None:
    """The byte 0xF0 begins a character of the text, or is the byte after it: a mask has both."""
    texts = [bytes([byte]) for byte in range(256)] + [
        b"ab\xf0\xc3\xa9",
        b"\xf0\x9f\x98\x81x\xff\xc3\xa9",
        b"x\xc3\xc3\xa9",
    ]
    texts += [bytes([97 + number % 26, 98, 97 + number // 26]) for number in range(200)]
    builder = GrammarBuilder()
    after = builder.cat([builder.any_text(), builder.byte_class([(0xE3, 0xFF)])])
    root = builder.seq([after, builder.words(["é".encode(), b"e"]), builder.literal(b".")])
    matcher = builder.build(root).compile(Vocabulary([*texts, None], eos=[len(texts)])).matcher()
    for _ in range(3):
        allowed = matcher.allowed()
        assert allowed == [token for token in range(len(texts)) if matcher.fork().try_advance(token)]
        assert texts.index(b"ab\xf0\xc3\xa9") in allowed and texts.index(b"x\xc3\xc3\xa9") not in allowed
        matcher.advance(ord("a"))


def test_steps_of_a_front_end_and_of_all_calls_add_up_over_the_build() -> None:
    builder = GrammarBuilder(limits=Limits(steps=1_000))
    for _ in range(4):
        builder.check(steps=240)
        builder.literal(b"a")
    builder.check(steps=30)
    with pytest.raises(LimitExceededError, match=r"steps of a whole build .1000."):
        builder.check(steps=40)
    builder.fork(limits=Limits(steps=1_000)).check(steps=1_000)
