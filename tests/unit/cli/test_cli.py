"""The command line: what it prints for a person and a program, and how it fails."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from frisket import examples, models
from frisket.cli import run
from frisket.errors import UnsupportedSchemaError
from frisket.grammar import Grammar

pytest.importorskip("typer", reason="typer is not installed")

SCHEMA = {
    "type": "object",
    "properties": {"size": {"enum": ["S", "M", "L"]}, "count": {"type": "integer", "minimum": 1, "maximum": 12}},
    "required": ["size", "count"],
    "additionalProperties": False,
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "120")
    (tmp_path / "schema.json").write_text(json.dumps(SCHEMA), encoding="utf-8")
    return tmp_path


class Ran:
    def __init__(self, capsys: pytest.CaptureFixture[str], *arguments: str) -> None:
        self.code = run(arguments)
        self.out, self.err = capsys.readouterr()
        assert "Traceback" not in self.out + self.err

    @property
    def json(self) -> Any:
        return json.loads(self.out)


class TestHelp:
    @pytest.mark.parametrize(
        "command", ["generate", "example", "trace", "check", "describe", "doctor", "mask", "bench"]
    )
    def test_every_command_shows_examples(self, capsys: pytest.CaptureFixture[str], command: str) -> None:
        ran = Ran(capsys, command, "--help")
        assert ran.code == 0
        assert f"frisket {command}" in ran.out and "$ frisket" in ran.out

    def test_the_overview_shows_an_example_of_every_command(self, capsys: pytest.CaptureFixture[str]) -> None:
        ran = Ran(capsys, "--help")
        for command in ("generate", "example", "trace", "check", "describe", "doctor", "mask", "bench"):
            assert f"$ frisket {command} " in ran.out

    def test_no_command(self, capsys: pytest.CaptureFixture[str]) -> None:
        ran = Ran(capsys)
        assert "generate" in ran.out + ran.err

    def test_version(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert Ran(capsys, "--version").out.startswith("frisket 0")


class TestGenerate:
    def test_schema(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        ran = Ran(capsys, "generate", "--schema", "schema.json", "two large oat lattes")
        assert ran.code == 0
        assert ran.json["size"] in ("S", "M", "L") and 1 <= ran.json["count"] <= 12
        assert ran.out.count("\n") == 1

    def test_json(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        ran = Ran(capsys, "generate", "--schema", "schema.json", "two large oat lattes", "--json")
        assert ran.json["value"] == json.loads(ran.json["text"])
        assert ran.json["whole"] and ran.json["finish_reason"] == "end"
        assert ran.json["tokens"] > 0 and 0 < ran.json["least_feasible"] <= 1
        assert "steps" not in ran.json
        assert ran.json["logprob"] <= ran.json["masked_logprob"] + 1e-9

    def test_a_trace_has_every_step(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        ran = Ran(capsys, "generate", "--schema", "schema.json", "two large oat lattes", "--json", "--trace")
        steps = ran.json["steps"]
        assert len(steps) >= ran.json["tokens"] > 0 and "".join(step["text"] for step in steps) == ran.json["text"]
        assert min(step["feasible"] for step in steps) == ran.json["least_feasible"]
        assert all({"favourite", "overruled", "path"} <= step.keys() for step in steps)
        assert "steps" in Ran(capsys, "example", "tutor", "She wrote a book", "--json", "--trace").json

    def test_the_embedded_model_says_what_it_knows(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        own = Ran(capsys, "generate", "--schema", "schema.json", "two large oat lattes")
        assert own.code == 0 and own.err.count("\n") == 1 and "--model" in own.err and "four tasks" in own.err
        (folder / "tutor.json").write_text(json.dumps(examples.load("tutor")), encoding="utf-8")
        known = Ran(capsys, "generate", "--schema", "tutor.json", "She wrote a book")
        assert known.code == 0 and known.err == ""

    def test_a_folder_of_transformers(
        self, folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (folder / "real").mkdir()
        (folder / "real" / "config.json").write_text("{}", encoding="utf-8")
        monkeypatch.setitem(sys.modules, "torch", SimpleNamespace())
        monkeypatch.setitem(sys.modules, "transformers", None)
        missing = Ran(capsys, "generate", "--choices", "a,b", "x", "--model", "real")
        assert missing.code == 1 and 'pip install "frisket-llm[transformers]"' in missing.err
        asked: list[object] = []

        def embedded(source: object) -> models.Model:
            asked.append(source)
            return models.embedded()

        monkeypatch.setattr("frisket.models.transformers", embedded)
        for name in ("real", "transformers:real", "transformers:org/name"):
            ran = Ran(capsys, "generate", "--choices", "a,b", "x", "--model", name)
            assert ran.code == 0 and ran.out in ("a\n", "b\n") and ran.err == ""
        assert asked == [Path("real"), "real", "org/name"]

    def test_numbers_are_shown_as_they_were_written(self) -> None:
        from frisket.cli.answer import plain

        assert plain('{"a\\"b": [1e999,\n-0.10, {} ],"c d":"x, y:\\\\"}') == (
            '{"a\\"b": [1e999, -0.10, {}], "c d": "x, y:\\\\"}'
        )

    def test_choices_and_regex(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert Ran(capsys, "generate", "--choices", "yes, no", "Is water wet?").out.strip() in ("yes", "no")
        assert len(Ran(capsys, "generate", "--regex", "[a-c]{4}", "?").out.strip()) == 4

    def test_one_seed_is_one_answer(self, capsys: pytest.CaptureFixture[str]) -> None:
        arguments = ("generate", "--regex", "[a-z]{12}", "?", "--temperature", "3", "--seed")
        first, again, other = (Ran(capsys, *arguments, seed).out for seed in ("1", "1", "2"))
        assert first == again != other

    def test_strategies_and_healing(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        arguments = ("generate", "--choices", "yes,no", "Is water wet?")
        for strategy in ("exact", "particles:4", "beams:2", "best:2/draft:8/beams"):
            ran = Ran(capsys, *arguments, "--strategy", strategy, "--heal")
            assert ran.code == 0 and ran.out in ("yes\n", "no\n")
        described = Ran(capsys, *arguments, "--strategy", "beams", "--json", "--trace").json
        assert described["whole"] and described["steps"]
        # The sampler that nobody chose is the strategy's own; one that cuts is refused.
        cold = Ran(capsys, *arguments, "--strategy", "exact", "--temperature", "0")
        assert cold.code == 1 and "temperature=0" in cold.err and "hint:" in cold.err

    def test_stream(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        whole = Ran(capsys, "generate", "--schema", "schema.json", "?")
        streamed = Ran(capsys, "generate", "--schema", "schema.json", "?", "--stream")
        assert json.loads(streamed.out) == whole.json
        lines = Ran(capsys, "generate", "--schema", "schema.json", "?", "--stream", "--json").out.splitlines()
        assert "".join(json.loads(line)["text"] for line in lines[:-1]) == json.loads(lines[-1])["text"]

    def test_type(self, folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
        pytest.importorskip("pydantic", reason="pydantic is not installed")
        (folder / "cafe_of_the_test.py").write_text(
            "from typing import Literal\nclass Shop:\n    Size = Literal['S', 'L']\n"
        )
        monkeypatch.setattr(sys, "path", [*sys.path])
        ran = Ran(capsys, "generate", "--type", "cafe_of_the_test:Shop.Size", "?")
        assert ran.json in ("S", "L")
        missing = Ran(capsys, "generate", "--type", "cafe_of_the_test:Sise", "?")
        assert missing.code == 1 and "Shop" in missing.err

    def test_length(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        asked = ("generate", "--schema", "schema.json", "?", "--max-tokens", "2")
        ran = Ran(capsys, *asked)
        assert ran.code == 1 and ran.out == "" and "gives 2" in ran.err and "hint:" in ran.err
        cut = Ran(capsys, *asked, "--on-budget", "cut")
        assert cut.code == 1 and cut.out == "" and "2 tokens" in cut.err and "hint:" in cut.err
        assert Ran(capsys, *asked, "--on-budget", "stop").code == 2
        partial = Ran(
            capsys, "generate", "--schema", "schema.json", "?", "--max-tokens", "2", "--allow-partial", "--json"
        )
        assert partial.code == 0 and not partial.json["whole"] and partial.json["value"] is None


class TestExample:
    def test_help_names_all(self, capsys: pytest.CaptureFixture[str]) -> None:
        shown = Ran(capsys, "example", "--help").out
        assert all(name in shown for name in examples.NAMES)

    def test_list(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert [line.split()[0] for line in Ran(capsys, "example").out.splitlines()][:4] == [
            "triage", "tutor", "orders", "agent",
        ]  # fmt: skip
        assert "tutor" in Ran(capsys, "example", "--json").json

    def test_tutor(self, capsys: pytest.CaptureFixture[str]) -> None:
        ran = Ran(capsys, "example", "tutor", "She wrote a book")
        assert ran.out == '{"verb": "write", "tense": "past_simple", "person": "3sg"}\n'

    def test_unknown_and_incomplete(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert "triage" in Ran(capsys, "example", "nope", "x").err
        assert Ran(capsys, "example", "tutor").code == 2


class TestCheck:
    @pytest.mark.parametrize(
        ("schema", "says"),
        [
            ({"$ref": "https://example.com/other.json"}, "copy that document into $defs"),
            ({"pattern": r"^(a+)\1$"}, "list the texts with enum"),
            ({"patternProperties": {r"^(a+)\1$": {}}}, "list the texts with enum"),
            ({"type": "integer", "multipleOf": 12_345_678_901}, "bound the number"),
            ({"type": "array", "not": {"uniqueItems": True}}, "which items may come"),
            ({"items": [{"type": "null"}]}, "call it prefixItems"),
            ({"minimum": 2, "exclusiveMinimum": True}, "put the bound of minimum here"),
            ({"maximum": 2, "exclusiveMaximum": False}, "leave exclusiveMaximum out"),
            ({"type": "strng"}, "did you mean string?"),
            ({"type": "int"}, "did you mean integer?"),
            ({"$defs": {"person": {}}, "$ref": "#/$defs/persn"}, "did you mean #/$defs/person?"),
        ],
    )
    def test_a_refusal_says_what_helps(
        self, capsys: pytest.CaptureFixture[str], schema: dict[str, Any], says: str
    ) -> None:
        ran = Ran(capsys, "check", json.dumps(schema))
        hints = [line for line in (ran.out + ran.err).splitlines() if line.startswith(" hint: ")]
        assert ran.code == 1 and len(hints) == 1 and says in hints[0]
        described = Ran(capsys, "check", json.dumps(schema), "--json").json
        assert says in (described["hint"] if "hint" in described else described["error"]["hint"])

    def test_the_rules(self, capsys: pytest.CaptureFixture[str], folder: Path) -> None:
        dumped = Grammar.from_json_schema(SCHEMA).dump()
        assert Ran(capsys, "check", "schema.json", "--grammar").out == dumped
        assert Ran(capsys, "check", "schema.json", "--grammar", "--json").json == {"grammar": dumped}
        refused = Ran(capsys, "check", "false", "--grammar")
        assert refused.code == 1 and not refused.out and "error" in refused.err

    def test_exact(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        ran = Ran(capsys, "check", "schema.json")
        assert ran.code == 0 and "exact" in ran.out and "/properties/count" in ran.out and "minimum" in ran.out
        for_programs = Ran(capsys, "check", "schema.json", "--json").json
        assert for_programs["exact"] and for_programs["refused"] == []
        assert {"pointer": "/properties/count", "keyword": "minimum", "status": "enforced"} in for_programs["entries"]

    def test_typed_in_place_and_stdin(
        self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        assert Ran(capsys, "check", '{"type": "integer"}').code == 0
        monkeypatch.setattr(sys, "stdin", io.StringIO('{"type": "integer"}'))
        assert Ran(capsys, "check", "-").code == 0

    def test_rules_by_their_suffix(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        (folder / "rules.gbnf").write_text('root ::= "[" root? "]"', encoding="utf-8")
        (folder / "rules.ABNF.abnf").write_text('list = "[" [list] "]"', encoding="utf-8")
        (folder / "rules.ebnf").write_text("list ::= '[' list? ']'", encoding="utf-8")
        (folder / "rules.lark").write_text('start: "[" start? "]"', encoding="utf-8")
        for name in ("rules.gbnf", "rules.ABNF.abnf", "rules.ebnf", "rules.lark"):
            assert "exact" in Ran(capsys, "check", name).out
            assert Ran(capsys, "check", name, "--json").json == {"exact": True, "refused": []}
            assert "'[' rule_1? ']'" in Ran(capsys, "check", name, "--grammar").out
            assert Ran(capsys, "mask", name, "--prefix", "[", "--json").json["tokens"]
        ran = Ran(capsys, "generate", "--grammar", "rules.gbnf", "a list", "--max-tokens", "300", "--allow-partial")
        assert ran.code == 0 and Grammar.from_gbnf('root ::= "[" root? "]"').accepts_prefix(ran.out.strip())

    def test_mistakes_in_rules_are_shown(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        (folder / "rules.gbnf").write_text('root ::= "a"\n  tail', encoding="utf-8")
        ran = Ran(capsys, "check", "rules.gbnf")
        assert ran.code == 1 and ran.out == ""
        assert "at: rules.gbnf:2:7" in ran.err and "\n    tail\n        ^\n" in ran.err
        assert Ran(capsys, "check", "rules.gbnf", "--json").json["error"]["where"] == "rules.gbnf:2:7"
        assert "suffix" in Ran(capsys, "generate", "--grammar", "schema.json", "x").err
        assert Ran(capsys, "check", "nothing.gbnf").code == 1

    def test_narrowed(self, capsys: pytest.CaptureFixture[str]) -> None:
        ran = Ran(capsys, "check", '{"format": "regex"}')
        assert ran.code == 0 and "narrowed" in ran.out and "refused" not in ran.out and "sound" in ran.out
        assert Ran(capsys, "check", '{"format": "regex"}', "--json").json["exact"] is False

    def test_what_nothing_satisfies_is_quoted(self, capsys: pytest.CaptureFixture[str]) -> None:
        ran = Ran(
            capsys, "check", '{"type": "object", "properties": {"n": {"type": "null", "enum": [1]}}, "required": ["n"]}'
        )
        assert ran.code == 1 and "/properties/n" in ran.err and '{"type": "null", "enum": [1]}' in ran.err

    def test_long_places_are_whole(self, capsys: pytest.CaptureFixture[str]) -> None:
        name = "a_name_of_some_length_" * 5
        assert f"/properties/{name}" in Ran(capsys, "check", json.dumps({"properties": {name: {"type": "null"}}})).out

    def test_a_type(self, capsys: pytest.CaptureFixture[str]) -> None:
        pytest.importorskip("pydantic")
        ran = Ran(capsys, "check", "--type", "pydantic:PastDate")
        assert ran.code == 0 and "times to come" in ran.out and "afterwards" in ran.out and "refused" not in ran.out
        assert not Ran(capsys, "check", "--type", "pydantic:PastDate", "--json").json["exact"]
        assert "exact" in Ran(capsys, "check", "--type", "pydantic:PositiveInt").out
        assert Ran(capsys, "check").code == 2
        assert Ran(capsys, "check", "{}", "--type", "pydantic:PastDate").code == 2

    def test_yaml_is_not_json(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        (folder / "schema.yaml").write_text("type: object\n", encoding="utf-8")
        assert "YAML" in Ran(capsys, "check", "schema.yaml").err

    def test_an_order_that_is_not_stated(self, capsys: pytest.CaptureFixture[str]) -> None:
        names = json.dumps({"properties": {letter: {} for letter in "abcdefghij"}})
        assert "any order" in Ran(capsys, "check", names).out
        assert "any order" in Ran(capsys, "check", names, "--json").json["notes"][0]

    def test_refused(self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
        def refuse(schema: str) -> Grammar:
            raise UnsupportedSchemaError("not exact", places=[("/format", "unknowable")])

        monkeypatch.setattr(Grammar, "from_json_schema", refuse)
        ran = Ran(capsys, "check", '{"type": "integer"}')
        assert ran.code == 1 and "refused" in ran.out and "/format: unknowable" in ran.out and "type" in ran.out
        for_programs = Ran(capsys, "check", '{"type": "integer"}', "--json")
        assert for_programs.code == 1 and not for_programs.json["exact"]
        assert for_programs.json["refused"] == [{"pointer": "/format", "reason": "unknowable"}]

    def test_a_pattern_that_no_automaton_knows(self, capsys: pytest.CaptureFixture[str]) -> None:
        ran = Ran(capsys, "check", '{"properties": {"a": {"type": "string", "pattern": "(a+)\\\\1"}}}')
        assert ran.code == 1 and "/properties/a" in ran.out + ran.err and "back-reference" in ran.out + ran.err


class TestDescribe:
    def test_the_text_and_a_table_of_what_each_style_costs(
        self, folder: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        ran = Ran(capsys, "describe", "schema.json", "--style", "prose")
        assert ran.code == 0
        assert ran.out == 'object:\n- size: "S", "M" or "L"\n- count: integer (1 to 12)\n'
        described = Ran(capsys, "describe", "schema.json", "--json").json
        assert described["text"] == '{size: "S" | "M" | "L", count: integer}' or "// 1 to 12" in described["text"]
        grammar, model = Grammar.from_json_schema(SCHEMA), models.embedded()
        assert described["tokens"] == {style: grammar.describe(style).tokens(model) for style in described["tokens"]}
        for style, count in described["tokens"].items():
            assert any(style in line and f" {count} " in line for line in ran.err.splitlines())

    def test_tokens_of_a_file(self, data_dir: Path, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        tokenizers, found = data_dir / "tokenizers", {}
        for name in ("llama3", "llama2.spm.model", "r50k_base.tiktoken"):
            ran = Ran(capsys, "describe", "schema.json", "--vocabulary", str(tokenizers / name), "--json")
            found[name] = ran.json["tokens"]["typescript"]
        assert all(15 < count < 60 for count in found.values()) and len(set(found.values())) > 1

    def test_wrong_calls(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        assert Ran(capsys, "describe", "schema.json", "--style", "yaml").code == 2
        assert Ran(capsys, "describe").code == 2
        assert Ran(capsys, "describe", "false").code == 1


class TestMask:
    def test_the_likeliest_under_the_model(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        asked = ("--prefix", '{"size": "', "--prompt", "two large oat lattes")
        ran = Ran(capsys, "mask", "schema.json", *asked, "--top", "2", "--json")
        tokens = ran.json["tokens"]
        assert tokens[0]["text"] == "L" and len(tokens) == 2
        assert tokens[0]["after"] >= tokens[1]["after"] and tokens[0]["before"] <= tokens[0]["after"] <= 1
        assert tokens[0]["before"] == pytest.approx(tokens[0]["after"] * ran.json["feasible"])
        everything = Ran(capsys, "mask", "schema.json", *asked, "--top", "1000", "--json").json["tokens"]
        assert sum(token["after"] for token in everything) == pytest.approx(1)
        legal = Ran(capsys, "mask", "schema.json", *asked[:2], "--json").json["tokens"]
        assert {token["id"] for token in everything} == {token["id"] for token in legal}
        shown = Ran(capsys, "mask", "schema.json", *asked, "--top", "2").out
        assert "before" in shown and "after" in shown and "'L'" in shown
        assert Ran(capsys, "mask", "schema.json", "--prompt", "x").code == 2
        assert Ran(capsys, "mask", "schema.json", "--top", "2", "--vocabulary", "x.json").code == 2

    def test_for_a_person(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        ran = Ran(capsys, "mask", "schema.json", "--prefix", '{"size": "')
        assert ran.code == 0
        assert "cannot end" in ran.out and "letters" in ran.out and "'S'" in ran.out
        assert "\nin     /size\n" in ran.out
        assert "may end" in Ran(capsys, "mask", "--regex", "a[b[]*", "--prefix", "ab[").out

    def test_for_a_program(self, capsys: pytest.CaptureFixture[str]) -> None:
        ran = Ran(capsys, "mask", "--choices", "yes,no", "--prefix", "ye", "--json")
        assert [token["text"] for token in ran.json["tokens"]] == ["s"]
        assert ran.json["forced"] == "s" and not ran.json["can_end"] and ran.json["path"] == ""

    def test_half_a_character_may_be_typed(self, capsys: pytest.CaptureFixture[str]) -> None:
        ran = Ran(capsys, "mask", "--choices", "é", "--prefix", "\udcc3", "--json")
        assert [token["kind"] for token in ran.json["tokens"]] == ["part of a character"]
        assert (ran.json["tokens"][0]["text"], ran.json["tokens"][0]["hex"]) == (None, "a9")

    def test_rejected_prefix(self, capsys: pytest.CaptureFixture[str]) -> None:
        ran = Ran(capsys, "mask", "--choices", "yes,no", "--prefix", "yeah")
        assert ran.code == 1 and "error:" in ran.err
        assert "--explain TEXT" in ran.err and "Matcher" not in ran.err


class TestMistakes:
    """Each says what, where and what to do, with its exit code, and never with a traceback."""

    @pytest.mark.parametrize(
        ("arguments", "code", "says"),
        [
            (["check", "nowhere.json"], 1, "nowhere.json"),
            (["check", "."], 1, "cannot read"),
            (["check", "broken.json"], 1, "broken.json:2:11"),
            (["check", "latin.json"], 1, "not UTF-8"),
            (["check", '{"type": "strng"}'], 1, "strng"),
            (["generate", "--regex", r"(a+)\1", "?"], 1, "hint:"),
            (["generate", "--regex", "(a", "?"], 1, "error:"),
            (["generate", "?"], 2, "exactly one"),
            (["generate", "--regex", "a", "--choices", "b", "?"], 2, "exactly one"),
            (["generate", "--type", "nomodule_of_this_name:X", "?"], 1, "cannot import"),
            (["generate", "--type", "json", "?"], 2, "module:Name"),
            (["generate", "--type", "json:JSONDecoder", "?"], 1, "JSON Schema"),
            (["generate", "--choices", "a", "?", "--model", "nowhere"], 1, "no model"),
            (["generate", "--choices", "a", "?", "--temperature", "nan"], 2, "temperature"),
            (["generate", "--choices", "a", "?", "--strategy", "hope"], 2, "no strategy is called"),
            (["generate", "--choices", "a", "?", "--on-budget", "stop"], 2, "finish, cut"),
            (["generate", "--choices", "a,,b", "?"], 2, "choice 2 is empty"),
            (["generate", "schema.json", "?"], 2, "--schema"),
            (["generate", "--choices", "a", "?", "--strategy", "beams", "--stream"], 2, "--stream"),
            (["generate", "--choices", "a", "word " * 5000], 1, "tokens"),
            (["mask", "--choices", "a", "--vocabulary", "nowhere.json"], 1, "nowhere.json"),
            (["mask", "--choices", "b", "--vocabulary", "tokenizer.json"], 1, "hint:"),
            (["mask", "--choices", "a", "--vocabulary", "broken.json"], 1, "error:"),
            (["generate", "--choices", "\udcff", "?"], 1, "hint:"),
            (["generate", "--regex", "\udcff", "?"], 1, "error:"),
            (["generate", "--schema", '{"type": "string", "maxLength": -1}', "?"], 1, "/maxLength"),
            (["generate", "--schema", '{"minLength": 2, "maxLength": 1, "type": "string"}', "?"], 1, "error:"),
            (["check", "[" * 100_000], 1, "deeper than 10000 levels"),
            (["frobnicate"], 2, "frobnicate"),
            (["serve", "--on-budget", "cut"], 2, "each request says it"),
            (["generate", "?", "--no-such-option"], 2, "no-such-option"),
        ],
        ids=lambda value: " ".join(value)[:50] if isinstance(value, list) else "",
    )
    def test_mistake(
        self, folder: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], code: int, says: str
    ) -> None:
        (folder / "broken.json").write_text('{"type":\n "object" oops}')
        (folder / "latin.json").write_bytes(b'{"title": "caf\xe9"}')
        (folder / "tokenizer.json").write_text(
            json.dumps({"model": {"type": "WordLevel", "vocab": {"a": 0, "<unk>": 1}, "unk_token": "<unk>"}})
        )
        ran = Ran(capsys, *arguments)
        assert ran.code == code
        assert says in ran.err and "not its name" not in ran.err
        assert code != 2 or "note:" not in ran.err
        assert ran.out == ""

    def test_a_program_gets_the_error_as_json(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        ran = Ran(capsys, "check", "nowhere.json", "--json")
        assert ran.code == 1
        assert ran.json["error"]["code"] == "file" and ran.json["error"]["where"] == "nowhere.json"
        assert set(ran.json["error"]) == {"code", "message", "where", "hint"}

    def test_without_typer(self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        monkeypatch.setitem(sys.modules, "typer", None)
        ran = Ran(capsys, "generate", "?")
        assert ran.code == 1 and 'pip install "frisket-llm[cli]"' in ran.err


class TestWhereTheAnswerGoes:
    @staticmethod
    def frisket(*arguments: str, stdout: Any = subprocess.PIPE, **options: Any) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "frisket", *arguments]
        return subprocess.run(command, stdout=stdout, stderr=subprocess.PIPE, text=True, **options)

    @pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full on this system")
    @pytest.mark.parametrize("arguments", [("check", "{}"), ("check", "{}", "--json"), ("--help",), ("--version",)])
    def test_a_full_device(self, arguments: tuple[str, ...]) -> None:
        with open("/dev/full", "w") as full:
            ran = self.frisket(*arguments, stdout=full)
        assert ran.returncode == 1
        assert "cannot be written" in ran.stderr and "Traceback" not in ran.stderr

    def test_a_reader_that_has_left(self) -> None:
        reading, writing = os.pipe()
        os.close(reading)
        ran = self.frisket("check", "{}", stdout=writing)
        os.close(writing)
        assert (ran.returncode, ran.stderr) == (1, "")

    def test_an_error_about_what_cannot_be_written_is_written(self, capsys: pytest.CaptureFixture[str]) -> None:
        for schema in ('{"$ref": "\\ud800"}', '{"properties": {"\\ud800": {}}}', '{"$ref": "#/\\ud800"}'):
            assert "\\ud800" in Ran(capsys, "check", schema).out + Ran(capsys, "check", schema).err
            Ran(capsys, "check", schema, "--json").json.keys()
        ran = self.frisket("check", '{"$ref": "\\ud800"}', env={**os.environ, "PYTHONIOENCODING": "ascii"})
        assert ran.returncode == 1 and "Traceback" not in ran.stderr


def test_a_schema_may_be_a_word(capsys: pytest.CaptureFixture[str]) -> None:
    assert "exact" in Ran(capsys, "check", "true").out
    assert "no value" in Ran(capsys, "check", "false").err


def test_a_long_table_is_written_without_being_fitted(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from frisket.cli import check

    schema = json.dumps({"properties": {f"p{number}": {"type": "string"} for number in range(3)}})
    short = Ran(capsys, "check", schema).out
    monkeypatch.setattr(check, "FOLDED", 2)
    monkeypatch.setattr(check, "show_table", None)
    assert [line.split() for line in Ran(capsys, "check", schema).out.splitlines()] == [
        line.split() for line in short.splitlines()
    ]
