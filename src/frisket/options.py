"""Types of the keyword arguments of `generate`, `stream`, `sample`, `generate_many`, `agenerate` and `astream`.

Each of these calls accepts all of them, and refuses those that have no meaning for it. A function of your own that
passes them on is declared with `**options: Unpack[frisket.options.Options]`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypedDict

if TYPE_CHECKING:
    from frisket.conversation.turn import ChatMessage
    from frisket.decoding.guard import Guard
    from frisket.decoding.loop import Step
    from frisket.decoding.sampler import Sampler
    from frisket.limit import Limits
    from frisket.strategies import Strategy
    from frisket.tools import Family, Tools

__all__ = ["AllOptions", "Mode", "OnBudget", "Options", "Prompt", "Style", "ToolOptions"]

Prompt: TypeAlias = "str | Sequence[ChatMessage]"
"""A text, or the messages of a chat."""
OnBudget: TypeAlias = Literal["finish", "cut"]
"""How an answer ends at `max_tokens`."""
Style: TypeAlias = Literal["typescript", "prose", "json_schema", "example"]
"""The wording of `Grammar.describe`."""
Mode: TypeAlias = Literal["auto", "on", "off"]
"""Whether reasoning may, must or must not come first."""


class Options(TypedDict, total=False):
    """Keyword arguments of a call that asks a model for an answer."""

    max_tokens: int
    """The most tokens of the answer. By default 512, or fewer if the model's context leaves fewer."""
    on_budget: OnBudget
    """`"finish"`: masks keep only tokens after which the answer can still be finished within `max_tokens`; if no answer
    is that short, BudgetError says how many tokens are needed. `"cut"`: the text ends after `max_tokens` tokens. The
    default is `"finish"`, or `"cut"` for a `strategy` and in `sample`."""
    min_tokens: int
    """The text does not end before this many tokens, if another token may come. By default 0."""
    guard: Guard | None
    """`Guard()` keeps the model from repeating a block of tokens."""
    sampler: Sampler | None
    """How a token is drawn, such as `Sampler(temperature=0.7)`. By default the likeliest is taken; `sample` and most
    strategies draw from the model's own probabilities."""
    seed: int
    """The seed of all random draws: one seed gives one answer. By default 0."""
    stop: str | Sequence[str]
    """One text or several: the answer ends before the first one that comes."""
    jump_forward: bool
    """Whether required text is read in one call of the network, together with the token before it. By default True,
    since answers stay the same. It works with sessions that can take tokens back (`DraftSession`), and stops by itself
    if timed calls show that it does not pay."""
    describe: bool | Style
    """Whether the prompt describes the target's schema, in a style of `Grammar.describe`; True means TypeScript. By
    default False: the measured models answered no better with a description, and the embedded model worse."""
    limits: Limits | None
    """Limits of making the target's grammar, of describing it, and of each call of its matcher. Their cancellation ends
    the answer at the next token."""
    heal: bool
    """Whether tokens at the prompt's end that begin a longer token are taken back; the answer's first tokens then spell
    them again, as the model prefers. By default False."""
    strategy: Strategy | None
    """How whole answers are found, if drawing one token after another is not enough: one of `frisket.strategies`."""
    on_step: Callable[[Step], object] | None
    """A function that is called with every step when it is made, or with the steps that a strategy has chosen."""
    allow_partial: bool
    """Whether the result of an answer that was cut is its text so far, instead of an error. By default False."""


class ToolOptions(Options, total=False):
    """Keyword arguments that a call takes together with `tools`; those of `Grammar.from_tools`."""

    choice: str
    """Whether tools may (`"auto"`), must (`"required"`) or must not (`"none"`) be called; or the name of one tool."""
    parallel: bool
    """Whether the model may make several calls in one message. By default True."""
    final: Any
    """The target of an answer without calls; it takes the place of free text."""
    thinking: Mode
    """Whether reasoning may (`"auto"`), must (`"on"`) or must not (`"off"`) come first."""
    family: str | Family | None
    """The format of calls: its name, a model's id or a `Family`. By default the model's chat template tells it."""


class AllOptions(ToolOptions, total=False):
    """All keyword arguments."""

    tools: Tools | Iterable[Any] | None
    """Tools that the model may call: functions, Pydantic models or descriptions. They take the place of a target."""
