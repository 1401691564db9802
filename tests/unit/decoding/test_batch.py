"""Many answers in batches: those of one by one, whatever ends, fails or begins beside them."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pytest

import frisket
from frisket import Cancellation, Limits, Sampler, generate, generate_many
from frisket.errors import EngineError, LimitExceededError, MissingDependencyError
from frisket.models.embedded import Embedded, EmbeddedBatch
from frisket.models.protocol import new_batch
from frisket.strategies import Best
from tests import tiny_model
from tests.unit.models import test_gguf

MODEL = frisket.models.embedded()
TRIAGE = frisket.examples.load("triage")
TUTOR = frisket.examples.load("tutor")
#: Texts of many lengths, so that answers begin and end at different steps.
PROMPTS = [f"My card {'was charged ' * (n % 5)}twice, ticket {n * 37}" for n in range(20)]


class Counted(Embedded):
    """The embedded model, which counts the calls of its network and the sequences in each."""

    def __init__(self) -> None:
        super().__init__()
        self.calls: list[int] = []
        self.tokens = 0

    def batch(self) -> EmbeddedBatch:
        batch, calls = super().batch(), self.calls
        read = batch.read

        def counted(appended: Mapping[int, Sequence[int]]) -> Any:
            calls.append(len(appended))
            self.tokens += sum(map(len, appended.values()))
            return read(appended)

        batch.read = counted  # type: ignore[method-assign]
        return batch

    def start(self, prompt_ids: Sequence[int]) -> Any:
        raise AssertionError("a session was begun")


@pytest.fixture(scope="module")
def transformers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    yield frisket.models.transformers(*tiny_model.load(tiny_model.save(tmp_path_factory.mktemp("tiny"))))


@pytest.fixture(scope="module")
def llama(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return frisket.models.gguf(test_gguf.write(tmp_path_factory.mktemp("gguf") / "tiny.gguf"), runtime="numpy")


@pytest.mark.parametrize("size", [2, 5, 16, 64])
@pytest.mark.parametrize("sampler", [None, Sampler(temperature=1.5)])
def test_answers_of_the_embedded_model_are_those_of_one_by_one(size: int, sampler: Sampler | None) -> None:
    model = Counted()
    options: dict[str, Any] = {"max_tokens": 40, "sampler": sampler, "seed": 7}
    found = generate_many(model, PROMPTS, TRIAGE, batch_size=size, **options)
    assert found == [generate(MODEL, prompt, TRIAGE, **options) for prompt in PROMPTS]
    assert max(model.calls) == min(size, len(PROMPTS))
    # A place that an answer leaves is taken at once, so that calls are few.
    assert len(model.calls) < sum(model.calls) / min(size, len(PROMPTS)) + 45


@pytest.mark.parametrize("options", [
    {"heal": True}, {"stop": "t"}, {"describe": True}, {"min_tokens": 12}, {"guard": frisket.Guard(4, 2)},
    {"on_budget": "cut", "max_tokens": 9, "allow_partial": True}, {"limits": Limits(steps=10**9)}, {"max_tokens": 13},
])  # fmt: skip
def test_every_option_does_what_it_does_one_by_one(options: dict[str, Any]) -> None:
    options = {"allow_partial": True, **options}
    found = generate_many(Counted(), PROMPTS[:6], TUTOR, **options)
    assert found == [generate(MODEL, prompt, TUTOR, **options) for prompt in PROMPTS[:6]]


def test_each_target_has_its_own_grammar() -> None:
    targets: list[Any] = [TRIAGE, TUTOR, ["yes"], TRIAGE, int, frisket.Grammar.from_regex("[ab]{3}")]
    found = generate_many(Counted(), PROMPTS[:6], targets)
    assert found == [generate(MODEL, prompt, target) for prompt, target in zip(PROMPTS, targets, strict=False)]


def test_tools() -> None:
    def weather(city: str) -> str:
        """The weather of a city."""
        return city

    found = generate_many(Counted(), PROMPTS[:3], tools=[weather], choice="required", max_tokens=60)
    assert found == [
        generate(MODEL, prompt, tools=[weather], choice="required", max_tokens=60) for prompt in PROMPTS[:3]
    ]


def test_an_answer_that_fails_leaves_the_others_as_they_are() -> None:
    long = "x " * 400  # more than the context holds
    prompts = [PROMPTS[0], long, *PROMPTS[1:6]]
    found = generate_many(Counted(), prompts, TRIAGE, batch_size=3, return_errors=True)
    assert isinstance(found[1], LimitExceededError) and found[1].index == 1
    assert [found[0], *found[2:]] == [generate(MODEL, prompt, TRIAGE) for prompt in PROMPTS[:6]]
    with pytest.raises(LimitExceededError, match="prompt 1: "):
        generate_many(Counted(), prompts, TRIAGE)


def test_a_context_that_is_full_ends_one_answer_alone() -> None:
    words = "a b c d e f g h i j k l m n o p q r s t u v w x y z " * 6
    free = frisket.Grammar.from_regex("[a-z ]{900}")
    found = generate_many(Counted(), [words, "x"], [free, TRIAGE], on_budget="cut", return_errors=True)
    assert isinstance(found[0], LimitExceededError) and found[1] == generate(MODEL, "x", TRIAGE)


def test_a_network_that_fails_is_told_of() -> None:
    class Broken(Counted):
        def batch(self) -> EmbeddedBatch:
            batch = super().batch()
            read = batch.read

            def failing(appended: Mapping[int, Sequence[int]]) -> Any:
                if len(self.calls) == 3:
                    raise EngineError("out of memory")
                return read(appended)

            batch.read = failing  # type: ignore[method-assign]
            return batch

    with pytest.raises(EngineError, match="out of memory"):
        generate_many(Broken(), PROMPTS, TRIAGE)
    found = generate_many(Broken(), PROMPTS[:4], TRIAGE, batch_size=2, return_errors=True)
    assert all(isinstance(one, EngineError) for one in found) and [one.index for one in found] == [0, 1, 2, 3]


def test_a_cancellation_ends_all() -> None:
    cancellation = Cancellation()

    def stop(done: int, total: int) -> None:
        cancellation.cancel()

    limits = Limits(cancellation=cancellation)
    found = generate_many(Counted(), PROMPTS, TRIAGE, batch_size=4, limits=limits, on_done=stop, return_errors=True)
    assert sum(isinstance(one, LimitExceededError) for one in found) >= 16


def test_where_there_are_no_batches_sessions_are_begun() -> None:
    model = Counted()
    for options in ({"batch_size": 1}, {"strategy": Best(1)}):
        with pytest.raises(AssertionError, match="a session was begun"):
            generate_many(model, PROMPTS[:2], TRIAGE, **options)

    class Wrapper:
        def __getattr__(self, name: str) -> Any:
            return getattr(MODEL, name)

    assert new_batch(Wrapper()) is None and new_batch(MODEL) is not None
    with pytest.raises(ValueError, match="batch_size is at least 1"):
        generate_many(model, PROMPTS[:2], TRIAGE, batch_size=0)


def test_what_prompts_share_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    network, read = MODEL.network, list[int]()
    append = type(network).append

    def counted(self: Any, ids: Any, counts: Any, *more: Any) -> Any:
        read.append(int(counts.sum()))
        return append(self, ids, counts, *more)

    monkeypatch.setattr(type(network), "append", counted)
    ids = [MODEL.encode(f"{'the same words again ' * 8}{n}") for n in range(3)]
    batch = MODEL.batch()
    logits = batch.read(dict(enumerate(ids)))
    assert read == [len(ids[0]), 2 * 1]
    for one, row in zip(ids, logits, strict=True):
        np.testing.assert_allclose(row, MODEL.start(one).logits(), atol=2e-4)


def rows(model: Any, batch: Any, prompts: Sequence[Sequence[int]], tolerance: float) -> None:
    """Sequences that begin, go on and leave at different steps have the logits of sessions."""
    rng, sessions = np.random.default_rng(0), dict[int, Any]()
    waiting = list(enumerate(prompts))
    while waiting or sessions:
        appended: dict[int, list[int]] = {}
        for number, session in sessions.items():
            token = int(rng.integers(5, 60))
            session.push(token)
            appended[number] = [token]
        for number, ids in [waiting.pop(0) for _ in range(min(len(waiting), int(rng.integers(1, 3))))]:
            sessions[number], appended[number] = model.start(ids), list(ids)
        order = rng.permutation(list(appended)).tolist()
        found = batch.read({number: appended[number] for number in order})
        for number, row in zip(order, found, strict=True):
            np.testing.assert_allclose(row, sessions[number].logits(), atol=tolerance)
        for number in [number for number in sessions if rng.random() < 0.3]:
            del sessions[number]
            batch.remove(number)
    batch.remove(10**6)  # one that was never read


LENGTHS = (1, 7, 40, 2, 19, 3, 30, 1, 12)


@pytest.mark.parametrize("shared", [0, 11])
def test_logits_of_batches(shared: int, llama: Any, transformers: Any) -> None:
    rng = np.random.default_rng(1)
    prompts = [[*range(20, 20 + shared), *rng.integers(5, 60, length).tolist()] for length in LENGTHS]
    rows(MODEL, MODEL.batch(), prompts, 2e-4)
    rows(llama, llama.batch(), prompts, 2e-4)
    rows(transformers, transformers.batch(), prompts, 2e-4)


def test_answers_of_other_networks_are_those_of_one_by_one(llama: Any, transformers: Any) -> None:
    schema = {
        "type": "object",
        "properties": {"a": {"type": "string", "maxLength": 12}, "b": {"type": "integer", "minimum": 0}},
        "required": ["a", "b"],
        "additionalProperties": False,
    }
    for model in (llama, transformers):
        found = generate_many(model, PROMPTS[:8], schema, batch_size=3, max_tokens=60)
        assert found == [generate(model, prompt, schema, max_tokens=60) for prompt in PROMPTS[:8]]


def test_a_bar_is_shown_on_a_terminal_alone(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    pytest.importorskip("rich", reason="rich is not installed")
    assert generate_many(MODEL, PROMPTS[:3], ["yes", "no"], progress=True)
    assert not capsys.readouterr().err
    pty = pytest.importorskip("pty", reason="there are no pseudo-terminals")
    reader, writer = pty.openpty()
    with os.fdopen(writer, "w") as terminal, monkeypatch.context() as patch:
        patch.setattr(sys, "stderr", terminal)
        patch.setenv("TERM", "xterm")
        generate_many(MODEL, PROMPTS[:3], ["yes", "no"], progress=True)
        terminal.write("\nover\n")
        terminal.flush()
        shown = ""
        while "over" not in shown:
            shown += os.read(reader, 1 << 16).decode()
    os.close(reader)
    assert "3/3" in shown and "answers" in shown


def test_without_rich_a_bar_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "rich.console", None)
    with pytest.raises(MissingDependencyError, match="rich is not installed") as raised:
        generate_many(MODEL, PROMPTS[:3], ["yes", "no"], progress=True)
    assert raised.value.hint == 'pip install "frisket-llm[cli]"'


@pytest.mark.parametrize("change", [
    {"sliding_window": 8, "layer_types": ["sliding_attention"] * 2}, {"is_encoder_decoder": True},
    {"rope_parameters": {"rope_type": "dynamic", "factor": 2.0}}, {"rope_parameters": {"mrope_section": [2, 1, 1]}},
])  # fmt: skip
def test_a_network_that_is_no_plain_one_has_no_batches(
    change: dict[str, Any], transformers: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert new_batch(transformers) is not None
    for name, value in change.items():
        monkeypatch.setattr(transformers._model.config, name, value, raising=False)
    assert new_batch(transformers) is None
