"""Formats and texts → crates/schema/tests/oracle/formats.tsv: what the Python front end makes of each.

    python -m tests.oracle.formats > crates/schema/tests/oracle/formats.tsv

A row that begins with `format` has the name, the draft, the options, and what became of it; nodes are told by the
fingerprints of their grammars, which are equal for equal grammars. A row that begins with `check` has a name, a text in
JSON, and whether the text is of the format. A row that begins with `pattern` has the pattern in JSON and its grammar,
or what is wrong with it. The crate's test `formats` reads the table.
"""

from __future__ import annotations

import itertools
import json
import random
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

from frisket._core import GrammarBuilder
from frisket.errors import EmptyGrammarError, InvalidSchemaError, LimitExceededError
from frisket.json_schema import JSONSchemaOptions
from frisket.lint.resolve import DRAFT4, DRAFT6, DRAFT7, DRAFT2019, DRAFT2020
from tests.data import data_dir
from tests.oracle.json_schema import semantic, string
from tests.oracle.json_schema.formats import FORMATS, INTEGERS, find_format
from tests.oracle.json_schema.formats.content import is_json, json_node
from tests.oracle.json_schema.interval import AtLeast, AtMost, Multiple
from tests.oracle.json_schema.number import decimal_text
from tests.oracle.json_schema.reader import Reader
from tests.unit.json_schema.test_idna import SIGNS

DRAFTS = (DRAFT4, DRAFT6, DRAFT7, DRAFT2019, DRAFT2020)
MODES = ("assert", "annotate", "openapi", "python")
NAMES = (*FORMATS, *INTEGERS, "float", "double", "phone", "")
#: Digits of an integer and of a second.
DIGITS = ((40, 9), (3, 0), (3, 3), (2000, 40), (1, 2000))
#: Texts of each kind.
SIZE = 100


def fingerprint(build: Any) -> str:
    builder = GrammarBuilder()
    return f"{builder.build(build(builder)).fingerprint:032x}"


def nested(build: Any) -> list[str]:
    """The grammars with few escapes and with all, of all texts and of those that are not empty."""
    return [
        fingerprint(lambda builder, escapes=escapes, nonempty=nonempty: build(builder, escapes, nonempty))
        for escapes in ("raw", "free")
        for nonempty in (False, True)
    ]


def condition(atom: Any, builder: GrammarBuilder) -> list[str]:
    """A condition as cells of the table."""
    if isinstance(atom, AtLeast | AtMost):
        return [f"{'>=' if isinstance(atom, AtLeast) else '<='}{decimal_text(atom.bound).decode()}"]
    if isinstance(atom, Multiple):
        return [f"*{decimal_text(atom.of).decode()}"]
    if isinstance(atom, string.Nested):
        return ["nested", atom.name, *nested(atom.build)]
    assert isinstance(atom, string.Matches)
    nodes = (atom.node, atom.written, None if atom.outer is None else atom.outer())
    return ["texts", *("-" if node is None else f"{builder.fork().build(node).fingerprint:032x}" for node in nodes)]


def formats(name: str, draft: int, options: JSONSchemaOptions) -> list[str]:
    """What the reader makes of a format."""
    builder, notes = GrammarBuilder(), []
    algebra = SimpleNamespace(
        options=options,
        formats={},
        builder=builder,
        inexact=lambda where, keyword, name, known: notes.append(f"{known.reason}{'!' * (known.outer is not None)}"),
    )
    reader: Any = SimpleNamespace(
        algebra=algebra, draft=draft, site=SimpleNamespace(pointer=""), numbers=[], strings=[]
    )
    semantic.read_format(reader, name)
    known = FORMATS.get(name)
    if known is not None and known.note is not None and options.formats != "annotate":
        notes.append(known.note(options))
    return [cell for atom in reader.numbers + reader.strings for cell in condition(atom, builder)] + notes


def rows() -> Iterator[list[str]]:
    for name in NAMES:
        for mode in MODES:
            yield row(name, DRAFT2020, mode, *DIGITS[0])
    for name, draft in itertools.product(("hostname", "idn-hostname", "date", "int8", "byte"), DRAFTS[:-1]):
        for mode in MODES:
            yield row(name, draft, mode, *DIGITS[0])
    for name, digits in itertools.product(("time", "date-time", "duration", "date"), DIGITS[1:]):
        for mode in ("assert", "python"):
            yield row(name, DRAFT2020, mode, *digits)


def row(name: str, draft: int, mode: Any, whole: int, second: int) -> list[str]:
    options = JSONSchemaOptions(formats=mode, max_integer_digits=whole, max_second_digits=second)
    cells = [name, semantic.DRAFT_NAMES[draft], mode, str(whole), str(second)]
    return ["format", *cells, *formats(name, draft, options)]


def checks() -> Iterator[tuple[str, str]]:
    """Names of formats that check texts, and texts."""
    for path, group in suite_groups():
        if "format" in path:
            name = group["schema"].get("format")
            yield from ((name, test["data"]) for test in group["tests"] if isinstance(test["data"], str))
    chance = random.Random(9)
    for name in ("hostname", "idn-hostname"):
        yield from ((name, text) for text in names(chance))
    for name in FORMATS:
        if name.startswith("ip") and FORMATS[name].check is not None:
            yield from ((name, address(chance)) for _ in range(SIZE))
    for _ in range(SIZE):
        yield "regex", "".join(chance.choices(["a", "-", "0", *"()[]{}|*+?^$\\,", "\\d", "(?:", "\\1", "{1,2}"], k=5))
        pieces = [
            "1",
            "0",
            "-",
            ".5",
            "e1",
            '"',
            '"a"',
            "[",
            "]",
            "{",
            "}",
            ":",
            ",",
            "true",
            "NaN",
            " ",
            "\\u00e9",
            "é",
        ]
        yield "json", "".join(chance.choices(pieces, k=chance.randint(0, 5)))


def suite_groups() -> Iterator[tuple[str, dict[str, Any]]]:
    for path in sorted((data_dir() / "json-schema-test-suite" / "tests").glob("draft*/optional/format/*.json")):
        for group in json.loads(path.read_text(encoding="utf-8")):
            yield path.stem + " format", group


def names(chance: random.Random) -> Iterator[str]:
    """Host names: short ones of characters with rules of their own, in Punycode, and long ones."""
    for _ in range(SIZE):
        yield "".join(chance.choices(SIGNS, k=chance.randint(1, 3)))
        yield "".join(chance.choices("a1אب١.é。", k=chance.randint(2, 6)))
        digits = "".join(chance.choices("ab1-Aüα漢אبßّ", k=chance.randint(1, 4))).encode("punycode").decode()
        yield chance.choice([f"xn--{digits}", f"XN--{digits.upper()}", f"xn--{digits}a", f"xn--{digits[:-1]}"])
        yield f"xn--{''.join(chance.choices('ab9z-', k=chance.randint(0, 6)))}"
        yield "".join(chr(chance.randrange(0xA0, 0x3100)) for _ in range(chance.randint(1, 2)))
        label = chance.choice(["a", "ü", "あ", "漢", "אא"]) * chance.randint(1, 66)
        yield chance.choice([".", "。"]).join([label] * chance.randint(1, 6))


def address(chance: random.Random) -> str:
    """Something like an address or a network."""
    if chance.random() < 0.5:
        octets = [*["0"] * 4, "1", "10", "255", "256", "01", "128"]
        number = ".".join(chance.choices(octets, k=chance.choice([4, 4, 4, 3])))
    else:
        groups = ["0", "1", "ab", "FFFF", "", "", "12345", "g", "1.2.3.4"]
        number = ":".join(chance.choices(groups, weights=[4, 4, 3, 3, 4, 4, 0.2, 0.2, 1], k=chance.randint(2, 9)))
    zone = chance.choice([""] * 8 + ["%1", "%", "%a%b"])
    masks = ["/0", "/8", "/08", "/24", "/32", "/33", "/64", "/128", "/129", "/255.0.0.0", "/0.255.255.255"]
    masks += ["/255.0.255.0", "/", "/1/2", "/-1", "/٣", "/0.0.0.0", "/255.255.255.255", "/255.255.255.254"]
    return number + zone + chance.choice([""] * 8 + masks)


def is_of(name: str, text: str) -> bool | None:
    if name == "json":
        return is_json(text)
    known = find_format(name, openapi=True)
    return None if known is None or known.check is None else known.check(text)


def patterns() -> Iterator[str]:
    """The patterns of the official suite, and some that are invalid or not regular."""
    folder = data_dir() / "json-schema-test-suite" / "tests"
    for path in sorted(folder.glob("draft*/**/*.json")):
        yield from patterns_of(json.loads(path.read_text(encoding="utf-8")))
    yield from ("(", ")", "[", "a{2,1}", "[b-a]", "*", "\\", "(?<n>a)(?<n>b)", "\\p{Foo}", "\\k<a>", "a{", "}", "]")
    yield from (
        r"(a+)\1",
        r"(?<n>a)\k<n>",
        r"(?i:É)",
        r"\bword\b",
        "(?=a)b|c(?!d)",
        "(?<=a+)b",
        r"\ud83d\ude00",
        r"\ud800",
    )
    yield from ("a" * 80 + "(", "'(", "'\"(", "é(", "(?:a{9999}){9999}", "a{99999999999}", "(" * 300 + ")" * 300, "")


def patterns_of(value: Any) -> Iterator[str]:
    if isinstance(value, list):
        for item in value:
            yield from patterns_of(item)
    elif isinstance(value, dict):
        for key, item in value.items():
            if key == "pattern" and isinstance(item, str):
                yield item
            elif key == "patternProperties" and isinstance(item, dict):
                yield from item
            yield from patterns_of(item)


def pattern(text: str) -> list[str]:
    """What the reader makes of a pattern."""
    builder, notes = GrammarBuilder(), []
    algebra = SimpleNamespace(
        patterns={}, builder=builder, places=[("/pattern", "")], unsupported=lambda *note: notes.append(note[-1])
    )
    reader: Any = SimpleNamespace(algebra=algebra, site=SimpleNamespace(pointer=""))
    try:
        node = Reader.pattern(reader, "pattern", text)
    except InvalidSchemaError as error:
        return ["invalid", error.message, str(error.hint)]
    except LimitExceededError as error:
        return ["limit", error.message]
    if node is None:
        return ["inexact", *notes]
    try:
        return ["exact", f"{builder.build(node).fingerprint:032x}"]
    except EmptyGrammarError:
        return ["exact", "empty"]


def main() -> None:
    for text in dict.fromkeys(patterns()):
        print("pattern", json.dumps(text), *pattern(text), sep="\t")
    for cells in rows():
        print(*cells, sep="\t")
    print("json", *nested(json_node), sep="\t")
    for name, text in dict.fromkeys(checks()):
        found = is_of(name, text)
        if found is not None:
            print("check", name, json.dumps(text), int(found), sep="\t")


if __name__ == "__main__":
    main()
