"""FRISKET_VLLM → frisket in vLLM's classes, or a refusal that says why."""

from __future__ import annotations

import importlib
import logging
import random
from collections.abc import Iterator
from importlib.metadata import entry_points
from types import SimpleNamespace
from typing import Any

import pytest

import frisket
from frisket.engines import metrics
from frisket.engines.versions import TESTED
from frisket.engines.vllm import register
from frisket.errors import EngineError
from tests.contract.vllm.conftest import Engine

pytestmark = pytest.mark.filterwarnings("ignore")


def methods(vllm: Any) -> tuple[Any, ...]:
    return (
        vllm.sampling_params.SamplingParams._validate_structured_outputs,
        vllm.structured_output.StructuredOutputManager.grammar_init,
        vllm.structured_output.StructuredOutputManager.grammar_bitmask,
    )


@pytest.mark.parametrize("value", [None, "", "0"])
def test_nothing_changes_unless_it_is_asked_for(
    vllm: Any, plain: None, monkeypatch: pytest.MonkeyPatch, value: str | None
) -> None:
    monkeypatch.delenv("FRISKET_VLLM", raising=False)
    if value is not None:
        monkeypatch.setenv("FRISKET_VLLM", value)
    before = methods(vllm)
    (entry,) = (entry for entry in entry_points(group="vllm.general_plugins") if entry.name == "frisket")
    entry.load()()
    assert methods(vllm) == before


def test_it_is_installed_once(vllm: Any, plain: None, monkeypatch: pytest.MonkeyPatch) -> None:
    before = methods(vllm)
    monkeypatch.setenv("FRISKET_VLLM", "1")
    register()
    after = methods(vllm)
    assert all(new is not old for new, old in zip(after, before, strict=True))
    register()
    assert methods(vllm) == after


@pytest.fixture
def told(caplog: pytest.LogCaptureFixture) -> Iterator[pytest.LogCaptureFixture]:
    """What vLLM shows: its loggers hand nothing on."""
    logger = logging.getLogger("vllm.frisket")
    before = logger.level, logger.propagate
    logger.addHandler(caplog.handler)
    logger.setLevel(logging.INFO)
    logger.propagate = False
    yield caplog
    logger.removeHandler(caplog.handler)
    logger.level, logger.propagate = before


@pytest.mark.parametrize("version", ["0.31.2", "dev"])
def test_a_version_that_was_not_tested_is_refused(
    vllm: Any, plain: None, monkeypatch: pytest.MonkeyPatch, version: str
) -> None:
    monkeypatch.setenv("FRISKET_VLLM", "1")
    monkeypatch.setattr(vllm.package, "__version__", version)
    before = methods(vllm)
    with pytest.raises(
        EngineError, match=f"vLLM {version} was not tested.*\nhint: install vLLM {' or '.join(TESTED['vllm'])}"
    ):
        register()
    assert methods(vllm) == before


@pytest.mark.parametrize("version", ["0.99.0rc1", "1.0"])
def test_a_newer_version_runs_with_a_warning(
    vllm: Any, plain: None, monkeypatch: pytest.MonkeyPatch, told: pytest.LogCaptureFixture, version: str
) -> None:
    monkeypatch.setenv("FRISKET_VLLM", "1")
    monkeypatch.setattr(vllm.package, "__version__", version)
    before = methods(vllm)
    register()
    register()
    assert all(new is not old for new, old in zip(methods(vllm), before, strict=True))
    (warning,) = (record.getMessage() for record in told.records if record.levelname == "WARNING")
    assert (
        f"vLLM {version} was not tested with this version of frisket, but with {' and '.join(TESTED['vllm'])}"
        in warning
    )


def no_masks(*_: Any) -> None:
    return None


def other_parameters(self: Any, model_config: Any, backend: Any) -> None: ...


def does_nothing(self: Any, request: Any) -> None: ...


@pytest.mark.parametrize(
    ("module", "cls", "name", "changed", "message"),
    [
        ("structured_output", "StructuredOutputManager", "grammar_bitmask", no_masks, "trial run failed: .*"),
        ("structured_output", "StructuredOutputManager", "grammar_init", does_nothing, "trial run failed: .*"),
        ("structured_output", "StructuredOutputManager", "backend_of", None, None),
        (
            "backend_types",
            "StructuredOutputGrammar",
            "fill_bitmask",
            other_parameters,
            "fill_bitmask takes self, model",
        ),
    ],
)
def test_a_newer_version_in_which_the_trial_run_fails_is_refused(
    vllm: Any, plain: None, monkeypatch: pytest.MonkeyPatch, module: str, cls: str, name: str, changed: Any,
    message: str | None,
) -> None:  # fmt: skip
    monkeypatch.setenv("FRISKET_VLLM", "1")
    monkeypatch.setattr(vllm.package, "__version__", "0.34.0")
    monkeypatch.setattr(getattr(getattr(vllm, module), cls), name, changed, raising=False)
    before = methods(vllm)
    if message is None:  # what frisket does not use may change
        register()
        return
    with pytest.raises(EngineError, match=rf"vLLM 0\.34\.0 was not tested[\s\S]*{message}"):
        register()
    assert methods(vllm) == before


def test_classes_that_have_changed_are_refused(vllm: Any, plain: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FRISKET_VLLM", "1")
    monkeypatch.setattr(vllm.sampling_params, "SamplingParams", type("SamplingParams", (), {}))
    with pytest.raises(EngineError, match="SamplingParams has no _validate_structured_outputs"):
        register()


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        ({"json": {"type": "nope"}}, r"type must be among .* \(at /type\)[\s\S]*\[schema-invalid\]"),
        ({"json": {"type": "integer", "minimum": 2, "maximum": 1}}, r"\[schema-unsatisfiable\]"),
        ({"json": "{"}, r"not JSON[\s\S]*\[schema-invalid\]"),
        ({"regex": "(a"}, r"never closed[\s\S]*\[grammar-syntax\]"),
        ({"regex": r"(a+)\1"}, r"\[grammar-syntax\]"),
        ({"choice": []}, r"\[grammar-empty\]"),
        ({"grammar": "root ::= nobody"}, r"\[grammar-syntax\]"),
        ({"grammar": "start: nobody"}, r"Lark|grammar-syntax"),
        ({"structural_tag": '{"type": "structural_tag"}'}, r"structural tags are not read|grammar-syntax"),
        ({"grammar": 'start: <|nope|> "a"'}, r"no special token[\s\S]*\[vocabulary\]"),
        ({"json_object": False}, r"\[request\]"),
        ({"json": {}, "whitespace_pattern": " ?"}, r"whitespace_pattern is not supported"),
        ({"json": {}, "extra": {"frisket": {"colour": "red"}}}, r"there is no option 'colour'"),
        ({"json": {}, "extra": {"frisket": {"whitespace": "red"}}}, r"whitespace is one of"),
    ],
)
def test_what_is_not_served_is_refused_where_it_arrives(engine: Engine, wanted: Any, message: str) -> None:
    with pytest.raises(engine.vllm.exceptions.VLLMValidationError, match=message):
        engine.params(**wanted)


OBJECT = {"type": "object", "properties": {"a": {"type": "boolean"}}, "required": ["a"]}


@pytest.mark.parametrize(
    ("wanted", "accepted", "refused"),
    [
        ({}, ['{"a": true}', '{"a":true,"b":1}'], []),
        ({"disable_any_whitespace": True}, ['{"a":true,"b":1}'], ['{"a": true}']),
        ({"disable_additional_properties": True}, ['{"a": true}'], ['{"a":true,"b":1}']),
        ({"extra": {"frisket": {"closed_objects": True}}}, ['{"a": true}'], ['{"a":true,"b":1}']),
        # As it comes by HTTP, where extra arguments are scalars.
        ({"extra": {"frisket": '{"whitespace": "compact"}'}}, ['{"a":true,"b":1}'], ['{"a": true}']),
    ],
)
def test_options_of_a_request(engine: Engine, wanted: Any, accepted: list[str], refused: list[str]) -> None:
    for text, expected in [(text, True) for text in accepted] + [(text, False) for text in refused]:
        grammar = engine.request(json=OBJECT, **wanted).structured_output_request.grammar
        ids = engine.tokenizer.encode(text, add_special_tokens=False)
        assert (grammar.validate_tokens(ids) == ids) is expected, text


def test_options_of_all_requests(vllm: Any, tokenizer: Any, plain: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FRISKET_VLLM", '{"whitespace": "compact"}')
    engine = Engine(vllm, tokenizer, monkeypatch)
    ids = tokenizer.encode('{"a": true}', add_special_tokens=False)
    assert engine.request(json=OBJECT).structured_output_request.grammar.validate_tokens(ids) != ids
    free = engine.request(json=OBJECT, extra={"frisket": {"whitespace": "bounded"}})
    assert free.structured_output_request.grammar.validate_tokens(ids) == ids


def test_another_backend_is_a_contradiction(engine: Engine) -> None:
    params = engine.params(regex="a")
    engine.restart(backend="xgrammar")
    error = engine.vllm.exceptions.VLLMValidationError
    with pytest.raises(error, match="started with the backend 'xgrammar', and FRISKET_VLLM asks for frisket"):
        engine.params(regex="a")
    with pytest.raises(error, match="started with the backend"):
        engine.started(params)


def test_parameters_serve_again(engine: Engine) -> None:
    params = engine.params(regex="ab")
    config = engine.config
    params._validate_structured_outputs(config.model_config, config.structured_outputs_config, engine.tokenizer)
    assert engine.masks(engine.started(params)) == engine.masks(engine.started(params))


def test_vllm_itself_says_what_it_lacks(engine: Engine) -> None:
    params = engine.params(regex="ab")
    config = SimpleNamespace(is_diffusion=True)
    with pytest.raises(engine.vllm.exceptions.VLLMValidationError, match="diffusion"):
        params._validate_structured_outputs(config, engine.config.structured_outputs_config, engine.tokenizer)


def test_the_start_says_what_is_on(
    vllm: Any, plain: None, monkeypatch: pytest.MonkeyPatch, told: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("FRISKET_VLLM", '{"whitespace": "compact"}')
    register()
    register()
    (line,) = told.messages
    for part in (frisket.__version__, vllm.package.__version__, "whitespace='compact'", "Limits(memory_bytes="):
        assert part in line


def test_an_engine_without_the_variable_says_so(engine: Engine, vllm: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    params = engine.params(regex="a")
    manager = vllm.structured_output.StructuredOutputManager
    monkeypatch.setattr(manager, "grammar_init", manager.grammar_init.__wrapped__)
    with pytest.raises(ValueError, match=r"backend: frisket \(set FRISKET_VLLM in the engine's process, too\)"):
        engine.started(params)


def test_a_front_end_without_the_variable_is_noticed_once(engine: Engine, told: pytest.LogCaptureFixture) -> None:
    params = engine.params(regex="a")
    params.structured_outputs._backend = "xgrammar"
    for _ in range(2):
        assert engine.masks(engine.started(params)) == engine.masks(engine.request(regex="a"))
    (line,) = told.messages
    assert "FRISKET_VLLM is set in the engine's process and not where requests arrive" in line


def test_what_is_counted_is_served(vllm: Any, tokenizer: Any, plain: None, monkeypatch: pytest.MonkeyPatch) -> None:
    registry = importlib.import_module("vllm.v1.metrics.prometheus").get_prometheus_registry
    monkeypatch.delenv(metrics.ENGINES_FOLDER, raising=False)
    monkeypatch.setenv(metrics.FOLDER, "")
    monkeypatch.setenv("FRISKET_VLLM", "1")
    metrics.stop()
    engine = Engine(vllm, tokenizer, monkeypatch)
    for _ in range(2):
        engine.finish(engine.request(regex="[a-z]{3}"), random.Random(0))
    with pytest.raises(vllm.exceptions.VLLMValidationError):
        engine.params(regex="(a")
    failed = engine.request(regex="ax")
    engine.masks(failed)
    assert not engine.manager.accept_tokens(failed, tokenizer.convert_tokens_to_ids(["x"]))
    found = {
        (sample.name, *(value for label, value in sample.labels.items() if label in ("code", "source"))): sample.value
        for metric in registry().collect() for sample in metric.samples if sample.labels.get("engine") == "vllm"
    }  # fmt: skip
    assert found["frisket_engine_requests_total",] == 3
    assert found["frisket_engine_requests_finished_total",] == 2
    assert found["frisket_engine_requests_refused_total", "grammar-syntax"] == 1
    assert found["frisket_engine_requests_failed_total", "token-rejected"] == 1
    assert found["frisket_engine_grammars_total", "compiled"] == 2
    assert found["frisket_engine_mask_seconds_count",] >= 7
    metrics.stop()
