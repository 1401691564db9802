"""A network that reads many tokens in one call × sessions of it: what they hold after each call, and after failures."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from frisket.errors import EngineError, LimitExceededError
from frisket.models.llama_cpp import BATCH, LlamaCppSession
from frisket.models.protocol import Logits
from frisket.models.session import NetworkSession

CONTEXT, ROWS = BATCH + 9, 7


def expected(ids: Sequence[int]) -> list[float]:
    """Logits that tell every sequence from every other."""
    return [float(hash((*ids, row)) % 9973) for row in range(ROWS)]


class Plain(NetworkSession):
    """A network that remembers its tokens."""

    def __init__(self, prompt_ids: Sequence[int]) -> None:
        self.ids: list[int] = []
        self.calls = 0
        super().__init__(CONTEXT, prompt_ids)

    @property
    def rewinds(self) -> bool:
        return True

    def fork(self) -> Plain:
        twin = object.__new__(Plain)
        twin.__dict__.update(self.__dict__, ids=list(self.ids))
        return twin

    def _forget(self, tokens: int) -> None:
        del self.ids[-tokens:]

    def _read(self, ids: list[int], keep: int) -> Logits:
        if 6 in ids:
            raise EngineError("this network does not like 6")
        self.calls += 1
        self.ids += ids
        count = len(self.ids)
        return np.array([expected(self.ids[: count - keep + 1 + n]) for n in range(keep)], dtype=np.float32)


class Library:
    """As much of `llama.h` as a session calls, over contexts that are lists of tokens."""

    def __init__(self) -> None:
        self.contexts: dict[int, list[int]] = {}
        self.rows: dict[int, Any] = {}
        self.freed: list[int] = []
        self.batches = 0

    def llama_context_default_params(self) -> SimpleNamespace:
        return SimpleNamespace()

    def llama_init_from_model(self, model: object, parameters: SimpleNamespace) -> int:
        assert parameters.n_ctx == CONTEXT and parameters.n_batch <= BATCH
        self.contexts[len(self.contexts) + 1] = []
        return len(self.contexts)

    def llama_free(self, pointer: int) -> None:
        self.freed.append(pointer)

    def llama_batch_init(self, size: int, embedding: int, sequences: int) -> SimpleNamespace:
        self.batches += 1
        columns = {name: [0] * size for name in ("token", "pos", "n_seq_id", "logits")}
        return SimpleNamespace(n_tokens=0, seq_id=[[None] for _ in range(size)], **columns)

    def llama_batch_free(self, batch: SimpleNamespace) -> None:
        self.batches -= 1

    def llama_decode(self, pointer: int, batch: SimpleNamespace) -> int:
        ids, self.rows = self.contexts[pointer], {}
        if 6 in batch.token[: batch.n_tokens]:
            return 3
        for place in range(batch.n_tokens):
            assert batch.pos[place] == len(ids) and batch.n_seq_id[place] == 1 and batch.seq_id[place] == [0]
            ids.append(batch.token[place])
            if batch.logits[place]:
                self.rows[place] = (ctypes.c_float * ROWS)(*expected(ids))
        return 0

    def llama_get_logits_ith(self, pointer: int, place: int) -> Any:
        return ctypes.cast(self.rows[place], ctypes.POINTER(ctypes.c_float))

    def llama_get_memory(self, pointer: int) -> int:
        return pointer

    def llama_memory_seq_rm(self, memory: int, sequence: int, begin: int, end: int) -> bool:
        assert (sequence, end) == (0, -1)
        del self.contexts[memory][begin:]
        return True

    def llama_state_seq_get_size(self, pointer: int, sequence: int) -> int:
        return len(self.contexts[pointer])

    def llama_state_seq_get_data(self, pointer: int, state: Any, size: int, sequence: int) -> int:
        state[:] = self.contexts[pointer]
        return size

    def llama_state_seq_set_data(self, pointer: int, state: Any, size: int, sequence: int) -> int:
        self.contexts[pointer] = list(state)
        return size


def llama_cpp(prompt_ids: Sequence[int], library: Any = None) -> NetworkSession:
    network: Any = SimpleNamespace(library=library or Library(), model=None, threads=1, rows=ROWS, rewinds=True)
    return LlamaCppSession(network, CONTEXT, prompt_ids)


MAKERS: dict[str, Callable[[Sequence[int]], NetworkSession]] = {"plain": Plain, "llama.cpp": llama_cpp}


@pytest.fixture(params=MAKERS)
def make(request: pytest.FixtureRequest) -> Callable[[Sequence[int]], NetworkSession]:
    return MAKERS[request.param]


def test_tokens_in_one_call_and_one_by_one(make: Callable[..., NetworkSession]) -> None:
    session, other = make([1, 2]), make([1, 2])
    assert session.logits().tolist() == expected([1, 2])
    rows = session.extend([3, 4, 5])
    assert rows.tolist() == [expected([1, 2, 3]), expected([1, 2, 3, 4]), expected([1, 2, 3, 4, 5])]
    for token in (3, 4, 5):
        other.push(token)
    assert other.logits().tolist() == session.logits().tolist() == rows[-1].tolist()


def test_who_gets_logits_owns_them(make: Callable[..., NetworkSession]) -> None:
    session = make([1])
    session.logits()[:] = 0
    assert session.logits().tolist() == expected([1])


def test_tokens_are_taken_back(make: Callable[..., NetworkSession]) -> None:
    session = make([1])
    assert session.rewinds
    session.extend([2, 3, 4])
    session.rewind(0)
    session.rewind(2)
    assert session.logits().tolist() == expected([1, 2])
    for tokens in (1, -1):
        with pytest.raises(ValueError, match="the last call read 1 tokens"):
            session.rewind(tokens)
    session.push(5)
    assert session.logits().tolist() == expected([1, 2, 5])


def test_forks_go_apart(make: Callable[..., NetworkSession]) -> None:
    session = make([1, 2])
    twin = session.fork()
    session.push(3)
    twin.push(4)
    assert session.logits().tolist() == expected([1, 2, 3])
    assert twin.logits().tolist() == expected([1, 2, 4])


def test_a_full_context_leaves_the_session_as_it_was(make: Callable[..., NetworkSession]) -> None:
    prompt = [1] * (CONTEXT - 2)
    session = make(prompt)
    with pytest.raises(LimitExceededError, match=f"context of {CONTEXT} tokens is full") as error:
        session.extend([2, 3, 4])
    assert error.value.where == f"token {CONTEXT - 2}"
    session.extend([2, 3])
    with pytest.raises(LimitExceededError):
        session.push(4)
    assert session.logits().tolist() == expected([*prompt, 2, 3])


def test_a_network_that_fails_leaves_the_session_as_it_was(make: Callable[..., NetworkSession]) -> None:
    session = make([1, 2])
    with pytest.raises(EngineError):
        session.push(6)
    assert session.logits().tolist() == expected([1, 2])
    session.push(3)
    assert session.logits().tolist() == expected([1, 2, 3])


def test_contexts_of_llama_cpp_end_with_their_sessions() -> None:
    library = Library()
    session = llama_cpp([1, 2], library)
    twin = session.fork()
    assert not library.freed and not library.batches
    del session
    assert library.freed == [1]
    del twin
    assert library.freed == [1, 2]
