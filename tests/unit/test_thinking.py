"""Reasoning before an answer: {on, off, auto} × {absent, open, closed in the prompt} × markers of 1 to 4 tokens."""

from __future__ import annotations

import random
from itertools import product

import numpy as np
import pytest
from numpy.typing import NDArray

from frisket import Grammar, Thought, Vocabulary, think
from frisket.decoding.budget import Budget
from frisket.decoding.loop import decode
from frisket.errors import MessageSyntaxError, UnsupportedSchemaError, VocabularyError
from frisket.events import Closed
from frisket.options import Mode
from frisket.outline import OutlineEvents, Reader
from frisket.thinking import Thinking
from frisket.token_name import token_names

ANSWER = Grammar.from_json_schema(
    {"type": "object", "properties": {"ok": {"type": "boolean"}}, "required": ["ok"], "additionalProperties": False}
)
#: How the markers are cut into tokens; a name in angle brackets alone is a special token.
CUTS = {
    "special": ([], []),
    "1 token": ([b"<think>"], [b"</think>"]),
    "2 tokens": ([b"<think", b">"], [b"</think", b">"]),
    "3 tokens": ([b"<", b"think", b">"], [b"</", b"think", b">"]),
    "4 tokens": ([b"<", b"th", b"ink", b">"], [b"<", b"/th", b"ink", b">"]),
    "across": ([b"<think>\n", b"so<"], [b".</thi", b"nk>\n\n{"]),
}
#: What a prompt says after which no reasoning comes.
ENDED = (Thinking.CLOSED, Thinking.BEGUN)
MODES: tuple[Mode, ...] = ("auto", "on", "off")


def vocabulary_of(cut: str) -> Vocabulary:
    begins, ends = CUTS[cut]
    texts = list(dict.fromkeys([*begins, *ends, b"hm ", b'{"ok": ', b"true}", b"</", b"<think"]))
    special = ["<think>", "</think>", "<end>"] if cut == "special" else ["<end>"]
    tokens = [*(bytes([value]) for value in range(256)), *texts, *(None for _ in special)]
    ids = {name: 256 + len(texts) + place for place, name in enumerate(special)}
    return Vocabulary.from_bytes(tokens, special=ids, eos="<end>")


def walk(grammar: Grammar, vocabulary: Vocabulary, rng: random.Random) -> str:
    """A random text under the mask; special tokens are written as their names."""
    matcher = grammar.compile(vocabulary).matcher()
    names = {token: name.encode() for name, token in vocabulary.special.items()}
    text = b""
    for _ in range(40):
        allowed = [token for token in matcher.allowed() if token not in vocabulary.eos]
        if not allowed or (matcher.can_end and rng.random() < 0.5):
            return text.decode()
        token = rng.choice([token for token in allowed if token >= 256 and rng.random() < 0.3] or allowed)
        matcher.advance(token)
        text += vocabulary.token(token) or names[token]
    while (rest := matcher.completion()) is None:
        token = next(token for token in names if token in matcher.allowed())
        matcher.advance(token)
        text += names[token]
    return (text + rest).decode()


@pytest.mark.parametrize(("mode", "prompt", "cut"), product(MODES, Thinking, CUTS))
def test_reasoning_stands_only_where_it_belongs(mode: Mode, prompt: Thinking, cut: str) -> None:
    vocabulary = vocabulary_of(cut)
    grammar = think(ANSWER, mode=mode, prompt=prompt, vocabulary=vocabulary)
    rng = random.Random(f"{mode} {prompt} {cut}")
    reasoned = 0
    for _ in range(12):
        text = walk(grammar, vocabulary, rng)
        thought = grammar.value(text)
        assert thought.answer in ({"ok": True}, {"ok": False})
        begins, ends = text.count("<think>"), text.count("</think>")
        if prompt in ENDED or (mode == "off" and prompt is Thinking.ABSENT):
            assert (thought.reasoning, begins, ends) == (None, 0, 0)
        elif prompt is Thinking.OPEN:
            assert ends == 1
            assert mode != "off" or thought.reasoning is None
        else:
            assert ends == 1 or mode == "auto"
            assert begins >= ends
        reasoned += thought.reasoning is not None
    if mode == "on" and prompt not in ENDED:
        assert reasoned


def text_of(mode: Mode, prompt: Thinking) -> tuple[str, str | None]:
    """A text that a mode allows after a prompt, and the reasoning in it."""
    answer = '{"ok": true}'
    if prompt in ENDED or (prompt is Thinking.ABSENT and mode == "off"):
        return answer, None
    if mode == "off":
        return f"\n</think>\n\n{answer}", None
    begun = "" if prompt is Thinking.OPEN else "<think>"
    return f"{begun}\nso< 1 </thin .</think>\n\n{answer}", "so< 1 </thin ."


@pytest.mark.parametrize(("mode", "prompt", "cut"), product(MODES, Thinking, CUTS))
def test_chunks_make_no_difference(mode: Mode, prompt: Thinking, cut: str) -> None:
    """One text, cut into tokens in many ways: every mask holds the next token, and the split is that of the text."""
    vocabulary = vocabulary_of(cut)
    grammar = think(ANSWER, mode=mode, prompt=prompt, vocabulary=vocabulary)
    text, reasoning = text_of(mode, prompt)
    compiled = grammar.compile(vocabulary)
    rng = random.Random(f"{mode} {prompt} {cut}")
    for _ in range(8):
        matcher, rest = compiled.matcher(), text.encode()
        events = OutlineEvents(Reader(grammar._outline, vocabulary.special))
        while rest:
            fitting = [
                (token, data)
                for token in matcher.allowed()
                if (data := vocabulary.token(token) or _name(vocabulary, token)) and rest.startswith(data)
            ]
            token, data = rng.choice([pair for pair in fitting if pair[0] in vocabulary.special.values()] or fitting)
            inside = matcher.path
            matcher.advance(token)
            events.feed(vocabulary.token(token) or token_names(vocabulary, token))
            assert inside in ("", "reasoning", "/ok")
            rest = rest[len(data) :]
        assert matcher.can_end
        events.finish()
        closed = {event.path: event.value for event in events.told() if isinstance(event, Closed)}
        assert (closed.get(("reasoning",)) or "").strip() == (reasoning or "")
        assert closed[()] == {"ok": True} and closed[("ok",)] is True
    assert grammar.value(text) == Thought(reasoning, {"ok": True})


def _name(vocabulary: Vocabulary, token: int) -> bytes:
    return next((name.encode() for name, known in vocabulary.special.items() if known == token), b"")


def test_a_marker_spelled_by_other_tokens_is_no_special_token() -> None:
    vocabulary = vocabulary_of("special")
    matcher = think(ANSWER, mode="on", vocabulary=vocabulary).compile(vocabulary).matcher()
    assert matcher.allowed() == sorted([*b" \n", vocabulary.special["<think>"]])
    matcher.advance(vocabulary.special["<think>"])
    matcher.advance_bytes(b"</think")
    assert ord(">") not in matcher.allowed(), "the name of the token, as text, would be taken for the token"
    assert vocabulary.special["</think>"] in matcher.allowed()


def test_the_prompt_says_whether_reasoning_has_begun() -> None:
    head = "<|im_start|>user\nWhat is <think>?<|im_end|>\n<|im_start|>assistant\n"
    turn = "<|im_start|>assistant"
    assert Thinking.of_prompt(head) is Thinking.of_prompt(head, turn=turn) is Thinking.ABSENT
    assert Thinking.of_prompt(f"{head}<think>\n") is Thinking.OPEN
    assert Thinking.of_prompt(f"{head}<think>\n\n</think>\n\n") is Thinking.CLOSED
    assert Thinking.of_prompt(f"{head}</think>") is Thinking.CLOSED
    assert Thinking.of_prompt(f"{head}<think>\nWell,") is Thinking.ABSENT, "a user may have written that"
    assert Thinking.of_prompt(f"{head}<think>\nWell,", turn=turn) is Thinking.OPEN
    assert Thinking.of_prompt(f"{head}<think>\nWell,</think>\nSo", turn=turn) is Thinking.CLOSED
    assert Thinking.of_prompt("[INST]Hi[/INST][THINK]", "[THINK]", "[/THINK]") is Thinking.OPEN


def test_a_bound_forces_the_end() -> None:
    vocabulary = vocabulary_of("1 token")
    grammar = think(ANSWER, mode="on", max_chars=3)
    assert grammar.accepts('<think>abc</think>{"ok": true}')
    assert grammar.accepts('<think>äöü</think>{"ok": true}')
    assert not grammar.accepts_prefix("<think>abcd")
    matcher = grammar.compile(vocabulary).matcher()
    matcher.advance_bytes(b"<think>abc")
    assert matcher.forced_bytes() == b"</think>"


def test_tokens_are_not_counted() -> None:
    with pytest.raises(UnsupportedSchemaError, match="does not count tokens") as caught:
        think(ANSWER, max_tokens=100)
    assert "max_chars" in (caught.value.hint or "")


def test_bad_input_is_refused() -> None:
    with pytest.raises(ValueError, match="mode"):
        think(ANSWER, mode="yes")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="marker"):
        think(ANSWER, end="")
    with pytest.raises(MessageSyntaxError, match="does not end"):
        think(ANSWER).value("<think>hm")
    with pytest.raises(VocabularyError):
        think(ANSWER, mode="on", vocabulary=vocabulary_of("special")).compile(vocabulary_of("1 token"))


class RandomSession:
    """A model that likes tokens at random."""

    def __init__(self, size: int) -> None:
        self.rng = np.random.default_rng(0)
        self.size = size

    def logits(self) -> NDArray[np.float32]:
        return self.rng.standard_normal(self.size).astype(np.float32)

    def push(self, token: int) -> None:
        pass


def test_special_tokens_are_in_the_text_that_is_decoded() -> None:
    vocabulary = vocabulary_of("special")
    grammar = think(Grammar.from_choices(["yes"]), mode="on", vocabulary=vocabulary, max_chars=2)
    session = RandomSession(vocabulary.size)
    steps = list(decode(session, grammar.compile(vocabulary).matcher(), vocabulary, Budget(64)))
    text = "".join(step.text for step in steps)
    assert "</think>" in text
    assert grammar.value(text).answer == "yes"


def test_it_is_shown_by_its_public_name() -> None:
    assert repr(think(["a"], max_chars=9)) == "<Grammar think(<Grammar.from_choices(['a'])>, max_chars=9)>"
