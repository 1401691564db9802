"""A version of vLLM that was not tested → whether the wrapped methods still work: a trial without a model."""

from __future__ import annotations

import importlib
import inspect
from types import SimpleNamespace
from typing import Any

import numpy as np

from frisket.errors import EngineError
from frisket.vocabulary import Vocabulary

#: Each class or method that frisket calls or implements → the parameters that it relies on, in this order.
SIGNATURES: dict[str, tuple[str, ...]] = {
    "vllm.sampling_params.SamplingParams._validate_structured_outputs": (
        "self", "model_config", "structured_outputs_config", "tokenizer",
    ),
    "vllm.v1.structured_output.StructuredOutputManager.grammar_init": ("self", "request"),
    "vllm.v1.structured_output.StructuredOutputManager.grammar_bitmask": (
        "self", "requests", "structured_output_request_ids", "scheduled_spec_decode_tokens",
    ),
    "vllm.v1.structured_output.StructuredOutputManager._fill_bitmasks": ("self", "batch"),
    "vllm.v1.structured_output.StructuredOutputManager.validate_tokens": ("self", "request", "spec_tokens"),
    "vllm.v1.structured_output.StructuredOutputManager._get_constraint_bounds": ("self", "request", "spec_tokens"),
    "vllm.v1.structured_output.backend_types.StructuredOutputBackend.compile_grammar": (
        "self", "request_type", "grammar_spec", "stop_token_ids",
    ),
    "vllm.v1.structured_output.backend_types.StructuredOutputBackend.allocate_token_bitmask": ("self", "max_num_seqs"),
    "vllm.v1.structured_output.backend_types.StructuredOutputGrammar.accept_tokens": ("self", "request_id", "tokens"),
    "vllm.v1.structured_output.backend_types.StructuredOutputGrammar.validate_tokens": ("self", "tokens"),
    "vllm.v1.structured_output.backend_types.StructuredOutputGrammar.rollback": ("self", "num_tokens"),
    "vllm.v1.structured_output.backend_types.StructuredOutputGrammar.fill_bitmask": ("self", "bitmask", "batch_index"),
}  # fmt: skip

#: A token for each of three letters, and the end.
_WORDS = Vocabulary.from_bytes([b"a", b"b", b"c", None], eos=[3])


def run() -> None:
    """Pass two requests through the wrapped classes, one of them to its end; an exception says what has changed.

    Called after the methods were wrapped."""
    for place, parameters in SIGNATURES.items():
        found = tuple(inspect.signature(_at(place)).parameters)
        if found[: len(parameters)] != parameters:
            raise EngineError(f"{place} takes {', '.join(found)}, and not {', '.join(parameters)}")
    config = SimpleNamespace(
        # Set so that vLLM uses no tokenizer and no threads: grammars are compiled at once.
        parallel_config=SimpleNamespace(distributed_executor_backend="external_launcher"),
        scheduler_config=SimpleNamespace(max_num_seqs=2),
        model_config=SimpleNamespace(
            skip_tokenizer_init=True, is_diffusion=False, get_vocab_size=lambda: 4, max_model_len=20_000
        ),
        structured_outputs_config=_at("vllm.config.StructuredOutputsConfig")(),
        num_speculative_tokens=1,
    )
    manager = _at("vllm.v1.structured_output.StructuredOutputManager")(config)
    manager.tokenizer = _WORDS
    requests = {name: _request(name, config) for name in ("trial", "other")}
    for request in requests.values():
        manager.grammar_init(request)
        grammar = request.structured_output_request.grammar
        if isinstance(grammar, Exception):
            raise grammar
    request = requests["trial"]
    grammar = request.structured_output_request.grammar
    # The second step has a draft, whose row is followed and then taken back.
    for drafts, wrong, token, expected in (
        ([], 1, 0, [[0]]), ([1], 0, 1, [[1], [2, 3]]), ([], 0, 3, [[2, 3]]),
    ):  # fmt: skip
        if manager.validate_tokens(request, [*drafts, wrong]) != drafts:
            raise EngineError("drafts are not cut where the grammar refuses them")
        step = requests, list(requests), {"trial": drafts} if drafts else {}
        masks = _masks(manager.grammar_bitmask(*step))
        if masks[: len(expected)] != expected:
            raise EngineError(f"the masks allow {masks}, and not {expected}")
        own = _masks(type(manager).grammar_bitmask.__wrapped__(manager, *step))
        manager.backend.forget_rows()
        if masks != own:
            raise EngineError(f"the masks allow {masks}, and those of vLLM's own code {own}")
        if not manager.accept_tokens(request, [token]):
            raise EngineError(f"token {token} is refused, which the mask allows")
    if not grammar.is_terminated():
        raise EngineError("the end does not end the text")


def _masks(rows: Any) -> list[list[int]]:
    """The ids that each row allows."""
    bits = np.unpackbits(np.ascontiguousarray(rows).view(np.uint8), axis=1, bitorder="little")
    return [np.flatnonzero(row[:4]).tolist() for row in bits]


def _request(name: str, config: Any) -> Any:
    """A request for the text "ab", or "abc", as vLLM's front end makes it."""
    sampling = importlib.import_module("vllm.sampling_params")
    wanted = sampling.StructuredOutputsParams(regex="abc?")
    params = sampling.SamplingParams(structured_outputs=wanted, max_tokens=10_000)
    params._validate_structured_outputs(config.model_config, config.structured_outputs_config, _WORDS)
    made = _at("vllm.v1.structured_output.request.StructuredOutputRequest").from_sampling_params(params)
    return SimpleNamespace(
        request_id=name, sampling_params=params, structured_output_request=made, use_structured_output=True,
        prompt_token_ids=[0], all_token_ids=[0], num_prompt_tokens=1, num_output_tokens=0, max_tokens=10_000,
    )  # fmt: skip


def _at(place: str) -> Any:
    """The class or method at a dotted name."""
    parts = place.split(".")
    # Module names are lowercase, class names are not.
    end = next(number for number, part in enumerate(parts) if not part[0].islower())
    found: Any = importlib.import_module(".".join(parts[:end]))
    for part in parts[end:]:
        found = getattr(found, part)
    return found
