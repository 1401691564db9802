"""Settings of a server's operator: names, limits, the key."""

from __future__ import annotations

from dataclasses import dataclass, field

from frisket import JSONSchemaOptions, Limits
from frisket.extension import DEFAULT
from frisket.tools import Family


@dataclass(frozen=True)
class Settings:
    """The defaults suit one machine that serves itself.

    >>> Settings(max_tokens=64).max_tokens
    64
    """

    name: str = "embedded"
    """What the model is called in requests and answers."""
    api_key: str | None = field(default=None, repr=False)
    """What `Authorization: Bearer` must say; None lets everybody in."""
    tool_family: str | Family = "hermes"
    """In which format the model calls tools: one of `frisket.tools.families()`, or one read from a chat template."""
    cors_origins: tuple[str, ...] = ()
    """Whose pages may ask the server from a browser: origins such as `https://example.org`, or `*` for all."""
    temperature: float = 0.0
    """Where a request says none: 0 takes the likeliest token, as `frisket generate` does."""
    options: JSONSchemaOptions = DEFAULT
    """How JSON is spelled where a request says nothing else; closed objects have a model invent no names."""
    max_body_bytes: int = 4_000_000
    """The largest body of a request: 413 beyond."""
    max_schema_bytes: int = 1_000_000
    """The largest schema, pattern or grammar."""
    body_seconds: float = 60.0
    """How long a body may take to come: 408 beyond."""
    cpu_seconds: float = 5.0
    """CPU time that the masks of one answer may take: an answer beyond fails. Steps of 5 ms and less do not count."""
    max_tokens: int = 4096
    """The most tokens of one answer, and how many it may have where a request does not say."""
    max_choices: int = 16
    """The most answers to one request (`n`)."""
    max_active: int = 64
    """How many answers are written at a time; a model keeps its memory of each."""
    max_queued: int = 512
    """How many answers wait beside those: 429 beyond."""
    limits: Limits = field(default_factory=lambda: Limits(steps=5_000_000, memory_bytes=128 << 20))
    """Of each grammar. The steps of one call are those for which all other answers wait: at most 0.2 seconds."""
