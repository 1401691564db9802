"""Events of an engine's requests → counters that the engine's own `/metrics` serves.

Masks are made in another process than the one that is scraped. So each process writes a file in the format of
prometheus_client's multiprocess mode, which the engine merges, or a collector that is registered here.
"""

from __future__ import annotations

import atexit
import logging
import os
import shutil
import tempfile
from threading import Lock
from time import perf_counter
from typing import Any

import numpy as np

from frisket.environment import not_allowed

logger = logging.getLogger(__name__)

#: Where engines keep the files of all processes; SGLang always, vLLM with several API servers.
ENGINES_FOLDER = "PROMETHEUS_MULTIPROC_DIR"
#: Where frisket keeps its own, if the engine has no such folder. Processes that are started later inherit it.
FOLDER = "FRISKET_METRICS_DIR"
#: Seconds that a row of a mask takes: most take some microseconds.
BOUNDS = (1e-6, 2e-6, 5e-6, 1e-5, 2e-5, 5e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0)
#: Seconds after which masks are written at the latest if another one follows. To write takes as long as a mask.
PERIOD = 0.25

#: Name → what it counts, and the label that tells kinds apart.
COUNTERS = {
    "frisket_engine_requests": ("Requests that were given a mask.", None),
    "frisket_engine_requests_finished": ("Requests whose text was ended as its grammar has it.", None),
    "frisket_engine_requests_refused": ("Requests that were refused where they arrived.", "code"),
    "frisket_engine_requests_failed": (
        "Requests that failed on the way: no mask, or a token that no mask allowed.",
        "code",
    ),
    "frisket_engine_requests_bent": ("Requests of whose masks tokens were taken, so that the text ends in time.", None),
    "frisket_engine_thoughts_ended": ("Requests whose thoughts were ended, so that the answer fits.", None),
    "frisket_engine_requests_cut": ("Requests whose text may be cut, because no mask could leave room.", "code"),
    "frisket_engine_tokens_forced": ("Tokens that were the only ones that the mask before them allowed.", None),
    "frisket_engine_grammars": ("Grammars that requests asked for, compiled or taken from the cache.", "source"),
}
HISTOGRAM, HISTOGRAM_HELP = "frisket_engine_mask_seconds", "Seconds of each row of a mask."


class Metrics:
    """The counters of one process. Thread-safe; files are made with the first event."""

    def __init__(self, engine: str, folder: str) -> None:
        self.engine, self.folder = engine, folder
        self._lock = Lock()
        self._counts: dict[tuple[str, str], float] = {}
        #: Seconds of rows that are not in the file yet. Appended without the lock: a row takes less than the lock does.
        self._times: list[float] = []
        self._rows = np.zeros(len(BOUNDS) + 1, dtype=np.int64)
        self._seconds = self._due = 0.0
        #: Tokens, as `_times`.
        self._forced = 0
        self._files: tuple[Any, Any] | None = None

    def count(self, name: str, kind: str = "") -> None:
        """One more event of a name in COUNTERS, of a kind where the name has a label."""
        with self._lock:
            value = self._counts[name, kind] = self._counts.get((name, kind), 0.0) + 1
            label = COUNTERS[name][1]
            labels = {"engine": self.engine} | ({} if label is None else {label: kind})
            self._write(0, name, f"{name}_total", labels, COUNTERS[name][0], value)
            self._write_masks()

    def masks(self, begin: float, rows: int = 1) -> None:
        """Count the rows of masks that were written since a time of `perf_counter`."""
        now = perf_counter()
        if rows == 1:
            self._times.append(now - begin)
        else:
            self._times.extend([(now - begin) / rows] * rows)
        if now > self._due:
            with self._lock:
                self._due = now + PERIOD
                self._write_masks()

    def forced(self, tokens: int) -> None:
        """Count tokens that were the only ones that might come; they are written with the masks."""
        self._forced += tokens

    def close(self) -> None:
        """Give up the files, which keep what was counted."""
        for file in self._files or ():
            file.close()
        self._files = None

    def _write_masks(self) -> None:
        times = self._times[:]
        del self._times[: len(times)]
        self._rows += np.bincount(np.searchsorted(BOUNDS, times), minlength=len(BOUNDS) + 1)
        self._seconds += sum(times)
        labels = {"engine": self.engine}
        name = "frisket_engine_tokens_forced"
        self._write(0, name, f"{name}_total", labels, COUNTERS[name][0], self._forced)
        self._write(1, HISTOGRAM, f"{HISTOGRAM}_sum", labels, HISTOGRAM_HELP, self._seconds)
        for bound, rows in zip((*map(str, BOUNDS), "+Inf"), self._rows, strict=True):
            self._write(1, HISTOGRAM, f"{HISTOGRAM}_bucket", labels | {"le": bound}, HISTOGRAM_HELP, float(rows))

    def _write(self, place: int, name: str, sample: str, labels: dict[str, str], text: str, value: float) -> None:
        from prometheus_client.mmap_dict import MmapedDict, mmap_key

        if self._files is None:
            paths = (os.path.join(self.folder, f"{kind}_frisket{os.getpid()}.db") for kind in ("counter", "histogram"))
            counters, histogram = map(MmapedDict, paths)
            self._files = counters, histogram
        self._files[place].write_value(mmap_key(name, sample, list(labels), list(labels.values()), text), value, 0.0)


_metrics: Metrics | None = None


def start(engine: str, *, serve: bool = True) -> None:
    """Count from here on, where prometheus_client is installed; `serve`: also where the engine has no folder for it."""
    global _metrics
    if _metrics is not None:
        return
    try:
        from prometheus_client import REGISTRY
        from prometheus_client.mmap_dict import MmapedDict, mmap_key  # noqa: F401
        from prometheus_client.multiprocess import MultiProcessCollector
    except ImportError as error:
        logger.warning("frisket counts nothing for /metrics: %s", error)
        return
    folder = os.environ.get(ENGINES_FOLDER) or os.environ.get(FOLDER)
    if folder and not os.path.isdir(folder):
        variable = ENGINES_FOLDER if os.environ.get(ENGINES_FOLDER) else FOLDER
        raise not_allowed(variable, folder, "a folder that exists")
    if not folder:
        if not serve:
            return
        folder = os.environ[FOLDER] = tempfile.mkdtemp(prefix="frisket-metrics-")
        owner = os.getpid()
        atexit.register(lambda: shutil.rmtree(folder, ignore_errors=True) if os.getpid() == owner else None)
        MultiProcessCollector(REGISTRY, path=folder)  # type: ignore[no-untyped-call]
    _metrics = Metrics(engine, folder)


def stop() -> None:
    """Count no more."""
    global _metrics
    ended, _metrics = _metrics, None
    if ended is not None:
        ended.close()


def count(name: str, kind: str = "") -> None:
    """One more event, if events are counted. No request fails because it cannot be counted."""
    if _metrics is not None:
        try:
            _metrics.count(name, kind)
        except Exception as error:
            _give_up(error)


def masks(begin: float, rows: int = 1) -> None:
    """Rows of masks were written since a time of `perf_counter`, if events are counted."""
    if _metrics is not None:
        try:
            _metrics.masks(begin, rows)
        except Exception as error:
            _give_up(error)


def forced(tokens: int) -> None:
    """Tokens were taken that were the only ones that might come, if events are counted."""
    if _metrics is not None:
        _metrics.forced(tokens)


def _give_up(error: Exception) -> None:
    logger.warning("frisket counts no more for /metrics: %s", error)
    stop()


def _after_fork() -> None:
    """A child writes files of its own."""
    global _metrics
    if _metrics is not None:
        _metrics.close()
        _metrics = Metrics(_metrics.engine, _metrics.folder)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
