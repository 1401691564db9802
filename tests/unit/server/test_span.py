"""Requests × OpenTelemetry: a span for each, for its compile and for its answers; none where the package is not."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from tests.unit.server.running import Running, running

pytest.importorskip("starlette", reason="starlette is not installed")
from frisket.server import span as span_module

PATH = "/v1/chat/completions"
ASK: dict[str, Any] = {"model": "embedded", "messages": [{"role": "user", "content": "x"}], "guided_regex": "[ab]{4}"}


@pytest.fixture
def spans(monkeypatch: pytest.MonkeyPatch) -> Any:
    pytest.importorskip("opentelemetry.sdk", reason="opentelemetry-sdk is not installed")
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    monkeypatch.setattr(span_module.trace, "get_tracer", provider.get_tracer)
    return exporter


@pytest.fixture
def server() -> Iterator[Running]:
    with running() as found:
        yield found


def names(spans: Any) -> dict[str, Any]:
    return {one.name: one for one in spans.get_finished_spans()}


@pytest.mark.parametrize("stream", [False, True])
def test_a_request_its_compile_and_its_answers(spans: Any, server: Running, stream: bool) -> None:
    assert server.ask(PATH, {**ASK, "n": 2, "stream": stream})[0] == 200
    found = names(spans)
    assert set(found) == {f"POST {PATH}", "compile", "generate"}
    around, written = found[f"POST {PATH}"], found["generate"]
    assert found["compile"].parent.span_id == written.parent.span_id == around.context.span_id
    assert around.attributes["http.response.status_code"] == 200
    assert found["compile"].attributes["frisket.kind"] == "regex"
    assert written.attributes["frisket.outcomes"] == ("whole", "whole")
    assert written.attributes["gen_ai.usage.output_tokens"] > 0 < written.attributes["gen_ai.usage.input_tokens"]


def test_what_is_refused_has_its_status(spans: Any, server: Running) -> None:
    assert server.ask(PATH, {**ASK, "guided_regex": "("})[0] == 400
    found = names(spans)
    assert found[f"POST {PATH}"].attributes["http.response.status_code"] == 400
    assert not found["compile"].status.is_ok and "generate" not in found


def test_a_trace_goes_on(spans: Any) -> None:
    trace = "0af7651916cd43dd8448eb211c80319c"
    with span_module.span("x", {}, {"traceparent": f"00-{trace}-b7ad6b7169203331-01"}):
        pass
    assert f"{names(spans)['x'].context.trace_id:032x}" == trace


def test_without_the_package_there_are_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "opentelemetry.trace", None)
    # A module of its own: the server's goes on with the package.
    spec = importlib.util.spec_from_file_location("span_without", span_module.__file__)
    assert spec is not None and spec.loader is not None
    without = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(without)
    with without.span("x", {}) as found:
        found.set_attribute("a", 1)
    assert isinstance(without.begun("y", {}), without.Nothing)
    without.begun("y", {}).end()
