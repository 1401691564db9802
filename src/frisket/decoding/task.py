"""Model × prompt × Grammar → the beginning of an answer: a session that has read the prompt, and a matcher.

A prompt is a text, or a conversation that is rendered here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from frisket.conversation import Conversation
from frisket.conversation.conversation import write_prompt
from frisket.decoding.argument import check_task
from frisket.decoding.branch import Branch
from frisket.decoding.budget import Budget
from frisket.decoding.healing import compile_healed, take_back
from frisket.errors import BudgetError
from frisket.models.prompt import described, property_names

if TYPE_CHECKING:
    from frisket.decoding.answer import Generation
    from frisket.decoding.branch import Fate, Observer
    from frisket.decoding.guard import Guard
    from frisket.decoding.sampler import Sampler
    from frisket.grammar import CompiledGrammar, Grammar
    from frisket.limit import Limits
    from frisket.models.protocol import Model, Session
    from frisket.options import OnBudget, Style
    from frisket.vocabulary import Vocabulary


@dataclass(frozen=True, slots=True)
class Beginning:
    """The state before the first token of an answer; a `session` that serves several answers is forked for each."""

    session: Session
    compiled: CompiledGrammar
    budget: Budget
    """The most tokens with text that the answer may take, and what happens when they run out."""
    head: bytes = b""
    """Bytes from the end of the prompt that the first tokens must spell again."""

    @property
    def limit(self) -> int:
        """The most tokens with text that the answer may take."""
        return self.budget.max_tokens


@dataclass(frozen=True)
class Task:
    """The arguments of a call of `generate` or `sample`, read and checked; `sampler` is None for the default."""

    model: Model
    prompt: str | Conversation
    grammar: Grammar
    max_tokens: int = 512
    on_budget: OnBudget = "finish"
    min_tokens: int = 0
    guard: Guard | None = None
    sampler: Sampler | None = None
    stop: Sequence[str] = ()
    jump_forward: bool = True
    describe: bool | Style = False
    limits: Limits | None = None
    heal: bool = False
    draft: str | None = None
    """An answer in free text that the model reads before its own."""
    observer: Observer | None = None
    """Called with each path of a strategy when its fate is known, also with those that were given up."""

    def __post_init__(self) -> None:
        check_task(self)

    def observe(
        self, path: Generation[Any] | Callable[[], Generation[Any]], fate: Fate, log_weight: float = 0.0
    ) -> None:
        """Tell the observer, if there is one, what became of a path. A function as `path` is called only for it."""
        if self.observer is not None:
            self.observer(Branch(path() if callable(path) else path, fate, log_weight))

    @property
    def vocabulary(self) -> Vocabulary:
        return self.model.vocabulary

    @cached_property
    def beginning(self) -> Beginning:
        """The beginning that all answers share: the prompt is read once."""
        return self.begin()

    def begin(
        self,
        *,
        partial: bool = False,
        start: Callable[[Sequence[int]], Any] | None = None,
        compiled: CompiledGrammar | None = None,
    ) -> Beginning:
        """A new session that has read the prompt, made by `start` or by the model.

        `compiled` is the compiled grammar, if the caller has it. LimitExceededError if the prompt leaves no room for a
        token. BudgetError if the tokens finish no answer; with `partial`, such an answer is begun, and will be cut.
        """
        asked = Budget(self.max_tokens, self.on_budget, self.min_tokens, self.guard)
        ids = self.model.encode(self._text())
        head = b""
        if self.heal:
            ids, head = take_back(self.vocabulary, ids)
        # Tokens that spell the head again do not count, but they take room in the context: at most one for each byte.
        budget = asked.within(self.model.context, len(ids) + len(head))
        compiled = compiled or self.grammar.compile(self.vocabulary, limits=self.limits)
        try:
            budget.check(compiled.matcher())
        except BudgetError:
            if not partial:
                raise
            budget = replace(budget, on_budget="cut")
        if head:
            compiled = compile_healed(self.grammar, self.vocabulary, head, self.limits)
        return Beginning((start or self.model.start)(ids), compiled, budget, head)

    def free_prompt(self) -> str:
        """The prompt of an answer in free text."""
        if isinstance(self.prompt, Conversation):
            return self.prompt.render(self.model)
        return self.model.prompt(self.prompt)

    def _text(self) -> str:
        prompt = self.prompt
        keys = None if self.grammar.schema is None else property_names(self.grammar.schema)
        said: tuple[str, str] | None = None
        if self.describe:
            style: Style = "typescript" if self.describe is True else self.describe
            said, keys = (style, self.grammar.describe(style, limits=self.limits)), None
        if isinstance(prompt, Conversation):
            return prompt.render(self.model, keys, described=said, draft=self.draft)
        return write_prompt(self.model, prompt if said is None else described(prompt, *said), keys, self.draft)
