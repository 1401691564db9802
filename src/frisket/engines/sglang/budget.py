"""SGLang's request → the `max_new_tokens` that its masks keep to.

SGLang gives a grammar backend the specification only. Its registry of hooks for plug-ins shows the requests as they
leave the grammar manager: each has a grammar of its own, and its `max_new_tokens` is already lowered to the tokens that
context and memory leave.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from concurrent.futures import Future
from typing import Any

from frisket.engines import metrics
from frisket.engines.progress import allow_alone
from frisket.engines.room import Thoughts, check, is_on, read_reserve
from frisket.engines.sglang.grammar import BatchedGrammar, RequestGrammar
from frisket.errors import BudgetError, MissingDependencyError

try:
    from sglang.srt.constrained.reasoner_grammar_backend import ReasonerGrammarObject
except ImportError as error:
    raise MissingDependencyError.of("sglang", "sglang") from error

logger = logging.getLogger(__name__)

_MANAGER = "sglang.srt.constrained.grammar_manager.GrammarManager"


def install() -> None:
    """Register hooks by which SGLang shows this process the requests that get a grammar."""
    from sglang.srt.plugins.hook_registry import HookRegistry, HookType

    global _reserve, _is_installed
    _reserve = read_reserve()
    if not _is_installed:
        HookRegistry.register(f"{_MANAGER}.process_req_with_grammar", _see_one, HookType.AFTER)
        HookRegistry.register(f"{_MANAGER}.get_ready_grammar_requests", _see_many, HookType.AFTER)
        HookRegistry.apply_hooks()
    _is_installed = True


_is_installed = False
#: Tokens that reasoning leaves beyond the shortest answer; None for those of a median answer.
_reserve: int | None = None


def _see_one(waits: bool, manager: Any, req: Any) -> None:
    if not waits:
        bind(req)


def _see_many(ready: Sequence[Any], manager: Any) -> None:
    for req in ready:
        bind(req)


def bind(req: Any) -> None:
    """Tell the request's grammar how many tokens it has; a request whose tokens finish no text is refused."""
    try:
        _bind(req)
    except BudgetError as error:
        metrics.count("frisket_engine_requests_refused", error.code)
        req.set_finish_with_abort(f"{error} [{error.code}]")
    except Exception as error:  # without a budget a text may be cut, but an error would end the engine
        logger.error("masks have no room for the end of a text: %s: %s", type(error).__name__, error)


def _bind(req: Any) -> None:
    grammar, total = req.grammar, int(req.sampling_params.max_new_tokens)
    if not is_on() or total < 1 or grammar is None or isinstance(grammar, Future):
        return
    reasoner = grammar if isinstance(grammar, ReasonerGrammarObject) else None
    answer = grammar if reasoner is None else reasoner.grammar
    if not isinstance(answer, RequestGrammar):
        return
    end = reasoner.think_end_ids if reasoner is not None and _is_thinking(reasoner) else ()
    check(answer.compiled, total, end, "max_new_tokens")
    answer.total = total
    if end:
        req.grammar = ThinkingGrammar(reasoner, answer, Thoughts(end, answer.compiled, _reserve), total)
    elif reasoner is not None and _is_answering(reasoner):
        # SGLang's own object only passes calls on to this one, and writes the rows of a batch one by one.
        req.grammar = answer


def _is_thinking(reasoner: Any) -> bool:
    """Whether the next tokens are reasoning, which the grammar does not constrain."""
    in_grammar = getattr(reasoner, "reasoning_in_grammar", False)
    return not in_grammar and reasoner.tokens_in_think >= 0 and reasoner.tokens_after_end == -1


def _is_answering(reasoner: Any) -> bool:
    """Whether the next tokens are text of the grammar, and no reasoning came before."""
    in_grammar = getattr(reasoner, "reasoning_in_grammar", False)
    return not in_grammar and reasoner.tokens_in_think < 0 and reasoner.tokens_after_end == 0


class ThinkingGrammar(BatchedGrammar):
    """A request that reasons before its answer: SGLang's own object, and the tokens that end the reasoning in time."""

    def __init__(self, reasoner: Any, answer: RequestGrammar, thoughts: Thoughts, total: int) -> None:
        super().__init__()
        self._reasoner, self._answer, self._thoughts, self._total = reasoner, answer, thoughts, total
        self._taken: list[int] = []

    def accept_token(self, token: int) -> None:
        self._reasoner.accept_token(token)
        self._taken.append(token)
        self.current_token = token

    def rollback(self, k: int) -> None:
        self._reasoner.rollback(k)
        del self._taken[len(self._taken) - k :]

    def is_terminated(self) -> bool:
        return bool(self._reasoner.is_terminated())

    def copy(self) -> Any:
        """The grammar without the state of this request."""
        return self._reasoner.copy()

    def text(self) -> RequestGrammar | None:
        """The position in the answer; None while tokens are reasoning."""
        if _is_thinking(self._reasoner):
            return None
        self._answer.before = len(self._taken) - self._answer.steps
        return self._answer

    def fill_vocab_mask(self, vocab_mask: Any, idx: int) -> None:
        """Write the row; nothing is written where any token may come."""
        text = self.text()
        if text is not None:
            text.fill_vocab_mask(vocab_mask, idx)
            return
        token = self._thoughts.token(self._taken[-len(self._thoughts.end) :], self._total - len(self._taken))
        if token is not None:
            allow_alone(vocab_mask, idx, [token])
