"""What a type checker makes of the public calls: a value of the type that was asked for."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

CALLS = """
import re
from dataclasses import dataclass
from typing import Any, Literal, Optional

from typing_extensions import assert_type

import frisket


@dataclass
class Order:
    size: str


model = frisket.models.embedded()
assert_type(frisket.generate(model, "", Order), Order)
assert_type(frisket.generate(model, "", list[int]), list[int])
assert_type(frisket.generate(model, "", Literal["a", "b"]), Literal["a", "b"])
assert_type(frisket.generate(model, "", int | None), int | None)
assert_type(frisket.generate(model, "", Optional[Order]), Optional[Order])
assert_type(frisket.generate(model, "", ["a", "b"]), str)
assert_type(frisket.generate(model, "", ("a", "b")), str)
assert_type(frisket.generate(model, "", re.compile("a")), str)
assert_type(frisket.generate(model, "", {"type": "integer"}), Any)
assert_type(frisket.generate(model, "", frisket.Grammar.from_choices(["a"])), str)
assert_type(frisket.stream(model, "", Literal["a", "b"]).generation().value(), Literal["a", "b"])
assert_type(frisket.stream(model, "", Order), frisket.Stream[Order])
messages = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hi"}]
assert_type(frisket.generate(model, messages, Order), Order)
assert_type(frisket.generate(model, messages, tools=[Order]), frisket.tools.Message)
assert_type(frisket.generate(model, "", tools=[Order], final=int), frisket.tools.Message)
assert_type(frisket.stream(model, messages, tools=[Order]), frisket.Stream[frisket.tools.Message])
assert_type(frisket.generate_many(model, [messages, "Hi"], tools=[Order]), list[Any])
answer = frisket.generate(model, messages, tools=[Order])
frisket.generate(model, [*messages, answer, {"role": "tool", "tool_call_id": "call_0", "content": ""}], int)


async def later() -> None:
    assert_type(await frisket.agenerate(model, messages, tools=[Order], choice="required"), frisket.tools.Message)
    assert_type(await frisket.agenerate(model, messages, Order, max_tokens=3), Order)


frisket.generate(model, "", Order, tools=[Order])  # type: ignore[call-overload]
frisket.generate(model, "", "a text")  # type: ignore[call-overload]
"""


def test_values_have_the_type_that_was_asked_for(tmp_path: Path) -> None:
    pytest.importorskip("mypy", reason='mypy is not installed: pip install ".[dev]"')
    program = tmp_path / "calls.py"
    program.write_text(CALLS)
    settings = tmp_path / "mypy.ini"
    settings.write_text(f"[mypy]\nstrict = true\nmypy_path = {ROOT / 'src'}\nfollow_imports = silent\n")
    run = subprocess.run(
        [sys.executable, "-m", "mypy", str(program), "--config-file", str(settings)],
        capture_output=True,
        text=True,
        cwd=tmp_path,
    )
    assert run.returncode == 0, run.stdout + run.stderr
