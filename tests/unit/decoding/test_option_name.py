"""Options: one set for every call; a name that is none says what to write, and one that a call cannot heed says why."""

from __future__ import annotations

import ast
import asyncio
import inspect
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import frisket
from frisket.decoding.option_name import NAMES, REFUSED
from frisket.errors import StrategyError
from frisket.strategies import Beams, Best, Draft, Exact, Particles
from tests.data import ROOT

MODEL = frisket.models.embedded()
WORDS = ["billing", "bug"]
PROMPT = "My card was charged twice"


def wait(answer: Any) -> Any:
    async def run() -> Any:
        return await answer

    return asyncio.run(run())


#: Each call with the options that a test gives it.
CALLS: dict[str, Callable[..., Any]] = {
    "generate": lambda **options: frisket.generate(MODEL, PROMPT, WORDS, **options),
    "stream": lambda **options: frisket.stream(MODEL, PROMPT, WORDS, **options).generation(),
    "sample": lambda **options: frisket.sample(MODEL, PROMPT, WORDS, **options),
    "generate_many": lambda **options: frisket.generate_many(MODEL, [PROMPT], WORDS, **options),
    "agenerate": lambda **options: wait(frisket.agenerate(MODEL, PROMPT, WORDS, **options)),
    "astream": lambda **options: wait(frisket.astream(MODEL, PROMPT, WORDS, **options).generation()),
}
#: A value of each option that is not what the call does without it.
VALUES: dict[str, Any] = {
    "max_tokens": 40, "on_budget": "cut", "min_tokens": 1, "guard": frisket.Guard(), "sampler": frisket.Sampler(),
    "seed": 3, "stop": "x", "jump_forward": False, "describe": False, "limits": frisket.Limits(), "heal": True,
    "strategy": Beams(2), "on_step": lambda step: None, "allow_partial": True,
}  # fmt: skip
TOOLS = {"choice", "parallel", "final", "thinking", "family", "tools"}


def test_every_option_has_a_value_here() -> None:
    assert VALUES.keys() | TOOLS == set(NAMES) and len(set(NAMES)) == len(NAMES)


@pytest.mark.parametrize("name", VALUES)
@pytest.mark.parametrize("call", CALLS)
def test_a_call_heeds_an_option_or_says_why_not(call: str, name: str) -> None:
    if name in REFUSED.get(call, {}):
        with pytest.raises(TypeError, match=f"{call} takes no {name}: {re.escape(REFUSED[call][name])}"):
            CALLS[call](**{name: VALUES[name]})
        # Whoever passes options on may pass that nothing is asked for.
        assert CALLS[call](**{name: None})
    else:
        assert CALLS[call](**{name: VALUES[name]})


def test_all_calls_are_typed_alike() -> None:
    calls = (getattr(frisket, call) for call in CALLS)
    assert {inspect.signature(call).parameters["options"].annotation for call in calls} == {"Unpack[AllOptions]"}


@pytest.mark.parametrize(
    ("name", "value", "advice"),
    [
        ("temperature", 0.7, r"write sampler=frisket.Sampler\(temperature=0.7\)"),
        ("top_p", 0.9, r"write sampler=frisket.Sampler\(top_p=0.9\)"),
        ("max_new_tokens", 20, "write max_tokens=20"),
        ("options", frisket.JSONSchemaOptions(), r"Grammar.from_json_schema\(schema, options\)"),
        ("stop_strings", ["x"], r"write stop=\['x'\]"),
        ("response_format", {}, "third argument, the target"),
        ("tool_choice", "required", "write choice='required'"),
        ("n", 4, r"frisket.sample\(model, prompt, target, 4\)"),
        ("max_retries", 3, "nothing is tried again"),
        ("system", "be kind", r"\{\"role\": \"system\", \"content\": 'be kind'\}"),
        ("stream", True, "call frisket.stream"),
        ("think", True, r"write frisket.think\(target\)"),
        ("inputs", "x", "second argument, the prompt"),
        ("num_beams", 4, r"strategy=frisket.strategies.Beams\(4\)"),
        ("callback", print, "write on_step="),
        ("workers", 4, "generate_many alone"),
        ("max_token", 4, r"do you mean max_tokens\?"),
        ("xyz", 4, "it takes max_tokens, on_budget,"),
    ],
)
def test_a_slip_is_told(name: str, value: Any, advice: str) -> None:
    for call in set(CALLS) - ({"generate_many"} if name == "workers" else {"sample"} if name == "n" else set()):
        with pytest.raises(TypeError, match=f"^{call} takes no {name}.*{advice}"):
            CALLS[call](**{name: value})


@pytest.mark.parametrize("name", ["messages", "inputs"])
def test_a_prompt_under_another_name_is_told(name: str) -> None:
    for call in (frisket.generate, frisket.stream, frisket.astream):
        with pytest.raises(TypeError, match=f"takes no {name}: pass it as the second argument, the prompt"):
            call(MODEL, **{name: "x"}, target=WORDS)


@pytest.mark.parametrize("name", ["on_budget", "min_tokens", "guard"])
def test_a_strategy_of_whole_answers_overrules_nothing_in_silence(name: str) -> None:
    value = "finish" if name == "on_budget" else VALUES[name]
    for strategy in (Exact(), Particles(2), Beams(2), Best(2, of=Exact()), Draft(4, then=Beams(2))):
        with pytest.raises(StrategyError, match=f"compares whole answers, and {name} changes") as caught:
            frisket.generate(MODEL, PROMPT, WORDS, strategy=strategy, **{name: value})
        assert caught.value.where == name
    assert frisket.generate(MODEL, PROMPT, WORDS, strategy=Best(2), **{name: value}) in WORDS


def test_best_of_answers_that_are_finished_is_whole() -> None:
    schema = frisket.examples.load("triage")
    least = frisket.Grammar.from_json_schema(schema).compile(MODEL.vocabulary).matcher().least_tokens()
    value = frisket.generate(MODEL, PROMPT, schema, strategy=Best(2), on_budget="finish", max_tokens=least)
    assert value.keys() >= set(schema["required"])


def documented() -> dict[str, str]:
    """The docstring of each option in the sources."""
    classes = [node for node in ast.parse(Path(frisket.options.__file__).read_text("utf-8")).body]
    found = {}
    for node in (one for one in classes if isinstance(one, ast.ClassDef)):
        for field, text in zip(node.body, node.body[1:], strict=False):
            if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name):
                assert isinstance(text, ast.Expr) and isinstance(text.value, ast.Constant)
                found[field.target.id] = " ".join(str(text.value.value).split())
    return found


def test_the_table_of_the_reference_is_what_the_sources_say() -> None:
    page = ROOT / "docs" / "reference" / "options.md"
    if not page.exists():
        pytest.skip("the tests run on an installed package alone")
    table, _, refusals = page.read_text("utf-8").partition("| takes no |")
    rows = {name: text for name, text in re.findall(r"^\| `(\w+)` \| `.*?` \| (.*) \|$", table, re.MULTILINE)}
    assert rows == documented()
    refused = {
        (call, name)
        for calls, names in re.findall(r"^\| (`\w+`(?:, `\w+`)*) \| (.*) \|$", refusals, re.MULTILINE)
        for call in re.findall(r"\w+", calls)
        for name in re.findall(r"\w+", names)
    }
    assert refused == {(call, name) for call, names in REFUSED.items() for name in names}


@pytest.mark.parametrize(
    ("name", "value", "advice"),
    [
        ("max_workers", 2, "write workers=2"),
        ("batchsize", 2, "do you mean batch_size?"),
        ("target", int, "write targets=…, or pass it as the third argument"),
        ("nothing_like_it", 1, ", batch_size, workers, on_done, progress, return_errors"),
    ],
)
def test_a_slip_of_many_answers_is_told_with_its_own_arguments(name: str, value: Any, advice: str) -> None:
    with pytest.raises(TypeError, match=re.escape(advice)):
        frisket.generate_many(MODEL, [PROMPT], WORDS, **{name: value})
