"""The async calls under other event loops than asyncio's own, and in a notebook, whose loop runs already."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

import frisket

MODEL = frisket.models.embedded()
TRIAGE = frisket.examples.load("triage")
PROMPTS = ["My card was charged twice", "I cannot log in since this morning"]


async def asked() -> tuple[list[Any], str]:
    """Two answers at a time, and a third one as a stream."""
    answers = await asyncio.gather(*(frisket.agenerate(MODEL, prompt, TRIAGE) for prompt in PROMPTS))
    text = ""
    async for step in frisket.astream(MODEL, PROMPTS[0], TRIAGE):
        text += step.text
    return answers, text


def expected() -> tuple[list[Any], str]:
    answers = [frisket.generate(MODEL, prompt, TRIAGE) for prompt in PROMPTS]
    return answers, frisket.stream(MODEL, PROMPTS[0], TRIAGE).generation().text


def test_uvloop() -> None:
    uvloop = pytest.importorskip("uvloop", reason="uvloop is not installed")
    loop = uvloop.new_event_loop()
    try:
        assert loop.run_until_complete(asked()) == expected()
    finally:
        loop.close()


def test_a_cell_of_a_notebook_awaits_answers() -> None:
    shells = pytest.importorskip("IPython.core.interactiveshell", reason="IPython is not installed")
    shell = shells.InteractiveShell(user_ns={"asked": asked})
    done = shell.run_cell("found = await asked()", store_history=False)
    done.raise_error()
    assert shell.user_ns["found"] == expected()


def test_a_loop_that_runs_already_calls_what_does_not_wait() -> None:
    async def cell() -> Any:
        # As a cell of a notebook does, which has a loop around it: `generate` blocks it, and works.
        return frisket.generate(MODEL, PROMPTS[0], TRIAGE), list(frisket.generate_many(MODEL, PROMPTS, TRIAGE))

    one, many = asyncio.run(cell())
    assert [one, many] == [expected()[0][0], expected()[0]]
