"""Nothing that was typed or written becomes markup; no violation of accessibility; nothing leaves the machine."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest

import frisket
from tests.unit.play.page.browser import Page, Server, opened, serving

HOSTILE = (
    '<img src=x onerror="document.title=1"><script>document.title=2</script>&lt;b&gt;\u202e"><svg onload=alert(1)>'
)


class Scribe:
    """A model of single bytes that writes markup, whatever it is asked."""

    def __init__(self, text: bytes) -> None:
        self._text = text
        self.eos = [256]
        self.context = 100_000
        self.vocabulary = frisket.Vocabulary.from_bytes([*(bytes([byte]) for byte in range(256)), None], eos=[256])

    def encode(self, text: str) -> list[int]:
        return [32]

    def decode(self, ids: Sequence[int]) -> str:
        return ""

    def prompt(self, text: str, keys: Sequence[str] | None = None) -> str:
        return text

    def start(self, prompt_ids: Sequence[int]) -> Any:
        import numpy as np

        scribe = self

        class Session:
            at = len(prompt_ids) - 1

            def logits(self) -> Any:
                logits = np.zeros(257, dtype=np.float32)
                logits[scribe._text[self.at] if self.at < len(scribe._text) else 256] = 20
                return logits

            def push(self, token: int) -> None:
                self.at += 1

            def fork(self) -> Any:
                found = Session()
                found.at = self.at
                return found

        return Session()


LIST = (
    '{"type": "object", "properties": {"tags": {"type": "array", "items": {"type": "string"}}}, "required": ["tags"],'
    ' "additionalProperties": false}'
)


def is_clean(page: Page) -> None:
    assert page.tab.title() == "frisket play"
    assert page("img, svg, body script, b, iframe").count() == 0


def test_hostile_output_is_text(browser: Any) -> None:
    with serving({"<b>scribe": lambda: Scribe(HOSTILE.encode())}) as server, opened(browser, server.url) as page:
        page.text("regex", r"[\s\S]*")
        page.tab.fill("#prompt", HOSTILE)
        page.tab.check("#compare")
        page.run()
        assert page.written() == HOSTILE
        page("#masked .box").nth(3).click()
        page.expect(page("#tokens .entry").first).to_be_visible()
        page.tab.fill("#why", HOSTILE)
        page.tab.press("#why", "Enter")
        page.expect(page(".because")).to_contain_text("may come next")
        is_clean(page)
        with page.tab.expect_download() as waiting:
            page.tab.select_option("#export", "html")
        exported = waiting.value.path().read_text(encoding="utf-8")
        assert "<script" not in exported and "<img" not in exported


def test_a_hostile_schema_is_text(page: Page) -> None:
    page.tab.fill("#most", "1")
    for schema in (
        {
            "properties": {HOSTILE: {"enum": [HOSTILE], "pattern": HOSTILE}},
            "required": [HOSTILE],
            "additionalProperties": False,
            HOSTILE: 1,
        },
        {"type": HOSTILE},
        {"$ref": f"#/{HOSTILE}"},
    ):
        page.text("json_schema", json.dumps(schema))
        page.verdict("compiled.*advice|✗")
        page.tab.click("#run")
        page.progress("^(done|✗)")
        is_clean(page)
    page.text("gbnf", f"root ::= {HOSTILE}")
    page.verdict("✗")
    is_clean(page)


def test_a_hostile_link_is_text(page: Page, browser: Any, server: Server) -> None:
    script = """async (state) => { const { write } = await import("/page/fragment.js"); return write(state); }"""
    for state in (
        {"notation": HOSTILE, "text": HOSTILE, "prompt": HOSTILE, "model": HOSTILE, "tokens": [HOSTILE], "hand": 3},
        {"text": 3, "options": [HOSTILE], "temperature": HOSTILE, "tokens": {"length": 3}},
        [HOSTILE],
    ):
        fragment = page.tab.evaluate(script, state)
        with opened(browser, f"{server.url}#{fragment}") as other:
            is_clean(other)


def test_markup_by_a_script_is_refused_by_the_browser(page: Page) -> None:
    script = """() => {
        try { document.body.innerHTML = "<b>x</b>"; return "written"; } catch (error) { return error.name; }
    }"""
    assert page.tab.evaluate(script) == "TypeError"
    page.complaints = [said for said in page.complaints if "Trusted" not in said]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1024, 1920])
def test_axe_finds_no_violation(browser: Any, server: Server, scheme: str, width: int) -> None:
    module = "axe_playwright_python.sync_playwright"
    axe = pytest.importorskip(module, reason="axe-playwright-python is not installed").Axe()
    # The page itself runs no foreign script: its policy is put aside for the examiner alone.
    sizes = {"width": width, "height": 900}
    with opened(browser, server.url, viewport=sizes, color_scheme=scheme, bypass_csp=True) as page:
        page.verdict("compiled")

        def examine() -> None:
            found = axe.run(page.tab).response["violations"]
            assert not [(one["id"], [node["html"][:120] for node in one["nodes"]][:3]) for one in found]

        examine()
        page.example("A category that is missing")
        page.tab.check("#compare")
        page.run()
        page("#masked .overruled").click()
        page.expect(page("#tokens .entry").first).to_be_visible()
        page.tab.click("#coverage summary")
        page.tab.click("#options summary")
        examine()
        page.text("json_schema", '{"properties": {"answer": {"type": "string"}, "reasoning": {"typ": "nope"}}}')
        page.verdict("advice")
        examine()
        page.text("json_schema", '{"type": "nope"}')
        page.verdict("✗")
        examine()
        page.text("json_schema", LIST)
        page.verdict("compiled")
        page.tab.fill("#most", "20")
        page.run()
        page("#masked .bound").first.click()
        page.expect(page(".bound-said")).to_be_visible()
        page.tab.fill("#most", "3")
        page.expect(page("#least button")).to_be_visible()
        examine()
        page.tab.fill("#most", "60")
        page.text("choices", "account\naccounting\nbug\nbill")
        page.verdict("compiled")
        page.tab.select_option("#strategy", "particles")
        page.run()
        page.expect(page("#tree")).to_be_visible()
        examine()
        page.tab.click("#keys")
        examine()


def test_nothing_is_wider_than_a_small_screen(browser: Any, server: Server) -> None:
    with opened(browser, server.url, viewport={"width": 320, "height": 600}) as page:
        page.example("A category that is missing")
        page.run()
        page("#masked .overruled").click()
        page.expect(page("#tokens .entry").first).to_be_visible()
        assert page.tab.evaluate("() => document.documentElement.scrollWidth") <= 320
        page.tab.select_option("#strategy", "beams")
        page.run()
        page.expect(page("#tree")).to_be_visible()
        assert page.tab.evaluate("() => document.documentElement.scrollWidth") <= 320
