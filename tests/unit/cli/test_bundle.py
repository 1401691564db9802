"""`--root` and `--with`: a definition of a file, and the files that it refers to."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.unit.cli.test_cli import Ran

pytest.importorskip("typer", reason="typer is not installed")

TOOLS = {
    "$schema": "http://json-schema.org/draft-07/schema#",
    "title": "tools",
    "definitions": {
        "Tool": {
            "type": "object",
            "properties": {"owner": {"$ref": "person.json#/$defs/P"}, "next": {"$ref": "#/definitions/Tool"}},
            "required": ["owner"],
            "additionalProperties": False,
        },
        "Id": {"type": "integer", "minimum": 1, "maximum": 9},
    },
}
PERSON = {
    "$id": "https://example.org/person.json",
    "$defs": {
        "P": {
            "type": "object",
            "properties": {"id": {"$ref": "tools.json#/definitions/Id"}, "friend": {"$ref": "#/$defs/P"}},
            "required": ["id"],
            "additionalProperties": False,
        }
    },
}
TOOL = ["tools.json", "--root", "#/definitions/Tool", "--with", "person.json"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "120")
    (tmp_path / "tools.json").write_text(json.dumps(TOOLS), encoding="utf-8")
    (tmp_path / "person.json").write_text(json.dumps(PERSON), encoding="utf-8")
    return tmp_path


@pytest.mark.usefixtures("folder")
class TestBundle:
    def test_check_tells_of_the_definition(self, capsys: pytest.CaptureFixture[str]) -> None:
        ran = Ran(capsys, "check", *TOOL, "--json")
        assert ran.code == 0 and ran.json["exact"] and ran.json["refused"] == []
        pointers = {entry["pointer"] for entry in ran.json["entries"]}
        assert {"/definitions/Tool/properties/next", "/definitions/person.json/$defs/P", "/definitions/Id"} <= pointers

    def test_mask_knows_the_other_file(self, capsys: pytest.CaptureFixture[str]) -> None:
        ran = Ran(capsys, "mask", *TOOL, "--prefix", '{"owner": {"id": ', "--json")
        assert ran.code == 0
        assert {token["text"][0] for token in ran.json["tokens"]} == set(" 123456789")

    def test_generate_writes_by_it(self, capsys: pytest.CaptureFixture[str]) -> None:
        ran = Ran(capsys, "generate", "?", "--schema", "tools.json", "--root", "#/definitions/Id")
        assert ran.code == 0 and 1 <= int(ran.out) <= 9

    def test_describe_and_export_hold_it_all(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert "type P = {id: Id, friend?: P}" in Ran(capsys, "describe", *TOOL).out
        ran = Ran(capsys, "export", *TOOL, "--to", "openai", "--json")
        assert ran.code == 0 and "tools" not in json.dumps(ran.json["schema"])

    def test_lint_looks_at_it_alone(self, capsys: pytest.CaptureFixture[str]) -> None:
        ran = Ran(capsys, "lint", *TOOL, "--select", "FRK305", "--format", "json")
        found = {finding["pointer"] for finding in ran.json["findings"]}
        assert found and all("Tool" in pointer or "person.json" in pointer for pointer in found)

    @pytest.mark.parametrize(
        ("arguments", "said"),
        [
            (["check", "tools.json", "--root", "#/definitions/Tol"], "did you mean #/definitions/Tool?"),
            (["check", "tools.json", "--root", "#/properties/a"], "there are #/definitions/Tool, #/definitions/Id"),
            (["check", "tools.json", "--root", "/definitions/Tool"], "--with FILE"),
            (["check", "--type", "json:JSONDecoder", "--root", "#/$defs/a"], "are about a JSON Schema"),
            (["mask", "--regex", "a", "--with", "person.json"], "are about a JSON Schema"),
            (["lint", "tools.json", "--root", "#/definitions/Id", "--fix"], "mended without them"),
            (["check", "tools.json", "--with", "none.json"], "cannot read none.json"),
            (["check", "true", "--root", "#/$defs/a"], "the file is no object"),
        ],
    )
    def test_what_cannot_be_meant_is_said(
        self, capsys: pytest.CaptureFixture[str], arguments: list[str], said: str
    ) -> None:
        ran = Ran(capsys, *arguments)
        assert ran.code != 0
        assert said in " ".join((ran.out + ran.err).replace("│", " ").split())

    def test_a_reference_of_data_stays(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        (folder / "data.json").write_text('{"$defs": {"a": {"const": {"$ref": "#/x"}}}}', encoding="utf-8")
        (folder / "user.json").write_text('{"$ref": "data.json#/$defs/a"}', encoding="utf-8")
        ran = Ran(capsys, "generate", "?", "--schema", "user.json", "--with", "data.json")
        assert json.loads(ran.out) == {"$ref": "#/x"}
