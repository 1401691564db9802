"""The engine's masks = the reference's masks, bit for bit, on random grammars, vocabularies and prefixes."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from functools import partial
from itertools import product

import numpy as np
import pytest

from frisket import Grammar, JSONSchemaOptions
from frisket._core import CompiledGrammar, GrammarBuilder, Vocabulary
from frisket.errors import EmptyGrammarError, UnsatisfiableSchemaError, VocabularyError
from frisket.reference import GeneralMask, LogitMask, Node, Symbol, parse_regex, schema_node, words
from tests.property.plans import CHARACTERS, Case
from tests.property.random_cases import case, regex_text, schema, tokens_for

STEPS = 8


def compare(compiled: CompiledGrammar, expected: LogitMask, rng: random.Random, what: object) -> int:
    """Walk under the masks, at each position comparing both; how many positions were compared."""
    size = compiled.vocabulary.size
    matcher = compiled.matcher()
    bitmask = np.zeros(compiled.vocabulary.mask_words, dtype=np.uint32)
    names = {token_id: name for name, token_id in expected.special.items()}
    text: tuple[Symbol, ...] = ()
    for step in range(STEPS):
        try:
            matcher.fill_mask(bitmask)
        except VocabularyError:
            assert not expected.mask(text).any(), f"{what}\nafter {text!r}: there are tokens"
            return step + 1
        bits = np.unpackbits(bitmask.view(np.uint8), bitorder="little")
        ours, theirs = np.flatnonzero(bits), np.flatnonzero(expected.mask(text))
        if ours.tolist() != theirs.tolist():
            extra, missing = sorted({*ours.tolist()} - {*theirs}), sorted({*theirs.tolist()} - {*ours})
            tokens = {int(token): expected.tokens[token] for token in (*extra, *missing) if token < size}
            pytest.fail(f"{what}\nafter {text!r}: allowed wrongly {extra}, forbidden wrongly {missing}: {tokens}")
        assert matcher.can_end == expected.can_end(text), f"{what}\nafter {text!r}: can_end is {matcher.can_end}"
        follows = [int(token) for token in theirs if token not in expected.eos]
        if not follows:
            return step + 1
        token_id = rng.choice(follows)
        matcher.advance(token_id)
        text += (names[token_id],) if token_id in names else tuple(expected.tokens[token_id] or b"")
    return STEPS


def check(random_case: Case, seed: int) -> int:
    """One random case, several walks."""
    expected = random_case.reference()
    try:
        grammar = random_case.engine()
    except EmptyGrammarError:
        assert not expected.can_begin(b""), f"{random_case}\nis not empty"
        return 1
    assert expected.can_begin(b""), f"{random_case}\nis empty"
    try:
        compiled = grammar.compile(random_case.vocabulary())
    except VocabularyError:
        assert not expected.mask(b"").any(), f"{random_case}\ncan be spelled"
        return 1
    return sum(compare(compiled, expected, random.Random(seed + walk), random_case) for walk in range(3))


@pytest.mark.parametrize("block", [*range(3), pytest.param(3, marks=pytest.mark.slow), *range(4, 20)])
@pytest.mark.parametrize("kind", ["regular", "rules", "json"])
def test_random_nodes(kind: str, block: int) -> None:
    """300 grammars, three walks each: some 3,800 masks."""
    positions = sum(check(case(seed, kind), seed) for seed in range(5 * block, 5 * block + 5))
    assert positions >= 8, "the cases have become too small to say anything"


def check_notation(grammar: Callable[[], Grammar], node: Node, rng: random.Random, what: object) -> None:
    """A notation's grammar against its node in the reference."""
    tokens = (*tokens_for(rng, node, CHARACTERS.encode() + b'{}[]:,"-0123456789nulltrefas\\'), None)
    expected = GeneralMask(node, tokens, eos=[len(tokens) - 1])
    try:
        core = grammar().core
    except (EmptyGrammarError, UnsatisfiableSchemaError):
        assert not expected.can_begin(b""), f"{what} is not empty"
        return
    compiled = core.compile(Vocabulary(tokens, eos=expected.eos))
    for _ in range(3):
        compare(compiled, expected, rng, what)


@pytest.mark.parametrize("block", range(10))
def test_random_regular_expressions(block: int) -> None:
    for seed in range(10 * block, 10 * block + 10):
        rng = random.Random(f"regex {seed}")
        pattern = regex_text(rng, 4)
        check_notation(partial(Grammar.from_regex, pattern), parse_regex(pattern), rng, pattern)


@pytest.mark.parametrize("block", range(10))
def test_random_schemas(block: int) -> None:
    compact = JSONSchemaOptions(whitespace="compact")
    for seed in range(10 * block, 10 * block + 10):
        rng = random.Random(f"schema {seed}")
        random_schema = schema(rng, 3, refer=False)
        lowered = partial(Grammar.from_json_schema, random_schema, compact)
        check_notation(lowered, schema_node(random_schema), rng, json.dumps(random_schema))


@pytest.mark.parametrize("seed", range(40))
def test_every_spelling_of_a_string(seed: int) -> None:
    """`quoted(…, "free")` against the list of all spellings, which RFC 8259 spells out."""
    rng = random.Random(f"free {seed}")
    texts = ["".join(rng.choices('ab/"\\\n\x01é\x7f😀', k=rng.randrange(3))) for _ in range(rng.choice((1, 1, 2)))]
    builder = GrammarBuilder()
    root = builder.quoted(builder.words([text.encode() for text in texts]), escapes="free")
    node = words(*(b'"' + b"".join(spelling) + b'"' for text in texts for spelling in product(*map(spellings, text))))
    pieces = [bytes(rng.choices(b'"\\u00dD83ce6123fF9/', k=rng.randrange(2, 5))) for _ in range(30)]
    singles = [bytes([value]) for value in b'"\\/bnruabcdef0123456789ABCDEF\x01\x7f' + "é😀".encode()]
    tokens = (*singles, *pieces, b"\\u", b"\\u00", b"\\ud83d\\u", b"D83D", b"\\uD83d\\uDE0", b'\\"', b'a"', b'""', None)
    expected = GeneralMask(node, tokens, eos=[len(tokens) - 1])
    compiled = builder.build(root).compile(Vocabulary(tokens, eos=expected.eos))
    for walk in range(4):
        compare(compiled, expected, random.Random(seed + walk), texts)


def spellings(character: str) -> list[bytes]:
    """Every way to write a character inside a JSON string."""
    units = character.encode("utf-16-be")
    hexes = [units[at : at + 2].hex() for at in range(0, len(units), 2)]
    cases = [sorted({"".join(digits) for digits in product(*((d, d.upper()) for d in unit))}) for unit in hexes]
    found = ["".join("\\u" + unit for unit in choice).encode() for choice in product(*cases)]
    found += [spelled for spelled, plain in SHORT.items() if plain == character]
    if character >= " " and character not in '"\\':
        found.append(character.encode())
    return found


SHORT = {b'\\"': '"', b"\\\\": "\\", b"\\/": "/", b"\\n": "\n"}
