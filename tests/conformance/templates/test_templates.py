"""Every template is rendered, masked and read back, with the families that claim it and with the one that is read from
it; differences are listed with their reasons."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from frisket.tools import families, family
from tests.conformance import from_template
from tests.conformance.templates import judge
from tests.conformance.templates.__main__ import main
from tests.conformance.templates.case import CASES
from tests.conformance.templates.known import OWN, Claim, claims, entries, key, known, pairs, readings, wanted

pytest.importorskip("jinja2", reason="jinja2 is not installed")

CLAIMS = claims()
PAIRS = pairs()
#: Differences that have a reason, of families with names and of those that are read: no number may be raised,
#: but by what a template brings that is newly read (GigaChat 3: seven cases of several calls, of which it writes one).
KNOWN, KNOWN_OWN = 949, 335
#: Templates from which a family is read.
READ = 69

#: A template that writes as the family `hermes` does.
PLAIN = """{%- for m in messages %}<|im_start|>{{ m.role }}
{%- if m.content %}
{{ m.content }}{% endif %}
{%- for c in m.tool_calls or [] %}
<tool_call>
{"name": "{{ c.function.name }}", "arguments": {{ c.function.arguments | tojson }}}
</tool_call>{% endfor %}<|im_end|>
{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant
{% endif %}"""


@pytest.fixture(scope="module")
def templates(data_dir: Path) -> Path:
    folder = data_dir / "chat-templates"
    if not folder.is_dir():
        pytest.skip("no chat templates in the data")
    return folder


@pytest.mark.data
@pytest.mark.parametrize(("claim", "name"), PAIRS, ids=[f"{claim.name}-{name}" for claim, name in PAIRS])
def test_a_template_and_its_family_differ_as_listed(claim: Claim, name: str, templates: Path) -> None:
    verdict = judge(claim.text(), wanted(claim, name))
    found = {key(claim.name, name, difference): difference.detail for difference in verdict.differences}
    listed = {each for each in known() if each[:2] == (claim.name, name)}
    assert {each: detail for each, detail in found.items() if each not in listed} == {}
    assert listed - set(found) == set(), "gone: take them off the list"
    assert verdict.judged > 0 or verdict.unwritten


@pytest.mark.data
def test_families_are_read_as_listed(templates: Path) -> None:
    found = list(from_template.readings())
    assert from_template.baseline_of(found) == readings()
    assert sum(each.family is not None for each in found) >= READ


@pytest.mark.data
def test_every_template_has_a_claim(templates: Path) -> None:
    assert [claim.name for claim in CLAIMS] == sorted((path.stem for path in templates.glob("*.jinja")), key=str.lower)


def test_a_claim_has_families_or_a_reason() -> None:
    for claim in CLAIMS:
        assert bool(claim.families) != bool(claim.reason), claim.name
        assert set(claim.families) <= set(families())


def test_the_list_only_shrinks() -> None:
    listed = known()
    own = sum(each[1] == OWN for each in listed)
    assert own <= KNOWN_OWN and len(listed) - own <= KNOWN
    assert all(reason.endswith(".") for reason in listed.values())
    assert {(claim.name, name) for claim, name in PAIRS} >= {each[:2] for each in listed}
    assert {case.name for case in CASES} >= {each[2] for each in listed}
    rows = entries(listed.items())
    assert {each for row in rows for each in row["templates"]} == {f"{one[0]} {one[1]}" for one in listed}


def test_a_template_that_its_family_reads_has_no_difference() -> None:
    verdict = judge(PLAIN, "hermes")
    assert verdict.judged > 100 and not verdict.differences and not verdict.unwritten


@pytest.mark.parametrize(
    ("change", "case", "kind"),
    [
        (("</tool_call>", "</tool_cal>"), "a call", "masked"),
        (("</tool_call>", ""), "a call", "endless"),
        (("arguments | tojson", "arguments | tojson | replace('3', '4')"), "a call", "misread"),
        (("{{ m.content }}", "{{ m.content }}!"), "text", "misread"),
    ],
)
def test_each_kind_of_difference_is_found(change: tuple[str, str], case: str, kind: str) -> None:
    chosen = [each for each in CASES if each.name == case]
    verdict = judge(PLAIN.replace(*change), "hermes", cases=chosen, choices=["auto"])
    assert [difference.kind for difference in verdict.differences] == [kind]


def test_a_tool_that_the_family_refuses_is_a_difference() -> None:
    limited = dataclasses.replace(family("hermes"), name_pattern="now")
    refused = judge(PLAIN, limited, cases=[case for case in CASES if case.name == "a call"], choices=["auto"])
    assert [difference.kind for difference in refused.differences] == ["refused"]


def test_the_command_says_what_is_unknown(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--template", "nobody's"])
    assert "no claim has this template" in capsys.readouterr().err


@pytest.mark.data
def test_the_command_shows_differences_and_their_end(templates: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--template", "GLM-4.6", "--family", "glm45", "--case", "untyped digits as text", "--all"]) == 0
    shown = capsys.readouterr()
    assert "GLM-4.6 · glm45 · untyped digits as text · misread · auto · on: " in shown.out
    assert "1 pairs, 12 judgements" in shown.out and "0 without a reason" in shown.out and "1/1 GLM-4.6" in shown.err
