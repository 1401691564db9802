"""MaskBench, grammar cases, tool formats → grammars in notations that every runtime reads, each with a text."""

from __future__ import annotations

import functools
import json
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from frisket import Grammar, Vocabulary
from frisket.errors import FrisketError
from frisket.tools import Family, families, family
from frisket.tools.template import Hole, pieces_of, written
from tests.data import data_dir, maskbench

#: How the Python package reads each notation. The place in this order is its number for programs of other languages.
NOTATIONS: dict[str, Callable[[str], Grammar]] = {
    "schema": Grammar.from_json_schema,
    "regex": functools.partial(Grammar.from_regex, dialect="ecma"),
    "gbnf": Grammar.from_gbnf,
    "lark": functools.partial(Grammar.from_lark, dialect="llguidance"),
    "ebnf": Grammar.from_ebnf,
    "abnf": Grammar.from_abnf,
}
#: Grammars whose tokens are no ASCII, or that few of the corpora have.
OTHERS = (
    ("gbnf", 'root ::= "a" [0-9]+ | item*\nitem ::= "[" root "]"', "[[a123]"),
    ("gbnf", 'root ::= "\\u00e9"{2,3} [^a-z]', "éé"),
    ("lark", 'start: "x" INT\nINT: /[0-9]+/\n%ignore " "', "x 12"),
    ("ebnf", "List ::= '[' (Name (',' Name)*)? ']'\nName ::= [A-Z] ([a-zà-ÿ] - 'x')*", "[Ada,Bé"),
    ("abnf", 'date = 4DIGIT "-" month [ "T" ]\nmonth = "0" %x31-39 / "1" %x30-32 / %xE9 1*%x3B1-3C9', "2026-éαβ"),
    ("regex", r"(?:\w+@[a-z]{3,}\.(?:org|net)\n){2}", "joe@example.org\njo"),
    ("regex", r"\p{Lu}\p{Ll}+ [\u3040-\u309f]{2,}", "Été ひら"),
)
#: A reference that only the Python package follows, to what it finds among installed packages.
METASCHEMA = '"$ref": "http://json-schema.org/'
#: Schemas of MaskBench are the tools' parameters: one of so many.
EVERY_TOOL = 40
#: Bytes of a token that are looked for; longer ones are runs of blanks and the like.
LONGEST = 64


@dataclass(frozen=True)
class Walk:
    """A grammar, and a text that is read token by token until one may not come."""

    source: str
    notation: str
    grammar: str
    text: str

    @property
    def tokens(self) -> list[int]:
        return spelled(self.text)

    def allowed(self, most: int) -> list[int]:
        """The tokens that may come, up to so many; none where the grammar is refused."""
        tokens = self.tokens[:most]
        try:
            return tokens[: NOTATIONS[self.notation](self.grammar).compile(vocabulary()).matcher().validate(tokens)]
        except FrisketError:
            return []


def tokenizer() -> Path:
    return data_dir() / "tokenizers" / "llama3" / "tokenizer.json"


@functools.cache
def vocabulary() -> Vocabulary:
    """Without the files beside the tokenizer, which may name other ends: the runtimes are given its text alone."""
    with tempfile.TemporaryDirectory() as folder:
        return Vocabulary.from_huggingface(shutil.copy(tokenizer(), folder))


@functools.cache
def _tokens() -> dict[bytes, int]:
    ids = range(vocabulary().size)
    return {text: token for token in reversed(ids) if (text := vocabulary().token(token))}


def spelled(text: str) -> list[int]:
    """The tokens of a text, each the longest that the rest begins with."""
    rest, found = text.encode(), []
    while rest:
        length = next(length for length in range(min(len(rest), LONGEST), 0, -1) if rest[:length] in _tokens())
        found.append(_tokens()[rest[:length]])
        rest = rest[length:]
    return found


def walks(every: int = 1) -> Iterator[Walk]:
    """All walks of one in `every` schemas, grammars and families: documents that are valid, and some that are not."""
    yield from (Walk("own", *other) for other in OTHERS)
    yield from _grammar_cases(every)
    yield from _tool_calls(every)
    yield from schema_walks(every)


def schema_walks(every: int = 1, *, only_valid: bool = False) -> Iterator[Walk]:
    """The schemas of MaskBench, each once for each of its documents."""
    for row in list(maskbench(data_dir()))[::every]:
        for test in row["tests"]:
            if test["valid"] or not only_valid:
                document = json.dumps(test["data"], ensure_ascii=False)
                yield Walk("MaskBench", "schema", json.dumps(row["schema"]), document)


def _grammar_cases(every: int) -> Iterator[Walk]:
    for notation in ("gbnf", "lark"):
        lines = (data_dir() / "grammar-cases" / f"{notation}.jsonl").read_text(encoding="utf-8").splitlines()
        for case in map(json.loads, lines[::every]):
            for text in (*case["accept"], *case["reject"]):
                yield Walk("grammar cases", notation, case["grammar"], text)


def _tool_calls(every: int) -> Iterator[Walk]:
    rows = [row for row in maskbench(data_dir()) if any(test["valid"] for test in row["tests"])][:: EVERY_TOOL * every]
    known = [family(name) for name in families() if family(name).arguments == "json"]
    for wanted in known:
        for row in rows:
            document = next(test["data"] for test in row["tests"] if test["valid"])
            grammar = calls_in_lark(wanted, json.dumps(row["schema"]))
            yield Walk("tool formats", "lark", grammar, _call(wanted, json.dumps(document, ensure_ascii=False)))


def calls_in_lark(wanted: Family, schema: str) -> str:
    """Calls of one tool as a family writes them, in Lark: those of its first template, with JSON arguments."""
    rules = {"name": _literal("act"), "ws": r"/[ \n]{0,8}/", "arguments": f"%json {schema}", "id": f"/{_id(wanted)}/"}

    def rule(template: str, holes: dict[str, str]) -> str:
        parts = (
            holes[piece.name] if isinstance(piece, Hole) else _literal(written([piece]))
            for piece in pieces_of(template)
        )
        return " ".join(parts)

    separators = " | ".join(_literal(text) for text in wanted.separators)
    return "\n".join(
        [
            f"start: {rule(wanted.calls, {**rules, 'calls': 'call (separator call)*'})}",
            f"call: {rule(wanted.call[0], rules)}",
            f"separator: {separators}",
        ]
    )


def _call(wanted: Family, arguments: str) -> str:
    """Two calls with the same arguments."""
    holes = {"name": "act", "ws": " ", "arguments": arguments, "id": "012345678"}

    def filled(template: str, holes: dict[str, str]) -> str:
        return re.sub(r"\$([a-z]+)", lambda hole: holes[hole[1]], template)

    call = filled(wanted.call[0], holes)
    return filled(wanted.calls, {**holes, "calls": call + wanted.separators[0] + call})


def _id(wanted: Family) -> str:
    return wanted.id.replace("/", r"\/") or "x"


def _literal(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
