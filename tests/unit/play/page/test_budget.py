"""The budget of an answer: dragged, too small, and where it bound."""

from __future__ import annotations

import json
import re
from typing import Any

import frisket
from tests.unit.play.page.browser import Page, Server, opened
from tests.unit.play.page.test_safety import LIST

LEAST = frisket.Grammar.from_json_schema(LIST).compile(frisket.models.embedded().vocabulary).matcher().least_tokens()


def begin(page: Page, most: int) -> None:
    page.text("json_schema", LIST)
    page.verdict("compiled")
    page.expect(page("#least")).to_contain_text(str(LEAST))
    page.tab.fill("#temperature", "1")
    page.tab.fill("#most", str(most))


def wanted(page: Page, most: int) -> Any:
    return frisket.stream(
        frisket.models.embedded(), page.tab.input_value("#prompt"), frisket.Grammar.from_json_schema(LIST),
        max_tokens=most, sampler=frisket.Sampler(), seed=0,
    ).generation()  # fmt: skip


def test_the_budget_is_dragged(page: Page) -> None:
    begin(page, LEAST + 12)
    page.run()
    whole = page.boxes()
    assert page.written() == wanted(page, LEAST + 12).text
    # The slider, the field and what is said of them are one number.
    page("#budget").focus()
    for _ in range(8):
        page.tab.keyboard.press("ArrowLeft")
    page.expect(page("#most")).to_have_value(str(LEAST + 4))
    page.expect(page("#budget")).to_have_attribute("aria-valuetext", f"{LEAST + 4} tokens")
    page.expect(page("#budget-said")).to_have_text(f"{LEAST + 4} tokens")
    # The answer is written again, whole within it, and the same as far as the budget did not bind.
    answer = wanted(page, LEAST + 4)
    page.expect(page("#masked ~ details pre")).to_have_text(re.compile(re.escape(answer.text)))
    page.expect(page("#masked .box:not(.next)")).to_have_count(len(answer.steps))
    bound = next(at for at, step in enumerate(answer.steps) if step.budgeted)
    assert page.boxes()[:bound] == whole[:bound] and page.boxes() != whole
    page.expect(page("#masked ~ .figures")).to_contain_text(f"finish_reason {answer.finish_reason}")
    frisket.Grammar.from_json_schema(LIST).value(page.written())
    # A tap at the end of the slider gives all that there is.
    page.tab.keyboard.press("End")
    page.expect(page("#most")).to_have_value("4096")


def test_steps_where_it_bound_are_marked(page: Page) -> None:
    begin(page, LEAST + 4)
    page.run()
    bound = page("#masked .bound")
    page.expect(page("#masked ~ .figures")).to_contain_text(f"the budget bound at {bound.count()}")
    assert re.search(r"the budget forbade [\d,]+ more", bound.first.get_attribute("aria-label"))
    bound.first.click()
    page.expect(page("#inspector .facts")).to_contain_text("forbidden by the budget")
    page.expect(page("#inspector .facts")).to_contain_text("tokens left")
    page.expect(page(".bound-said")).to_contain_text(re.compile(r"The budget forbade [\d,]+ tokens?"))
    page("#masked .box").first.click()
    page.expect(page("#step-title")).to_have_text("Step 1")
    page.expect(page("#inspector .facts")).to_contain_text(re.compile(rf"to finish\s*{LEAST}"))


def test_a_likely_token_may_be_too_long(page: Page) -> None:
    begin(page, LEAST + 1)
    page.tab.fill("#temperature", "0")
    page.run()
    # The last step that it bound: the model would rather write on.
    page("#masked .bound").last.click()
    long = page("#inspector tbody tr").filter(has_text="too long")
    page.expect(long.first).to_be_visible()
    assert long.locator("button").count() == 0


def test_too_small_a_budget_says_the_least_and_sets_it(page: Page) -> None:
    begin(page, 3)
    page.expect(page("#least")).to_have_text(re.compile(f"✗ The shortest answer known takes {LEAST} tokens: 3 are too"))
    page.tab.click("#run")
    page.progress(f"✗ the shortest answer known takes {LEAST} tokens, and max_tokens gives 3")
    assert page.boxes() == []
    page.tab.get_by_role("button", name=f"Set the budget to {LEAST} tokens").click()
    page.progress("^done")
    assert page.tab.input_value("#most") == str(LEAST)
    assert page.written() == wanted(page, LEAST).text
    page.expect(page("#least")).not_to_contain_text("✗")


def test_what_is_chosen_by_hand_stays(page: Page) -> None:
    begin(page, 60)
    page.run()
    page("#masked .box").nth(6).click()
    page.expect(page("#step-title")).to_have_text("Step 7")
    page.tab.click("#inspector button.choose >> nth=2")
    page.expect(page("#masked .chosen")).to_have_count(1)
    page.progress("^done")
    chosen = page.boxes()[:7]
    page("#budget").focus()
    page.tab.keyboard.press("ArrowLeft")
    page.progress("^done")
    assert page.boxes()[:7] == chosen and page("#masked .chosen").count() == 1
    # A budget in which that token cannot be finished: the error says how many are, and sets them.
    page.tab.fill("#most", str(LEAST + 1))
    page("#budget").focus()
    page.tab.keyboard.press("ArrowLeft")
    page.progress("^(done|✗ after this token)")
    if page("#progress button").count():
        page("#progress button").click()
        page.progress("^done")
    assert page.boxes()[:7] == chosen and page("#masked .chosen").count() == 1
    frisket.Grammar.from_json_schema(LIST).value(page.written())


def test_cut_where_the_tokens_end(page: Page) -> None:
    begin(page, 3)
    page.tab.select_option("#on-budget", "cut")
    page.expect(page("#least")).to_contain_text("cut")
    page.run()
    assert len(page.boxes()) == 3 and page("#masked .bound").count() == 0
    page.expect(page("#masked ~ .figures")).to_contain_text("finish_reason length")


def test_the_link_holds_the_budget(page: Page, browser: Any, server: Server) -> None:
    begin(page, LEAST + 2)
    page.run()
    page.tab.click("#share")
    page.progress("link")
    with opened(browser, page.tab.url) as other:
        other.progress("^done")
        assert other.boxes() == page.boxes() and other.tab.input_value("#most") == str(LEAST + 2)
        assert other("#masked .bound").count() == page("#masked .bound").count() > 0
    page.tab.select_option("#on-budget", "cut")
    page.run()
    page.tab.click("#share")
    page.progress("link")
    with opened(browser, page.tab.url) as other:
        other.progress("^done")
        assert other.tab.input_value("#on-budget") == "cut" and other.boxes() == page.boxes()


def test_an_empty_answer_takes_nothing(page: Page) -> None:
    page.text("regex", "a{0,3}")
    page.verdict("compiled")
    page.expect(page("#least")).to_have_text("An answer may be empty.")
    page.text("json_schema", json.dumps({"type": "nope"}))
    page.verdict("✗")
    page.expect(page("#least")).to_have_text("")
