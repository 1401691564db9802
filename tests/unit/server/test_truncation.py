"""Prompts that are too long × `truncation: auto` → which messages the model still reads."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("starlette", reason="starlette is not installed")

from frisket.conversation import Turn
from frisket.errors import BudgetError, LimitExceededError
from frisket.server.failure import Failure
from frisket.server.truncation import truncate
from tests.unit.server.running import running
from tests.unit.server.test_tools import Scripted

pytestmark = pytest.mark.filterwarnings("ignore")


def answered(turns: list[Turn], room: int, error: Exception | None = None) -> tuple[list[str], int]:
    """(the texts of the turns that are left where their letters and an answer of four have room, how many went)."""

    def plan_of(kept: Any) -> Any:
        left = room - sum(len(turn.content) for turn in kept)
        if left < 1:
            raise error or LimitExceededError("too long", where="prompt")
        return SimpleNamespace(kept=kept, budget=SimpleNamespace(is_context=left < 4, max_tokens=min(left, 4)))

    plan, dropped = truncate(turns, plan_of, room)
    found: Any = plan
    return [turn.content for turn in found.kept], dropped


TURNS = [
    Turn("system", "s"), Turn("user", "aaaa"), Turn("assistant", "bbb"), Turn("user", "cc"), Turn("tool", "d"),
    Turn("user", "eee"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("room", "kept", "dropped"),
    [(18, "s aaaa bbb cc d eee", 0), (17, "s cc d eee", 2), (11, "s cc d eee", 2), (8, "s eee", 4), (6, "s eee", 4)],
)
def test_the_oldest_exchanges_go_and_no_more_than_must(room: int, kept: str, dropped: int) -> None:
    assert answered(TURNS, room) == (kept.split(), dropped)


@pytest.mark.parametrize(
    ("error", "kept"),
    [
        (BudgetError("no room for the answer"), ["s", "eee"]),
        (Failure(400, "long", code="limit", where="/prompt"), ["s", "eee"]),
        (Failure(400, "many", code="limit", where="/n"), None),
        (LimitExceededError("a large schema", where="schema"), None),
    ],
)
def test_other_errors_are_no_matter_of_length(error: Exception, kept: list[str] | None) -> None:
    if kept is None:
        with pytest.raises(type(error)):
            answered(TURNS, 8, error)
    else:
        assert answered(TURNS, 8, error)[0] == kept


def test_what_cannot_be_shortened_is_refused() -> None:
    with pytest.raises(LimitExceededError, match="too long"):
        answered(TURNS, 3)
    with pytest.raises(LimitExceededError, match="too long"):
        answered([], 0)


def test_a_response_says_what_was_left_out() -> None:
    model = Scripted("Yes.")
    model.context = 100
    old, new = {"role": "user", "content": "o" * 90}, {"role": "user", "content": "n" * 60}
    body = {"model": "embedded", "input": [old, {"role": "assistant", "content": "Yes."}, new], "max_output_tokens": 20}
    with running(model) as server:
        raw = server.client().responses.with_raw_response.create(**body, truncation="auto")
        assert raw.headers["x-frisket-left-out"] == "/input 2 oldest messages" and raw.parse().output_text == "Yes."
        assert model.prompts[-1].count("n") == 60 and "o" not in model.prompts[-1]
        status, answer = server.ask("/v1/responses", body)
        assert (status, answer["error"]["where"]) == (400, "/input")
