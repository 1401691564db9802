"""What the server does → spans of OpenTelemetry, where the package is there; else nothing.

Only the API is asked for: which spans are kept, and where they go, is for whoever starts the server to say
(`opentelemetry-instrument frisket serve`, or a tracer provider of one's own).
"""

from __future__ import annotations

import contextlib
import importlib
from collections.abc import Iterator, Mapping
from typing import Any, Protocol

trace: Any = None
propagate: Any = None
with contextlib.suppress(ImportError):
    trace, propagate = (importlib.import_module(f"opentelemetry.{name}") for name in ("trace", "propagate"))


class Span(Protocol):
    """The part of OpenTelemetry's span interface that is used."""

    def set_attribute(self, key: str, value: Any) -> None: ...

    def end(self) -> None: ...


class Nothing:
    """A span that records nothing."""

    def set_attribute(self, key: str, value: Any) -> None:
        pass

    def end(self) -> None:
        pass


@contextlib.contextmanager
def span(name: str, attributes: Mapping[str, Any], headers: Mapping[str, str] | None = None) -> Iterator[Span]:
    """A span around a block; the spans that begin in it are its children. It goes on with the trace of `headers`."""
    if trace is None:
        yield Nothing()
        return
    context = None if headers is None else propagate.extract(headers)
    tracer = trace.get_tracer("frisket.server")
    with tracer.start_as_current_span(name, context=context, attributes=dict(attributes)) as found:
        yield found


def begun(name: str, attributes: Mapping[str, Any]) -> Span:
    """A span that begins now and is ended explicitly, for work that outlives this call."""
    if trace is None:
        return Nothing()
    found: Span = trace.get_tracer("frisket.server").start_span(name, attributes=dict(attributes))
    return found
