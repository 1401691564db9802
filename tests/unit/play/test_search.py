"""Searches of strategies: what they find is that of `frisket.generate`, and what they held is a tree."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

import frisket
from frisket.strategies.spelling import read_strategy
from tests.unit.play.client import ASK, Client
from tests.unit.server.running import Waiting

pytest.importorskip("starlette", reason="starlette is not installed")
from frisket.play.search import Finder

WORDS = {"notation": "choices", "text": "account\naccounting\nbug\nbill", "max_tokens": 40}


@pytest.fixture(scope="module")
def client() -> Client:
    return Client()


def search(client: Client, strategy: str, **more: Any) -> Any:
    *told, last = client.lines("/api/searches", **{**ASK, "on_budget": "cut", "strategy": strategy, **more})
    assert all(set(one) == {"progress"} for one in told)
    return last


def nodes(roots: list[Any]) -> Iterator[tuple[list[int], Any]]:
    """Each node with the tokens from the root to its end."""

    def below(found: list[Any], before: list[int]) -> Iterator[tuple[list[int], Any]]:
        for node in found:
            path = [*before, *node["ids"]]
            assert node["at"] == len(before) and node["ids"]
            yield path, node
            yield from below(node.get("nodes", []), path)

    for root in roots:
        yield from below(root["nodes"], [])


@pytest.mark.parametrize(
    "strategy",
    ["exact", "asap", "particles:6", "beams:3", "best:3", "draft:12", "best:2/particles:3", "draft:8/beams:2"],
)
def test_it_finds_what_generate_returns(client: Client, strategy: str) -> None:
    found = search(client, strategy, seed=4, **WORDS)
    steps: list[Any] = []
    text = frisket.generate(
        frisket.models.embedded(), ASK["prompt"], WORDS["text"].split(), strategy=read_strategy(strategy), seed=4,
        max_tokens=40, on_step=steps.append,
    )  # fmt: skip
    assert found["chosen"]["tokens"] == [step.token for step in steps]
    assert ("draft" in strategy) == (found["chosen"]["draft"] is not None)
    leaves = [(path, node["leaf"]) for path, node in nodes(found["tree"]["roots"]) if "leaf" in node]
    (won,) = [path for path, leaf in leaves if leaf["chosen"]]
    assert won == found["chosen"]["tokens"]
    assert found["progress"]["calls"] > 0 and found["progress"]["paths"] == found["tree"]["count"]
    # Replayed, it is an answer that one can look at and go back in.
    ask = {**WORDS, "on_budget": "cut", "draft": found["chosen"]["draft"]}
    replayed, state = client.run(client.begin(**ask), tokens=won, by_hand=[], steps=0)
    assert state["text"] == text and not any(step["chosen"] for step in replayed)
    assert [step["alpha"] for step in replayed] == pytest.approx([step.feasible for step in steps], abs=1e-5)


def test_shared_beginnings_are_joined(client: Client) -> None:
    found = search(client, "particles:16", seed=1, **WORDS)
    tree = found["tree"]
    vocabulary = frisket.models.embedded().vocabulary
    ends = 0
    for path, node in nodes(tree["roots"]):
        children = node.get("nodes", [])
        # A node ends at a fork or at a leaf, and its children begin with different tokens.
        assert "leaf" in node or len(children) > 1
        assert len({child["ids"][0] for child in children}) == len(children)
        text = b"".join(vocabulary.token(token) or b"" for token in path).decode()
        assert any(word.startswith(text) for word in WORDS["text"].split())
        ends += sum(node["leaf"]["fates"].values()) if "leaf" in node else 0
    assert ends == tree["count"] == sum(tree["fates"].values()) >= 16
    shares = [
        node["leaf"]["share"] for _, node in nodes(tree["roots"]) if node.get("leaf", {}).get("share") is not None
    ]
    assert sum(shares) == pytest.approx(1)
    assert tree["log_evidence"] is not None


def test_what_was_given_up_is_drawn(client: Client) -> None:
    fates = {fate for seed in range(6) for fate in search(client, "exact", seed=seed, **WORDS)["tree"]["fates"]}
    assert fates == {"answer", "outside"}
    assert "pruned" in search(client, "beams:2", text=ASK["text"])["tree"]["fates"]
    both = search(client, "draft:12", **WORDS)["tree"]["roots"]
    assert len(both) == 1 and isinstance(both[0]["draft"], str)


def test_a_tree_is_bounded(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("frisket.play.tree.MOST", 5)
    tree = search(client, "particles:16", seed=1, temperature=1.7)["tree"]
    assert tree["drawn"] == 5 < tree["count"]
    assert sum(sum(node["leaf"]["fates"].values()) for _, node in nodes(tree["roots"]) if "leaf" in node) == 5
    assert any(node.get("leaf", {}).get("chosen") for _, node in nodes(tree["roots"]))


def test_refusals(client: Client) -> None:
    def refused(**more: Any) -> Any:
        return client.post("/api/searches", **{**ASK, **more})["error"]

    for strategy, said in (
        ("nothing", "no strategy"),
        ("beams:999", "at most 64"),
        ("best:9/particles:9", "81 answers"),
    ):
        error = refused(strategy=strategy)
        assert error["code"] == "request" and said in error["message"]
    assert refused(strategy="exact", text='{"type": "nope"}')["code"] == "schema-invalid"
    assert refused(strategy="exact", model="none")["code"] == "model-not-found"
    assert search(client, "particles:2", max_tokens=1)["error"]["code"] == "limit"


def test_whoever_stops_reading_ends_it() -> None:
    model = Waiting()
    client = Client({"waiting": lambda: model})
    service = client.service
    from frisket.play.body import Search

    ask = Search(notation="regex", text="[ab]{200}", model="waiting", prompt="x", max_tokens=300, strategy="best:4")
    _, finder = service.finder(ask)
    failed: list[BaseException] = []

    def work(finder: Finder) -> None:
        try:
            finder.run()
        except Exception as error:
            failed.append(error)

    thread = threading.Thread(target=work, args=(finder,))
    thread.start()
    while not model.asked:
        time.sleep(0.005)
    finder.watch.stopped = True
    model.gate.set()
    thread.join()
    assert type(failed[0]).__name__ == "StoppedError" and finder.watch.calls < 5
