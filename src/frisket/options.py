"""Types of the keyword arguments of `generate`, `stream`, `sample`, `generate_many`, `agenerate` and `astream`.

Every one of these calls takes all of them, and refuses the ones that it cannot heed. A function of your own that passes
them on says `**options: Unpack[frisket.options.Options]`.
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
"""The end of an answer at `max_tokens`."""
Style: TypeAlias = Literal["typescript", "prose", "json_schema", "example"]
"""The wording of `Grammar.describe`."""
Mode: TypeAlias = Literal["auto", "on", "off"]
"""Whether reasoning may, must or must not come first."""


class Options(TypedDict, total=False):
    """Keyword arguments of a call that asks a model for an answer."""

    max_tokens: int
    """The most tokens of the answer. Without it 512, or fewer where the model's context ends."""
    on_budget: OnBudget
    """`"finish"`: masks keep only tokens after which the answer can still be finished within `max_tokens`; where none
    can, BudgetError says how many would do. `"cut"`: the text ends where the tokens do, as it does without the argument
    for a `strategy` and in `sample`."""
    min_tokens: int
    """The text does not end before so many tokens, if another token may come. 0 without it."""
    guard: Guard | None
    """`Guard()` keeps the model from repeating a block of tokens."""
    sampler: Sampler | None
    """How a token is drawn, such as `Sampler(temperature=0.7)`. Without it the likeliest is taken; `sample` and most
    strategies draw as the model's own probabilities are."""
    seed: int
    """The number that every draw comes from: one seed is one answer. 0 without it."""
    stop: str | Sequence[str]
    """One text or several: the answer ends before the first of them that comes."""
    jump_forward: bool
    """Whether text that must come is read in one call of the network with the token before it. True without it: answers
    stay what they are. It works where sessions can take tokens back (`DraftSession`), and ends by itself where timed
    calls show that it does not pay."""
    describe: bool | Style
    """Writes the target's schema into the prompt, as `Grammar.describe` words it; True as TypeScript. False without it:
    the models that were measured answered no better with a description, and the embedded one worse."""
    limits: Limits | None
    """What making the target's grammar, describing it and each call of its matcher may take. Its cancellation ends the
    answer at the next token."""
    heal: bool
    """Whether the prompt's last tokens that a longer token begins with are taken back: the answer's first tokens spell
    them again, as the model prefers. False without it."""
    strategy: Strategy | None
    """How whole answers are found, where token by token under the mask is not enough: one of `frisket.strategies`."""
    on_step: Callable[[Step], object] | None
    """A function that sees every step as it is made; with a strategy, those of the chosen answer once it is chosen."""
    allow_partial: bool
    """Whether an answer that was cut before it was whole is its text so far, instead of an error. False without it."""


class ToolOptions(Options, total=False):
    """Keyword arguments that a call takes beside `tools`, as `Grammar.from_tools` does."""

    choice: str
    """Whether tools may (`"auto"`), must (`"required"`) or must not (`"none"`) be called; or the name of one."""
    parallel: bool
    """Whether the model may call several tools at once. True without it."""
    final: Any
    """The target of an answer without calls, in place of free text."""
    thinking: Mode
    """Whether reasoning may (`"auto"`), must (`"on"`) or must not (`"off"`) come first."""
    family: str | Family | None
    """The format of calls: its name, a model's id or a `Family`. Without it the model's chat template tells it."""


class AllOptions(ToolOptions, total=False):
    """All keyword arguments."""

    tools: Tools | Iterable[Any] | None
    """What the model may call: functions, Pydantic models or descriptions. It stands in place of a target."""
