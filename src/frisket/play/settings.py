"""Options of the command line → sizes and limits of the page."""

from __future__ import annotations

from dataclasses import dataclass, field

from frisket import Limits


@dataclass(frozen=True)
class Settings:
    """Sizes and limits; the defaults suit one person at one machine.

    >>> Settings(max_tokens=64).max_tokens
    64
    """

    max_body_bytes: int = 4_000_000
    """The largest body of a request; a larger one gets status 413."""
    max_source_bytes: int = 1_000_000
    """The largest schema, pattern or grammar."""
    max_prompt_bytes: int = 100_000
    """The largest prompt."""
    max_tokens: int = 4096
    """The most tokens of one answer."""
    max_answers: int = 16
    """How many answers are kept; the least recently used is forgotten first."""
    limits: Limits = field(default_factory=lambda: Limits(steps=20_000_000, memory_bytes=256 << 20))
    """Limits of each grammar."""
