"""DESIGN's invariants 3 to 7 on random cases: soundness, no dead end, determinism, chunking, failed calls."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from frisket._core import CompiledGrammar, Matcher, Vocabulary
from frisket.errors import EmptyGrammarError, TokenRejectedError, VocabularyError
from tests.data import ROOT
from tests.property.random_cases import case

KINDS = ("regular", "rules", "json")
SEEDS = range(1000, 1030)
BYTES = [bytes([value]) for value in range(256)]


def compiled_case(kind: str, seed: int) -> CompiledGrammar:
    """A random grammar over its own tokens and every single byte, so that whatever must be written can be."""
    random_case = case(seed, kind)
    tokens = [*BYTES, *random_case.tokens, None, None]
    special = {name: len(tokens) - 1 for name in random_case.special}
    try:
        return random_case.engine().compile(Vocabulary(tokens, special=special, eos=[len(tokens) - 2]))
    except EmptyGrammarError:
        pytest.skip("this case matches nothing")


def is_special(vocabulary: Vocabulary, token_id: int) -> bool:
    return token_id in vocabulary.special.values()


def random_step(matcher: Matcher, rng: random.Random, vocabulary: Vocabulary) -> int | None:
    """An allowed token, other than EOS."""
    follows = [token_id for token_id in matcher.allowed() if token_id not in vocabulary.eos]
    return rng.choice(follows) if follows else None


def walk(compiled: CompiledGrammar, seed: int, steps: int = 12) -> list[int]:
    """Random tokens under the masks."""
    rng, matcher, taken = random.Random(seed), compiled.matcher(), []
    for _ in range(steps):
        token_id = random_step(matcher, rng, compiled.vocabulary)
        if token_id is None:
            break
        matcher.advance(token_id)
        taken.append(token_id)
    return taken


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("kind", KINDS)
def test_3_what_the_masks_let_end_is_a_sentence(kind: str, seed: int) -> None:
    random_case = case(seed, kind)
    reference = random_case.reference()
    compiled = compiled_case(kind, seed)
    grammar, matcher, text = random_case.engine(), compiled.matcher(), b""
    for token_id in walk(compiled, seed):
        if is_special(compiled.vocabulary, token_id):
            return
        matcher.advance(token_id)
        text += compiled.vocabulary.token(token_id) or b""
        assert grammar.accepts_prefix(text)
        assert matcher.can_end == grammar.accepts(text) == reference.can_end(text)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("kind", KINDS)
def test_3_a_sentence_passes_the_masks_however_it_is_cut(kind: str, seed: int) -> None:
    compiled = compiled_case(kind, seed)
    vocabulary = compiled.vocabulary
    taken = walk(compiled, seed)
    if any(is_special(vocabulary, token_id) for token_id in taken):
        pytest.skip("a special token has no text to cut")
    text = b"".join(vocabulary.token(token_id) or b"" for token_id in taken)
    by_text: dict[bytes, int] = {}
    for token_id in range(vocabulary.size):
        by_text.setdefault(vocabulary.token(token_id) or b"", token_id)
    rng, matcher, at = random.Random(seed), compiled.matcher(), 0
    while at < len(text):
        fitting = [end for end in range(at + 1, min(at + 6, len(text)) + 1) if text[at:end] in by_text]
        end = rng.choice(fitting)
        token_id = by_text[text[at:end]]
        assert token_id in matcher.allowed()
        matcher.advance(token_id)
        at = end
    whole = compiled.matcher()
    for token_id in taken:
        whole.advance(token_id)
    assert matcher.mask_bytes() == whole.mask_bytes()


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("kind", KINDS)
def test_4_from_everywhere_there_is_a_way_on_and_a_walk_ends(kind: str, seed: int) -> None:
    """With every byte in the vocabulary, a position either may end or has a token; and ends are met.

    The walk prefers a token after which the text may end; a grammar whose sentences are all long may need many steps.
    """
    compiled = compiled_case(kind, seed)
    for attempt in range(3):
        rng, matcher = random.Random(seed + attempt), compiled.matcher()
        for step in range(200):
            allowed = matcher.allowed()
            assert allowed, "a dead end"
            assert matcher.can_end == any(token_id in compiled.vocabulary.eos for token_id in allowed)
            if matcher.can_end and (step > 5 or rng.random() < 0.2):
                matcher.advance(compiled.vocabulary.eos[0])
                break
            token_id = random_step(matcher, rng, compiled.vocabulary)
            matcher.advance(compiled.vocabulary.eos[0] if token_id is None else token_id)
            if matcher.ended:
                break


FINGERPRINT = """
import hashlib
import pytest
from tests.property.test_invariants import compiled_case, walk, KINDS
digest = hashlib.sha256()
for kind in KINDS:
    for seed in range(1000, 1006):
        try:
            compiled = compiled_case(kind, seed)
        except pytest.skip.Exception:
            continue
        matcher = compiled.matcher()
        for token_id in walk(compiled, seed):
            digest.update(matcher.mask_bytes() + matcher.forced_bytes())
            matcher.advance(token_id)
print(digest.hexdigest())
"""


def test_5_same_input_same_bits_in_every_process() -> None:
    def fingerprint(hash_seed: str) -> str:
        environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
        done = subprocess.run(
            [sys.executable, "-c", FINGERPRINT], cwd=ROOT, env=environment, capture_output=True, text=True, check=True
        )
        return done.stdout.strip()

    assert fingerprint("1") == fingerprint("2") != ""


@pytest.mark.parametrize("kind", KINDS)
def test_5_same_input_same_bits_in_every_thread_and_order(kind: str) -> None:
    """Caches fill in a different order in every thread; the masks must not show it."""
    compiled = compiled_case(kind, 1004)
    walks = [walk(compiled, seed) for seed in range(8)]

    def masks(order: int) -> list[bytes]:
        matcher, seen = compiled.matcher(), {}
        for number in random.Random(order).sample(range(len(walks)), len(walks)):
            for step, token_id in enumerate(walks[number]):
                seen[number, step] = matcher.mask_bytes()
                matcher.advance(token_id)
            matcher.reset()
        return [seen[key] for key in sorted(seen)]

    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(masks, range(4)))
    assert all(result == results[0] for result in results)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("kind", KINDS)
def test_6_drafts_that_are_rolled_back_leave_no_trace(kind: str, seed: int) -> None:
    compiled = compiled_case(kind, seed)
    taken = walk(compiled, seed)
    plain, drafted, rng = compiled.matcher(), compiled.matcher(), random.Random(seed)
    for token_id in taken:
        assert plain.mask_bytes() == drafted.mask_bytes()
        assert plain.forced_bytes() == drafted.forced_bytes()
        before, drafts = drafted.steps, rng.randrange(4)
        for _ in range(drafts):
            draft = random_step(drafted, rng, compiled.vocabulary)
            if draft is None:
                break
            drafted.advance(draft)
            if rng.random() < 0.5:
                drafted.mask_bytes()
        drafted.rollback(drafted.steps - before)
        plain.advance(token_id)
        drafted.advance(token_id)
    drafted.rollback(len(taken))
    plain.reset()
    assert plain.mask_bytes() == drafted.mask_bytes()


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("kind", KINDS)
def test_6_bytes_and_tokens_lead_to_the_same_place(kind: str, seed: int) -> None:
    compiled = compiled_case(kind, seed)
    by_tokens, by_bytes = compiled.matcher(), compiled.matcher()
    for token_id in walk(compiled, seed):
        if is_special(compiled.vocabulary, token_id):
            return
        by_tokens.advance(token_id)
        by_bytes.advance_bytes(compiled.vocabulary.token(token_id) or b"")
        assert by_tokens.mask_bytes() == by_bytes.mask_bytes()
        assert by_tokens.can_end == by_bytes.can_end


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("kind", KINDS)
def test_7_a_failed_call_leaves_the_matcher_as_it_was(kind: str, seed: int) -> None:
    compiled = compiled_case(kind, seed)
    size, rng, matcher = compiled.vocabulary.size, random.Random(seed), compiled.matcher()

    def state() -> tuple[object, ...]:
        return matcher.mask_bytes(), matcher.can_end, matcher.ended, matcher.steps, matcher.forced_bytes()

    for token_id in walk(compiled, seed):
        before, allowed = state(), set(matcher.allowed())
        forbidden = [other for other in rng.sample(range(size), min(size, 40)) if other not in allowed]
        for other in [*forbidden, size, size + 1000]:
            assert not matcher.try_advance(other)
            assert matcher.validate([other, other]) == 0
            with pytest.raises(TokenRejectedError):
                matcher.advance(other)
        with pytest.raises(ValueError):
            matcher.rollback(matcher.steps + 1)
        assert state() == before
        matcher.advance(token_id)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("kind", KINDS)
def test_the_text_that_is_forced_is_forced(kind: str, seed: int) -> None:
    """After forced bytes every other first byte is forbidden, and the text may not end before them."""
    compiled = compiled_case(kind, seed)
    matcher = compiled.matcher()
    for token_id in walk(compiled, seed):
        try:
            forced = matcher.forced_bytes()
        except VocabularyError:
            return
        if forced:
            other = matcher.fork()
            for value in forced:
                assert not other.can_end
                assert [t for t in other.allowed() if t < 256] == [value]
                other.advance(value)
        matcher.advance(token_id)
