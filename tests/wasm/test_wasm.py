"""The package for JavaScript → the masks of the Python package, its errors, and no call that breaks the instance."""

from __future__ import annotations

import functools
import hashlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from frisket import Grammar
from frisket.errors import FrisketError
from tests.data import ROOT
from tests.docs.document import blocks
from tests.runtimes.walks import NOTATIONS, OTHERS, Walk, schema_walks, vocabulary
from tests.wasm.host import Host, served, tab

#: One schema of so many is walked.
EVERY = 60
#: Tokens of a document that are walked.
MOST_TOKENS = 40


@functools.cache
def cases() -> list[tuple[str, str, list[int]]]:
    """The notation of a grammar, its text, and tokens that may come one after the other."""
    schemas = {walk.grammar: walk for walk in schema_walks(EVERY)}
    return [
        (walk.notation, walk.grammar, walk.allowed(MOST_TOKENS))
        for walk in (*(Walk("own", *other) for other in OTHERS), *schemas.values())
    ]


def hashes(notation: str, source: str, tokens: list[int]) -> Iterator[str]:
    """The hashes of the masks before each token, and behind the last."""
    matcher = NOTATIONS[notation](source).compile(vocabulary()).matcher()
    yield hashlib.sha256(matcher.mask().tobytes()).hexdigest()
    for token in tokens:
        matcher.advance(token)
        yield hashlib.sha256(matcher.mask().tobytes()).hexdigest()


@pytest.mark.data
def test_masks_are_those_of_the_python_package(host: Host, address: str) -> None:
    asked = {"tokenizer": f"{address}/tokenizers/llama3/tokenizer.json", "cases": cases()}
    told = host.ask("masks", asked)
    assert told["size"] == vocabulary().size
    compared = 0
    for (notation, source, tokens), answer in zip(cases(), told["answers"], strict=True):
        try:
            expected = list(hashes(notation, source, tokens))
        except FrisketError as error:
            assert answer["error"]["name"] == type(error).__name__, source
            continue
        assert answer.get("hashes") == expected, (source, answer.get("error"))
        compared += len(expected)
    assert compared > 700


READERS = {**NOTATIONS, "structural_tag": Grammar.from_structural_tag}
ERRORS = [
    ("schema", '{"minimum": "3"}', "InvalidSchemaError", "schema-invalid", "/minimum"),
    ("schema", '{"type": ', "InvalidSchemaError", "schema-invalid", "1:10"),
    ("schema", '{"type": "string", "enum": [1]}', "UnsatisfiableSchemaError", "schema-unsatisfiable", ""),
    ("schema", '{"$ref": "https://example.org/other"}', "UnsupportedSchemaError", "schema-unsupported", "/$ref"),
    ("structural_tag", '{"triggers": [""]}', "GrammarSyntaxError", "grammar-syntax", "/structures"),
    ("regex", "a(b", "GrammarSyntaxError", "grammar-syntax", "offset 1"),
    ("gbnf", "root ::= [a-z", "GrammarSyntaxError", "grammar-syntax", "1:10"),
    ("gbnf", 'root ::= "a" root', "EmptyGrammarError", "grammar-empty", "1:1"),
    ("ebnf", "a ::= other", "GrammarSyntaxError", "grammar-syntax", "1:7"),
    ("abnf", 'a = "b', "GrammarSyntaxError", "grammar-syntax", "1:5"),
    ("lark", 'start: "a" other', "GrammarSyntaxError", "grammar-syntax", "1:12"),
]  # fmt: skip


def test_errors_say_what_where_and_what_to_do(host: Host) -> None:
    told = host.ask("errors", [[notation, text] for notation, text, *_ in ERRORS])
    assert [(error["name"], error["code"], error["place"]) for error in told] == [case[2:] for case in ERRORS]
    for (notation, text, *_), error in zip(ERRORS, told, strict=True):
        with pytest.raises(FrisketError) as raised:
            READERS[notation](text)
        assert error["name"] == type(raised.value).__name__
        assert error["message"] and error["message"] in error["text"]
        assert error["hint"] is None or error["hint"] in error["text"]
    assert sum(error["hint"] is not None for error in told) > 4


def test_a_refused_schema_lists_its_places(host: Host) -> None:
    (told,) = host.ask("errors", [["schema", '{"properties": {"a": {"pattern": "(a*)\\\\1"}}}']])
    assert told["name"] == "UnsupportedSchemaError" and told["places"][0][0] == "/properties/a/pattern"


def test_a_matcher_does_what_the_declarations_say(host: Host) -> None:
    program: list[list[Any]] = [
        ["forcedBytes"], ["advanceBytes", "yes"], ["steps"], ["validate", [33, 33]], ["canEnd"], ["canFinish", 1],
        ["canFinish", 0], ["leastTokens"], ["advance", 48], ["advance", 33], ["canEnd"], ["ended"], ["advance", 256],
        ["ended"], ["rollback", 1], ["ended"], ["rollback", 9], ["reset"], ["steps"], ["fillMaskWithin", 3],
        ["fillMaskWithin", 4],
    ]  # fmt: skip
    answers = host.ask("calls", {"notation": "regex", "text": "(yes|yesterday)[.!]", "program": program})
    y = [0, 0, 0, 1 << 25, 0, 0, 0, 0, 0]
    assert answers == [
        [121, 101, 115], None, 1, 1, False, True, False, 1, "TokenRejectedError", None,
        True, False, None, True, None, False, "MisuseError", None, 0, "BudgetError", y,
    ]  # fmt: skip


def test_the_declarations_name_all_that_there_is(host: Host) -> None:
    declared = (ROOT / "npm" / "frisket.d.ts").read_text(encoding="utf-8")
    found = host.ask("names")
    assert sorted(re.findall(r"^export (?:class|function) (\w+)", declared, re.MULTILINE)) == found["exported"]
    for name, members in found["members"].items():
        body = re.search(rf"^export class {name} .*?^}}", declared, re.MULTILINE | re.DOTALL)
        assert body is not None
        named = set(re.findall(r"^  (?:static |readonly )?(\w+)[(:]", body[0], re.MULTILINE))
        assert sorted(named) == members


def test_the_declarations_hold(host: Host, address: str) -> None:
    assert host.ask("faults", {"file": f"{address}/package/frisket.wasm"}) == []


@pytest.mark.parametrize(
    ("limits", "said"),
    [({"steps": 1_000}, "steps"), ({"memoryBytes": 10_000}, "memory"), ({"seconds": 1e-9}, "seconds")],
)
def test_limits_end_a_call(host: Host, limits: dict[str, float], said: str) -> None:
    hard = {"notation": "regex", "text": "(.*a){9}.{300}b|(.*b){9}.{400}", "limits": limits}
    told = host.ask("limited", hard)
    assert told["name"] == "LimitExceededError" and said in told["message"]


@pytest.mark.parametrize(
    ("notation", "text"),
    [
        ("schema", '{"items":' * 30_000 + "{}" + "}" * 30_000),
        ("schema", '{"allOf":[' * 9_000 + "{}" + "]}" * 9_000),
        ("schema", '{"not":' * 9_000 + "{}" + "}" * 9_000),
        ("schema", '{"items":' * 9_000 + "{}" + "}" * 9_000),
        ("schema", '{"properties":{"a":' * 9_000 + "{}" + "}}" * 9_000),
        ("schema", '{"anyOf":[{"type":"null"},' * 9_000 + "{}" + "]}" * 9_000),
        ("schema", '{"const":' + "[" * 9_000 + "]" * 9_000 + "}"),
        ("regex", "(" * 50_000 + "a" + ")" * 50_000),
        ("regex", "(a" * 5_000 + ")*" * 5_000),
        ("regex", "(?=" * 5_000 + "a" + ")" * 5_000),
        ("gbnf", "root ::= " + "(" * 50_000 + '"a"' + ")" * 50_000),
        ("gbnf", "root ::= r0\n" + "".join(f'r{n} ::= "a" r{n + 1} | "b"\n' for n in range(9_000)) + 'r9000 ::= "c"'),
        ("lark", "start: " + "(" * 50_000 + '"a"' + ")" * 50_000),
    ],
    ids=lambda value: value[:24],
)
def test_depth_does_not_break_the_instance(host: Host, notation: str, text: str) -> None:
    told = host.ask("limited", {"notation": notation, "text": text, "limits": {"seconds": 60}})
    assert told is None or told["name"] != "BugError", told
    assert host.ask("limited", {"notation": "regex", "text": "a", "limits": {}}) is None


def test_an_instance_that_broke_refuses_calls_and_another_takes_them(host: Host) -> None:
    assert host.ask("broken") == ["BugError", "BugError", "BugError", "ok", "ok", "ok"]


@pytest.mark.parametrize("seed", range(4))
def test_calls_in_any_order_leave_the_instance_whole(host: Host, seed: int) -> None:
    told = host.ask("misuse", {"seed": seed, "count": 5_000})
    assert told["digits"] == 0x03FF0000
    assert "BugError" not in told["counts"] and told["counts"]["none"] > 300 and told["counts"]["MisuseError"] > 1_000


def test_the_page_shows_what_its_program_makes(package: Path, browser: Any, tmp_path: Path) -> None:
    page = list(blocks(ROOT / "docs" / "how-to" / "in-the-browser.md"))
    names = {"json": "tokenizer.json", "html": "index.html", "js": "program.js"}
    for block in page:
        if block.language in names:
            (tmp_path / names[block.language]).write_text(block.text, encoding="utf-8")
    shown = next(block.text for block in page if block.language == "text").strip()
    with served({"/": tmp_path, "/frisket/": package}) as address, tab(browser) as opened:
        opened.goto(f"{address}/index.html")
        opened.wait_for_selector("#answer:not(:empty)", state="attached")
        assert opened.text_content("#answer") == shown


def test_the_live_page_shows_the_tokens_that_may_come(package: Path, browser: Any) -> None:
    tokenizer = ROOT / "src" / "frisket" / "models" / "weights" / "tokenizer.json"
    places = {"/": ROOT / "docs" / "live", "/frisket/": package, "/tokenizer.json": tokenizer}
    with served(places) as address, tab(browser) as opened:
        opened.goto(f"{address}/index.html")
        opened.wait_for_selector("#allowed > button")
        assert opened.locator("#tokens > button").all_text_contents()[-1] == "⟨next⟩"
        opened.select_option("#notation", "regex")
        opened.fill("#grammar", "ab(c|d)")
        opened.fill("#text", "ab")
        assert "must go on" in opened.text_content("#verdict")
        assert sorted(opened.locator("#allowed > button").all_text_contents()) == ["c", "d"]
        opened.click("#allowed > button:has-text('d')")
        assert opened.input_value("#text") == "abd" and "may end" in opened.text_content("#verdict")
        assert opened.locator("#allowed > button").all_text_contents() == ["⟨end⟩"]
        opened.fill("#text", "abx")
        assert opened.text_content("#verdict").startswith('No text goes on with "x"')
        opened.fill("#grammar", "ab(c")
        assert "(at offset 2)" in opened.text_content("#verdict")
