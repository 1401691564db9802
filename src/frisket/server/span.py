"""Work of the server → spans of OpenTelemetry, if that package is installed; otherwise nothing.

Only its API is used. Whoever starts the server decides which spans are kept, and where they go
(`opentelemetry-instrument frisket serve`, or a tracer provider of their own).
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
    """A span around a block; spans begun in the block are its children. The span continues the trace in `headers`."""
    if trace is None:
        yield Nothing()
        return
    context = None if headers is None else propagate.extract(headers)
    tracer = trace.get_tracer("frisket.server")
    with tracer.start_as_current_span(name, context=context, attributes=dict(attributes)) as found:
        yield found


def begun(name: str, attributes: Mapping[str, Any]) -> Span:
    """A span that begins now and must be ended explicitly, for work that outlasts this call."""
    if trace is None:
        return Nothing()
    found: Span = trace.get_tracer("frisket.server").start_span(name, attributes=dict(attributes))
    return found
