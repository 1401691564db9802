"""One sequence's position: every method of the engine's Matcher keeps its word."""

from __future__ import annotations

import array
import threading
import weakref

import numpy as np
import pytest

from frisket import Grammar as PublicGrammar
from frisket._core import CompiledGrammar, Grammar, GrammarBuilder, Matcher, Vocabulary, fill_masks
from frisket.errors import TokenRejectedError, VocabularyError

# 0..3 bytes, 4 "ab", 5 "ba", 6 "aba", 7 "é", 8 and 9 its halves, 10 nothing, 11 <|call|>, 12 and 13 end the text
TOKENS = [b"a", b"b", b"c", b"[", b"ab", b"ba", b"aba", "é".encode(), b"\xc3", b"\xa9", None, None, None, None]
END = (12, 13)
SIZE = 40


def vocabulary() -> Vocabulary:
    return Vocabulary(TOKENS, special={"<|call|>": 11}, eos=END, size=SIZE)


def ab_then_c() -> Grammar:
    """(ab)* c?"""
    builder = GrammarBuilder()
    pairs = builder.repeat(builder.literal(b"ab"), 0, None)
    return builder.build(builder.seq([pairs, builder.repeat(builder.literal(b"c"), 0, 1)]))


@pytest.fixture
def compiled() -> CompiledGrammar:
    return ab_then_c().compile(vocabulary())


@pytest.fixture
def matcher(compiled: CompiledGrammar) -> Matcher:
    return compiled.matcher()


def bits(mask: np.ndarray) -> list[int]:
    return [t for t in range(32 * mask.size) if int(mask[t >> 5]) & 0xFFFFFFFF & (1 << (t & 31))]


START = [0, 2, 4, 6, *END]


# -- masks -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [np.uint32, np.int32])
def test_a_row_of_one_dimension(matcher: Matcher, dtype: type) -> None:
    mask: np.ndarray = np.full(2, 77, dtype=dtype)
    matcher.fill_mask(mask)
    assert bits(mask) == START == matcher.allowed()


@pytest.mark.parametrize("dtype", [np.uint32, np.int32])
def test_a_row_of_two_dimensions_leaves_the_others_alone(matcher: Matcher, dtype: type) -> None:
    masks: np.ndarray = np.full((3, 2), 77, dtype=dtype)
    matcher.fill_mask(masks, 1)
    assert bits(masks[1]) == START
    assert (masks[[0, 2]] == 77).all()


def test_another_writable_buffer_is_filled_or_refused_by_name(matcher: Matcher) -> None:
    words = array.array("I", [0, 0])
    try:
        matcher.fill_mask(words)
    except TypeError as error:
        assert "numpy" in str(error)
    else:
        assert bits(np.array(words, dtype=np.uint32)) == START


def test_words_beyond_the_vocabulary_are_forbidden(matcher: Matcher) -> None:
    mask = np.full(4, 0xFFFFFFFF, dtype=np.uint32)
    try:
        matcher.fill_mask(mask)
    except ValueError:
        return  # a row of another length may also be refused, but never be left with bits set
    assert bits(mask) == START


def test_a_mask_is_handed_out_without_a_copy_while_it_is_the_same(matcher: Matcher) -> None:
    mask = matcher.mask()
    assert bits(mask) == START and not mask.flags.writeable
    assert matcher.mask() is mask and matcher.fork().mask() is mask
    for token in START:
        other = matcher.fork()
        other.advance(token)
        filled = np.zeros_like(mask)
        other.fill_mask(filled)
        assert bits(other.mask()) == bits(filled)
    assert bits(mask) == START
    with pytest.raises(ValueError, match="read-only"):
        matcher.fill_mask(mask)


def test_a_mask_is_handed_out_to_all_grammars_that_have_it() -> None:
    words = vocabulary()
    one, other = (PublicGrammar.from_regex(text).compile(words).matcher() for text in ("a[bc]", "a[bc]c?"))
    assert one.mask() is other.mask() and bits(one.mask()) == [0, 4]
    one.advance(0)
    other.advance(0)
    assert one.mask() is other.mask() and bits(one.mask()) == [1, 2]
    other.advance(1)
    assert bits(other.mask()) == [2, *END]


def test_objects_of_the_usual_layout_share_all_their_masks() -> None:
    words = Vocabulary([*(bytes([value]) for value in range(256)), b'{"', b'": ', b'", "', None], eos=[259])
    composed = []
    for title in "ab":
        schema = {"title": title, "properties": {"x": {"type": "string"}, "y": {"type": "integer"}}, "required": ["x"]}
        compiled = PublicGrammar.from_json_schema(schema).compile(words)
        matcher = compiled.matcher()
        for byte in b'{"x": "some text", "y":\r\n12}':
            matcher.mask()
            matcher.advance(byte)
        composed.append(compiled.masks_composed)
    assert composed[0] > 0 == composed[1]


def test_only_what_no_grammar_has_is_composed() -> None:
    words = vocabulary()
    one, other = (PublicGrammar.from_regex(text).compile(words) for text in ("a[bc]", "a[bc]c?"))
    assert (one.masks_composed, other.masks_composed) == (0, 0)

    def take(compiled: CompiledGrammar) -> None:
        matcher = compiled.matcher()
        for token in (0, 1):
            matcher.mask()
            matcher.advance(token)
        matcher.mask()

    take(one)
    assert one.masks_composed == 3
    take(one)
    assert one.masks_composed == 3
    take(other)
    # Behind the second letter a third may come.
    assert other.masks_composed == 1


def test_arrays_of_masks_are_kept_as_long_as_there_is_room() -> None:
    text = bytes(range(33, 127))
    words = Vocabulary([bytes([byte]) for byte in range(128)], eos=[128], size=2**22)
    matcher = PublicGrammar.from_choices([text.decode()]).compile(words).matcher()
    seen = []
    for byte in text:
        seen.append(weakref.ref(matcher.mask()))
        matcher.advance(byte)
    # Each takes 512 KiB: of 94 not more than 32 have room, the last one among them.
    kept = [mask for mask in (ref() for ref in seen) if mask is not None]
    assert 1 <= len(kept) <= 32 and bits(kept[-1][:4]) == [text[-1]]


def test_no_mask_comes_to_lie_where_one_was_handed_out() -> None:
    """Arrays are found again by the address of their mask: another mask there would get the wrong array."""
    words = Vocabulary([bytes([byte]) for byte in range(128)], eos=[128], size=129)
    ended = PublicGrammar.from_choices(["a"]).compile(words).matcher()
    for token in (ord("a"), 128):
        ended.advance(token)
    for number in range(1, 128):
        # The mask of an ended sequence is made anew, and is nobody else's.
        assert bits(ended.mask()) == [128]
        choices = [place for place in range(7) if number >> place & 1]
        other = PublicGrammar.from_choices(["abcdefg"[place] for place in choices]).compile(words).matcher()
        assert bits(other.mask()) == [ord("a") + place for place in choices]


def test_mask_bytes_is_the_same_mask(matcher: Matcher) -> None:
    assert bits(np.frombuffer(matcher.mask_bytes(), dtype="<u4")) == START


@pytest.mark.parametrize(
    "wrong",
    [
        np.zeros(2, dtype=np.float32),
        np.zeros(2, dtype=np.int64),
        np.zeros(8, dtype=np.uint8),
        np.zeros(1, dtype=np.uint32),
        np.zeros((2, 1), dtype=np.uint32),
        np.zeros((1, 1, 2), dtype=np.uint32),
        np.zeros(4, dtype=np.uint32)[::2],
        np.zeros((2, 4), dtype=np.uint32)[:, ::2],
        np.frombuffer(bytes(8), dtype=np.uint32),
        bytes(8),
        [0, 0],
        None,
    ],
    ids=[
        "float",
        "int64",
        "uint8",
        "short",
        "short-row",
        "3-D",
        "strided",
        "strided-row",
        "readonly",
        "bytes",
        "list",
        "None",
    ],
)
def test_other_arrays_are_refused(matcher: Matcher, wrong: object) -> None:
    with pytest.raises((TypeError, ValueError, BufferError)) as caught:
        matcher.fill_mask(wrong)
    assert str(caught.value)


@pytest.mark.parametrize("row", [2, 1000, -1])
def test_a_row_that_does_not_exist(matcher: Matcher, row: int) -> None:
    with pytest.raises((IndexError, ValueError, OverflowError)):
        matcher.fill_mask(np.zeros((2, 2), dtype=np.uint32), row)


# -- moving ------------------------------------------------------------------------------------------------------------


def test_a_rejected_token_leaves_everything_as_it_was(matcher: Matcher) -> None:
    matcher.advance(0)
    before = (matcher.mask_bytes(), matcher.can_end, matcher.steps, matcher.forced_bytes())
    # "a" may not follow, no token 10 has text, ids beyond the vocabulary never match, and nothing may end here
    for token_id in (0, 6, 7, 10, 11, 12, SIZE - 1, SIZE, 10**6):
        assert not matcher.try_advance(token_id)
        with pytest.raises(TokenRejectedError) as caught:
            matcher.advance(token_id)
        assert caught.value.code == "token-rejected"
        assert str(token_id) in str(caught.value)
        assert before == (matcher.mask_bytes(), matcher.can_end, matcher.steps, matcher.forced_bytes())


@pytest.mark.parametrize("schema", [{"type": "string"}, {"type": "string", "maxLength": 3}, {"pattern": "^[^b]*$"}])
def test_in_a_string_a_token_leads_where_its_bytes_do(schema: dict[str, object]) -> None:
    texts = ["a", "ab", "é", "aé", "\U0001f600", '"', 'a"', "\\", "\\n", 'a\\"', "\n", "\x1f", "\x7f", "\u2028"]
    tokens = [text.encode() for text in texts] + [b"\xc3", b"\xa9", b"a\xc3", b"\xff", b"\xed\xa0\x80", b"\xc0\x80"]
    words = Vocabulary([*tokens, None, b"a", b"a"], special={"<|call|>": len(tokens) + 1}, eos=[len(tokens) + 2])
    compiled = PublicGrammar.from_json_schema({"type": "string"} | schema).core.compile(words)
    for before in ([], [0], [2], [0, 0], [tokens.index(b"\xc3")]):
        matcher = compiled.matcher()
        matcher.advance(texts.index('"'))
        for token in before:
            matcher.advance(token)
        allowed = matcher.allowed()
        for token in range(words.size):
            ours, theirs = matcher.fork(), matcher.fork()
            assert ours.try_advance(token) == (token in allowed), token
            if token in allowed:
                theirs.advance_bytes(tokens[token])
                assert ours.mask_bytes() == theirs.mask_bytes() and ours.can_end == theirs.can_end, token


def test_eos_ends_and_only_eos_may_follow(matcher: Matcher) -> None:
    assert matcher.can_end and not matcher.ended
    matcher.advance(END[1])
    assert matcher.ended
    assert set(matcher.allowed()) == set(END)
    with pytest.raises(TokenRejectedError):
        matcher.advance(0)
    matcher.advance(END[0])
    assert matcher.ended
    matcher.rollback(2)
    assert not matcher.ended
    assert matcher.allowed() == START


def test_rollback_to_any_earlier_point(compiled: CompiledGrammar) -> None:
    matcher = compiled.matcher()
    seen = [matcher.mask_bytes()]
    for token_id in (6, 1, 4, 2):
        matcher.advance(token_id)
        seen.append(matcher.mask_bytes())
    for back in range(5):
        other = matcher.fork()
        other.rollback(back)
        assert other.mask_bytes() == seen[4 - back]
        assert other.steps == 4 - back
    assert matcher.mask_bytes() == seen[-1]


def test_rollback_further_than_the_beginning_is_an_error(matcher: Matcher) -> None:
    matcher.advance(0)
    with pytest.raises(ValueError):
        matcher.rollback(2)
    assert matcher.steps == 1
    matcher.rollback(1)
    assert matcher.allowed() == START


def test_forks_do_not_know_each_other(matcher: Matcher) -> None:
    matcher.advance(0)
    fork = matcher.fork()
    fork.advance(1)
    assert matcher.allowed() == [1, 5]
    assert fork.allowed() == START
    fork.rollback(2)
    assert fork.allowed() == START
    assert matcher.steps == 1


def test_reset_goes_to_the_beginning(matcher: Matcher) -> None:
    matcher.advance(2)
    matcher.advance(12)
    matcher.reset()
    assert (matcher.allowed(), matcher.steps, matcher.ended) == (START, 0, False)


@pytest.mark.parametrize(
    ("token_ids", "accepted"),
    [
        ([], 0),
        ([0, 1], 2),
        ([6, 5, 1, 2], 4),
        ([0, 0], 1),
        ([7], 0),
        ([2, 12], 2),
        ([2, 12, 13, 0], 3),
        ([12, 0], 1),
        ([0, 999], 1),
    ],
)
def test_validate_counts_without_moving(matcher: Matcher, token_ids: list[int], accepted: int) -> None:
    assert matcher.validate(token_ids) == accepted
    assert (matcher.allowed(), matcher.steps) == (START, 0)


def test_bytes_are_one_step(matcher: Matcher) -> None:
    matcher.advance_bytes(b"abab")
    assert matcher.steps == 1
    matcher.advance_bytes(b"a")
    assert matcher.allowed() == [1, 5]
    with pytest.raises(TokenRejectedError):
        matcher.advance_bytes(b"bc!")
    assert (matcher.steps, matcher.allowed()) == (2, [1, 5])
    matcher.rollback(1)
    assert matcher.allowed() == START


def test_forced_bytes(matcher: Matcher) -> None:
    assert matcher.forced_bytes() == b""
    matcher.advance(0)
    assert matcher.forced_bytes() == b"b"
    matcher.advance(1)
    matcher.advance(2)
    assert matcher.forced_bytes() == b""


def test_forced_bytes_stop_where_the_text_may_end() -> None:
    builder = GrammarBuilder()
    node = builder.cat([builder.literal(b"ab"), builder.repeat(builder.literal(b"c"), 0, 1)])
    assert builder.build(node).compile(vocabulary()).matcher().forced_bytes() == b"ab"


# -- completion --------------------------------------------------------------------------------------------------------


def test_completion(matcher: Matcher) -> None:
    assert matcher.completion() == b""
    matcher.advance(0)
    assert matcher.completion() == b"b"
    assert matcher.steps == 1
    matcher.advance(1)
    matcher.advance(2)
    matcher.advance(END[0])
    assert matcher.completion() == b""


def test_completion_is_none_where_a_special_token_must_come() -> None:
    for other, expected in (b"", None), (b"aabc", b"aabc"):
        builder = GrammarBuilder()
        called = builder.seq([builder.literal(b"a"), builder.special("<|call|>")])
        either = builder.alt([called, builder.literal(other)]) if other else called
        assert builder.build(either).compile(vocabulary()).matcher().completion() == expected


def test_completion_looks_ahead() -> None:
    builder = GrammarBuilder()
    text = builder.any_text()
    found = [builder.cat([text, builder.literal(word), text]) for word in (b"ab", b"bc", b"ca")]
    matcher = builder.build(builder.and_(found)).compile(vocabulary()).matcher()
    rest = matcher.completion()
    assert rest is not None and len(rest) == 4
    matcher.advance_bytes(b"c")
    assert matcher.completion() == b"abc"


def test_completion_avoids_what_may_not_come_again() -> None:
    letters = Vocabulary([*(bytes([value]) for value in range(256)), None], eos=[256])
    schema = {"type": "array", "items": {"enum": ["a", "b"]}, "minItems": 2, "uniqueItems": True}
    matcher = PublicGrammar.from_json_schema(schema).core.compile(letters).matcher()
    matcher.advance_bytes(b'["a"')
    assert matcher.completion() == b',"b"]'
    keys = {"patternProperties": {"^[ab]$": {"type": "null"}}, "additionalProperties": False, "minProperties": 2}
    matcher = PublicGrammar.from_json_schema({"type": "object", **keys}).core.compile(letters).matcher()
    matcher.advance_bytes(b'{"b":null')
    assert matcher.completion() == b',"a":null}'


def test_tokens_may_split_characters() -> None:
    builder = GrammarBuilder()
    matcher = builder.build(builder.char_class([(0xE9, 0xE9)])).compile(vocabulary()).matcher()
    assert matcher.allowed() == [7, 8]
    matcher.advance(8)
    assert matcher.allowed() == [9]
    assert not matcher.can_end
    matcher.advance(9)
    assert matcher.allowed() == [*END]


def test_a_special_token_is_allowed_only_where_the_grammar_names_it() -> None:
    builder = GrammarBuilder()
    root = builder.seq([builder.special("<|call|>"), builder.literal(b"a")])
    matcher = builder.build(root).compile(vocabulary()).matcher()
    assert matcher.allowed() == [11]
    with pytest.raises(TokenRejectedError):
        matcher.advance_bytes(b"<|call|>")
    matcher.advance(11)
    assert matcher.allowed() == [0]


# -- batches -----------------------------------------------------------------------------------------------------------


def test_a_batch_fills_one_row_each(compiled: CompiledGrammar) -> None:
    matchers = [compiled.matcher() for _ in range(4)]
    matchers[1].advance(0)
    matchers[2].advance(2)
    masks = np.full((4, 2), 77, dtype=np.int32)
    fill_masks(matchers, masks)
    assert [bits(row) for row in masks] == [matcher.allowed() for matcher in matchers]


def test_a_batch_may_choose_its_rows(compiled: CompiledGrammar) -> None:
    matchers = [compiled.matcher(), compiled.matcher()]
    matchers[0].advance(0)
    masks = np.full((4, 2), 77, dtype=np.uint32)
    fill_masks(matchers, masks, [3, 0])
    assert bits(masks[3]) == [1, 5]
    assert bits(masks[0]) == START
    assert (masks[1:3] == 77).all()


def test_a_batch_of_none_and_a_batch_that_does_not_fit(compiled: CompiledGrammar) -> None:
    masks = np.zeros((1, 2), dtype=np.uint32)
    fill_masks([], masks)
    with pytest.raises((ValueError, IndexError)):
        fill_masks([compiled.matcher(), compiled.matcher()], masks)
    with pytest.raises((ValueError, IndexError)):
        fill_masks([compiled.matcher()], masks, [0, 0])
    with pytest.raises((ValueError, IndexError)):
        fill_masks([compiled.matcher()], masks, [1])


def test_matchers_of_one_grammar_in_many_threads(compiled: CompiledGrammar) -> None:
    results: list[list[list[int]]] = [[] for _ in range(4)]

    def walk(number: int) -> None:
        matcher = compiled.matcher()
        for token_id in (0, 1) * 50:
            results[number].append(matcher.allowed())
            matcher.advance(token_id)

    threads = [threading.Thread(target=walk, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [[START, [1, 5]] * 50] * 4


# -- what is refused before any matcher --------------------------------------------------------------------------------


def test_a_vocabulary_that_cannot_spell_the_grammar() -> None:
    builder = GrammarBuilder()
    with pytest.raises(VocabularyError) as caught:
        builder.build(builder.literal(b"z")).compile(vocabulary())
    assert caught.value.hint


def test_a_vocabulary_says_what_it_holds() -> None:
    it = vocabulary()
    assert (it.size, it.mask_words, it.eos, it.special) == (SIZE, 2, [*END], {"<|call|>": 11})
    assert (it.token(4), it.token(10), it.token(SIZE - 1)) == (b"ab", None, None)
    assert it.memory_bytes > 0


def test_a_grammar_knows_its_sentences_without_a_vocabulary() -> None:
    grammar = ab_then_c()
    assert [grammar.accepts(text) for text in (b"", b"abc", b"a", b"cab")] == [True, True, False, False]
    assert [grammar.accepts_prefix(text) for text in (b"", b"abc", b"a", b"cab")] == [True, True, True, False]
