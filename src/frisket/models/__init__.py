"""Prompt ids → logits: the models behind one protocol; nothing heavy is imported before it is asked for."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from frisket.models.embedded import Embedded
    from frisket.models.protocol import Model, Session
    from frisket.models.transformers import Transformers

__all__ = ["Model", "Session", "embedded", "transformers"]


@cache
def embedded() -> Embedded:
    """The small model inside the package: offline, numpy only; loaded once per process, safe to share."""
    from frisket.models.embedded import Embedded

    return Embedded()


def transformers(model: object, tokenizer: object) -> Transformers:
    """A causal language model of Hugging Face transformers and its fast tokenizer, both already loaded."""
    from frisket.models.transformers import Transformers

    return Transformers(model, tokenizer)


def __getattr__(name: str) -> object:
    if name in ("Model", "Session"):
        from frisket.models import protocol

        return getattr(protocol, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
