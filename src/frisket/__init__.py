"""schema · regex · choices · type → text that is valid by construction."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from frisket import examples, models, tools
    from frisket._core import Matcher, fill_masks
    from frisket.combinator import (
        GrammarPart,
        capture,
        choice,
        json,
        lit,
        optional,
        regex,
        repeat,
        seq,
        special,
        tags,
        text,
        until,
    )
    from frisket.decoding.generate import Generation, Stream, generate, stream
    from frisket.decoding.loop import Step
    from frisket.decoding.sampler import GREEDY, Sampler
    from frisket.errors import (
        EmptyGrammarError,
        EngineError,
        FrisketError,
        GrammarError,
        GrammarSyntaxError,
        InvalidSchemaError,
        LimitExceededError,
        MessageSyntaxError,
        MissingDependencyError,
        RefusedToolsError,
        SchemaError,
        TokenRejectedError,
        ToolError,
        UnknownFamilyError,
        UnsatisfiableSchemaError,
        UnsupportedSchemaError,
        VocabularyError,
    )
    from frisket.grammar import CompiledGrammar, Grammar
    from frisket.json_schema import JSONSchemaOptions
    from frisket.limit import Cancellation, Limits
    from frisket.partial_value import PartialValue
    from frisket.thinking import Thinking, Thought, think
    from frisket.vocabulary import Vocabulary

__all__ = [
    "GREEDY",
    "Cancellation",
    "CompiledGrammar",
    "EmptyGrammarError",
    "EngineError",
    "FrisketError",
    "Generation",
    "Grammar",
    "GrammarError",
    "GrammarPart",
    "GrammarSyntaxError",
    "InvalidSchemaError",
    "JSONSchemaOptions",
    "LimitExceededError",
    "Limits",
    "Matcher",
    "MessageSyntaxError",
    "MissingDependencyError",
    "PartialValue",
    "RefusedToolsError",
    "Sampler",
    "SchemaError",
    "Step",
    "Stream",
    "Thinking",
    "Thought",
    "TokenRejectedError",
    "ToolError",
    "UnknownFamilyError",
    "UnsatisfiableSchemaError",
    "UnsupportedSchemaError",
    "Vocabulary",
    "VocabularyError",
    "capture",
    "choice",
    "examples",
    "fill_masks",
    "generate",
    "json",
    "lit",
    "models",
    "optional",
    "regex",
    "repeat",
    "seq",
    "special",
    "stream",
    "tags",
    "text",
    "think",
    "tools",
    "until",
]

__version__: str

# Where each name lives. A module is imported when one of its names is first asked for: whoever wants masks pays for
# neither models nor schemas, and `import frisket` costs next to nothing.
_HOMES = {
    "combinator": (
        *("GrammarPart", "capture", "choice", "json", "lit", "optional", "regex", "repeat", "seq", "special", "tags"),
        *("text", "until"),
    ),
    "decoding.generate": ("Generation", "Stream", "generate", "stream"),
    "decoding.loop": ("Step",),
    "decoding.sampler": ("GREEDY", "Sampler"),
    "grammar": ("CompiledGrammar", "Grammar"),
    "json_schema": ("JSONSchemaOptions",),
    "limit": ("Cancellation", "Limits"),
    "matcher": ("Matcher", "fill_masks"),
    "partial_value": ("PartialValue",),
    "thinking": ("Thinking", "Thought", "think"),
    "vocabulary": ("Vocabulary",),
}
_MODULES = ("examples", "models", "tools")


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return importlib.import_module(f"frisket.{name}")
    if name == "__version__":
        return importlib.import_module("frisket._core").core_version()
    if name not in __all__:
        raise AttributeError(f"module 'frisket' has no attribute {name!r}")
    home = next((home for home, names in _HOMES.items() if name in names), "errors")
    value = getattr(importlib.import_module(f"frisket.{home}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
