"""GGUF file × token ids of a prompt → logits, by llama.cpp: sessions share the weights of one loaded model.

The package's own class `Llama` holds one sequence, but each fork and session needs a context of its own. So this module
calls the functions of `llama.h`, which llama-cpp-python exports.
"""

from __future__ import annotations

import contextlib
import copy
import ctypes
import importlib
import os
import weakref
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from frisket.errors import EngineError, MissingDependencyError
from frisket.models.protocol import Logits
from frisket.models.session import NetworkSession

#: Most tokens read in one call.
BATCH = 512
#: Default for the most tokens of a context; memory for all of them is allocated at once.
ROOM = 4096


class LlamaCpp:
    """The weights of a file. Sessions in several threads may share them, if each session stays in one thread."""

    def __init__(self, path: Path) -> None:
        try:
            self.library: Any = importlib.import_module("llama_cpp")
        except (ImportError, OSError, RuntimeError) as error:  # for a broken shared library it raises RuntimeError
            raise MissingDependencyError.of("llama-cpp-python", "llama-cpp") from error
        self.threads = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        try:
            # The loader's own context is never used, so it is as small as possible.
            self._llama = self.library.Llama(str(path), n_ctx=8, n_batch=8, verbose=False)
        except Exception as error:
            raise EngineError(
                f"llama.cpp ({self.library.__version__}) cannot read {path.name}: {error}",
                where=str(path),
                hint='read it by numpy: models.gguf(path, runtime="numpy")',
            ) from error
        self.model = self._llama.model
        self.rows = int(self._llama.n_vocab())

    @property
    def rewinds(self) -> bool:
        """Whether the last tokens can be removed from a sequence's state; not in a recurrent network."""
        library = self.library
        return not (library.llama_model_is_recurrent(self.model) or library.llama_model_is_hybrid(self.model))


class LlamaCppSession(NetworkSession):
    """One sequence in a context of its own."""

    def __init__(self, network: LlamaCpp, context: int, prompt_ids: Sequence[int]) -> None:
        self._network = network
        self._pointer = self._opened(context)
        super().__init__(context, prompt_ids)

    @property
    def rewinds(self) -> bool:
        return self._network.rewinds

    def fork(self) -> LlamaCppSession:
        library = self._network.library
        twin = copy.copy(self)
        twin._pointer = twin._opened(self._context)
        size = library.llama_state_seq_get_size(self._pointer, 0)
        state = (ctypes.c_uint8 * size)()
        library.llama_state_seq_get_data(self._pointer, state, size, 0)
        if not library.llama_state_seq_set_data(twin._pointer, state, size, 0):
            raise EngineError("llama.cpp cannot copy the state of a sequence", where=f"token {self._length}")
        return twin

    def _opened(self, context: int) -> Any:
        """A new context, which is freed with this session."""
        library = self._network.library
        parameters = library.llama_context_default_params()
        parameters.n_ctx = context
        parameters.n_batch = parameters.n_ubatch = min(BATCH, context)
        parameters.n_threads = parameters.n_threads_batch = self._network.threads
        pointer = library.llama_init_from_model(self._network.model, parameters)
        if not pointer:
            raise EngineError(
                f"llama.cpp has no memory for a context of {context} tokens",
                hint="pass a smaller context: models.gguf(path, context=1024)",
            )
        weakref.finalize(self, library.llama_free, pointer)
        return pointer

    def _forget(self, tokens: int) -> None:
        library = self._network.library
        if not library.llama_memory_seq_rm(library.llama_get_memory(self._pointer), 0, self._length - tokens, -1):
            raise EngineError("llama.cpp cannot take tokens back", where=f"token {self._length}")

    def _read(self, ids: list[int], keep: int) -> Logits:
        library, rows = self._network.library, []
        batch = library.llama_batch_init(BATCH, 0, 1)
        with contextlib.ExitStack() as stack:
            stack.callback(library.llama_batch_free, batch)
            for start in range(0, len(ids), BATCH):
                part = ids[start : start + BATCH]
                batch.n_tokens = len(part)
                wanted = range(max(0, len(ids) - keep - start), len(part))
                for place, token_id in enumerate(part):
                    batch.token[place], batch.pos[place] = token_id, self._length + start + place
                    batch.n_seq_id[place], batch.seq_id[place][0] = 1, 0
                    batch.logits[place] = place in wanted
                if status := library.llama_decode(self._pointer, batch):
                    raise EngineError(f"llama.cpp failed with status {status}", where=f"token {self._length}")
                for place in wanted:
                    pointer = library.llama_get_logits_ith(self._pointer, place)
                    rows.append(np.ctypeslib.as_array(pointer, shape=(self._network.rows,)).copy())
        return np.stack(rows)
