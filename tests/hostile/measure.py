"""Case → its outcome, the CPU time and the peak memory of its call; as a process that cannot outgrow its machine."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from frisket.errors import FrisketError

from .case import Case

#: What a call may take by default: seconds of CPU, and MB beyond what the process held before.
MAX_SECONDS, MAX_MEGABYTES = 2.0, 300.0
#: The address space of a child, bytes, and its CPU time, seconds: what outgrows them is reported, not measured.
ADDRESS_SPACE, CPU_SECONDS = 6_000_000_000, 60

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Measured:
    """What one call took."""

    outcome: str
    """The code of a FrisketError, `result`, the name of another error, or how the process ended; `refused: …` where the
    input was refused before the call, by a constructor that other cases measure."""
    seconds: float
    """CPU time of all threads."""
    megabytes: float
    """The most memory beyond what was held before."""

    @property
    def is_typed(self) -> bool:
        """Whether the call gave a result or an error that frisket raises on purpose."""
        return not self.outcome.startswith("!")

    @property
    def is_over(self) -> bool:
        """Whether the call broke the bound."""
        return not self.is_typed or self.seconds > MAX_SECONDS or self.megabytes > MAX_MEGABYTES


def measured(case: Case) -> Measured:
    """The outcome of a case in this process."""
    try:
        call = case.prepare()
    except FrisketError as error:
        return Measured(f"refused: {error.code}", 0.0, 0.0)
    _reset_peak()
    before, began = _peak(), time.process_time()
    outcome = outcome_of(call)
    return Measured(outcome, time.process_time() - began, max(_peak() - before, 0.0))


def outcome_of(call: Any) -> str:
    """What a call ends in, in a word."""
    try:
        found = call()
    except FrisketError as error:
        return error.code
    except BaseException as error:
        return f"!{type(error).__name__}: {str(error)[:60]}"
    return found if isinstance(found, str) and found.startswith("status ") else "result"


def measured_apart(case: Case) -> Measured:
    """The outcome of a case in a process of its own, under limits of the operating system."""
    command = [sys.executable, "-m", "tests.hostile.child", case.title]
    try:
        done = subprocess.run(
            command, cwd=ROOT, capture_output=True, text=True, preexec_fn=_limit, timeout=20 * CPU_SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        return Measured("!hung", float("inf"), float("inf"))
    last = done.stdout.strip().splitlines()[-1:] or [""]
    try:
        return Measured(**json.loads(last[0]))
    except (ValueError, TypeError):
        said = (done.stderr.strip().splitlines() or ["nothing was said"])[-1]
        return Measured(f"!exit {done.returncode}: {said[:80]}", float("inf"), float("inf"))


def described(found: Measured) -> str:
    """A measurement as the line that a child prints."""
    return json.dumps(asdict(found))


def _limit() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE))
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS + 5))


def _reset_peak() -> None:
    """Let the kernel forget the peak so far (proc(5), clear_refs)."""
    Path("/proc/self/clear_refs").write_text("5")


def _peak() -> float:
    """The peak of resident memory, MB."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) / 1024
    raise OSError("the kernel does not say how much memory a process holds")
