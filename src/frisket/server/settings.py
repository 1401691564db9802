"""Settings of a server that its operator chooses: names, limits, the API key."""

from __future__ import annotations

from dataclasses import dataclass, field

from frisket import JSONSchemaOptions, Limits
from frisket.extension import DEFAULT
from frisket.tools import Family


@dataclass(frozen=True)
class Settings:
    """The settings of one server; the defaults suit one that only its own machine uses.

    >>> Settings(max_tokens=64).max_tokens
    64
    """

    name: str = "embedded"
    """The model's name in requests and answers."""
    api_key: str | None = field(default=None, repr=False)
    """The API key that `Authorization: Bearer` must give; None lets everybody in."""
    tool_family: str | Family = "hermes"
    """The format in which the model calls tools: one of `frisket.tools.families()`, or read from a chat template."""
    cors_origins: tuple[str, ...] = ()
    """Web pages that may use the server from a browser: origins such as `https://example.org`, or `*` for all."""
    temperature: float = 0.0
    """The temperature of a request that gives none; 0 takes the likeliest token, as `frisket generate` does."""
    options: JSONSchemaOptions = DEFAULT
    """How JSON is spelled, unless a request says otherwise. With closed objects, models invent no members."""
    max_body_bytes: int = 4_000_000
    """The largest body of a request; a larger one gets status 413."""
    max_schema_bytes: int = 1_000_000
    """The largest schema, pattern or grammar."""
    body_seconds: float = 60.0
    """How long a body may take to arrive; a slower one gets status 408."""
    cpu_seconds: float = 5.0
    """CPU seconds that the masks of one answer may take before it fails. Steps of up to 5 ms do not count."""
    max_tokens: int = 4096
    """The most tokens of one answer, and the number if a request gives none."""
    max_choices: int = 16
    """The most answers to one request (`n`)."""
    max_active: int = 64
    """How many answers are written at the same time; the model keeps a state in memory for each."""
    max_queued: int = 512
    """How many more answers may wait; a further one gets status 429."""
    limits: Limits = field(default_factory=lambda: Limits(steps=5_000_000, memory_bytes=128 << 20))
    """Limits of each grammar. All other answers wait for the steps of one call: at most 0.2 seconds."""
