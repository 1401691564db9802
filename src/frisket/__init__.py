"""Schema, regex, choices, type … → text that is valid by construction."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from frisket import errors, events, examples, models, parts, strategies, tools
    from frisket import hosted as hosted
    from frisket import lint as lint
    from frisket import options as options
    from frisket import reports as reports
    from frisket import thinking as thinking
    from frisket._core import Matcher, fill_masks
    from frisket.decoding.answer import Generation, Stream
    from frisket.decoding.concurrent import AsyncStream, agenerate, astream, generate_many
    from frisket.decoding.generate import generate, stream
    from frisket.decoding.guard import Guard
    from frisket.decoding.loop import Step
    from frisket.decoding.sampler import Sampler
    from frisket.errors import FrisketError
    from frisket.grammar import CompiledGrammar, Grammar
    from frisket.json_schema import JSONSchemaOptions
    from frisket.limit import Cancellation, Limits
    from frisket.strategies.sample import sample
    from frisket.thinking import Thought, think
    from frisket.vocabulary import Vocabulary

__all__ = [
    "AsyncStream",
    "Cancellation",
    "CompiledGrammar",
    "FrisketError",
    "Generation",
    "Grammar",
    "Guard",
    "JSONSchemaOptions",
    "Limits",
    "Matcher",
    "Sampler",
    "Step",
    "Stream",
    "Thought",
    "Vocabulary",
    "agenerate",
    "astream",
    "errors",
    "events",
    "examples",
    "fill_masks",
    "generate",
    "generate_many",
    "models",
    "parts",
    "sample",
    "strategies",
    "stream",
    "think",
    "tools",
]

__version__: str

# The module of each name. A module is imported when one of its names is first used: a program that only needs masks
# loads neither models nor schemas, and `import frisket` costs next to nothing.
_HOMES = {
    "decoding.answer": ("Generation", "Stream"),
    "decoding.concurrent": ("AsyncStream", "agenerate", "astream", "generate_many"),
    "decoding.generate": ("generate", "stream"),
    "decoding.guard": ("Guard",),
    "decoding.loop": ("Step",),
    "decoding.sampler": ("Sampler",),
    "errors": ("FrisketError",),
    "grammar": ("CompiledGrammar", "Grammar"),
    "json_schema": ("JSONSchemaOptions",),
    "limit": ("Cancellation", "Limits"),
    "matcher": ("Matcher", "fill_masks"),
    "strategies.sample": ("sample",),
    "thinking": ("Thought", "think"),
    "vocabulary": ("Vocabulary",),
}
# The public modules that `import frisket` offers as attributes; `__all__` lists those that a first program needs.
_MODULES = (
    *("errors", "events", "examples", "hosted", "lint", "models", "options", "parts", "reports", "strategies"),
    *("thinking", "tools"),
)
# Names of public modules that a reader may look for here.
_ELSEWHERE = {
    "events": ("Closed", "Event", "Events", "Grew", "Opened", "PartialValue", "Span"),
    "options": ("AllOptions", "Mode", "OnBudget", "Options", "Prompt", "Style", "ToolOptions"),
    "parts": (
        *("GrammarPart", "capture", "choice", "json", "lit", "optional", "regex", "repeat", "seq", "special", "tags"),
        *("template", "text", "until"),
    ),
    "reports": (
        *("Description", "Entry", "Explanation", "Pressure", "PressureReport", "Reason", "Report"),
        "StepPressure",
    ),
    "strategies": ("Beams", "Best", "Draft", "Exact", "Particles", "Samples", "Strategy", "Weighted"),
    "thinking": ("Thinking",),
    "tools": (*("Family", "Message", "Tool", "ToolCall", "ToolReport", "Tools", "families", "family", "family_of"),),
}


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return importlib.import_module(f"frisket.{name}")
    if name == "__version__":
        return importlib.import_module("frisket._core").core_version()
    home = next((home for home, names in _HOMES.items() if name in names), None)
    if home is None:
        raise _missing(name)
    value = getattr(importlib.import_module(f"frisket.{home}"), name)
    globals()[name] = value
    return value


def _missing(name: str) -> AttributeError:
    """The error for a name that this module does not have, with the place of a public name."""
    module = next((module for module, names in _ELSEWHERE.items() if name in names), None)
    if module is None and name in importlib.import_module("frisket.errors").__all__:
        module = "errors"
    if module is None:
        error: AttributeError = importlib.import_module("frisket.foreign_name").missing("frisket", name)
        return error
    return AttributeError(f"module 'frisket' has no attribute {name!r}: it is in frisket.{module}")


def __dir__() -> list[str]:
    return sorted({*__all__, *_MODULES, "__version__"})
