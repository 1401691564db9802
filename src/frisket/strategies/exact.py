"""Task → answers drawn from the model's own distribution, on condition that the text is one of the grammar."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from frisket import Generation
from frisket.errors import LimitExceededError
from frisket.extension import check_integer, explain_fields
from frisket.strategies.cone import Cone
from frisket.strategies.cursor import Cursor
from frisket.strategies.strategy import Answers, Strategy, drawing_sampler, nothing_found, refuse_stops
from frisket.strategies.trail import Choice, generation
from frisket.strategies.weighted import Samples, Weighted

if TYPE_CHECKING:
    from frisket.extension import Beginning, Fate, Task


#: Fields as other libraries name them → what to write instead.
_SLIPS = {
    **dict.fromkeys(
        ("n", "samples", "num_samples"),
        "draw several by frisket.sample(model, prompt, target, {value}, strategy=Exact())",
    ),
    **dict.fromkeys(("max_attempts", "tries", "max_tries", "max_draws", "retries"), "write attempts={value}"),
    "algorithm": "write method={value}",
}


@explain_fields(_SLIPS)
@dataclass(frozen=True)
class Exact(Strategy):
    """Answers drawn from the model's own distribution, on condition that the text is one of the grammar.

    A mask alone draws from another distribution: it keeps a beginning that the grammar allows, even if the model finds
    all its allowed continuations unlikely.

    `method="cars"`: adaptive rejection sampling (Parys et al. 2025). A draw that leaves the grammar is thrown away, and
    nothing that was found forbidden along its path is drawn again. Each answer is an independent, exact draw. The more
    answers share one call of `sample`, the fewer draws are thrown away. A draw of more than `max_tokens` tokens is
    thrown away, too: answers are exact among the texts that fit. LimitExceededError after `attempts` draws without an
    answer.

    `method="asap"`: masked from the first visit on (ASAp, Park et al. 2024). No draw is thrown away. The first answers
    are those of a mask; later ones come ever closer to the model's distribution.

    If only the end may follow, the text ends, as in `generate`, whatever the model would write next.
    """

    method: Literal["cars", "asap"] = "cars"
    attempts: int = 10_000

    def __post_init__(self) -> None:
        if self.method not in ("cars", "asap"):
            raise ValueError(f"method is cars or asap, not {self.method!r}")
        check_integer("attempts", self.attempts)
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
    """The model's probabilities under one grammar, so far as they are known, and draws from them."""

    def __init__(self, task: Task, beginning: Beginning, cursor: Cursor, *, masked: bool) -> None:
        self._task, self._beginning, self._cursor, self._masked = task, beginning, cursor, masked
        self.root = Cone(reason=cursor.finished())
        if self.root.reason is None:
            # The mask at the root is known without a draw.
            self.root.visit(cursor.row())
            self.root.learn()

    def attempt(self, rng: np.random.Generator) -> Generation[Any] | None:
        """Draw an answer; None for a draw that is thrown away, after which `left` is smaller."""
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
        # Done after the draw: knowledge gained within it would favour the visited tokens.
        for cone in reversed(path):
            cone.learn()
        reason = path[-1].reason
        answer = None if reason is None else generation(self._task, self._beginning, last, reason)
        if answer is None:
            # Where the tokens have run out, no token is allowed.
            fate: Fate = "outside" if path[-1].allowed else "cut"
            self._task.observe(partial(generation, self._task, self._beginning, last, "length"), fate)
        else:
            self._task.observe(answer, "answer")
        return answer

    def _next(self, cone: Cone, tokens: list[int], rng: np.random.Generator) -> tuple[int, Cone] | None:
        """Draw a token; its id and cone, or None if the draw leaves the grammar."""
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
            # The first visit draws among all tokens; forbidden ones have the probability 1 − α.
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
