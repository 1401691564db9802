"""Session × Matcher × choices so far → a place in the tree of answers, from which several tokens can be tried."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from frisket import Generation
from frisket.extension import FinishReason
from frisket.strategies.row import Ids, Row, allowed_ids, may_only_end
from frisket.strategies.trail import Choice, generation, spelled, tokens

if TYPE_CHECKING:
    from frisket import Matcher, Sampler
    from frisket.extension import Beginning, Task
    from frisket.models import Session


class Place:
    """A position in the tree of answers. The network reads a token only when the logits after it are asked for."""

    def __init__(
        self,
        task: Task,
        beginning: Beginning,
        matcher: Matcher,
        *,
        parent: Place | None = None,
        last: Choice | None = None,
        used: int = 0,
        head: bytes = b"",
    ) -> None:
        self._task, self._beginning = task, beginning
        self._matcher, self._parent = matcher, parent
        #: How many more places will take the session, including this one while its row may still be asked for.
        self._claims = 1
        self.last, self._used, self._head = last, used, head
        self.reason: FinishReason | None = self._finished()

    @staticmethod
    def first(task: Task, beginning: Beginning) -> Place:
        return Place(task, beginning, beginning.compiled.matcher(), head=beginning.head)

    @cached_property
    def ids(self) -> Ids:
        """The allowed tokens; none if the budget is spent and the text cannot end."""
        return allowed_ids(self._matcher, self._task.vocabulary, self._beginning.limit - self._used)

    @cached_property
    def history(self) -> list[int]:
        return tokens(self.last)

    def row(self, sampler: Sampler) -> Row:
        return Row.of(self._session.logits(), self.ids, sampler, self.history)

    def child(self, row: Row, index: int) -> Place:
        """The place after the token `row.ids[index]`."""
        token = int(row.ids[index])
        choice = Choice(
            self.last, token, float(row.log_model[index]), row.log_feasible, len(row.ids), row.favourite, row.overruled
        )
        matcher = self._matcher.fork()
        matcher.advance(token)
        own = b"" if matcher.ended else self._task.vocabulary.token(token) or b""
        counts = not own or len(own) > len(self._head)
        self._claims += 1
        return Place(
            self._task,
            self._beginning,
            matcher,
            parent=self,
            last=choice,
            used=self._used + counts,
            head=self._head[len(own) :],
        )

    def data(self) -> bytes:
        """The bytes of the answer so far."""
        return spelled(self._task, self.history)[len(self._beginning.head) :]

    def generation(self) -> Generation[Any]:
        return generation(self._task, self._beginning, self.last, self.reason or "length")

    def _finished(self) -> FinishReason | None:
        if self._matcher.ended or may_only_end(self._matcher, self._task.vocabulary):
            return "end"
        return None if len(self.ids) else "length"

    @cached_property
    def _session(self) -> Session:
        parent = self._parent
        if parent is None:
            return self._beginning.session
        session = parent._lend()
        assert self.last is not None
        session.push(self.last.token)
        # The session has read the path, so earlier places are no longer needed.
        self._parent = None
        return session

    def _lend(self) -> Session:
        """A session for a child: a fork, or for the last child the session itself, unless it belongs to the task."""
        session = self._session
        self._claims -= 1
        if self._claims or session is self._beginning.session:
            return session.fork()
        return session

    def close(self) -> None:
        """State that no further child and no row will be asked for."""
        self._claims -= 1
