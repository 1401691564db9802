"""Data that says no format is refused where a Family is made of it; the table of families holds formats alone."""

from __future__ import annotations

from typing import Any

import pytest

from frisket.errors import ToolError, UnreadableTemplateError
from frisket.tools import Family, families, family
from frisket.tools.formats import FAMILIES

CALL = "<call>$name $arguments</call>"


@pytest.mark.parametrize(
    ("data", "where", "reason"),
    [
        # Without a marker the parser would look for an empty text.
        ({"call": ("$name $arguments",)}, "call", "nothing announces a call"),
        ({"call": ()}, "call", "holds no $name"),
        ({"call": (CALL, "<call>$name</call>")}, "call", "holds no $arguments"),
        ({"calls": "[calls]"}, "calls", "holds no $calls"),
        ({"arguments": "parameters", "parameter": "<$key>"}, "parameter", "holds no $value"),
        ({"arguments": "delimited"}, "quote", "nothing stands around texts"),
        ({"call": ("<call>$id $name $arguments</call>",)}, "id", "whose pattern is not given"),
        ({"call": ("<call>$title $name $arguments</call>",)}, "template", "$title is no hole"),
    ],
)
def test_what_is_no_format(data: dict[str, Any], where: str, reason: str) -> None:
    with pytest.raises(ToolError) as raised:
        Family(**{"name": "mine", "models": "mine", "sources": (), "call": (CALL,), **data})
    assert raised.value.where == where and reason in raised.value.message


def test_a_template_with_what_looks_like_a_hole_is_refused() -> None:
    call = "<call $no>{{ c.function | tojson }}</call>"
    with pytest.raises(UnreadableTemplateError, match=r"\$no is no hole"):
        Family.from_chat_template(
            "{% for m in messages %}<|{{ m.role }}|>{{ m.content }}{% for c in m.tool_calls %}" + call + "{% endfor %}"
            "<|end|>{% endfor %}{% if add_generation_prompt %}<|assistant|>{% endif %}"
        )


def test_the_table_of_families() -> None:
    assert list(FAMILIES) == list(families()) == sorted(FAMILIES)
    assert all(family(name) is FAMILIES[name] and FAMILIES[name].name == name for name in FAMILIES)
    assert all(each.sources and each.models and each.stops for each in FAMILIES.values())
    assert family("kimi_k2").special == {
        "<|tool_calls_section_begin|>", "<|tool_calls_section_end|>", "<|tool_call_begin|>",
        "<|tool_call_argument_begin|>", "<|tool_call_end|>",
    }  # fmt: skip
    assert family("mistral_v11").special == {"[TOOL_CALLS]", "[ARGS]", "[CALL_ID]", "[THINK]", "[/THINK]"}
    assert family("deepseek_v4").special == family("qwen3").special == frozenset()
