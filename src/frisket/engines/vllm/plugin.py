"""vLLM's classes → the same classes with frisket as the backend for structured outputs.

vLLM has no registry of backends, so five methods are wrapped. One validates a request where it arrives. The other four
run in the engine's process: they compile its grammar, check its drafts, collect the masks of a step, and fill their
rows.
"""

from __future__ import annotations

import functools
import importlib
import logging
from typing import Any

import frisket
from frisket.engines import metrics, room
from frisket.engines.progress import failure
from frisket.engines.structured_output import read_options
from frisket.engines.vllm import ENGINE, SWITCH, proposer, trial
from frisket.engines.vllm.admission import Admission
from frisket.engines.vllm.budget import Budget, end_of_thoughts
from frisket.engines.vllm.request import Specification, structured_output
from frisket.errors import EngineError, MissingDependencyError
from frisket.json_schema.options import JSONSchemaOptions
from frisket.limit import Limits

#: The backend's name in vLLM's requests. Where vLLM is not wrapped, its error for an unknown backend shows this name
#: and so the remedy. Beam search, which has backends of its own, refuses the name, too.
NAME = f"frisket (set {SWITCH} in the engine's process, too)"

#: The wrapped methods of vLLM's manager.
MANAGER = ("grammar_init", "grammar_bitmask", "_fill_bitmasks", "validate_tokens")

#: vLLM shows only messages of loggers below its own.
logger = logging.getLogger("vllm.frisket")


def install(options: str = "") -> None:
    """Wrap the methods in this process, once; `options` is JSON text with the options of all requests.

    EngineError for a version that was not tested, unless it is newer and a trial run succeeds."""
    base = read_options(options or None)
    room.read_reserve()
    version = str(_import("vllm").__version__)
    is_untested = ENGINE.is_newer(version)
    if not is_untested:
        ENGINE.check(version)
    params = _import("vllm.sampling_params").SamplingParams
    manager = _import("vllm.v1.structured_output").StructuredOutputManager
    wrapped = (params, "_validate_structured_outputs"), *((manager, name) for name in MANAGER)
    is_new = _wrap_validation(params, base)
    _wrap_masks(manager)
    _wrap_rows(manager)
    _wrap_drafts(manager)
    if not (_wrap_compilation(manager, base) or is_new):
        return
    if is_untested:
        try:
            trial.run()
        except Exception as error:
            for cls, name in wrapped:
                setattr(cls, name, vars(cls)[name].__wrapped__)
            raise EngineError(
                f"{ENGINE.name} {version} was not tested with this version of frisket, and a trial run failed: "
                f"{type(error).__name__}: {error}",
                where=SWITCH,
                hint=f"install {ENGINE.name} {' or '.join(ENGINE.tested)} or another frisket, or unset {SWITCH}",
            ) from error
        logger.warning(
            "%s %s was not tested with this version of frisket, but with %s; a trial run of what is wrapped went well",
            ENGINE.name, version, " and ".join(ENGINE.tested),
        )  # fmt: skip
    metrics.start("vllm")
    logger.info("frisket %s serves structured outputs of vLLM %s: %s, %s", frisket.__version__, version, base, Limits())


def _wrap_validation(cls: Any, base: JSONSchemaOptions) -> bool:
    original = _method(cls, "_validate_structured_outputs")
    if original is None:
        return False
    admission = Admission()

    def _validate_structured_outputs(
        self: Any, model_config: Any, structured_outputs_config: Any, tokenizer: Any
    ) -> None:
        wanted = self.structured_outputs
        if wanted is None or structured_outputs_config is None or tokenizer is None or model_config.is_diffusion:
            # vLLM's own message says which package is missing.
            original(self, model_config, structured_outputs_config, tokenizer)
            return
        _check_backend(structured_outputs_config.backend)
        if wanted._backend not in (None, NAME):
            raise invalid(f"the request asks for the backend {wanted._backend!r}, and {SWITCH} for frisket")
        try:
            asked = structured_output(wanted, self.extra_args, base)
            compiled = admission.compile(asked, tokenizer, int(model_config.get_vocab_size()))
            if room.is_on() and self.max_tokens is not None:
                room.check(compiled, self.max_tokens)
        except Exception as error:
            raise invalid(told(error)) from error
        wanted._backend, wanted._backend_was_auto = NAME, True

    _replace(cls, _validate_structured_outputs, original)
    return True


def _wrap_compilation(cls: Any, base: JSONSchemaOptions) -> bool:
    original = _method(cls, "grammar_init")
    if original is None:
        return False

    def grammar_init(self: Any, request: Any) -> None:
        if request.structured_output_request is not None:
            _prepare(self, request, base)
        original(self, request)

    _replace(cls, grammar_init, original)
    return True


def _wrap_masks(cls: Any) -> None:
    original = _method(cls, "grammar_bitmask")
    if original is None:
        return

    def grammar_bitmask(
        self: Any, requests: Any, structured_output_request_ids: Any, scheduled_spec_decode_tokens: Any
    ) -> Any:
        from frisket.engines.vllm import backend, step

        try:
            filled = step.fill(self, requests, structured_output_request_ids, scheduled_spec_decode_tokens)
            if filled is not None:
                return filled
        except Exception as error:  # an error here would end the engine
            logger.error("masks are filled one by one: %s: %s", type(error).__name__, error)
        try:
            for name in structured_output_request_ids:
                request = requests[name]
                begin = getattr(request.structured_output_request.grammar, "begin", None)
                if begin is not None:
                    drafts = scheduled_spec_decode_tokens.get(name)
                    begin(_count_reasoning_drafts(self, request, drafts))
                    _end_thoughts(self, request, drafts or [])
        except Exception as error:  # without a budget a text may be cut, but an error would end the engine
            logger.error("masks have no room for the end of texts: %s: %s", type(error).__name__, error)
        if isinstance(self.backend, backend.Backend):
            self.backend.forget_rows()
        return original(self, requests, structured_output_request_ids, scheduled_spec_decode_tokens)

    _replace(cls, grammar_bitmask, original)


def _wrap_rows(cls: Any) -> None:
    original = _method(cls, "_fill_bitmasks")
    if original is None:
        return

    def _fill_bitmasks(self: Any, batch: Any) -> None:
        if self.reasoner_cls is None:
            original(self, batch)
            return
        rows = list(batch)
        original(self, rows)
        for grammar, row, is_constrained, *_ in rows:
            if not is_constrained and hasattr(grammar, "fill_thought"):
                grammar.fill_thought(self._grammar_bitmask, row)

    _replace(cls, _fill_bitmasks, original)


def _end_thoughts(manager: Any, request: Any, drafts: list[int]) -> None:
    """Tell the grammar which rows of a step are reasoning, if reasoning must end within the step."""
    grammar = request.structured_output_request.grammar
    if manager.reasoner_cls is None or not grammar.must_think_little(len(drafts)):
        return
    known = [token for token in drafts if token >= 0]
    rows = int(manager._get_constraint_bounds(request, known).constraint_start)
    grammar.end_thoughts(known, min(rows, len(known) + 1))


def _wrap_drafts(cls: Any) -> None:
    original = _method(cls, "validate_tokens")
    if original is None:
        return

    def validate_tokens(self: Any, request: Any, spec_tokens: list[int]) -> list[int]:
        checked: list[int] = original(self, request, spec_tokens or proposer.draft(self, request))
        return checked

    _replace(cls, validate_tokens, original)


def _count_reasoning_drafts(manager: Any, request: Any, drafts: list[int] | None) -> int:
    """How many drafts of a step are reasoning, before the text of the grammar."""
    if not drafts or manager.reasoner_cls is None or request.structured_output_request.reasoning_ended:
        return 0
    known = [token for token in drafts if token >= 0]
    return min(int(manager._get_constraint_bounds(request, known).grammar_start), len(known))


def _prepare(manager: Any, request: Any, base: JSONSchemaOptions) -> None:
    """Set what vLLM's own `grammar_init` reads: the backend, its name, and a specification with its options."""
    from frisket.engines.vllm.backend import Backend

    config = manager.vllm_config
    _check_backend(config.structured_outputs_config.backend)
    params = request.sampling_params.structured_outputs
    try:
        if manager.backend is None:
            size = config.model_config.get_vocab_size()
            manager.backend = Backend(config, tokenizer=manager.tokenizer, vocab_size=size)
            manager.backend_name = NAME
        wanted = structured_output(params, request.sampling_params.extra_args, base)
    except Exception as error:
        raise invalid(told(error)) from error
    if params._backend != NAME:
        _warn_of_front_end()
    params._backend = NAME
    made = request.structured_output_request
    kind, specification = made.structured_output_key
    # The key is a cached property of the request, and the only value that reaches the backend.
    budget = None
    if room.is_on():
        budget = Budget(request, int(config.model_config.max_model_len), end_of_thoughts(manager, request))
    made.__dict__["structured_output_key"] = kind, Specification(specification, wanted, budget)


@functools.cache
def _warn_of_front_end() -> None:
    logger.warning(
        "%s is set in the engine's process and not where requests arrive: vLLM refuses there what its own backends "
        "do not serve. Set it there, too.",
        SWITCH,
    )


def _check_backend(configured: str) -> None:
    if configured != "auto":
        raise invalid(
            f"the engine was started with the backend {configured!r}, and {SWITCH} asks for frisket: drop one"
        )


def invalid(message: str) -> Exception:
    """The error by which vLLM refuses a request; over HTTP it becomes status 400."""
    error: Exception = _import("vllm.exceptions").VLLMValidationError(message, parameter="structured_outputs")
    return error


def told(error: Exception) -> str:
    """The message for a refused request."""
    refusal = failure(error)
    metrics.count("frisket_engine_requests_refused", refusal.code)
    return f"{refusal} [{refusal.code}]"


def _method(cls: Any, name: str) -> Any:
    """A method to wrap; None if it is wrapped already."""
    method = vars(cls).get(name)
    if method is None:
        raise EngineError(
            f"{ENGINE.name}'s {cls.__name__} has no {name}",
            where=SWITCH,
            hint=f"unset {SWITCH}, or install {ENGINE.name} {' or '.join(ENGINE.tested)}",
        )
    return None if getattr(method, "of_frisket", False) else method


def _replace(cls: Any, function: Any, original: Any) -> None:
    function.of_frisket, function.__wrapped__ = True, original
    setattr(cls, function.__name__, function)


def _import(module: str) -> Any:
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise MissingDependencyError.of("vllm", "vllm") from error
