"""Number of finished answers → a progress bar on a terminal."""

from __future__ import annotations

import contextlib
import importlib
from collections.abc import Callable, Iterator
from typing import Any

from frisket.errors import MissingDependencyError


@contextlib.contextmanager
def progress_bar(total: int) -> Iterator[Callable[[int], None]]:
    """A bar on stderr during the block; yields the function that sets how many are done. No terminal, no bar."""
    try:
        console: Any = importlib.import_module("rich.console")
        progress: Any = importlib.import_module("rich.progress")
    except ImportError as error:
        raise MissingDependencyError.of("rich", "cli") from error
    stderr = console.Console(stderr=True)
    columns = (
        progress.BarColumn(),
        progress.MofNCompleteColumn(),
        progress.TextColumn("answers"),
        progress.TimeElapsedColumn(),
        progress.TimeRemainingColumn(),
    )
    with progress.Progress(*columns, console=stderr, disable=not stderr.is_terminal) as bar:
        task = bar.add_task("", total=total)
        yield lambda done: bar.update(task, completed=done)
