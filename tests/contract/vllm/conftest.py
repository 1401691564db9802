"""vLLM's manager of structured outputs and its parameters, with frisket installed; only the model is missing."""

from __future__ import annotations

import copy
import importlib
import random
from collections.abc import Iterator
from concurrent.futures import Future
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tests import tiny_model

pytestmark = pytest.mark.filterwarnings("ignore")

THINK, THOUGHT = "<think>", "</think>"
ROWS_BEYOND = 5
CONTEXT = 20_000


@pytest.fixture(scope="session")
def vllm() -> Any:
    """The modules that the plug-in touches."""
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pytest.importorskip("torch", reason="torch is not installed")
        pytest.importorskip("vllm", reason="vllm is neither installed nor unpacked: python -m tests.contract vllm 0.33")
        names = ("sampling_params", "v1.structured_output", "v1.structured_output.request", "exceptions", "config")
        modules = {name.rpartition(".")[2]: importlib.import_module(f"vllm.{name}") for name in names}
        modules["backend_types"] = importlib.import_module("vllm.v1.structured_output.backend_types")
    return SimpleNamespace(package=importlib.import_module("vllm"), **modules)


@pytest.fixture(scope="session")
def tokenizer() -> Any:
    library = pytest.importorskip("transformers", reason="transformers is not installed")
    made = tiny_model.make_tokenizer(library)
    made.add_special_tokens({"additional_special_tokens": [THINK, THOUGHT]})
    return made


@pytest.fixture
def plain(vllm: Any) -> Iterator[None]:
    """vLLM's classes, as they were before and after."""
    places = [
        (vllm.sampling_params.SamplingParams, "_validate_structured_outputs"),
        (vllm.structured_output.StructuredOutputManager, "grammar_init"),
        (vllm.structured_output.StructuredOutputManager, "grammar_bitmask"),
        (vllm.structured_output.StructuredOutputManager, "_fill_bitmasks"),
        (vllm.structured_output.StructuredOutputManager, "validate_tokens"),
    ]
    methods = [vars(cls)[name] for cls, name in places]
    importlib.import_module("frisket.engines.vllm.plugin")._warn_of_front_end.cache_clear()
    yield
    for (cls, name), method in zip(places, methods, strict=True):
        setattr(cls, name, method)


@pytest.fixture
def engine(vllm: Any, tokenizer: Any, plain: None, monkeypatch: pytest.MonkeyPatch) -> Engine:
    monkeypatch.setenv("FRISKET_VLLM", "1")
    return Engine(vllm, tokenizer, monkeypatch)


class Request(SimpleNamespace):
    """What vLLM knows of a request."""

    @property
    def num_output_tokens(self) -> int:
        return len(self.all_token_ids) - self.num_prompt_tokens


class Engine:
    """What vLLM does with a request, up to the sampling: this draws any allowed token."""

    def __init__(self, vllm: Any, tokenizer: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        from frisket.engines.vllm import register

        register()
        self.vllm, self.tokenizer = vllm, tokenizer
        monkeypatch.setattr(vllm.structured_output, "cached_tokenizer_from_config", lambda **_: tokenizer)
        self.size = len(tokenizer) + ROWS_BEYOND
        self.restart()

    def restart(
        self, *, drafts: int = 0, sequences: int = 8, executor: str = "mp", reasoning: Any = None, **structured: Any
    ) -> Any:
        """A new manager of an engine that was started so."""
        self.config = SimpleNamespace(
            parallel_config=SimpleNamespace(distributed_executor_backend=executor),
            scheduler_config=SimpleNamespace(max_num_seqs=sequences),
            model_config=SimpleNamespace(
                skip_tokenizer_init=False, is_diffusion=False, get_vocab_size=lambda: self.size, max_model_len=CONTEXT
            ),
            structured_outputs_config=self.vllm.config.StructuredOutputsConfig(**structured),
            reasoning_config=reasoning,
            num_speculative_tokens=drafts,
        )
        self.manager = self.vllm.structured_output.StructuredOutputManager(self.config)
        return self.manager

    def params(
        self, *, stops: tuple[int, ...] = (), extra: Any = None, max_tokens: int | None = 10_000, **wanted: Any
    ) -> Any:
        """Parameters that have arrived in the front end, and were validated there."""
        sampling = self.vllm.sampling_params
        params = sampling.SamplingParams(
            structured_outputs=sampling.StructuredOutputsParams(**wanted), extra_args=extra, stop_token_ids=list(stops),
            max_tokens=max_tokens,
        )  # fmt: skip
        params.update_from_generation_config({}, self.tokenizer.eos_token_id)
        config = self.config
        params._validate_structured_outputs(config.model_config, config.structured_outputs_config, self.tokenizer)
        return params

    def request(self, name: str = "r", **wanted: Any) -> Any:
        """A request whose grammar is compiled."""
        return self.started(self.params(**wanted), name)

    def started(self, params: Any, name: str = "r", prompt: tuple[int, ...] = (1,)) -> Any:
        params = copy.deepcopy(params)  # as it comes out of the other process
        made = self.vllm.request.StructuredOutputRequest.from_sampling_params(params)
        request = Request(
            request_id=name, sampling_params=params, structured_output_request=made, use_structured_output=True,
            prompt_token_ids=list(prompt), all_token_ids=list(prompt), num_prompt_tokens=len(prompt),
            max_tokens=params.max_tokens or CONTEXT - len(prompt),
        )  # fmt: skip
        self.manager.grammar_init(request)
        if isinstance(made._grammar, Future):
            made._grammar = made._grammar.result()
        return request

    def masks(self, *requests: Any, drafts: dict[str, list[int]] | None = None) -> list[list[int]]:
        """The allowed ids of each row that the model runner is handed."""
        by_name = {request.request_id: request for request in requests}
        rows = self.manager.grammar_bitmask(by_name, list(by_name), drafts or {})
        bits = np.unpackbits(np.ascontiguousarray(rows).view(np.uint8), axis=1, bitorder="little")
        return [np.flatnonzero(row).tolist() for row in bits]

    def finish(self, request: Any, rng: random.Random) -> str:
        """Any text that the masks allow."""
        ids: list[int] = []
        while not request.structured_output_request.grammar.is_terminated():
            (allowed,) = self.masks(request)
            ends = [token for token in allowed if token in request.sampling_params.all_stop_token_ids]
            token = rng.choice(ends if ends and len(ids) > 30 else allowed)
            assert self.manager.accept_tokens(request, [token])
            ids.append(token)
        return self.text(ids)

    def text(self, ids: list[int]) -> str:
        return str(self.tokenizer.decode(ids, skip_special_tokens=True))
