"""Lark beyond accepted texts: special tokens, masks around lazy rules, deep and large grammars, limits, errors."""

from __future__ import annotations

from typing import Any, Literal

import pytest

from frisket import Grammar, Limits
from frisket._core import Vocabulary
from frisket.errors import EmptyGrammarError, GrammarSyntaxError, LimitExceededError, VocabularyError

#: Rounds of a repetition that are written out beside lazy rules.
MOST_ROUNDS = 16


def allowed(grammar: Grammar, tokens: list[bytes | None], special: dict[str, int], *taken: int) -> list[int]:
    vocabulary = Vocabulary(tokens, special=special, eos=[len(tokens) - 1])
    matcher = grammar.compile(vocabulary).matcher()
    for token in taken:
        matcher.advance(token)
    return matcher.allowed()


def test_special_tokens_stand_between_texts() -> None:
    grammar = Grammar.from_lark('start: <|call|> "f" | text\ntext: /[a-z]*/\n%ignore " "')
    tokens = [b"f", b"a", b" ", None, None]
    special = {"<|call|>": 3}
    assert allowed(grammar, tokens, special) == [0, 1, 3, 4]
    assert allowed(grammar, tokens, special, 3) == [0, 2]
    assert allowed(grammar, tokens, special, 3, 2, 0) == [2, 4]
    assert grammar.accepts("f ") and not grammar.accepts("<|call|>f")
    with pytest.raises(VocabularyError, match=r"no special token.*\n.*hint: (its special tokens are <|name the vocab)"):
        grammar.compile(Vocabulary(tokens, special={}, eos=[4]))


def test_a_special_token_ends_text_without_a_second_reading() -> None:
    grammar = Grammar.from_lark(
        'start: think answer\nthink[lazy]: TEXT </think>\nTEXT: /(.|\\n)*/\nanswer: "yes" | "no"'
    )
    tokens = [b"yes", b"x", None, None]
    assert allowed(grammar, tokens, {"</think>": 2}) == [0, 1, 2]
    assert allowed(grammar, tokens, {"</think>": 2}, 0, 1, 2) == [0]


def test_a_mark_that_straddles_tokens_ends_the_free_text() -> None:
    grammar = Grammar.from_lark('start: call* TEXT\ncall: mark /[0-9]/ "."\nmark[lazy]: TEXT "<n>"\nTEXT: /(.|\\n)*/')
    tokens = [b"<", b"n", b"n>", b">1", b"> ", b"1.", b"x", b"<n>x", b"<n>1.<", None]
    assert allowed(grammar, tokens, {}) == [0, 1, 2, 3, 4, 5, 6, 8, 9]
    assert allowed(grammar, tokens, {}, 0, 1) == [0, 1, 2, 3, 5, 6, 8, 9]
    assert allowed(grammar, tokens, {}, 0, 2) == [5]


def test_an_unproductive_start_is_an_empty_grammar() -> None:
    with pytest.raises(EmptyGrammarError, match="the rule list matches nothing") as caught:
        Grammar.from_lark('start: "[" list\nlist: "a" list')
    assert (caught.value.where, caught.value.excerpt) == ("2:1", '  list: "a" list\n  ^')
    with pytest.raises(EmptyGrammarError, match="the rule BOTH matches nothing") as caught:
        Grammar.from_lark('start: "[" BOTH\nBOTH: "a" & "b"')
    assert caught.value.where == "2:1"


def test_groups_and_negations_nest_however_deep() -> None:
    deep = 3_000
    assert Grammar.from_lark(f'start: {"(" * deep}"x"{")" * deep}').accepts("x")
    assert Grammar.from_lark(f"start: A\nA: {'~' * deep}/x/").accepts("x")
    with pytest.raises(GrammarSyntaxError, match="grammars nest too deep"):
        Grammar.from_lark("start: " + "%lark { start: " * 30 + '"a"' + "}" * 30)


def test_many_definitions() -> None:
    lines = [f'r{number}: "{number}" [r{number + 1}]' for number in range(3_000)]
    grammar = Grammar.from_lark("\n".join(["start: r0", *lines, 'r3000: "end"']))
    assert grammar.accepts("01234") and not grammar.accepts("02")
    chain = [f"T{number}: T{number + 1}" for number in range(1_000)]
    assert Grammar.from_lark("\n".join(["start: T0", *chain, 'T1000: "x"'])).accepts("x")


def test_limits_bound_the_build() -> None:
    with pytest.raises(LimitExceededError):
        Grammar.from_lark('start: "a"', limits=Limits(steps=3))


def test_json_that_nests_too_deep_is_beyond_a_limit() -> None:
    deep = "[" * 500 + "]" * 500
    for text in (f'%llguidance {{"a": {deep}}}\nstart: "a"', f"start: %json {'[' * 50_000}{']' * 50_000}"):
        with pytest.raises(LimitExceededError, match="this JSON nests too deep") as caught:
            Grammar.from_lark(text)
        assert caught.value.where is not None and caught.value.hint == "use fewer levels"
    with pytest.raises(LimitExceededError, match="groups nested more than"):
        Grammar.from_lark(f"start: /{'(' * 2_000}a{')' * 2_000}/")


def test_the_schema_within_is_named_by_its_place() -> None:
    with pytest.raises(GrammarSyntaxError, match="at /properties/n/type of the schema") as caught:
        Grammar.from_lark('start: "x"\n  | %json {"properties": {"n": {"type": "int"}}}')
    assert caught.value.where == "2:5"


@pytest.mark.parametrize("dialect", ["llguidance", "lark", "xgrammar"])
def test_equal_grammars(dialect: str) -> None:
    text = 'start: "a"'
    one, two = (Grammar.from_lark(text, dialect=dialect) for _ in range(2))  # type: ignore[arg-type]
    assert one == two and hash(one) == hash(two)
    assert (one == Grammar.from_lark(text)) is (dialect == "llguidance")


def test_options_that_do_not_exist() -> None:
    with pytest.raises(ValueError, match="llguidance, lark or xgrammar"):
        Grammar.from_lark('start: "a"', dialect="other")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="a grammar is a str"):
        Grammar.from_lark(b'start: "a"')  # type: ignore[arg-type]


def test_rules_without_parameters_may_be_many() -> None:
    rules = "\n".join(["start: r0", *(f'r{n}: "a" r{n + 1}' for n in range(20_000)), 'r20000: "b"'])
    assert Grammar.from_lark(rules, limits=Limits(steps=2**40)).accepts_prefix("aaa")


@pytest.mark.parametrize("counts", ["{{0,{0}}}", "{{{0}}}", "{{{0},}}", "~{0}", "~1..{0}"])
def test_how_many_rounds_lazy_rules_may_meet(counts: str) -> None:
    def read(rounds: int) -> Grammar:
        return Grammar.from_lark(f'start: (m | T){counts.format(rounds)} "."\nm[lazy]: /[^<]*<a>/\nT: /[a-z]+/')

    assert read(MOST_ROUNDS).accepts("<a>" * MOST_ROUNDS + ".")
    with pytest.raises(GrammarSyntaxError, match="repetition with large counts"):
        read(MOST_ROUNDS + 1)


@pytest.mark.parametrize("dialect", ["llguidance", "lark"])
@pytest.mark.parametrize("sign", ["#", "//"])
def test_a_bar_in_a_comment_begins_no_alternative(dialect: Literal["llguidance", "lark"], sign: str) -> None:
    grammar = Grammar.from_lark(f'start: "a"\n{sign} one | "b"\n  | "c" {sign} | "d"\n', dialect=dialect)
    assert [text for text in "abcd" if grammar.accepts(text)] == ["a", "c"]


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("start: NUMBER", "%import common.NUMBER"),
        ("start: WORDY", "WORDY: /[a-z]+/"),
        ("start: WORDY\nWORDS: /[a-z]/", "is it WORDS?"),
        ("start: Q\nWORDS: /[a-z]/", "known are WORDS"),
        ("start: q\nother: /[a-z]/", "known are start, other"),
    ],
)
def test_what_helps_where_a_name_is_unknown(text: str, hint: str) -> None:
    with pytest.raises(GrammarSyntaxError) as caught:
        Grammar.from_lark(text)
    assert caught.value.hint is not None and hint in caught.value.hint


def test_a_terminal_that_is_declared_is_told_where_it_is() -> None:
    with pytest.raises(GrammarSyntaxError, match="INDENT is declared and has no texts") as caught:
        Grammar.from_lark('start: "a" _INDENT "b"\n%declare _DEDENT _INDENT')
    assert caught.value.where == "2:18"
    assert Grammar.from_lark('start: "a"\n%declare _INDENT').accepts("a")


@pytest.mark.parametrize("dialect", ["llguidance", "lark", "xgrammar"])
def test_the_insides_of_strings_end_as_in_lark(dialect: Any) -> None:
    lark = pytest.importorskip("lark", reason="lark is not installed")
    escaped = 'start: S\n%import common._STRING_ESC_INNER\nS: "\'" _STRING_ESC_INNER "\'"'
    plain = 'start: S\n%import common._STRING_INNER\nS: "<" _STRING_INNER ">"'
    for text, texts in ((escaped, ["'a'", "''", r"'a\'b'", r"'a\'", "'a'b'", "'a\n'"]), (plain, ["<a>", "<a>b>"])):
        reader = lark.Lark(text, parser="earley", lexer="dynamic_complete")
        grammar = Grammar.from_lark(text, dialect=dialect)
        for each in texts:
            try:
                reader.parse(each)
                is_read = True
            except lark.exceptions.LarkError:
                is_read = False
            assert grammar.accepts(each) == is_read, each


@pytest.mark.parametrize(
    ("dialect", "same", "others"),
    [("llguidance", "iI", "İı"), ("xgrammar", "iI", "İı"), ("lark", "iIİı", "")],
)
def test_cases_fold_as_in_the_engine_whose_dialect_it_is(
    dialect: Literal["llguidance", "xgrammar", "lark"], same: str, others: str
) -> None:
    # Rust's crate `regex` folds by Unicode's simple case folding; Python's `re` takes all four letters for one.
    for body in ("/i/i", '"i"i', "/[^i]/i"):
        grammar = Grammar.from_lark(f"start: {body}", dialect=dialect)
        found = "".join(letter for letter in same + others if grammar.accepts(letter))
        assert found == (others if "^" in body else same), body


COMMENTS = ["/**/", "/* a */", "/* * / **/", "/***/"]
NO_COMMENTS = ["/*/", "/* a", "/* a */ b */", "a"]


@pytest.mark.parametrize(
    ("pattern", "dialect"),
    [
        (r"/\/\*(\*(?!\/)|[^*])*\*\//", "llguidance"),
        (r"/\/\*(\*(?!\/)|[^*])*\*\//", "lark"),
        (r"/\/\*((?!\*\/)(.|\n))*\*\//", "llguidance"),
        (r"/\/\*(.|\n)*?\*\//", "lark"),
        (r"/\/\*(?:[^*]|\*)*?\*\//", "lark"),
    ],
)
def test_comments_end_at_their_first_mark(pattern: str, dialect: Literal["llguidance", "lark"]) -> None:
    grammar = Grammar.from_lark(f"start: {pattern}", dialect=dialect)
    assert [text for text in COMMENTS + NO_COMMENTS if grammar.accepts(text)] == COMMENTS


@pytest.mark.parametrize("pattern", ["/a*?b+/", "/(a|bc)*?d/", "/(?:a*?b)*/", "/a{1,2}b??/", "/a.*?|a/"])
def test_a_lazy_loop_beside_other_lengths_is_refused(pattern: str) -> None:
    with pytest.raises(GrammarSyntaxError, match=r"the lazy quantifier \S+ ends a terminal"):
        Grammar.from_lark(f"start: {pattern}", dialect="lark")
