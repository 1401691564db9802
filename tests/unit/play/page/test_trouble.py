"""Slow models, servers that go away, what is too large, and a thousand tokens."""

from __future__ import annotations

import re
from typing import Any

from tests.unit.play.page.browser import Page, opened, serving
from tests.unit.server.running import Waiting


def test_a_slow_model_can_be_watched_and_stopped(browser: Any) -> None:
    model = Waiting()
    with serving({"waiting": lambda: model}) as server, opened(browser, server.url) as page:
        page.text("regex", "[ab]{1,50}")
        page.verdict("compiled")
        page.tab.click("#run")
        page.progress("waiting for the model")
        page.expect(page("#stop")).to_be_enabled()
        page.progress(r"waiting for the model … [1-9]\d* s")
        # The page does not wait with it.
        page.tab.fill("#text", "(")
        page.verdict("never closed")
        page.tab.click("#stop")
        page.progress("stopped")
        model.gate.set()
        page.tab.fill("#text", "[ab]{1,50}")
        page.verdict("compiled")
        page.run()
        assert len(page.boxes()) == 50


def test_a_server_goes_away_and_comes_back(browser: Any) -> None:
    with serving() as server, opened(browser, server.url) as page:
        page.example("A category that is missing")
        page.run()
        whole = page.boxes()
        server.stop()
        page.tab.click("#one")
        page.expect(page("#banner")).to_contain_text("does not answer")
        assert page.boxes() == whole
        server.start()
        page.expect(page("#banner")).to_be_hidden()
        page.progress("back")
        # The new server knows nothing of the answer: it is made again, and one can go back in it.
        page("#masked .box").nth(5).click()
        page.expect(page("#step-title")).to_have_text("Step 6")
        page.tab.click("#back")
        page.expect(page("#masked .box:not(.next)")).to_have_count(5)
        page.tab.click("#go")
        page.progress("^done")
        assert page.boxes() == whole


def test_a_step_is_looked_at_while_the_answer_is_made_again(browser: Any) -> None:
    """Who asks meanwhile waits for all of its steps, and is not told that there are none."""
    model = Waiting()
    model.gate.set()
    with serving({"waiting": lambda: model}) as server, opened(browser, server.url) as page:
        page.text("regex", "[ab]{20}")
        page.verdict("compiled")
        page.run()
        server.stop()
        server.start()
        model.gate.clear()
        page("#masked .box").nth(5).click()
        page.tab.wait_for_timeout(300)
        page("#masked .box").nth(6).click()
        page.tab.wait_for_timeout(300)
        model.gate.set()
        page.expect(page("#step-title")).to_have_text("Step 7")
        page.expect(page("#inspector .bad")).to_have_count(0)


def test_five_megabytes_are_refused_with_words(browser: Any) -> None:
    with serving() as server, opened(browser, server.url) as page:
        page.tab.evaluate(
            """() => { const area = document.getElementById("text");
            area.value = '{"enum": ["' + "x".repeat(5_000_000) + '"]}'; area.dispatchEvent(new Event("input")); }"""
        )
        page.verdict("more than 1,000,000 bytes")
        page.tab.click("#run")
        page.progress("✗ the (body|text) has more than")
        page.tab.fill("#text", '{"type": "boolean"}')
        page.verdict("compiled")
        page.run()


def test_a_thousand_tokens(browser: Any) -> None:
    model = Waiting()
    model.gate.set()
    with serving({"letters": lambda: model}) as server, opened(browser, server.url) as page:
        page.text("regex", "[ab]{1200}")
        page.verdict("compiled")
        page.tab.fill("#most", "2000")
        page.run()
        page.expect(page("#masked .box:not(.next)")).to_have_count(1200)
        page("#masked").focus()
        page.tab.keyboard.press("End")
        page.expect(page("#step-title")).to_have_text("Step 1200")
        page.expect(page("#masked .box").last).to_be_in_viewport()
        page.tab.click("#inspector button.choose >> nth=1")
        page.progress("^done")
        page.expect(page("#masked .box").last).to_have_text("b")
        page("#masked").focus()
        page.tab.keyboard.press("Home")
        page.expect(page("#masked .box").first).to_be_in_viewport()


def test_a_large_schema(browser: Any) -> None:
    """100 kB: the numbers of lines are drawn as far as they are seen."""
    names = ",\n".join(f'"property_{n}": {{"type": "string", "description": "{"x" * 40}"}}' for n in range(1200))
    with serving() as server, opened(browser, server.url) as page:
        text = '{"type": "object", "properties": {\n' + names + "}}"
        assert len(text) > 100_000
        page.text("json_schema", text)
        page.verdict("compiled")
        page.expect(page("#coverage summary")).to_contain_text("enforced")
        assert page(".number").count() < 60
        page.tab.evaluate("() => { document.getElementById('text').scrollTop = 1e9; }")
        page.expect(page(".number").last).to_have_text(re.compile("120[01]"))
        page.tab.fill("#text", text.replace('"property_1100": {"type": "string"', '"property_1100": {"type": "nope"'))
        page.verdict("type must be among")
        page("#problems button").click()
        page.expect(page(".number.error")).to_have_text("1102")


def test_half_characters_and_unknown_models(browser: Any) -> None:
    with serving() as server:

        def check(page: Page) -> None:
            page.text("regex", "é€😀")
            page.verdict("compiled")
            page.run()
            assert page.written() == "é€😀"
            assert page("#masked .bytes").count() >= 2

        with opened(browser, server.url) as page:
            check(page)
