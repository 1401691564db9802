"""Hundreds of tools that people wrote, in one grammar: bad ones are named, the others are as they are alone."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import pytest

from frisket import Grammar
from frisket.tools import Tools
from tests.data import data_dir, maskbench

pytestmark = pytest.mark.data

#: Its `dimensions` must be an object and has the type array.
UNSATISFIABLE = "calculate_area_43c11cd0"


@cache
def corpus() -> list[tuple[dict[str, Any], list[dict[str, Any]]]]:
    """The function-calling schemas of MaskBench as tools, with their documents."""
    entries = [entry for entry in maskbench(data_dir()) if entry["id"].startswith("Glaiveai2K---")]
    return [
        ({"name": entry["id"].partition("---")[2].removesuffix(".json"), "parameters": entry["schema"]}, entry["tests"])
        for entry in entries
    ]


@pytest.mark.parametrize("family", ["hermes", "glm45", "llama4_pythonic"])
def test_every_tool_compiles_and_bad_ones_are_named(family: str) -> None:
    tools = [tool for tool, _ in corpus()]
    assert len(tools) >= 300
    reports = Tools(tools, policy="relaxed").report(family)
    assert [report.name for report in reports if report.status == "refused"] == [UNSATISFIABLE]
    relaxed = [report for report in reports if report.status == "relaxed"]
    if family == "hermes":
        assert not relaxed
    assert all(reason.endswith("writes one by one") for report in relaxed for _, reason in report.places)
    assert len(relaxed) < 10


def test_a_tool_among_many_is_as_it_is_alone() -> None:
    grammar = Grammar.from_tools(Tools([tool for tool, _ in corpus()], policy="reject"), "hermes")
    accepted = refused = 0
    for tool, documents in corpus():
        if tool["name"] == UNSATISFIABLE:
            continue
        alone = Grammar.from_json_schema(tool["parameters"])
        for document in documents:
            text = json.dumps(document["data"], ensure_ascii=False)
            call = f'<tool_call>\n{{"name": "{tool["name"]}", "arguments": {text}}}\n</tool_call>'
            fits = isinstance(document["data"], dict) and alone.accepts(text)
            assert grammar.accepts(call) == fits, call
            assert not fits or document["valid"]
            accepted, refused = accepted + fits, refused + (not fits)
            if fits and accepted % 20 == 0:
                assert grammar.value(call).calls[0].arguments == document["data"]
    assert accepted > 300 and refused > 100
