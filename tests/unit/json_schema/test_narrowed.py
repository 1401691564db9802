"""Formats of which not all texts are written: what is left out is valid, and known when it is asked for."""

from __future__ import annotations

import json
import re

import pytest

from frisket import Grammar
from frisket.errors import UnsatisfiableSchemaError, UnsupportedSchemaError
from frisket.json_schema import JSONSchemaOptions
from tests.draft import FORMATS
from tests.draft import OTHER_FORMATS as OTHER

PUNYCODE = "xn--bcher-kva.example"
#: Format, a valid text that its node leaves out, a text that is none of it.
NARROWED = [
    ("hostname", PUNYCODE, "a b"),
    ("hostname", "ab--cd.example", "a..b"),
    ("idn-hostname", PUNYCODE, "a b"),
    ("idn-hostname", "שלום", "ü.-a"),
    ("idn-hostname", "例え。テスト", "a/b"),
    ("idn-email", f"a@{PUNYCODE}", "a b"),
    ("idn-email", "user@cafe\u0301.com", "@ü"),
    ("ipv4network", "1.2.3.0/255.255.255.0", "::/0"),
    ("ipv6network", "1::/16", "1.2.3.0/255.255.255.0"),
    ("ipvanynetwork", "1::/16", "1::/x"),
    ("ipv4interface", "1.2.3.4/255.0.0.0", "1.2.3"),
    ("ipvanyinterface", "1::%eth0/16", "eth0"),
]


class TestNegatedNarrowly:
    """What a narrowed format leaves out is valid, so no negation of the format may write it."""

    @staticmethod
    def accepts(schema: object, *texts: object) -> list[bool]:
        made = Grammar.from_json_schema(schema, JSONSchemaOptions(formats="openapi"))  # type: ignore[arg-type]
        return [made.accepts(json.dumps(text, ensure_ascii=False)) for text in texts]

    def test_every_narrowed_format_is_here(self) -> None:
        options = JSONSchemaOptions(formats="openapi")
        reports = {name: Grammar.from_json_schema({"format": name}, options).report for name in (*FORMATS, *OTHER)}
        narrowed = {name for name, report in reports.items() if report is not None and report.narrowed}
        assert narrowed - {"regex"} == {name for name, _, _ in NARROWED}

    @pytest.mark.parametrize(("name", "left_out", "wrong"), NARROWED)
    def test_bounds_enclose(self, name: str, left_out: str, wrong: str) -> None:
        written, excluded = {"type": "string", "format": name}, {"type": "string", "not": {"format": name}}
        assert self.accepts(written, left_out, wrong) == [False, False]
        if "host" in name or "email" in name:
            names = ["a.b-c", ".".join(["a" * 63] * 3), "A-1"]
            names += ["bücher.example", "例え.テスト", "a.b.ü", "ü" * 8] if name != "hostname" else []
            texts = [("δ@" if name == "idn-email" else "") + text for text in names]
            assert self.accepts(written, *texts) == [True] * len(texts)
            assert self.accepts(excluded, *texts) == [False] * len(texts)
        else:
            with pytest.raises(UnsatisfiableSchemaError):
                Grammar.from_json_schema({"allOf": [written, excluded]}, JSONSchemaOptions(formats="openapi"))

    @pytest.mark.parametrize(("name", "left_out", "wrong"), NARROWED)
    def test_not(self, name: str, left_out: str, wrong: str) -> None:
        text = {"type": "string", "format": name}
        for schema in (
            {"type": "string", "not": {"format": name}},
            {"type": "string", "not": text},
            {"type": "string", "if": {"format": name}, "then": False},
            {"type": "string", "oneOf": [{"format": name}, {}]},
            {"type": "string", "not": {"anyOf": [{"format": name}, {"const": ""}]}},
        ):
            assert self.accepts(schema, left_out, wrong) == [False, True], schema
        assert self.accepts({"type": "string", "not": {"not": {"format": name}}}, left_out, wrong) == [False, False]

    @pytest.mark.parametrize(("name", "left_out", "wrong"), NARROWED)
    def test_one_of(self, name: str, left_out: str, wrong: str) -> None:
        """Both alternatives hold of what is left out, though the node has nothing in common with the other one."""
        pattern = f"^({re.escape(left_out)}|{re.escape(wrong)})$"
        for other in ({"pattern": pattern}, {"enum": [left_out, wrong]}, {"minLength": len(left_out)}):
            schema = {"type": "string", "oneOf": [{"format": name}, other]}
            assert not self.accepts(schema, left_out)[0], schema
        for other in ({"pattern": pattern}, {"enum": [left_out, wrong]}):
            assert self.accepts({"type": "string", "oneOf": [{"format": name}, other]}, wrong) == [True]
        schema = {"type": "string", "oneOf": [{"not": {"format": name}}, {"pattern": f"^({re.escape(left_out)}|!)$"}]}
        assert self.accepts(schema, wrong, "!") == [True, False]

    @pytest.mark.parametrize(("name", "left_out", "wrong"), NARROWED)
    def test_items_and_keys(self, name: str, left_out: str, wrong: str) -> None:
        text = {"type": "string", "format": name}
        strings = {"type": "array", "items": {"type": "string"}}
        lists = [left_out], [wrong], [left_out, wrong]
        assert self.accepts({**strings, "not": {"contains": text}}, *lists) == [False, True, False]
        assert self.accepts({**strings, "contains": text, "minContains": 0, "maxContains": 0}, *lists) == [
            *(False, True, False)
        ]
        keys = [{key: 1} for key in (left_out, wrong)]
        assert self.accepts({"type": "object", "not": {"propertyNames": {"format": name}}}, *keys) == [False, True]
        assert self.accepts({"type": "object", "propertyNames": {"not": {"format": name}}}, *keys) == [False, True]
        required = {"type": "object", "required": [left_out]}
        schema = {"oneOf": [{**required, "propertyNames": {"format": name}}, required]}
        assert self.accepts(schema, *keys) == [False, False]

    @pytest.mark.parametrize(("name", "left_out", "wrong"), NARROWED)
    def test_enum_is_judged_by_what_is_written(self, name: str, left_out: str, wrong: str) -> None:
        schema: dict[str, object] = {"enum": [left_out, wrong, 1]}
        assert self.accepts({**schema, "format": name}, left_out, wrong) == [False, False]
        assert self.accepts({**schema, "not": {"type": "string", "format": name}}, left_out, wrong) == [False, True]

    @pytest.mark.parametrize(("name", "left_out"), [("email", f"a@{PUNYCODE}"), ("duration", "P10000D")])
    def test_for_python(self, name: str, left_out: str) -> None:
        for schema in (
            {"type": "string", "not": {"format": name}},
            {"type": "string", "oneOf": [{"format": name}, {"pattern": f"^({left_out}|!)$"}]},
        ):
            made = Grammar.from_json_schema(schema, JSONSchemaOptions(formats="python"))
            assert [made.accepts(f'"{text}"') for text in (left_out, "!")] == [False, True], schema

    def test_seconds_beyond_the_bound_are_times(self) -> None:
        long, none = "12:00:00.12345678901234Z", "noon"
        assert self.accepts({"type": "string", "not": {"format": "time"}}, long, none) == [False, True]
        schema = {"type": "string", "oneOf": [{"format": "time"}, {"pattern": f"^({long}|{none})$"}]}
        assert self.accepts(schema, long, none) == [False, True]

    def test_where_all_is_left_out_the_schema_is_not_called_unsatisfiable(self) -> None:
        schema = {"type": "string", "format": "hostname", "pattern": "^xn--"}
        with pytest.raises(UnsupportedSchemaError, match="Punycode") as caught:
            Grammar.from_json_schema(schema)
        assert caught.value.where == "/format"
        with pytest.raises(UnsatisfiableSchemaError):
            Grammar.from_json_schema({**schema, "pattern": "^xn-- "})

    def test_a_format_and_its_negation_contradict_each_other(self) -> None:
        schema = {"type": "string", "oneOf": [{"format": "hostname"}, {"format": "hostname", "minLength": 3}]}
        assert self.accepts(schema, "ab", "abc", " ") == [True, False, False]
