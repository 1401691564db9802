"""Templates: which texts, what object, and what is no template."""

from __future__ import annotations

import enum
import pickle
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import pytest

from frisket import Grammar
from frisket.errors import GrammarSyntaxError
from frisket.parts import regex, repeat, seq, template


class Level(enum.Enum):
    LOW = "low"
    HIGH = "high"


@dataclass
class Person:
    name: str
    age: int


@pytest.mark.parametrize(
    ("grammar", "accepted", "rejected"),
    [
        (template("a{{b}}"), ["a{b}"], ["a{{b}}"]),
        (template("{x}", x=str), ["", "a b"], ["a\n", "a\rb"]),
        (template("{x}.", x=str), [".", "a."], ["a..", "a"]),
        (template("{x}aa!", x=str), ["aa!", "baa!", "aaa!"], ["aa!a!", "aa!aa!"]),
        (template("{x}--\nend", x=str), ["a-b--\nend"], ["a--b--\nend"]),
        (template("{x}\n{y}", x=str, y=str), ["a\nb", "\n"], ["a\nb\nc"]),
        (template("{x}|{y}", x=str, y=int), ["a|1"], ["a|b|1", "a|"]),
        (template("{x}{y}", x=int, y=bool), ["1true"], ["true"]),
        (template("{x} {y}", x=Literal["a", "b c"], y=Level), ["a low", "b c high"], ["c low", '"a" low']),
        (template("{x}", x=list[int]), ["[1, 2]"], ["[a]"]),
        (template("{x}{x_2}", x=regex("[a-z]"), x_2=regex("[0-9]")), ["a1"], ["1a"]),
    ],
)
def test_texts(grammar: Grammar, accepted: list[str], rejected: list[str]) -> None:
    assert [text for text in accepted if not grammar.accepts(text)] == []
    assert [text for text in rejected if grammar.accepts(text)] == []


def test_a_filled_template_is_an_object() -> None:
    grammar = template("{name} ({age}): {level}, {tags}", name=str, age=int, level=Level, tags=list[str])
    filled = grammar.value('Ada (x) (36): high, ["a"]'.replace("(x) ", ""))
    assert (filled.name, filled.age, filled.level, filled.tags) == ("Ada", 36, Level.HIGH, ["a"])
    assert filled == grammar.value('Ada (36): high, ["a"]')
    assert repr(template("{x}", x=str).value("a")) == "Filled(x='a')"


def test_a_template_is_filled_into_a_class() -> None:
    grammar = template("{name} is {age}", Person)
    assert grammar.value("Ada is 36") == Person("Ada", 36)
    assert template("{name} is {age}", Person, age=Literal["old"]).value("Ada is old") == Person("Ada", "old")  # type: ignore[arg-type]


def test_a_grammar_reads_its_own_hole() -> None:
    inner = template("{a}-{b}", a=int, b=int)
    assert template("<{pair}>", pair=inner).value("<1-2>").pair == inner.value("1-2")


def test_a_hole_is_any_target() -> None:
    form = template("{a};{b};{c}", a=["yes", "no"], b={"type": "integer"}, c=re.compile("[a-z]+"))
    found = form.value("no;-3;xyz")
    assert (found.a, found.b, found.c) == ("no", -3, "xyz")
    assert not form.accepts("maybe;-3;xyz") and not form.accepts("no;x;xyz") and not form.accepts("no;-3;4")
    copy = pickle.loads(pickle.dumps(form))
    assert copy.value("no;-3;xyz") == found


def test_a_template_is_a_value_and_a_part() -> None:
    grammar = template("{name} is {age}, {level}", name=str, age=int, level=Level)
    copy = pickle.loads(pickle.dumps(grammar))
    assert copy == grammar
    assert copy.value("Ada is 36, low") == grammar.value("Ada is 36, low")
    assert copy != template("{name} is {age}, {level}", name=str, age=float, level=Level)
    assert repr(grammar) == "<Grammar template('{name} is {age}, {level}')>"
    rows = repeat(seq(grammar, ";"))
    assert [span.text for span in rows.captures("a is 1, low;b is 2, high;")["name"]] == ["a", "b"]


@pytest.mark.parametrize(
    ("make", "error", "where", "said"),
    [
        (lambda: template("{x}"), GrammarSyntaxError, "x", "nothing is said of the hole 'x'"),
        (lambda: template("a", x=str), GrammarSyntaxError, "x", "the template has no hole 'x'"),
        (lambda: template("{x}{x}", x=int), GrammarSyntaxError, "x", "stands twice"),
        (lambda: template("{x}{y}", x=str, y=int), GrammarSyntaxError, "x", "the hole 'x' has no end"),
        (lambda: template("{}"), GrammarSyntaxError, "{}", "is no hole"),
        (lambda: template("{0}"), GrammarSyntaxError, "0", "is no hole"),
        (lambda: template("{x:>3}", x=int), GrammarSyntaxError, "x", "is no hole"),
        (lambda: template("{x!r}", x=int), GrammarSyntaxError, "x", "is no hole"),
        (lambda: template("{x", x=int), GrammarSyntaxError, None, "cannot be read"),
        (lambda: template("{x}", x="a"), TypeError, None, "give a type or a grammar"),
        (lambda: template("{x}", 3, x=int), TypeError, None, "filled into a class"),  # type: ignore[arg-type]
        (lambda: template(3), TypeError, None, "a template is a str"),  # type: ignore[arg-type]
    ],
)
def test_errors(make: Callable[[], Any], error: type[Exception], where: str | None, said: str) -> None:
    with pytest.raises(error) as caught:
        make()
    assert said in str(caught.value)
    assert getattr(caught.value, "where", None) == where


def test_half_a_surrogate_pair_has_a_place() -> None:
    with pytest.raises(GrammarSyntaxError, match="lone surrogate") as caught:
        template("a {name} b\ud800", name=int)
    assert caught.value.where == "the text at the end, offset 2"
