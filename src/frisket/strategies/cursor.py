"""Beginning × path of tokens → the distribution after it; what the session has read is reused, to save calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

from frisket.extension import FinishReason
from frisket.models import DraftSession, Session
from frisket.strategies.row import Row, allowed_ids, may_only_end

if TYPE_CHECKING:
    from frisket import Sampler
    from frisket.extension import Beginning, Task


class Cursor:
    """One session and one matcher that move through the tree of answers."""

    def __init__(self, task: Task, beginning: Beginning, sampler: Sampler) -> None:
        self._vocabulary, self._beginning, self._sampler = task.vocabulary, beginning, sampler
        self._matcher = beginning.compiled.matcher()
        self._session = beginning.session.fork()
        self._path: list[int] = []
        #: The tokens that the session has read; it follows the path only when logits are asked for.
        self._read: list[int] = []

    def move(self, path: list[int]) -> None:
        """Move to the end of this path, which the grammar allows."""
        common = _common(self._path, path)
        self._matcher.rollback(len(self._path) - common)
        for token in path[common:]:
            self._matcher.advance(token)
        self._path = list(path)

    def finished(self) -> FinishReason | None:
        """The reason if the text ends here: the end-of-sequence token came, or nothing else may."""
        return "end" if self._matcher.ended or may_only_end(self._matcher, self._vocabulary) else None

    def row(self) -> Row | None:
        """The distribution here; None if the budget is spent and the text cannot end."""
        ids = allowed_ids(self._matcher, self._vocabulary, self._left())
        if not len(ids):
            return None
        self._catch_up()
        return Row.of(self._session.logits(), ids, self._sampler, self._path)

    def _left(self) -> int:
        """How many more tokens with text of the answer may come."""
        head, used = len(self._beginning.head), 0
        for token in self._path:
            own = len(self._vocabulary.token(token) or b"")
            used += not own or own > head
            head = max(head - own, 0)
        return self._beginning.limit - used

    def _catch_up(self) -> None:
        common = _common(self._read, self._path)
        surplus = len(self._read) - common
        if surplus and not rewind(self._session, surplus):
            # The session cannot take tokens back: read the path again from the beginning.
            self._session, common = self._beginning.session.fork(), 0
        read(self._session, self._path[common:])
        self._read = list(self._path)


def rewind(session: Session, tokens: int) -> bool:
    """Take back the last tokens of a session; False, and no change, if it cannot."""
    method = getattr(session, "rewind", None)
    if method is None or not getattr(session, "rewinds", True):
        return False
    try:
        method(tokens)
    except ValueError:
        return False
    return True


def read(session: Session, tokens: list[int]) -> None:
    """Append tokens, in one call of the network if the session can."""
    if len(tokens) > 1 and isinstance(session, DraftSession):
        session.extend(tokens)
        return
    for token in tokens:
        session.push(token)


def _common(left: list[int], right: list[int]) -> int:
    """The number of leading tokens that two paths share."""
    count = 0
    for one, other in zip(left, right, strict=False):
        if one != other:
            break
        count += 1
    return count
