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

from typing_extensions import Unpack, assert_type

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
assert_type(frisket.generate(model, "", frisket.Grammar.from_type(Order)), Order)
assert_type(frisket.generate(model, "", frisket.Grammar.from_type(list[int])), list[int])
assert_type(frisket.generate(model, "", frisket.Grammar.from_gbnf("root ::= [ab]")), str)
assert_type(frisket.generate(model, "", frisket.Grammar.from_json_schema({"type": "integer"})), Any)
assert_type(frisket.generate(model, "", frisket.Grammar.from_tools([Order], "qwen3")), frisket.tools.Message)
assert_type(frisket.generate(model, "", frisket.think(Order)), frisket.Thought[Order])
assert_type(frisket.generate(model, "", frisket.think(Literal["a", "b"])), frisket.Thought[Literal["a", "b"]])
assert_type(frisket.generate(model, "", frisket.think(["a", "b"], max_chars=20)), frisket.Thought[str])
assert_type(frisket.generate(model, "", frisket.think(frisket.Grammar.from_type(Order))), frisket.Thought[Order])
assert_type(frisket.generate(model, "", frisket.think({"type": "integer"})), frisket.Thought[Any])
assert_type(frisket.generate(model, "", frisket.parts.json(Order)), Order)
assert_type(frisket.generate(model, "", frisket.parts.seq("a", frisket.parts.json(Order))), str)
assert_type(frisket.generate(model, "", frisket.parts.template("Size: {size}", Order)), Order)
assert_type(frisket.Grammar.from_type(Order).value("{}"), Order)
assert_type(frisket.sample(model, "", Order, 3)[0].value.value(), Order)
assert_type(frisket.sample(model, "", ["a", "b"], 3)[0].value, frisket.Generation[str])
assert_type(frisket.sample(model, "", frisket.think(Order))[0].value.value(), frisket.Thought[Order])
assert_type(frisket.generate_many(model, ["", ""], Order), list[Order])
assert_type(frisket.generate_many(model, ["", ""], frisket.think(Order)), list[frisket.Thought[Order]])
assert_type(frisket.generate_many(model, ["", ""], [Order, int]), list[Any])
assert_type(frisket.generate_many(model, ["", ""], Order, return_errors=True), list[Any])
assert_type(frisket.stream(model, "", frisket.think(Order)), frisket.Stream[frisket.Thought[Order]])
assert_type(frisket.stream(model, "", Order).partial, Order | None)
assert_type(frisket.astream(model, "", Order), frisket.AsyncStream[Order])
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
    assert_type(await frisket.agenerate(model, messages, Order, max_tokens=3, allow_partial=False), Order)
    assert_type(await frisket.agenerate(model, "", frisket.think(Order)), frisket.Thought[Order])
    assert_type(await frisket.astream(model, "", Order).generation(), frisket.Generation[Order])


def either(grammar: frisket.Grammar) -> frisket.Grammar[Any]:
    # A Grammar without a type is one of anything, and a Grammar of some is one of more.
    wider: frisket.Grammar[Order | int] = frisket.Grammar.from_type(Order)
    return wider


def ask(prompt: str, **options: Unpack[frisket.options.Options]) -> Order:
    return frisket.generate(model, prompt, Order, **options)


ask("", max_tokens=3, guard=frisket.Guard(), on_step=print, strategy=frisket.strategies.Beams(4))
ask("", max_tokens="3")  # type: ignore[arg-type]
ask("", temperature=0.7)  # type: ignore[call-arg]


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
