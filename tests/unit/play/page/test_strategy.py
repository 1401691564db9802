"""Strategies: chosen, watched, and what they held as a tree that one walks in."""

from __future__ import annotations

import re
from typing import Any

import frisket
from frisket.strategies.spelling import read_strategy
from tests.unit.play.page.browser import Page, Server, opened, serving
from tests.unit.play.page.test_safety import HOSTILE, Scribe, is_clean
from tests.unit.server.running import Waiting

WORDS = ["account", "accounting", "bug", "bill"]


def begin(page: Page, strategy: str, number: int | None = None, inner: str = "") -> None:
    page.text("choices", "\n".join(WORDS))
    page.verdict("compiled")
    page.tab.select_option("#strategy", strategy)
    if number is not None:
        page.tab.fill("#strategy-number", str(number))
    if inner:
        page.tab.select_option("#strategy-inner", inner)


def wanted(page: Page, spelling: str) -> str:
    return frisket.generate(
        frisket.models.embedded(), page.tab.input_value("#prompt"), WORDS, strategy=read_strategy(spelling), seed=0
    )


def test_a_strategy_finds_and_shows_its_tree(page: Page) -> None:
    begin(page, "particles", 16)
    page.expect(page("#strategy-finds")).to_contain_text("weighted answers")
    page.expect(page("#one")).to_be_disabled()
    page.expect(page("#on-budget")).to_be_disabled()
    page.run()
    assert page.written() == wanted(page, "particles:16")
    page.expect(page("#tree-said")).to_contain_text(re.compile(r"calls? of the model\..*16 × answer"))
    tree = page("#tree-list")
    page.expect(tree).to_have_attribute("role", "tree")
    page.expect(tree.locator(".leaf strong")).to_have_count(1)
    page.expect(tree.locator("[role=treeitem][aria-selected=true]")).not_to_have_count(0)
    # Another path is looked at: its steps stand in the middle, and one of them on the right.
    other = tree.locator("[role=treeitem]:not([aria-expanded])").first
    path = other.get_attribute("aria-label")
    other.click(position={"x": 20, "y": 8})
    page.progress("^done")
    assert path is not None
    at = int(re.findall(r"from step (\d+)", path)[0])
    page.expect(page("#step-title")).to_have_text(f"Step {at}")
    page.expect(other).to_have_attribute("aria-selected", "true")
    page.expect(page("#inspector tr.taken")).to_have_count(1)


def test_the_tree_by_keyboard(page: Page) -> None:
    begin(page, "beams", 3)
    page.run()
    items = page("#tree-list [role=treeitem]")
    assert page("#tree-list [role=treeitem][tabindex='0']").count() == 1
    page("#tree-list [role=treeitem][tabindex='0']").focus()
    page.tab.keyboard.press("Home")
    page.expect(items.first).to_be_focused()
    page.tab.keyboard.press("ArrowDown")
    page.expect(items.nth(1)).to_be_focused()
    page.tab.keyboard.press("End")
    page.expect(items.first).not_to_be_focused()
    at = next(n for n in range(items.count()) if items.nth(n).get_attribute("aria-expanded") == "true")
    parent = items.nth(at)
    page.tab.keyboard.press("Home")
    for _ in range(at):
        page.tab.keyboard.press("ArrowDown")
    page.expect(parent).to_be_focused()
    page.tab.keyboard.press("ArrowLeft")
    page.expect(parent).to_have_attribute("aria-expanded", "false")
    page.expect(parent.locator("[role=treeitem]").first).to_be_hidden()
    page.tab.keyboard.press("ArrowRight")
    page.expect(parent).to_have_attribute("aria-expanded", "true")
    page.tab.keyboard.press("ArrowRight")
    page.expect(parent.locator("[role=treeitem]").first).to_be_focused()
    page.tab.keyboard.press("ArrowLeft")
    page.expect(parent).to_be_focused()
    page.tab.keyboard.press("Enter")
    page.progress("^done")
    page.expect(page("#step-title")).to_have_text(re.compile(r"Step \d+"))


def test_strategies_nest_and_the_link_holds_them(page: Page, browser: Any, server: Server) -> None:
    begin(page, "draft", 12, "beams")
    page.run()
    assert page.written() == wanted(page, "draft:12/beams")
    page.expect(page("#tree-list [role=treeitem]").first).to_contain_text("draft")
    page.tab.click("#share")
    page.progress("link")
    with opened(browser, page.tab.url) as other:
        other.progress("^done")
        assert other.boxes() == page.boxes()
        values = [other.tab.input_value(f"#{id}") for id in ("strategy", "strategy-number", "strategy-inner")]
        assert values == ["draft", "12", "beams"]
    page.tab.select_option("#strategy", "")
    page.expect(page("#one")).to_be_enabled()
    page.run()
    page.expect(page("#tree")).to_be_hidden()


def test_what_a_strategy_refuses_is_said(page: Page) -> None:
    begin(page, "particles", 999)
    page.tab.click("#run")
    page.progress("✗ .*at most 64")
    page.tab.fill("#strategy-number", "2")
    page.tab.fill("#most", "1")
    page.text("regex", "[a-z]{400}")
    page.tab.click("#run")
    page.progress("✗ no whole text was found within max_tokens")
    page.expect(page("#tree")).to_be_hidden()


def test_a_search_can_be_stopped(browser: Any) -> None:
    model = Waiting()
    model.gate.set()
    with serving({"waiting": lambda: model}) as server, opened(browser, server.url) as page:
        page.progress("^done")
        model.gate.clear()
        page.text("regex", "[ab]{50}")
        page.verdict("compiled")
        page.tab.select_option("#strategy", "best")
        page.tab.click("#run")
        page.progress("searching … 1 call of the model, 0 paths")
        page.tab.click("#stop")
        page.progress("stopped")
        model.gate.set()
        page.tab.select_option("#strategy", "")
        page.run()
        assert len(page.boxes()) == 50


def test_hostile_paths_are_text(browser: Any) -> None:
    with serving({"<b>scribe": lambda: Scribe(HOSTILE.encode())}) as server, opened(browser, server.url) as page:
        page.text("regex", r"[\s\S]*")
        page.tab.select_option("#strategy", "beams")
        page.run()
        assert page.written() == HOSTILE
        page.expect(page("#tree-list")).to_contain_text("<img src=x")
        is_clean(page)
        assert page("#tree-list img, #tree-list script").count() == 0
