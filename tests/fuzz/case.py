"""A seed → one case, run: nothing comes back, or what broke."""

from __future__ import annotations

import json
import random
from dataclasses import dataclass, field
from typing import Any

from frisket import FrisketError, Grammar, JSONSchemaOptions
from frisket._core import Vocabulary

from . import call, odd, schema
from .session import REFUSALS, Broken, Session, expect

#: What a seed becomes, by its place in this list.
KINDS = ("calls", "calls", "calls", "odd", "schema", "regex", "calls", "calls", "vocabulary", "choices")
TEXTS = [character.encode() for character in call.CHARACTERS] + [b"aa", b"ab", b'":', b'{"', b"\xc3", b"\xf0\x9f"]


@dataclass
class Result:
    broken: str = ""
    log: list[str] = field(default_factory=list)
    steps: int = 0
    """Positions that were checked: 0 if what was asked for was refused, as it may be."""
    outcome: str = ""
    """What is counted over all cases, where a module of cases counts anything."""


def run(seed: int) -> Result:
    """The case of this seed. A crash or a hang is for the process around it to see."""
    draw = random.Random(seed)
    result = Result()
    try:
        result.steps = MAKERS[KINDS[seed % len(KINDS)]](draw, result.log)
    except Broken as broken:
        result.broken = f"broken: {broken}"
    except REFUSALS as error:
        if isinstance(error, FrisketError) or not result.log[-1:] or "session" not in result.log:
            return result
        result.broken = f"{type(error).__name__} where everything was as it should be: {error}"
    except BaseException as error:  # a panic is no Exception
        if isinstance(error, KeyboardInterrupt):
            raise
        result.broken = f"{type(error).__module__}.{type(error).__name__}: {error}"
    return result


def _calls(draw: random.Random, log: list[str]) -> int:
    grammar = call.grammar(draw, log)
    return _session(grammar, call.vocabulary(draw, TEXTS, log, grammar), draw, log)


def _regex(draw: random.Random, log: list[str]) -> int:
    parts = [
        "a",
        "b",
        ".",
        "[ab]",
        "[^a]",
        "(a|b)",
        "(",
        ")",
        "*",
        "+",
        "?",
        "{1,2}",
        "{2}",
        "|",
        "^",
        "$",
        "\\d",
        "\\b",
    ]
    parts += [
        "(?=a)",
        "(?!b)",
        "(?i:é)",
        "\\p{Lu}",
        "\\1",
        "[",
        "]",
        "{",
        "é",
        "😀",
        "(?:",
        "\\x61",
        "a{0,3}",
        "\\",
        "-",
    ]
    text = "".join(draw.choices(parts, k=draw.randrange(1, 8)))
    dialect = draw.choice(("python", "ecma"))
    search = draw.random() < 0.3
    log.append(f"from_regex({text!r}, dialect={dialect!r}, search={search})")
    grammar = Grammar.from_regex(text, dialect=dialect, search=search)  # type: ignore[arg-type]
    return _session(grammar.core, call.vocabulary(draw, TEXTS, log, grammar.core), draw, log)


def _choices(draw: random.Random, log: list[str]) -> int:
    choices = ["".join(draw.choices(call.CHARACTERS, k=draw.randrange(4))) for _ in range(draw.randrange(5))]
    log.append(f"from_choices({choices!r})")
    grammar = Grammar.from_choices(choices).core
    return _session(grammar, call.vocabulary(draw, TEXTS, log, grammar), draw, log)


def _schema(draw: random.Random, log: list[str]) -> int:
    text = schema.text(draw)
    options = JSONSchemaOptions(
        property_order=draw.choice(("schema", "any")),
        whitespace=draw.choice(("bounded", "compact", "free")),
        escapes=draw.choice(("raw", "raw", "free")),
    )
    log.append(f"from_json_schema({text!r}, {options})")
    grammar = Grammar.from_json_schema(text, options)
    vocabulary = call.vocabulary(draw, schema.PIECES, log, grammar.core)
    log.append("session")
    session = Session(grammar.core, grammar.core.compile(vocabulary), draw, log)
    session.run(12)
    if session.text is not None and session.matcher.can_end:
        json.loads(session.text)
    return 12


def _vocabulary(draw: random.Random, log: list[str]) -> int:
    """A vocabulary answers what it was given; its arguments may be anything."""
    tokens: list[Any] = [draw.choice((b"a", b"", None, b"\xff", b"ab" * 40)) for _ in range(draw.randrange(6))]
    if draw.random() < 0.1:
        tokens.append(draw.choice(("a", 1, bytearray(b"a"))))
    count = len(tokens)
    special = {
        draw.choice(("<a>", "<b>", "")): draw.choice((0, count - 1, count, count + 5, -1, 1 << 32)) for _ in "ab"
    }
    eos: Any = draw.choice(([], [0], [count - 1], [count], [0, 0], [-1], [1 << 32], None, 0))
    size: Any = draw.choice((None, None, count, count + 1, count + 33, 0, -1, 1 << 40, "1"))
    log.append(f"Vocabulary({tokens!r}, special={special!r}, eos={eos!r}, size={size!r})")
    vocabulary = Vocabulary(tokens, special=special, eos=eos, size=size)
    log.append("session")
    expect(vocabulary.size >= count, "tokens are lost")
    expect(vocabulary.mask_words == (vocabulary.size + 31) // 32, "mask_words")
    expect(vocabulary.eos == sorted(set(eos)) or vocabulary.eos == list(eos), f"eos is {vocabulary.eos}")
    expect(vocabulary.special == special, f"special is {vocabulary.special}")
    for index, token in enumerate(tokens):
        known = vocabulary.token(index)
        special_too = index in special.values() or index in eos
        expect(known == (token or None) or (known is None and special_too), f"token {index} is {known!r}")
    for index in (count, vocabulary.size - 1):
        if count <= index < vocabulary.size:
            expect(vocabulary.token(index) is None, f"token {index}, which nobody gave, has a text")
    try:
        vocabulary.token(vocabulary.size)
    except IndexError:
        pass
    else:
        raise Broken("a token beyond the vocabulary")
    return 1


def _odd(draw: random.Random, log: list[str]) -> int:
    """Anything at all for some entry point: an error of ours, or one that misuse ends in."""
    what, broken = odd.call(draw)
    log.append(what)
    if broken:
        raise Broken(broken)
    return 1


def _session(grammar: Any, vocabulary: Vocabulary, draw: random.Random, log: list[str]) -> int:
    compiled = grammar.compile(vocabulary)
    log.append("session")
    steps = draw.randrange(4, 16)
    Session(grammar, compiled, draw, log).run(steps)
    return steps


MAKERS = {"calls": _calls, "regex": _regex, "choices": _choices, "schema": _schema, "vocabulary": _vocabulary}
MAKERS["odd"] = _odd
