"""Batch × tasks → answers: one call of the network reads the next tokens of all answers that are being written.

An answer that has ended leaves the batch at once, and the next prompt takes its place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from copy import copy
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from frisket.decoding.answer import Generation
from frisket.decoding.generate import answered, decode_task
from frisket.decoding.reading import Row
from frisket.errors import FrisketError

if TYPE_CHECKING:
    from frisket.decoding.loop import FinishReason, Step
    from frisket.decoding.task import Task
    from frisket.grammar import CompiledGrammar, Grammar
    from frisket.limit import Limits
    from frisket.models.protocol import Batch
    from frisket.options import Options
    from frisket.vocabulary import Vocabulary

#: Compiled grammars that are kept, so that prompts with one target share the cost of its masks and distances.
COMPILED = 32


def answers(
    batch: Batch, tasks: Iterator[tuple[int, Callable[[], Task]]], size: int, options: Options
) -> Iterator[tuple[int, Any, Exception | None]]:
    """The answers to some tasks, each when it is done: its number, its value, and the error if there is no value.

    At most `size` answers are written at a time. A task is made when its turn comes, so that its error is its own.
    """
    writing: list[_Answer] = []
    waiting = True

    @lru_cache(COMPILED)
    def compiled(grammar: Grammar[Any], vocabulary: Vocabulary, limits: Limits | None) -> CompiledGrammar:
        return grammar.compile(vocabulary, limits=limits)

    while writing or waiting:
        still: list[_Answer] = []
        for answer in writing:
            try:
                is_done = answer.advance()
            except Exception as error:
                batch.remove(answer.number)
                yield answer.number, None, error
                continue
            if not is_done:
                still.append(answer)
                continue
            batch.remove(answer.number)
            yield answer.number, *answer.outcome(options)
        writing = still
        while waiting and len(writing) < size:
            found = next(tasks, None)
            if found is None:
                waiting = False
                break
            number, make = found
            try:
                task = make()
                shared = compiled(task.grammar, task.vocabulary, task.limits)
                answer = _Answer(number, task, shared, options)
                is_done = answer.advance()
            except Exception as error:
                yield number, None, error
                continue
            if is_done:
                yield number, *answer.outcome(options)
            else:
                writing.append(answer)
        if writing:
            try:
                rows = batch.read({answer.number: answer.row.waiting for answer in writing})
            except Exception as error:
                # The network failed for all answers, and each answer needs an error of its own, which gets its number.
                for answer in writing:
                    batch.remove(answer.number)
                    yield answer.number, None, copy(error) if isinstance(error, FrisketError) else error
                writing = []
                continue
            for answer, logits in zip(writing, rows, strict=True):
                answer.row.take(logits)


class _Answer:
    """An answer that is being written, and its sequence in the batch."""

    def __init__(self, number: int, task: Task, compiled: CompiledGrammar, options: Options) -> None:
        self.number, self._task = number, task
        rows: list[Row] = []

        def start(ids: Sequence[int]) -> Any:
            rows.append(Row(ids, task.model.context))
            return rows[0]

        beginning = task.begin(partial=options.get("allow_partial", False), start=start, compiled=compiled)
        (self.row,) = rows
        self._limit = beginning.limit
        self._seen: list[Step] = []
        self._reason: FinishReason | None = None
        self._steps = decode_task(task, beginning, options.get("seed", 0), self.row, beginning.compiled.matcher())

    def advance(self) -> bool:
        """Choose tokens until the next logits must be computed; whether the answer has ended."""
        while True:
            try:
                step = next(self._steps)
            except StopIteration as end:
                self._reason = end.value
                return True
            if step is None:
                return False
            self._seen.append(step)

    def outcome(self, options: Options) -> tuple[Any, Exception | None]:
        """The value, or None and the error."""
        assert self._reason is not None
        text = "".join(step.text for step in self._seen)
        task = self._task
        result: Generation[Any] = Generation(
            text, tuple(self._seen), self._reason, task.grammar, self._limit, task.vocabulary
        )
        try:
            return answered(result, options), None
        except Exception as error:
            return None, error
