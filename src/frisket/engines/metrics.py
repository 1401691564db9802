"""Events of an engine's requests → counters that the engine's own `/metrics` serves.

Masks are made in another process than the one that serves `/metrics`. So each process writes a file in the format of
prometheus_client's multiprocess mode. The engine merges these files, or a collector that is registered here does.
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

#: Variable with the engine's folder for such files; SGLang always sets it, vLLM if it has several API servers.
ENGINES_FOLDER = "PROMETHEUS_MULTIPROC_DIR"
#: Variable with frisket's own folder, if the engine has none. Processes that are started later inherit it.
FOLDER = "FRISKET_METRICS_DIR"
#: Upper bounds of the histogram's buckets: seconds for one row of a mask. Most rows take some microseconds.
BOUNDS = (1e-6, 2e-6, 5e-6, 1e-5, 2e-5, 5e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0)
#: Seconds between two writes of the masks' times: writing takes as long as a mask.
PERIOD = 0.25

#: Name → what it counts, and its label, if it has kinds.
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
BUCKETS = (*map(str, BOUNDS), "+Inf")
HISTOGRAM, HISTOGRAM_HELP = "frisket_engine_mask_seconds", "Seconds of each row of a mask."


class Metrics:
    """The counters of one process. Thread-safe; its files are created with the first event."""

    def __init__(self, engine: str, folder: str) -> None:
        self.engine, self.folder = engine, folder
        self._lock = Lock()
        self._counts: dict[tuple[str, str], float] = {}
        #: Seconds of rows that are not in the file yet. Appended without the lock, which takes longer than a row.
        self._times: list[float] = []
        self._rows = np.zeros(len(BOUNDS) + 1, dtype=np.int64)
        self._seconds = self._due = 0.0
        #: Forced tokens that are not in the file yet.
        self._forced = 0
        self._files: tuple[Any, Any] | None = None
        #: (name, kind) → the key of the sample in its file.
        self._keys: dict[tuple[str, str], str] = {}

    def count(self, name: str, kind: str = "", events: int = 1) -> None:
        """Count events by a name in COUNTERS, and by a kind if the name has a label."""
        with self._lock:
            value = self._counts[name, kind] = self._counts.get((name, kind), 0.0) + events
            self._write(name, kind, value)
            self._write_masks()

    def masks(self, begin: float, rows: int = 1) -> None:
        """Count the rows of masks that were written since `begin`, a time of `perf_counter`."""
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
        """Count tokens that were the only allowed ones; they are written together with the masks."""
        self._forced += tokens

    def close(self) -> None:
        """Close the files, which keep the counts."""
        for file in self._files or ():
            file.close()
        self._files = None

    def _write_masks(self) -> None:
        self._write("frisket_engine_tokens_forced", "", self._forced)
        times = self._times[:]
        is_first = (HISTOGRAM, "sum") not in self._keys
        if not times and not is_first:
            return
        del self._times[: len(times)]
        added = np.bincount(np.searchsorted(BOUNDS, times), minlength=len(BUCKETS))
        self._rows += added
        self._seconds += sum(times)
        self._write(HISTOGRAM, "sum", self._seconds)
        for bucket in range(len(BUCKETS)) if is_first else np.flatnonzero(added):
            self._write(HISTOGRAM, BUCKETS[bucket], float(self._rows[bucket]))

    def _write(self, name: str, kind: str, value: float) -> None:
        """Write one kind of a counter, or the sum or a bucket of the histogram."""
        if self._files is None:
            from prometheus_client.mmap_dict import MmapedDict

            paths = (os.path.join(self.folder, f"{kind}_frisket{os.getpid()}.db") for kind in ("counter", "histogram"))
            counters, histogram = map(MmapedDict, paths)
            self._files = counters, histogram
        key = self._keys.get((name, kind))
        if key is None:
            key = self._keys[name, kind] = self._key(name, kind)
        self._files[name == HISTOGRAM].write_value(key, value, 0.0)

    def _key(self, name: str, kind: str) -> str:
        """The key of a sample in prometheus_client's files."""
        from prometheus_client.mmap_dict import mmap_key

        labels = {"engine": self.engine}
        if name == HISTOGRAM:
            text = HISTOGRAM_HELP
            sample, bucket = (f"{name}_sum", {}) if kind == "sum" else (f"{name}_bucket", {"le": kind})
            labels |= bucket
        else:
            sample, (text, label) = f"{name}_total", COUNTERS[name]
            labels |= {} if label is None else {label: kind}
        key: str = mmap_key(name, sample, list(labels), list(labels.values()), text)
        return key


_metrics: Metrics | None = None


def start(engine: str, *, serve: bool = True) -> None:
    """Count from now on, if prometheus_client is installed; with `serve` also if the engine has no folder for it."""
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
    """Stop counting."""
    global _metrics
    ended, _metrics = _metrics, None
    if ended is not None:
        ended.close()


def count(name: str, kind: str = "", events: int = 1) -> None:
    """Count events, if counting is on. A failure to count fails no request."""
    if _metrics is not None:
        try:
            _metrics.count(name, kind, events)
        except Exception as error:
            _give_up(error)


def masks(begin: float, rows: int = 1) -> None:
    """Count the rows of masks that were written since `begin`, a time of `perf_counter`, if counting is on."""
    if _metrics is not None:
        try:
            _metrics.masks(begin, rows)
        except Exception as error:
            _give_up(error)


def forced(tokens: int) -> None:
    """Count tokens that were the only allowed ones, if counting is on."""
    if _metrics is not None:
        _metrics.forced(tokens)


def _give_up(error: Exception) -> None:
    logger.warning("frisket counts no more for /metrics: %s", error)
    stop()


def _after_fork() -> None:
    """Give a forked child files of its own."""
    global _metrics
    if _metrics is not None:
        _metrics.close()
        _metrics = Metrics(_metrics.engine, _metrics.folder)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
