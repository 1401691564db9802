"""The rules in which the end of a text stands."""

import pytest

from frisket import Grammar, Vocabulary
from tests.spec.cases import Case, cases

BYTES = Vocabulary.from_bytes([bytes([value]) for value in range(256)] + [None], eos=[256])

GREETING = """root ::= greeting " " name
greeting ::= "hello" | "bye"
name ::= [a-zé]+ "!"?"""
SUMS = """root ::= sum
sum ::= sum "+" term | term
term ::= [0-9]+ | "(" sum ")\""""


@pytest.mark.parametrize(
    ("gbnf", "text", "rules"),
    [
        (GREETING, "", "root greeting"),
        (GREETING, "hel", "root greeting"),
        (GREETING, "hello", "root"),
        (GREETING, "hello ", "root name"),
        (GREETING, "hello a\xe9".encode()[:-1], "root name"),
        (GREETING, "hello a!", "root"),
        (GREETING, "hi", ""),
        (GREETING, b"hello \xff", ""),
        (GREETING, b"hello \x80\x80", ""),
        (GREETING, b"hello \xc2", ""),
        (SUMS, "1", "root sum term"),
        (SUMS, "1+", "root sum term"),
        (SUMS, "1+(2", "root sum term sum term"),
        (SUMS, "1+(2)", "root sum"),
        ('root ::= "a" root | "b"', "aaa", "root"),
        ('root ::= "a"* b\nb ::= c{2,3} "x"\nc ::= "" | "y"', "", "root b c"),
        ('root ::= "a"* b\nb ::= c{2,3} "x"\nc ::= "" | "y"', "y", "root b"),
        ('root ::= "a"* b\nb ::= c{2,3} "x"\nc ::= "" | "y"', "yyy", "root b"),
        ('root ::= "a"* b\nb ::= c{2,3} "x"\nc ::= "" | "y"', "yyyy", ""),
        ('root ::= "a" b?\nb ::= "bc"', "a", "root b"),
        ('root ::= <think> inner\ninner ::= "ab"', "a", "root inner"),
    ],
)
def test_rules_are_named_from_the_root_on(gbnf: str, text: str | bytes, rules: str) -> None:
    assert Grammar.from_gbnf(gbnf).open_rules(text) == tuple(rules.split())


def test_rules_of_every_notation() -> None:
    assert Grammar.from_ebnf("doc ::= item+\nitem ::= 'a' 'b'").open_rules("aba") == ("doc", "item")
    assert Grammar.from_abnf('doc = 1*item\nitem = "a" DIGIT').open_rules("a") == ("doc", "item", "DIGIT")
    lark = Grammar.from_lark('start: pair+\npair: WORD "=" WORD\nWORD: /[a-z]+/\n%ignore " "')
    assert lark.open_rules("ab = c") == ("start", "pair", "WORD")
    for other in (Grammar.from_regex("ab"), Grammar.from_choices(["ab"]), Grammar.from_json_schema({"const": "ab"})):
        assert other.open_rules("a") == ()


@pytest.mark.parametrize(
    "case", [case for case in cases() if case.rules and not case.refused], ids=lambda case: case.name
)
def test_what_begins_a_text_stands_in_a_rule_and_nothing_else_does(case: Case) -> None:
    assert case.rules is not None
    notation, text = case.rules
    grammar = getattr(Grammar, f"from_{notation}")(text, **case.options)
    if "special" in grammar.dump():
        pytest.skip("of a special token, which has no text, it is not known whether it came")
    for given in (*case.accepts[:3], *case.rejects[:3]):
        data = given.encode()[:60]
        for end in range(len(data) + 1):
            assert bool(grammar.open_rules(data[:end])) == grammar.accepts_prefix(data[:end]), data[:end]


def test_a_matcher_says_in_which_rule_it_stands() -> None:
    matcher = Grammar.from_gbnf(GREETING).compile(BYTES).matcher()
    assert matcher.path == "root/greeting"
    matcher.advance_bytes(b"hello ")
    assert matcher.path == "root/name"
    explanation = matcher.explain("a?")
    assert (explanation.path, explanation.taken) == ("root/name", 1)
    assert "in root/name\n" in str(explanation)
    assert matcher.explain("a").path == ""
