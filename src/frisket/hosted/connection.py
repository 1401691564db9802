"""A vendor's SDK client × a model's name → typed answers: the SDK sends each request, frisket makes and reads it."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from frisket import FrisketError
from frisket.errors import MissingDependencyError
from frisket.hosted.generate import generate
from frisket.hosted.sdk import SDK, SDKS


@dataclass(frozen=True)
class Connection:
    """A client of a known vendor; it is also a transport for `hosted.generate`."""

    client: Any
    model: str
    dialect: str
    fields: Mapping[str, Any] = field(default_factory=dict)

    def __call__(self, request: dict[str, Any]) -> str:
        """The text of the answer to one request; EngineError for a refusal, or an answer that was cut."""
        return SDKS[self.dialect].call(self.client, self.model, request, self.fields)

    def generate(self, prompt: str, target: Any, *, repairs: int = 2) -> Any:
        """The answer as a value of `target`, as `hosted.generate` returns it."""
        return generate(self, prompt, target, self.dialect, repairs=repairs)


def connect(client: Any, model: str, **fields: Any) -> Connection:
    """A connection through a client of OpenAI's, Anthropic's, Google's or Mistral's own package.

        connection = connect(openai.OpenAI(), "gpt-5-mini", temperature=0)

    >>> connect(object(), "large")
    Traceback (most recent call last):
    ...
    frisket.errors.FrisketError: builtins.object is no client that is known...

    `connection.generate("How many?", int)` asks in the vendor's dialect, decodes and validates the answer, and lets
    the model repair it at most twice. `fields` are added to each request; for Gemini they are fields of its `config`.
    In place of a client, the name of a vendor makes one of its package, which reads the key from the environment;
    MissingDependencyError if the package is missing. A client of another package, or an asynchronous one, is a
    FrisketError (`client-unknown`).
    """
    if isinstance(client, str):
        sdk = SDKS.get(client)
        if sdk is None:
            raise FrisketError(
                f"no vendor is called {client!r}", hint=f"there are {', '.join(sorted(SDKS))}", code="dialect-unknown"
            )
        return Connection(_client(sdk)(), model, sdk.dialect, fields)
    for parent in type(client).__mro__:
        for sdk in SDKS.values():
            if parent.__name__ == sdk.client and f"{parent.__module__}.".startswith(f"{sdk.module}."):
                return Connection(client, model, sdk.dialect, fields)
    known = ", ".join(f"{sdk.module}.{sdk.client}" for sdk in SDKS.values())
    raise FrisketError(
        f"{type(client).__module__}.{type(client).__name__} is no client that is known",
        hint=f"pass one of {known}, or write a transport for hosted.generate",
        code="client-unknown",
    )


def _client(sdk: SDK) -> Any:
    try:
        return getattr(importlib.import_module(sdk.module), sdk.client)
    except ImportError as error:
        raise MissingDependencyError.of(sdk.package, sdk.extra) from error
