"""Events of an engine's processes → what its `/metrics` serves."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter

import numpy as np
import pytest

from frisket import Grammar, Limits, Vocabulary
from frisket.engines import metrics
from frisket.engines.compiler import Compiler
from frisket.engines.progress import Progress
from frisket.engines.room import Thoughts
from frisket.engines.structured_output import StructuredOutput

LETTERS = Vocabulary.from_bytes([bytes([value]) for value in range(97, 105)] + [None], eos=[8])


@pytest.fixture(autouse=True)
def scraped(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    pytest.importorskip("prometheus_client", reason="prometheus_client is not installed")
    monkeypatch.delenv(metrics.ENGINES_FOLDER, raising=False)
    monkeypatch.setenv(metrics.FOLDER, "")  # so that it is as before afterwards
    metrics.stop()
    yield
    metrics.stop()


def served(folder: Path | None = None) -> dict[str, float]:
    """What a scrape finds, by sample and labels."""
    from prometheus_client import REGISTRY, CollectorRegistry
    from prometheus_client.multiprocess import MultiProcessCollector

    registry = REGISTRY
    if folder is not None:
        registry = CollectorRegistry()
        MultiProcessCollector(registry, path=str(folder))
    return {
        " ".join(
            [sample.name, *(value for key, value in sorted(sample.labels.items()) if key != "engine")]
        ): sample.value
        for metric in registry.collect()
        for sample in metric.samples
        if sample.name.startswith("frisket_engine")
    }


def test_what_an_engine_with_a_folder_of_its_own_merges(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(metrics.ENGINES_FOLDER, str(tmp_path))
    metrics.start("an engine", serve=False)
    compiler = Compiler(lambda _: LETTERS, counted=True)
    wanted = StructuredOutput("regex", "ab")
    bitmask = np.zeros((2, 1), dtype=np.int32)
    for _ in range(2):
        progress = Progress(compiler.compile(wanted))
        for token in (0, 1, 8):
            progress.fill(bitmask, 0)
            assert progress.accept([token]) is None
    failed = Progress(compiler.compile(wanted))
    Progress.fill_all([failed, Progress(compiler.compile(wanted))], bitmask, [0, 1])
    Progress.fill_all([], bitmask, [])
    assert failed.accept([3]) is not None
    assert failed.accept([3]) is not None
    metrics.count("frisket_engine_requests_refused", "schema-invalid")
    found = served(tmp_path)
    assert found["frisket_engine_requests_total"] == 4
    assert found["frisket_engine_requests_finished_total"] == 2
    assert found["frisket_engine_requests_failed_total token-rejected"] == 1
    assert found["frisket_engine_requests_refused_total schema-invalid"] == 1
    assert found["frisket_engine_grammars_total compiled"] == 1
    assert found["frisket_engine_grammars_total cached"] == 3
    assert found["frisket_engine_mask_seconds_count"] == 8
    assert 0 < found["frisket_engine_mask_seconds_sum"] < 8
    assert found["frisket_engine_tokens_forced_total"] == 6, "a, b and the end, twice"


def test_a_mask_that_cannot_be_had_is_counted_with_its_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(metrics.ENGINES_FOLDER, str(tmp_path))
    metrics.start("an engine", serve=False)
    words = Vocabulary.from_bytes([bytes([value]) for value in range(97, 123)] + [None], eos=[26])
    dear = Grammar.from_regex("[a-z]{2}(x|y.*z){40}").compile(words, limits=Limits(steps=120))
    progress = Progress(dear)
    bitmask = np.zeros((1, 1), dtype=np.int32)
    for token in (0, 0, 24, 25):
        progress.fill(bitmask, 0)
        progress.accept([token])
    assert served(tmp_path)["frisket_engine_requests_failed_total limit"] == 1


def test_texts_that_a_budget_bends_and_thoughts_that_it_ends_are_counted_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv(metrics.ENGINES_FOLDER, str(tmp_path))
    metrics.start("an engine", serve=False)
    compiled = Grammar.from_regex("a|b{9}").compile(LETTERS)
    bitmask = np.zeros((1, 1), dtype=np.int32)
    with caplog.at_level("INFO", logger="frisket"):
        for rooms, masks in (((20, 9), (0b11, 0b11)), ((8, 8, 20), (0b01, 0b01, 0b11))):
            progress = Progress(compiled)
            for room, mask in zip(rooms, masks, strict=True):
                progress.fill(bitmask, 0, room)
                assert bitmask[0, 0] == mask
    assert caplog.text.count("a text is bent") == 1
    thoughts = Thoughts([7], compiled, reserve=0)
    assert [thoughts.token([], left) for left in (9, 3, 3)] == [None, 7, 7]
    found = served(tmp_path)
    assert found["frisket_engine_requests_bent_total"] == found["frisket_engine_thoughts_ended_total"] == 1


def test_an_engine_without_a_folder_serves_what_its_processes_count() -> None:
    metrics.start("an engine")
    metrics.count("frisket_engine_requests")
    program = (
        "from frisket.engines import metrics\n"
        "from time import perf_counter\n"
        "metrics.start('an engine')\n"
        "metrics.masks(perf_counter())\n"
        "metrics.count('frisket_engine_requests')\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True, env=dict(os.environ))
    found = served()
    assert found["frisket_engine_requests_total"] == 2
    assert found["frisket_engine_mask_seconds_count"] == 1


def test_nothing_is_counted_where_nobody_scrapes() -> None:
    metrics.start("an engine", serve=False)
    metrics.count("frisket_engine_requests")
    metrics.masks(perf_counter())
    assert not os.environ[metrics.FOLDER]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_forked_process_counts_for_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(metrics.ENGINES_FOLDER, str(tmp_path))
    metrics.start("an engine", serve=False)
    metrics.count("frisket_engine_requests")
    child = os.fork()
    if child == 0:
        metrics.count("frisket_engine_requests")
        os._exit(0)
    os.waitpid(child, 0)
    metrics.count("frisket_engine_requests")
    assert served(tmp_path)["frisket_engine_requests_total"] == 3


def test_a_folder_that_is_gone_stops_no_request(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    folder = tmp_path / "gone"
    folder.mkdir()
    monkeypatch.setenv(metrics.ENGINES_FOLDER, str(folder))
    metrics.start("an engine", serve=False)
    shutil.rmtree(folder)
    metrics.count("frisket_engine_requests")
    metrics.count("frisket_engine_requests")
    assert caplog.text.count("counts no more") == 1
