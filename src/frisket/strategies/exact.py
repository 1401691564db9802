"""Task → answers drawn exactly from the model's own distribution, given that the text is one of the grammar."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from frisket import Generation
from frisket.errors import LimitExceededError
from frisket.strategies.cone import Cone
from frisket.strategies.cursor import Cursor
from frisket.strategies.strategy import Answers, Strategy, drawing_sampler, nothing_found, refuse_stops
from frisket.strategies.trail import Choice, generation
from frisket.strategies.weighted import Samples, Weighted

if TYPE_CHECKING:
    from frisket.extension import Beginning, Fate, Task


@dataclass(frozen=True)
class Exact(Strategy):
    """Answers drawn from what the model itself would say, on condition that it is a text of the grammar.

    A mask alone draws from another distribution: it never takes back a beginning that the grammar allows and whose
    continuations the model finds unlikely.

    `method="cars"`: adaptive rejection sampling (Parys et al. 2025). A draw that leaves the grammar is thrown away,
    and everything forbidden beside its path is never drawn again. Each answer is an independent, exact draw; the more
    of them share one call of `sample`, the fewer draws are thrown away. A draw beyond `max_tokens` is thrown away, too:
    answers are exact among the texts that fit. LimitExceededError after `attempts` draws in vain for one answer.

    `method="asap"`: masked from the first visit on (ASAp, Park et al. 2024). No draw is thrown away, and the first
    answers are those of a mask; later ones come ever closer to the model's distribution.

    Where nothing but the end may follow, the text ends, as in `generate`: what the model would write behind it counts
    for nothing.
    """

    method: Literal["cars", "asap"] = "cars"
    attempts: int = 10_000

    def __post_init__(self) -> None:
        if self.method not in ("cars", "asap"):
            raise ValueError(f"method is cars or asap, not {self.method!r}")
        if self.attempts < 1:
            raise ValueError(f"attempts are at least 1, not {self.attempts}")

    def search(self, task: Task, runs: int, rng: np.random.Generator) -> list[Answers]:
        sampler = drawing_sampler(task, "Exact")
        refuse_stops(task, "Exact")
        beginning = task.beginning
        tree = Tree(task, beginning, Cursor(task, beginning, sampler), masked=self.method == "asap")
        return [Samples([Weighted(self._draw(tree, rng))]) for _ in range(runs)]

    def _draw(self, tree: Tree, rng: np.random.Generator) -> Generation[Any]:
        for _ in range(self.attempts):
            answer = tree.attempt(rng)
            if answer is not None:
                return answer
        raise LimitExceededError(
            f"{self.attempts} draws in a row were no text of the grammar; by what is known, the grammar has at most "
            f"{tree.root.left:.1e} of the model's probability",
            where="strategy",
            hint="raise attempts, describe the format in the prompt, or use Particles, which need no luck",
        )


class Tree:
    """Knowledge of the model under one grammar, and draws from it."""

    def __init__(self, task: Task, beginning: Beginning, cursor: Cursor, *, masked: bool) -> None:
        self._task, self._beginning, self._cursor, self._masked = task, beginning, cursor, masked
        self.root = Cone(reason=cursor.finished())
        if self.root.reason is None:
            # Its mask may be known before anything is drawn.
            self.root.visit(cursor.row())
            self.root.learn()

    def attempt(self, rng: np.random.Generator) -> Generation[Any] | None:
        """An answer, or None for a draw that is thrown away, after which less is left."""
        if not self.root.left > 0:
            raise nothing_found()
        path, tokens = [self.root], list[int]()
        last: Choice | None = None
        while path[-1].reason is None:
            cone = path[-1]
            first = cone.alpha is None
            found = self._next(cone, tokens, rng)
            if found is None:
                break
            token, child = found
            last = Choice(
                last, token, child.logprob, cone.log_feasible, cone.allowed, cone.favourite, cone.overruled, first
            )
            path.append(child)
            tokens.append(token)
        # Only now: within a draw, what it has learned would make it prefer what it knows.
        for cone in reversed(path):
            cone.learn()
        reason = path[-1].reason
        answer = None if reason is None else generation(self._task, self._beginning, last, reason)
        if answer is None:
            # No token may come where the tokens ran out.
            fate: Fate = "outside" if path[-1].allowed else "cut"
            self._task.observe(partial(generation, self._task, self._beginning, last, "length"), fate)
        else:
            self._task.observe(answer, "answer")
        return answer

    def _next(self, cone: Cone, tokens: list[int], rng: np.random.Generator) -> tuple[int, Cone] | None:
        """A token and its cone; None where the draw leaves the grammar."""
        if cone.alpha is not None:
            known = cone.choose_known(rng)
            if known is not None:
                return known
            if not cone.fresh > 0:
                return None
        self._cursor.move(tokens)
        row = self._cursor.row()
        if cone.alpha is None:
            cone.visit(row)
            assert cone.alpha is not None
            # The first visit draws among all tokens of the vocabulary: the forbidden ones have the rest of the mass.
            if not self._masked and rng.random() >= cone.alpha:
                return None
        if row is None or not len(row.ids):
            return None
        index = cone.choose_fresh(row, rng)
        if index is None:
            return None
        token = int(row.ids[index])
        self._cursor.move([*tokens, token])
        child = Cone(
            probability=float(np.exp(row.log_drawn[index])),
            logprob=float(row.log_model[index]),
            reason=self._cursor.finished(),
        )
        cone.add(token, child)
        return token, child
