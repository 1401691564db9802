"""What is said of a text as one types: errors at their place, coverage, lint."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.unit.play.client import Client

TAG = '{"type": "structural_tag",\n "format": {"type": "regex", "pattern": "("}}'


@pytest.fixture(scope="module")
def client() -> Client:
    return Client()


def check(client: Client, notation: str, text: str, **more: Any) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for line in client.lines("/api/check", notation=notation, text=text, model="embedded", **more):
        found |= line
    return found


@pytest.mark.parametrize(
    ("notation", "text", "code", "place"),
    [
        ("json_schema", '{"a": 1,\n "b" }', "schema-invalid", [2, 6]),
        ("json_schema", '{\n  "properties": {\n    "a": {"type": "nope"}}}', "schema-invalid", [3, 11]),
        ("json_schema", '{"type": "integer", "minimum": 3, "maximum": 2}', "schema-unsatisfiable", [1, 1]),
        ("regex", "ab\n(c", "grammar-syntax", [2, 1]),
        ("choices", "\n", "grammar-empty", None),
        ("gbnf", "root ::=\n  x", "grammar-syntax", [2, 3]),
        ("lark", "start: x\n", "grammar-syntax", [1, 8]),
        ("abnf", "a = b\n", "grammar-syntax", [1, 5]),
        ("ebnf", "A ::= B", "grammar-syntax", [1, 7]),
        ("ebnf_iso", "a = b;", "grammar-syntax", [1, 5]),
        ("structural_tag", "{", "grammar-syntax", [1, 2]),
        ("structural_tag", TAG, "grammar-syntax", [2, 30]),
        ("tools", "[", "grammar-syntax", [1, 2]),
        ("tools", "3", "grammar-syntax", [1, 1]),
        ("tools", '{"tools": [],\n "colour": 1}', "grammar-syntax", [2, 2]),
        ("tools", '[{"nam": "f"}]', "tools-refused", None),
        ("tools", '{"family": "nobody", "tools": []}', "family-unknown", None),
    ],
)  # fmt: skip
def test_errors_stand_at_their_place(
    client: Client, notation: str, text: str, code: str, place: list[int] | None
) -> None:
    error = check(client, notation, text)["error"]
    assert (error["code"], error["place"]) == (code, place)
    assert error["message"]


def test_every_refused_place_is_told(client: Client) -> None:
    text = '{"properties": {\n"a": {"pattern": "^(a+)\\\\1"},\n"b": {"pattern": "^(b+)\\\\1"}}}'
    error = check(client, "json_schema", text)["error"]
    assert error["code"] == "schema-unsupported"
    assert [place["place"] for place in error["places"]] == [[2, 7], [3, 7]]


def test_coverage_and_lint_of_a_schema(client: Client) -> None:
    text = json.dumps(
        {"properties": {"answer": {"type": "string", "maxlength": 3}, "reasoning": {"type": "string"}}}, indent=1
    )
    found = check(client, "json_schema", text)
    assert found["compiled"]["tokens"] == 1024
    entries = found["coverage"]["entries"]
    assert entries[0]["status"] == "unknown" and entries[0]["keyword"] == "maxlength"
    assert found["coverage"]["counts"]["enforced"] >= 2 and found["coverage"]["exact"]
    rules = {finding["rule"]: finding["place"] for finding in found["lint"]["findings"]}
    assert rules["FRK101"] == [3, 3]
    mended = client.post("/api/mend", text=text)["text"]
    assert list(json.loads(mended)["properties"]) == ["reasoning", "answer"]


def test_options_of_json_documents(client: Client) -> None:
    back = json.dumps({"type": "string", "pattern": "^(a+)\\1$"})
    assert check(client, "json_schema", back)["error"]["code"] == "schema-unsupported"
    relaxed = check(client, "json_schema", back, options={"relaxed": True})
    assert relaxed["coverage"]["entries"][0]["status"] == "loosened" and not relaxed["coverage"]["exact"]
    assert client.post(
        "/api/check", notation="json_schema", text="{}", model="embedded", options={"colour": 1}
    )["error"]["code"]  # fmt: skip


def test_every_example_compiles_and_has_an_answer(client: Client) -> None:
    from frisket.play.notation import NOTATIONS

    offer = client.get("/api/offer")
    names = {example["notation"] for example in offer["examples"]}
    assert names == set(NOTATIONS) - {"ebnf_iso"}
    assert {"Ticket triage", "Café orders", "Grammar tutor", "File agent, action first"} <= {
        example["name"] for example in offer["examples"]
    }
    for example in offer["examples"]:
        given = {key: example[key] for key in ("notation", "text")}
        assert "compiled" in check(client, **given), example["name"]
        steps, state = client.run(client.begin(**given, prompt=example["prompt"], max_tokens=200))
        assert steps and state["finish"] == "end", example["name"]
