"""Timings → the table, the JSON document and the plot of their tails."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.data import ROOT

from .run import Run
from .worker import Timing

STATUSES = ("right", "over", "under", "refused", "time", "memory", "crash", "skipped")
COMPILED = ("right", "over", "under")
METRICS = {
    "mask": "mask, cold",
    "commit": "commit, cold",
    "token": "mask + commit, cold",
    "warm_mask": "mask, warm",
    "warm_commit": "commit, warm",
    "warm_token": "mask + commit, warm",
    "first": "compile + first mask",
}
#: What frisket is to reach on Llama 3 from Python, cold, in µs; and how many times the others are to take.
TARGETS = {
    ("mask", "mean"): 4.0,
    ("mask", "p50"): 2.0,
    ("mask", "p90"): 8.0,
    ("mask", "p99"): 30.0,
    ("mask", "max"): 2000.0,
    ("first", "p50"): 300.0,
    ("first", "p95"): 2000.0,
    ("first", "p99"): 8000.0,
}
TIMES = {
    ("llguidance", "mask", "mean"): 20.0,
    ("llguidance", "mask", "p99"): 25.0,
    ("llguidance", "first", "p50"): 7.0,
    ("glrmask", "mask", "mean"): 3.0,
    ("glrmask", "mask", "p50"): 4.0,
    ("llguidance", "token", "mean"): 20.0,
    ("llguidance", "token", "p99"): 25.0,
    ("glrmask", "token", "mean"): 3.0,
    ("glrmask", "token", "p50"): 4.0,
}


def values(run: Run, metric: str) -> NDArray[np.float64]:
    """All times of a metric in µs, over the schemas that the engine compiled."""
    compiled = [timing for timing in run.timings.values() if timing.status in COMPILED]
    return _values(compiled, metric)


def _values(timings: Iterable[Timing], metric: str) -> NDArray[np.float64]:
    if metric == "first":
        return np.array([timing.first for timing in timings], dtype=np.float64) / 1e3
    parts = [getattr(timing, metric + "s") for timing in timings]
    times: NDArray[np.float64] = np.concatenate([*parts, np.zeros(0)]).astype(np.float64)
    return times / 1e3


def summary(times: NDArray[np.float64]) -> dict[str, float]:
    if not len(times):
        return {"count": 0}
    names = {"p50": 50, "p90": 90, "p95": 95, "p99": 99, "p99.9": 99.9}
    found = {name: float(np.percentile(times, q)) for name, q in names.items()}
    return {"count": len(times), "mean": float(times.mean()), **found, "max": float(times.max())}


def ratios(ours: Run, theirs: Run, statuses: Sequence[str] = COMPILED) -> dict[str, dict[str, float]]:
    """How many times longer they took than we, over the schemas that both compiled.

    With `("right",)` over those that both got right: there the calls are the same ones.
    """
    none = Timing("skipped")
    names = [
        name
        for name, timing in ours.timings.items()
        if timing.status in statuses and theirs.timings.get(name, none).status in statuses
    ]
    found = {}
    for metric in METRICS:
        mine = summary(_values((ours.timings[name] for name in names), metric))
        other = summary(_values((theirs.timings[name] for name in names), metric))
        if mine["count"] and other["count"]:
            found[metric] = {key: other[key] / mine[key] for key in ("mean", "p50", "p90", "p99", "max")}
    return {"schemas": {"count": len(names)}, **found}


def document(
    runs: Sequence[Run], settings: dict[str, Any], versions: dict[str, str | None], commit: str
) -> dict[str, Any]:
    """All that is worth keeping of a run."""
    ours, shared = (next((run for run in runs if run.engine == name), None) for name in ("frisket", "frisket_shared"))
    return {
        "settings": settings,
        "machine": machine(),
        "commit": commit,
        "versions": versions,
        "engines": {
            run.engine: {
                "vocabulary_ms": run.vocabulary_ns / 1e6,
                "vocabulary_megabytes": run.idle_megabytes,
                "peak_megabytes": run.peak_megabytes,
                "status": dict(Counter(timing.status for timing in run.timings.values())),
                **{metric: summary(values(run, metric)) for metric in METRICS},
                "schemas": {name: _row(timing) for name, timing in sorted(run.timings.items())},
            }
            for run in runs
        },
        "ratios": {run.engine: ratios(ours, run) for run in runs if ours is not None and run is not ours},
        "ratios_right": {
            run.engine: ratios(ours, run, ("right",)) for run in runs if ours is not None and run is not ours
        },
        "ratios_shared": {run.engine: ratios(shared, run) for run in runs if shared is not None and run is not shared},
    }


def _row(timing: Timing) -> dict[str, Any]:
    row: dict[str, Any] = {"status": timing.status}
    if timing.status == "skipped":
        return row
    if timing.detail:
        row["detail"] = timing.detail
    if timing.first:
        row["first_us"] = round(timing.first / 1e3, 1)
    if len(timing.masks):
        row["masks"] = len(timing.masks)
        row["mask_mean_us"] = round(float(timing.masks.mean()) / 1e3, 2)
        row["mask_max_us"] = round(float(timing.masks.max()) / 1e3, 1)
    return row


def markdown(result: dict[str, Any]) -> str:
    """The page for people."""
    engines, settings, machine = result["engines"], result["settings"], result["machine"]
    part = "" if settings["schemas"] == settings["asked"] else f" (interrupted: {settings['asked']} were asked for)"
    lines = [
        f"# Masks and compile times, {settings['date']}",
        "",
        f"{settings['schemas']} schemas{part} of {settings['corpus']} (seed {settings['seed']}), tokenizer "
        f"{settings['tokenizer']} ({settings['vocabulary']:,} tokens), every call from Python, "
        f"{settings['rounds']} round(s), at most {settings['seconds']:g} s and {settings['megabytes']} MB per schema, "
        f"{settings['minutes']:g} minutes in all. Commit {result['commit']}. Property order: each engine's default.",
        "",
        f"{machine['cpu']}, {machine['cores']} cores, load {machine['load']} at the end; Python {machine['python']}. "
        f"Two readings of the clock with nothing between are {machine['clock_ns']} ns apart: every time holds them. "
        + ", ".join(f"{name} {version}" for name, version in result["versions"].items())
        + ".",
        "",
        "Cold: a schema the process has not seen; what is shared per vocabulary, or learned from other schemas, is "
        "there. Warm: the same tokens again on the same compiled grammar. A row is over the schemas that the engine "
        "compiled, so the rows of two engines are not over the same calls; the ratios below are over the schemas that "
        "both compiled. frisket_shared: masks taken as references (`Matcher.mask`), not copied into an array. "
        "frisket_native: timed inside the extension, without Python's calls. Each is a process of its own. By "
        "reference: times as long as frisket_shared, on the schemas that both compiled.",
    ]
    lines += _targets(result)
    lines += ["", "## All times", ""]
    lines += _table(
        ["µs", "engine", "calls", "mean", "p50", "p90", "p95", "p99", "p99.9", "max"],
        [
            [title, name, f"{engine[metric]['count']:,}"]
            + [_figure(engine[metric].get(key)) for key in ("mean", "p50", "p90", "p95", "p99", "p99.9", "max")]
            for metric, title in METRICS.items()
            for name, engine in engines.items()
        ],
    )
    lines += ["", "## Schemas", ""]
    lines += _table(
        ["engine", *STATUSES, "vocabulary ms", "MB after it", "MB at most"],
        [
            [
                name,
                *(str(engine["status"].get(status, 0)) for status in STATUSES),
                f"{engine['vocabulary_ms']:.0f}",
                str(engine["vocabulary_megabytes"]),
                str(engine["peak_megabytes"]),
            ]
            for name, engine in engines.items()
        ],
    )
    lines += [
        "",
        "right: every instance answered as it should be. over: a valid one refused. under: an invalid one accepted. "
        "refused: not compiled. time, memory: over the limit. crash: an exception or the end of the process while "
        "replaying. skipped: left out, because the engine held up the run; which ones does not depend on the schema.",
    ]
    for key, title in (("ratios", "both compile"), ("ratios_right", "both get right, so over the same calls")):
        if not result[key]:
            continue
        lines += ["", f"## Times as long as frisket, on the schemas that {title}", ""]
        lines += _table(
            ["", "engine", "schemas", "mean", "p50", "p90", "p99", "max"],
            [
                [METRICS[metric], name, str(found["schemas"]["count"])]
                + [_figure(found[metric][key]) for key in ("mean", "p50", "p90", "p99", "max")]
                for metric in METRICS
                for name, found in result[key].items()
                if metric in found
            ],
        )
    return "\n".join(lines) + "\n"


def _targets(result: dict[str, Any]) -> list[str]:
    """What was to be reached beside what is; nothing where frisket was not measured."""
    engines = result["engines"]
    if "frisket" not in engines:
        return []
    ours, rows = engines["frisket"], []
    others = [name for name in engines if name != "frisket"]
    for (metric, key), bound in TARGETS.items():
        value = ours[metric].get(key)
        reached = value is not None and value <= bound
        rows.append(
            [f"{METRICS[metric]} {key}", _figure(value), f"≤ {_figure(bound)}", "yes" if reached else "**no**"]
            + [_figure(engines[name][metric].get(key)) for name in others]
        )
    lines = ["", "## Targets", ""]
    lines += _table(["µs", "frisket", "target", "reached", *others], rows)
    rows = []
    for (name, metric, key), bound in TIMES.items():
        found = result["ratios"].get(name)
        if found is None or metric not in found:
            continue
        same = result["ratios_right"][name].get(metric, {}).get(key)
        shared = result["ratios_shared"].get(name, {}).get(metric, {}).get(key)
        reached = found[metric][key] >= bound
        verdict = "yes" if reached else "**no**"
        rows.append(
            [
                f"{name}: {METRICS[metric]} {key}",
                *(_times(found[metric][key]), f"≥ {bound:g} ×", verdict),
                *(str(found["schemas"]["count"]), _times(same), _times(shared)),
            ]
        )
    if rows:
        lines += [""]
        head = ["times as long as frisket", "measured", "target", "reached", "schemas", "both right", "by reference"]
        lines += _table(head, rows)
    return lines


def compared(results: dict[str, dict[str, Any]]) -> str:
    """The same schemas with several tokenizers: frisket's times beside those with the first."""
    (first, base), *others = results.items()
    settings = base["settings"]
    lines = [
        f"# Tokenizers, {settings['date']}",
        "",
        f"{settings['schemas']} schemas of {settings['corpus']} (seed {settings['seed']}), one tokenizer after the "
        f"other, commit {base['commit']}. × is as long as with {first}; at most 2 was the target.",
        "",
    ]
    head = ["µs", f"{first} ({settings['vocabulary']:,})"]
    for name, result in others:
        head += [f"{name} ({result['settings']['vocabulary']:,})", "×", "within 2"]
    rows = []
    for metric, key in TARGETS:
        value = base["engines"]["frisket"][metric].get(key)
        row = [f"{METRICS[metric]} {key}", _figure(value)]
        for _, result in others:
            other = result["engines"]["frisket"][metric].get(key)
            times = other / value if other is not None and value else None
            row += [_figure(other), _figure(times), "yes" if times is not None and times <= 2 else "**no**"]
        rows.append(row)
    return "\n".join([*lines, *_table(head, rows)]) + "\n"


def _table(head: list[str], rows: list[list[str]]) -> list[str]:
    rule = ["---" if index < 1 or name == "engine" else "--:" for index, name in enumerate(head)]
    return ["| " + " | ".join(cells) + " |" for cells in (head, rule, *rows)]


def _figure(value: float | None) -> str:
    if value is None:
        return "–"
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def _times(value: float | None) -> str:
    return _figure(value) if value is None else f"{_figure(value)} ×"


def plot(runs: Sequence[Run], path: Path) -> None:
    """Two pictures side by side: of all masks, of all compilations, what share took at least so long."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(1, 2, figsize=(11, 4.5), sharey=True)
    for axis, metric in zip(axes, ("mask", "first"), strict=True):
        for run in runs:
            times = np.sort(values(run, metric))
            if len(times):
                axis.plot(times, 1 - np.arange(len(times)) / len(times), label=run.engine, drawstyle="steps-post")
        axis.set(xscale="log", yscale="log", xlabel="µs", title=METRICS[metric])
        axis.grid(visible=True, which="major", alpha=0.3)
    axes[0].set_ylabel("share of calls that took longer")
    axes[0].legend()
    figure.tight_layout()
    figure.savefig(path, dpi=110)
    pyplot.close(figure)


def write(result: dict[str, Any], runs: Sequence[Run], folder: Path) -> list[Path]:
    """The result as .json, .md and .png, named after the day and the commit."""
    folder.mkdir(parents=True, exist_ok=True)
    settings = result["settings"]
    other = "" if settings["tokenizer"] == "llama3" else f"-{settings['tokenizer']}"
    stem = folder / f"{settings['date']}-{result['commit']}{other}"
    paths = [stem.with_name(stem.name + suffix) for suffix in (".json", ".md", ".png")]
    paths[0].write_text(json.dumps(result, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    paths[1].write_text(markdown(result) + f"\n![the tails]({paths[2].name})\n", encoding="utf-8")
    plot(runs, paths[2])
    return paths


def machine() -> dict[str, Any]:
    cpu = platform.processor()
    if Path("/proc/cpuinfo").exists():
        names = [line for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("model name")]
        cpu = names[0].partition(":")[2].strip() if names else cpu
    return {
        "cpu": cpu,
        "cores": os.cpu_count(),
        "load": round(os.getloadavg()[1], 2),
        "python": platform.python_version(),
        "clock_ns": clock_ns(),
        "system": platform.system(),
    }


def clock_ns() -> int:
    """What the clock shows where nothing is between two readings: the median of ten thousand."""
    clock = time.perf_counter_ns
    return int(np.median([-(clock() - clock()) for _ in range(10_000)]))


def commit() -> str:
    """The commit that was measured; `-dirty` where the tracked sources differ from it."""

    def git(*words: str) -> str:
        return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True).stdout.strip()

    changed = git("status", "--porcelain", "--untracked-files=no", "--", "src", "crates")
    return (git("rev-parse", "--short=9", "HEAD") or "unknown") + ("-dirty" if changed else "")
