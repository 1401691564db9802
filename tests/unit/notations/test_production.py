"""What GBNF, ABNF and EBNF share: errors that show the place, deep and large grammars, special tokens, limits."""

from __future__ import annotations

import re

import pytest

from frisket import Grammar, Limits
from frisket._core import GrammarBuilder, Vocabulary
from frisket.errors import EmptyGrammarError, GrammarSyntaxError, LimitExceededError, VocabularyError
from frisket.notations.rules import lower_rules


def shown(text: str) -> str:
    with pytest.raises(GrammarSyntaxError) as caught:
        Grammar.from_gbnf(text)
    return str(caught.value)


def test_an_error_shows_the_line_and_a_caret() -> None:
    assert shown('root ::= one\none ::= "a" tow\ntwo ::= "b"\n') == (
        "there is no rule tow (at 2:13)\n"  #
        '  one ::= "a" tow\n'
        "              ^\n"
        "hint: is it two?"
    )


def test_a_missing_root_says_what_to_pass() -> None:
    assert 'hint: call a rule root, or pass root="begin"' in shown('begin ::= "a"')
    assert 'or pass root="roof"; the rules are a, roof' in shown('a ::= "a"\nroof ::= a')
    with pytest.raises(GrammarSyntaxError) as caught:
        Grammar.from_lark('LETTER: "a"\nroot: LETTER')
    assert caught.value.hint == 'call a rule start, or pass start="root"; the rules are LETTER, root'


def test_the_caret_stands_below_wide_characters_tabs_and_ends_of_lines() -> None:
    assert '\n  \troot ::= "日本" x\n  \t                ^\n' in shown('\troot ::= "日本" x')
    assert shown('root ::= "a"\r\n\r\nb ::= é').splitlines()[:3] == [
        "unexpected 'é' (at 3:7)",
        "  b ::= é",
        "        ^",
    ]


def test_long_lines_are_cut_around_the_place() -> None:
    line = shown(f'root ::= "{"a" * 500}" x "{"b" * 500}"').splitlines()[1]
    assert len(line) < 130 and "x" in line and line.startswith("  …") and line.endswith("…")


def test_an_unproductive_root_is_an_empty_grammar() -> None:
    with pytest.raises(EmptyGrammarError, match="the rule list matches nothing") as caught:
        Grammar.from_gbnf('root ::= "[" list "]"\nlist ::= item "," list\nitem ::= "a"')
    assert (caught.value.where, caught.value.excerpt) == ("2:1", '  list ::= item "," list\n  ^')


def test_rules_that_nothing_calls_may_be_unproductive_but_not_undefined() -> None:
    assert Grammar.from_gbnf('root ::= "a"\nloop ::= loop').accepts("a")
    assert "there is no rule b" in shown('root ::= "a"\nunused ::= b')


@pytest.mark.parametrize("read", [Grammar.from_gbnf, Grammar.from_abnf, Grammar.from_ebnf])
def test_the_grammar_must_be_a_text(read: type) -> None:
    with pytest.raises(TypeError, match="a grammar is a str, got bytes"):
        read(b'root ::= "a"')
    with pytest.raises(GrammarSyntaxError, match="lone surrogate"):
        read('root ::= "\ud800"')
    with pytest.raises(GrammarSyntaxError, match="the grammar has no rules"):
        read(" ")


def test_options_that_do_not_exist() -> None:
    with pytest.raises(ValueError, match="w3c, iso or xgrammar"):
        Grammar.from_ebnf("a ::= 'a'", dialect="other")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="characters or bytes"):
        Grammar.from_abnf('a = "a"', values="other")  # type: ignore[arg-type]


@pytest.mark.parametrize(("left", "right"), ["()", "[]", "{}"])
def test_groups_nest_however_deep(left: str, right: str) -> None:
    deep = 5_000
    iso = Grammar.from_ebnf(f"a = {left * deep}'x'{right * deep};", dialect="iso")
    assert iso.accepts("x") and not iso.accepts("y")
    if left == "(":
        assert Grammar.from_gbnf(f'root ::= {left * deep}"x"{right * deep}').accepts("x")
        assert Grammar.from_ebnf(f'root ::= {left * deep}"x"{right * deep}').accepts("x")
        assert Grammar.from_abnf(f'root = {left * deep}"x"{right * deep}').accepts("x")


def test_a_chain_of_many_rules() -> None:
    many = 5_000
    rules = [f'r{n} ::= "{n};" r{n + 1}? | "end"' for n in range(many)]
    grammar = Grammar.from_gbnf("\n".join(["root ::= r0", *rules, f'r{many} ::= "z"']))
    assert grammar.accepts("0;1;2;end") and not grammar.accepts("0;2;")


def test_limits_bound_the_reading() -> None:
    with pytest.raises(LimitExceededError):
        Grammar.from_gbnf('root ::= "a"' + " " * 1000, limits=Limits(steps=500))


def test_a_special_token_is_no_text() -> None:
    grammar = Grammar.from_gbnf("root ::= <|call|> [a-z]+ <|end|>?")
    assert not grammar.accepts("<|call|>a") and not grammar.accepts("a")
    tokens = [b"a", b"<|call|>", None, None, None]
    vocabulary = Vocabulary(tokens, special={"<|call|>": 2, "<|end|>": 3}, eos=[4])
    matcher = grammar.compile(vocabulary).matcher()
    allowed = [matcher.allowed()]
    for token in (2, 0, 3):
        matcher.advance(token)
        allowed.append(matcher.allowed())
    assert allowed == [[2], [0], [0, 3, 4], [4]]


def test_a_special_token_that_the_vocabulary_lacks() -> None:
    with pytest.raises(VocabularyError, match=r"<\|call\|>"):
        Grammar.from_gbnf("root ::= <|call|>").compile(Vocabulary([b"a"]))


def test_small_regular_rules_become_one_node() -> None:
    """A rule that calls no rule in a cycle is part of the automaton of its caller, so that tokens pass its end at no
    cost; a large one is a rule of its own."""
    dumped = Grammar.from_gbnf('root ::= "[" root "]" | digits\ndigits ::= digit+\ndigit ::= [0-9]').dump()
    assert "digit" not in dumped and "[0-9]+" in dumped
    words = " | ".join(f'"word{n}"' for n in range(100))
    assert "# words" in Grammar.from_gbnf(f'root ::= words " " words " " root | "."\nwords ::= {words} ').dump()


def test_a_node_can_be_had_of_a_builder_that_goes_on() -> None:
    builder = GrammarBuilder()
    node = lower_rules(builder, "from_gbnf", 'start ::= "a" | "b"', root="start")
    grammar = builder.build(builder.seq([node, builder.literal(b"c"), node]))
    assert grammar.accepts(b"acb") and not grammar.accepts(b"ac")


@pytest.mark.parametrize(
    ("rules", "hint"),
    [
        ("root ::= <[7,8]>", "named by its text or number"),
        ("root ::= !<think>*", r"\.\* is any text, up to"),
    ],
)
def test_tokens_that_need_a_vocabulary_are_refused_with_another_way(rules: str, hint: str) -> None:
    with pytest.raises(GrammarSyntaxError) as error:
        Grammar.from_gbnf(rules)
    assert error.value.hint is not None and re.search(hint, error.value.hint)


def test_text_goes_up_to_a_special_token() -> None:
    """What `!</think>* </think>` means to llama.cpp: the spelling of the marker is text like any."""
    vocabulary = Vocabulary([b"<", b"/think>", b"a", None, None], special={"</think>": 3}, eos=[4])
    matcher = Grammar.from_gbnf("root ::= .* </think>").compile(vocabulary).matcher()
    for token in (0, 1, 2):
        assert matcher.allowed() == [0, 1, 2, 3]
        matcher.advance(token)
    matcher.advance(3)
    assert matcher.allowed() == [4]


BY_NUMBER = {
    "gbnf": Grammar.from_gbnf('root ::= "a" <[257]> "b"'),
    "lark": Grammar.from_lark('start: "a" <[257]> "b"'),
    "structural tag": Grammar.from_structural_tag(
        {
            "type": "structural_tag",
            "format": {"type": "tag", "begin": "a", "content": {"type": "token", "token": 257}, "end": "b"},
        }
    ),
}


@pytest.mark.parametrize("grammar", BY_NUMBER.values(), ids=BY_NUMBER)
def test_a_special_token_by_its_number(grammar: Grammar) -> None:
    texts: list[bytes | None] = [bytes([value]) for value in range(256)]
    for named in ({}, {"<x>": 257}):
        matcher = grammar.compile(Vocabulary([*texts, None, None], eos=[256], special=named)).matcher()
        for token in (97, 257, 98):
            assert [other for other in range(258) if matcher.fork().try_advance(other)] == [token]
            assert bin(int.from_bytes(matcher.mask_bytes(), "little")) == bin(1 << token)
            matcher.advance(token)
    for others in ([None], [None, b"text"]):
        with pytest.raises(VocabularyError, match=r"no special token \"<\[257\]>\""):
            grammar.compile(Vocabulary([*texts, *others], eos=[256]))


@pytest.mark.parametrize("comment", ["(**)", "(***)", "(* *)", "(*(**)*)", "(* (* *) * ) *)", "(**)(**)"])
def test_comments_of_iso_nest_and_may_be_empty(comment: str) -> None:
    # ISO/IEC 14977, 4.18 and 7.8: a comment is between (* and *), which may hold others.
    grammar = Grammar.from_ebnf(f'{comment}a = {comment}"x"{comment}, "y"{comment};{comment}', dialect="iso")
    assert grammar.accepts("xy") and not grammar.accepts("x")
    with pytest.raises(GrammarSyntaxError, match="the comment is not closed"):
        Grammar.from_ebnf(f'a = "x"; {comment}'[:-2], dialect="iso")


@pytest.mark.parametrize(
    ("inner", "nullable"),
    [
        ('"x"', False), ('""', True), ('["x"]', True), ('{"x"}', True), ('2 * "x"', False),
        ('2 * [ "x" ]', True), ("c", True), ("d", False), ('c, "x"', False), ("c, c", True), ('"x" | c', True),
        ('"x" - "y"', False), ("'' | d", True), ("(c)", True),
    ],
)  # fmt: skip
def test_an_exception_of_the_empty_text_is_exact_of_rules_that_call_themselves(inner: str, nullable: bool) -> None:
    # ISO/IEC 14977, 5.7: {b}- is one or more b, without the empty text if b may be empty.
    text = f'a = {{b}}-; b = {inner} | "(", b, ")"; c = ["y"]; d = "z" | d, "z";'
    if nullable:
        with pytest.raises(GrammarSyntaxError, match="an exception is exact only between regular parts"):
            Grammar.from_ebnf(text, dialect="iso")
    else:
        assert not Grammar.from_ebnf(text, dialect="iso").accepts("")


def test_names_of_any_length_stay_apart_from_what_stands_beside_them() -> None:
    written = Grammar.from_gbnf(
        'root ::= "let " name " = " (name | number | "(" root ")")?\nname ::= [a-z] [a-z0-9_]*\nnumber ::= [0-9]+'
    ).dump()
    assert "# name" in written and "# number" not in written
    assert "# name" not in Grammar.from_gbnf('root ::= "let " name " = " name\nname ::= [a-z] [a-z0-9_]*').dump()
    loop = Grammar.from_gbnf('root ::= "(" root ")" | (name | ",")*\nname ::= [a-z] [a-z0-9_]*')
    assert "# name" not in loop.dump() and loop.accepts("(a,b1,,c_)")
    # Both sides of an exception are one regular node each all the same.
    names = Grammar.from_lark('start: NAME\nNAME: /[a-z]+/ & ~KEYWORD\nKEYWORD: "if" | "else"')
    assert [names.accepts(text) for text in ("i", "if", "ifs", "else")] == [True, False, True, False]
    assert names.accepts_prefix("els") and not names.accepts_prefix("els3")


def test_a_rule_may_have_a_text_thanks_to_the_rule_that_calls_it() -> None:
    circle = Grammar.from_gbnf('root ::= a\na ::= b "x" | "q"\nb ::= a')
    assert [circle.accepts(text) for text in ("q", "qxx", "x")] == [True, True, False]
    with pytest.raises(EmptyGrammarError, match="the rule a matches nothing"):
        Grammar.from_gbnf('root ::= a\na ::= b "x"\nb ::= a')


def test_a_definition_in_a_comment_is_none() -> None:
    rules = 'root ::= "a" x # b ::= "c"\nx ::= "y"\n'
    for grammar in (Grammar.from_gbnf(rules), Grammar.from_ebnf(rules, dialect="xgrammar")):
        assert [text for text in ("a", "ay", "ac") if grammar.accepts(text)] == ["ay"]


def test_a_range_of_abnf_may_reach_into_the_surrogates_but_not_lie_in_them() -> None:
    for range_ in ("%xD7FF-D800", "%xDFFF-E000", "%xD800-E000"):
        assert Grammar.from_abnf(f"a = {range_}", values="characters").accepts("\ue000") == range_.endswith("E000")
    with pytest.raises(GrammarSyntaxError, match="surrogate"):
        Grammar.from_abnf("a = %xD800-DFFF", values="characters")
