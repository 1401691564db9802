"""Every control of the page does what it says."""

from __future__ import annotations

import json
import re
from typing import Any

import frisket
from tests.unit.play.page.browser import Page, Server, opened

MISSING = "A category that is missing"


def test_the_first_page_runs(page: Page) -> None:
    page.verdict("compiled")
    page.run()
    schema = json.loads(page.tab.input_value("#text"))
    assert schema == frisket.examples.load("triage")
    prompt = page.tab.input_value("#prompt")
    wanted = frisket.stream(frisket.models.embedded(), prompt, schema, max_tokens=256).generation()
    assert page.written() == wanted.text
    assert len(page.boxes()) == len(wanted.steps)
    page.expect(page("#masked ~ .figures")).to_have_text(re.compile(f"^{len(wanted.steps)} tokens.*whole"))


def test_every_notation_and_example_can_be_chosen(page: Page) -> None:
    names = page("#example option").all_inner_texts()[1:]
    assert len(names) >= 13
    seen = set()
    for name in names:
        page.example(name)
        page.verdict("compiled")
        seen.add(page.tab.input_value("#notation"))
        assert page("#options").is_visible() == (page.tab.input_value("#notation") == "json_schema")
    titles = page("#notation option").all_inner_texts()
    assert len(seen) == len(titles) - 1  # ISO's EBNF has no example of its own


def test_an_error_stands_at_its_place(page: Page) -> None:
    page.text("json_schema", '{\n  "properties": {\n    "a": {"type": "nope"}}}')
    page.verdict("✗ type must be among")
    assert page("#text").get_attribute("aria-invalid") == "true"
    page.expect(page(".number.error")).to_have_text("3")
    page("#problems button").click()
    assert page.tab.evaluate("() => document.querySelector('#text').selectionStart") == 30
    page.tab.click("#run")
    # It is said once: under the grammar.
    page.progress("✗ Nothing is written")
    assert page.tab.inner_text("body").count("type must be among") == 1
    page.tab.fill("#text", '{"type": "integer"}')
    page.verdict("compiled")
    assert page("#problems button").count() == 0 and page("#text").get_attribute("aria-invalid") == "false"


def test_advice_is_shown_and_mended(page: Page) -> None:
    page.text("json_schema", '{"properties": {"answer": {"type": "string"}, "reasoning": {"type": "string"}}}')
    page.verdict("advice")
    page.expect(page("#problems li").first).to_contain_text("FRK101")
    page.tab.click("#mend")
    page.expect(page("#text")).to_have_value(re.compile("reasoning.*answer"))


def test_coverage_lists_keywords(page: Page) -> None:
    page.text("json_schema", '{"type": "string", "maxLength": 3, "minlength": 1}')
    page.expect(page("#coverage summary")).to_contain_text("1 unknown")
    page.tab.click("#coverage summary")
    page.expect(page("#coverage tbody tr").first).to_contain_text("minlength")


def test_options_of_json_documents(page: Page) -> None:
    page.text("json_schema", json.dumps({"type": "string", "pattern": "^(a+)\\1$"}))
    page.verdict("back-reference")
    page.tab.click("#options summary")
    page.tab.check("#relaxed")
    page.verdict("compiled")
    page.text("json_schema", '{"properties": {"a": {"const": 1}, "b": {"const": 2}}, "required": ["a", "b"]}')
    page.tab.select_option("#whitespace", "pretty")
    page.tab.select_option("#order", "any")
    page.run()
    assert page.written().startswith("{\n")


def test_model_temperature_seed_and_limit(page: Page) -> None:
    page.example(MISSING)
    page.tab.fill("#temperature", "1.5")
    page.expect(page("#temperature-said")).to_have_text("1.5")
    page.tab.fill("#seed", "7")
    page.run()
    schema, prompt = json.loads(page.tab.input_value("#text")), page.tab.input_value("#prompt")
    sampler = frisket.Sampler(temperature=1.5)
    wanted = frisket.stream(frisket.models.embedded(), prompt, schema, sampler=sampler, seed=7, max_tokens=256)
    assert page.written() == wanted.generation().text
    page.tab.fill("#most", "4")
    page.tab.select_option("#on-budget", "cut")
    page.run()
    assert len(page.boxes()) == 4
    page.expect(page("#masked ~ .figures")).to_contain_text("cut")
    page.tab.fill("#most", "256")
    page.tab.select_option("#describe", "typescript")
    page.run()
    assert page("#model").input_value() == "embedded"


def test_one_token_at_a_time(page: Page) -> None:
    page.example(MISSING)
    page.progress("^done")
    for number in range(1, 4):
        page.tab.click("#one")
        page.progress("^done")
        page.expect(page("#masked .box:not(.next)")).to_have_count(number)
    page.tab.fill("#seed", "3")
    page.tab.click("#one")
    page.progress("^done")
    page.expect(page("#masked .box:not(.next)")).to_have_count(1)


def test_a_step_is_looked_at_and_another_token_chosen(page: Page) -> None:
    page.example(MISSING)
    page.run()
    page("#masked .overruled").click()
    page.expect(page("#step-title")).to_have_text(re.compile(r"Step \d+"))
    page.expect(page("#inspector .facts")).to_contain_text("/category")
    page.expect(page("#inspector .said")).to_contain_text("forbade")
    page.expect(page("#inspector tbody tr").first).to_contain_text("billing")
    page.expect(page("#inspector tr.taken")).to_contain_text("account")
    before = page.boxes()
    page.tab.get_by_role("button", name="choose “other”").click()
    page.progress("^done")
    page.expect(page("#masked .chosen")).to_have_text("other")
    assert json.loads(page.written())["category"] == "other"
    at = page.boxes().index("other")
    assert page.boxes()[:at] == before[:at]


def test_the_step_under_the_pointer_is_shown(page: Page) -> None:
    page.example(MISSING)
    page.run()
    page.expect(page("#tokens .entry").first).to_contain_text("{")
    page.point("#masked .overruled", "/category")
    # The lists below still belong to the step that was chosen, until this one is.
    page.expect(page("#inspector .passing")).to_have_count(1)
    page.point("#prompt", r"\(root\)")
    page.expect(page("#inspector .passing")).to_have_count(0)
    page.expect(page("#tokens .entry").first).to_contain_text("{")
    page("#masked .overruled").click()
    page.expect(page("#tokens .entry").first).to_contain_text("account")


def test_going_back_and_on(page: Page) -> None:
    page.example(MISSING)
    page.run()
    whole = page.boxes()
    page("#masked .box").nth(5).click()
    page.expect(page("#step-title")).to_have_text("Step 6")
    page.tab.click("#back")
    page.expect(page("#masked .box:not(.next)")).to_have_count(5)
    page.expect(page("#step-title")).to_have_text("The next token")
    page.tab.click("#go")
    page.progress("^done")
    assert page.boxes() == whole


def test_masks_on_and_off_side_by_side(page: Page) -> None:
    page.example(MISSING)
    page.tab.check("#compare")
    page.run()
    masked, free = page.boxes("masked"), page.boxes("free")
    left = page("#free .outside").first.text_content()
    assert left == "billing" and masked[: free.index(left)] == free[: free.index(left)]
    page("#free .outside").nth(1).click()
    page.expect(page("#inspector .said")).to_contain_text("left the grammar")
    page.tab.uncheck("#compare")
    assert not page("#free").is_visible()


def test_why_and_all_allowed_tokens(page: Page) -> None:
    page.example(MISSING)
    page.run()
    page("#masked .overruled").click()
    page.expect(page("#tokens .entry")).to_have_count(7)
    page.tab.fill("#why", "billing")
    page.tab.press("#why", "Enter")
    page.expect(page(".because")).to_contain_text("/properties/category/enum")
    page("#masked .overruled").hover()
    page("#legend").hover()
    page.tab.wait_for_timeout(300)
    page.expect(page(".because")).to_contain_text("/properties/category/enum")
    page.tab.fill("#search", "th")
    page.expect(page("#tokens .entry")).to_have_count(1)
    page("#tokens .entry").first.click()
    page.progress("^done")
    assert json.loads(page.written())["category"] == "other"


def test_a_list_of_all_tokens_draws_what_is_seen(page: Page) -> None:
    page.text("regex", r"[\s\S]*")
    page.verdict("compiled")
    page.tab.fill("#most", "3")
    page.run()
    page("#masked .box").first.click()
    page.expect(page("#tokens .entry").first).to_be_visible()
    assert page("#tokens .entry").count() < 40
    page("#tokens").focus()
    page.tab.keyboard.press("End")
    last = page("#tokens .entry[aria-selected=true]")
    page.expect(last).to_have_attribute("aria-posinset", re.compile(r"^\d{3,}$"))
    page.expect(last).not_to_have_text("…")
    assert page("#tokens .entry").count() < 40


def test_everything_by_keyboard(page: Page) -> None:
    page.example(MISSING)
    page.tab.keyboard.press("Control+Enter")
    page.progress("^done")
    page.tab.keyboard.press("Alt+2")
    page.tab.keyboard.press("Home")
    page.expect(page("#step-title")).to_have_text("Step 1")
    page.tab.keyboard.press("ArrowRight")
    page.expect(page("#step-title")).to_have_text("Step 2")
    page.tab.keyboard.press("PageDown")
    page.expect(page("#inspector .facts")).to_contain_text("/category")
    page.tab.keyboard.press("Enter")
    page.expect(page("#inspector button.choose").first).to_be_focused()
    page.tab.keyboard.press("Tab")
    page.tab.keyboard.press("Enter")
    page.expect(page("#masked .chosen")).to_have_count(1)
    page.progress("^done")
    page.tab.keyboard.press("Alt+2")
    page.tab.keyboard.press("Home")
    page.tab.keyboard.press("ArrowDown")
    page.tab.keyboard.press("ArrowUp")
    page.tab.keyboard.press("ArrowRight")
    page.tab.keyboard.press("Backspace")
    page.expect(page("#step-title")).to_have_text("The next token")
    page.tab.keyboard.press("Control+.")
    page.progress("^done")
    page.tab.keyboard.press("?")
    page.expect(page("#help")).to_be_visible()
    page.tab.keyboard.press("Escape")
    page.expect(page("#help")).to_be_hidden()
    page.tab.keyboard.press("Alt+1")
    page.expect(page("#text")).to_be_focused()
    page.tab.keyboard.press("Alt+3")
    page.expect(page("#step")).to_be_focused()
    page.tab.click("#keys")
    page.expect(page("#help")).to_be_visible()


def test_the_link_holds_everything(page: Page, browser: Any, server: Server) -> None:
    page.example(MISSING)
    page.tab.fill("#temperature", "0.8")
    page.tab.fill("#seed", "5")
    page.tab.fill("#prompt", "Grüße 😀 <b>")
    page.run()
    page("#masked .box").nth(5).click()
    page.tab.click("#inspector button.choose >> nth=1")
    page.expect(page("#masked .chosen")).to_have_count(1)
    page.progress("^done")
    page.tab.click("#share")
    page.progress("link")
    with opened(browser, page.tab.url) as other:
        other.progress("^done")
        assert other.boxes() == page.boxes() and other.written() == page.written()
        assert other("#masked .chosen").count() == 1
        for id in ("text", "prompt", "temperature", "seed", "notation"):
            assert other.tab.input_value(f"#{id}") == page.tab.input_value(f"#{id}")
    with opened(browser, f"{server.url}#z.broken") as other:
        other.verdict("compiled")


def test_exports(page: Page) -> None:
    page.example(MISSING)
    page.run()
    found = {}
    for kind in ("html", "json", "test"):
        with page.tab.expect_download() as waiting:
            page.tab.select_option("#export", kind)
        found[waiting.value.suggested_filename] = waiting.value.path().read_text(encoding="utf-8")
    report = frisket.reports.PressureReport.from_json(found["trace.json"])
    assert report.text == page.written() and found["trace.html"] == report.to_html()
    assert "def test_the_masks_take_every_token" in found["test_trace.py"]
