"""What is exported: the page and the JSON of `generate --trace`, and a test that runs."""

from __future__ import annotations

import pytest

import frisket
from tests.unit.play.client import ASK, SCHEMA, Client


@pytest.fixture(scope="module")
def client() -> Client:
    return Client()


def test_page_and_json_are_those_of_generate(client: Client) -> None:
    name = client.begin(temperature=1.0, seed=2)
    client.run(name)
    wanted = frisket.stream(
        frisket.models.embedded(), ASK["prompt"], SCHEMA, max_tokens=60, sampler=frisket.Sampler(), seed=2
    ).generation().report  # fmt: skip
    page = client.http.get(f"/api/answers/{name}/export/html")
    assert "attachment" in page.headers["content-disposition"]
    report = frisket.reports.PressureReport.from_json(client.http.get(f"/api/answers/{name}/export/json").text)
    assert report.text == wanted.text and [one.token for one in report.steps] == [one.token for one in wanted.steps]
    assert [one.path for one in report.steps] == [one.path for one in wanted.steps]
    assert page.text == report.to_html()


@pytest.mark.parametrize("steered", [False, True])
@pytest.mark.parametrize(
    "more",
    [
        {},
        {"temperature": 0.7, "seed": 4},
        {"options": {"whitespace": "compact"}},
        {"notation": "regex", "text": r"é\"'\\{1,9}" + '""' + "'''"},
        {"notation": "choices", "text": "low\nhigh"},
        {"notation": "gbnf", "text": 'root ::= "a" [0-9]+\n', "max_tokens": 5},
    ],
)
def test_the_test_holds(client: Client, more: dict[str, object], steered: bool) -> None:
    name = client.begin(**more)
    _, state = client.run(name)
    if steered:
        step = client.get(f"/api/answers/{name}/steps/0")
        client.run(name, back=0, tokens=[step["after"][-1]["id"]], steps=2)
    source = client.http.get(f"/api/answers/{name}/export/test").text
    space: dict[str, object] = {}
    exec(compile(source, "test_trace.py", "exec"), space)
    found = [value for name, value in space.items() if name.startswith("test_")]
    # What the model writes is held where the answer is whole, and nobody chose a token.
    assert len(found) == (1 if steered or state["finish"] != "end" else 2)
    for test in found:
        test()  # type: ignore[operator]


def test_no_test_of_what_has_no_masks(client: Client) -> None:
    for more in ({"masked": False}, {"notation": "tools", "text": '[{"name": "f", "parameters": {}}]'}):
        name = client.begin(**more)
        client.run(name, steps=3)
        assert client.get(f"/api/answers/{name}/export/test")["error"]["code"] == "export"
