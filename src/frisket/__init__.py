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
    from frisket.decoding.answer import Generation, Stream
    from frisket.decoding.concurrent import AsyncStream, agenerate, astream, generate_many
    from frisket.decoding.generate import generate, stream
    from frisket.decoding.guard import Guard
    from frisket.decoding.loop import Step
    from frisket.decoding.sampler import GREEDY, Sampler
    from frisket.description import Description
    from frisket.errors import (
        AnswerError,
        BudgetError,
        ConversationError,
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
        StrategyError,
        TokenRejectedError,
        ToolError,
        UnknownFamilyError,
        UnreadableTemplateError,
        UnsatisfiableSchemaError,
        UnsupportedSchemaError,
        VocabularyError,
    )
    from frisket.event import Closed, Events, Grew, Opened
    from frisket.explanation import Explanation
    from frisket.grammar import CompiledGrammar, Grammar
    from frisket.json_schema import JSONSchemaOptions
    from frisket.least import Least
    from frisket.limit import Cancellation, Limits
    from frisket.partial_value import PartialValue
    from frisket.pressure import Pressure, PressureReport
    from frisket.span import Span
    from frisket.strategy import Beams, Best, Draft, Exact, Particles, Samples, Strategy, Weighted
    from frisket.strategy.sample import sample
    from frisket.text_template import template
    from frisket.thinking import Thinking, Thought, think
    from frisket.vocabulary import Vocabulary

__all__ = [
    "GREEDY",
    "AnswerError",
    "AsyncStream",
    "Beams",
    "Best",
    "BudgetError",
    "Cancellation",
    "Closed",
    "CompiledGrammar",
    "ConversationError",
    "Description",
    "Draft",
    "EmptyGrammarError",
    "EngineError",
    "Events",
    "Exact",
    "Explanation",
    "FrisketError",
    "Generation",
    "Grammar",
    "GrammarError",
    "GrammarPart",
    "GrammarSyntaxError",
    "Grew",
    "Guard",
    "InvalidSchemaError",
    "JSONSchemaOptions",
    "Least",
    "LimitExceededError",
    "Limits",
    "Matcher",
    "MessageSyntaxError",
    "MissingDependencyError",
    "Opened",
    "PartialValue",
    "Particles",
    "Pressure",
    "PressureReport",
    "RefusedToolsError",
    "Sampler",
    "Samples",
    "SchemaError",
    "Span",
    "Step",
    "Strategy",
    "StrategyError",
    "Stream",
    "Thinking",
    "Thought",
    "TokenRejectedError",
    "ToolError",
    "UnknownFamilyError",
    "UnreadableTemplateError",
    "UnsatisfiableSchemaError",
    "UnsupportedSchemaError",
    "Vocabulary",
    "VocabularyError",
    "Weighted",
    "agenerate",
    "astream",
    "capture",
    "choice",
    "examples",
    "fill_masks",
    "generate",
    "generate_many",
    "json",
    "lit",
    "models",
    "optional",
    "regex",
    "repeat",
    "sample",
    "seq",
    "special",
    "stream",
    "tags",
    "template",
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
    "decoding.concurrent": ("AsyncStream", "agenerate", "astream", "generate_many"),
    "decoding.answer": ("Generation", "Stream"),
    "decoding.generate": ("generate", "stream"),
    "decoding.guard": ("Guard",),
    "decoding.loop": ("Step",),
    "decoding.sampler": ("GREEDY", "Sampler"),
    "description": ("Description",),
    "event": ("Closed", "Events", "Grew", "Opened"),
    "explanation": ("Explanation",),
    "grammar": ("CompiledGrammar", "Grammar"),
    "json_schema": ("JSONSchemaOptions",),
    "least": ("Least",),
    "limit": ("Cancellation", "Limits"),
    "matcher": ("Matcher", "fill_masks"),
    "partial_value": ("PartialValue",),
    "pressure": ("Pressure", "PressureReport"),
    "span": ("Span",),
    "strategy": ("Beams", "Best", "Draft", "Exact", "Particles", "Samples", "Strategy", "Weighted"),
    "strategy.sample": ("sample",),
    "text_template": ("template",),
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
