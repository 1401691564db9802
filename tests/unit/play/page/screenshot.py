"""`python -m tests.unit.play.page.screenshot FOLDER` → the page at 360, 1024 and 1920 pixels, to be looked at."""

from __future__ import annotations

import argparse
from pathlib import Path

from tests.unit.play.page.browser import Page, launched, opened, serving
from tests.unit.play.page.test_safety import LIST

SIZES = {360: 1400, 1024: 768, 1920: 1080}

#: Scroll to the beginning of a column.
SHOW = "(id) => { const it = document.getElementById(id); it.scrollTop = 0; it.scrollIntoView(); }"


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with serving() as server, launched() as browser:
        for width, height in SIZES.items():
            for scheme in ("light", "dark") if width == 1920 else ("light",):
                sizes = {"width": width, "height": height}
                with opened(browser, server.url, viewport=sizes, color_scheme=scheme) as page:
                    for scene in (missing, budget, tree):
                        scene(page, width)
                        anchor = "answer" if width == 360 else "step"
                        page.tab.evaluate(SHOW, anchor)
                        page.tab.mouse.move(0, 0)
                        page.tab.wait_for_timeout(300)
                        name = "play" if scene is missing else f"play-{scene.__name__}"
                        page.tab.screenshot(path=folder / f"{name}-{width}{'-dark' if scheme == 'dark' else ''}.png")


def missing(page: Page, width: int) -> None:
    """A category that is missing, and why the model's favourite may not come."""
    page.example("A category that is missing")
    page.verdict("compiled")
    if width > 1024:
        page.tab.check("#compare")
    page.run()
    page("#masked .overruled").click()
    page.expect(page("#tokens .entry").first).to_contain_text("account")
    page.tab.fill("#why", "billing")
    page.tab.press("#why", "Enter")
    page.expect(page(".because")).to_contain_text("forbidden")


def budget(page: Page, width: int) -> None:
    """A list that is closed in time."""
    page.tab.uncheck("#compare")
    page.text("json_schema", LIST)
    page.verdict("compiled")
    page.tab.fill("#temperature", "1")
    page.tab.fill("#most", "12")
    page.run()
    page("#masked .bound").first.click()
    page.expect(page(".bound-said")).to_be_visible()


def tree(page: Page, width: int) -> None:
    """What four beams held."""
    page.example("A category that is missing")
    page.verdict("compiled")
    page.tab.fill("#temperature", "0")
    page.tab.fill("#most", "256")
    page.tab.select_option("#strategy", "beams")
    page.run()
    page.expect(page("#tree")).to_be_visible()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    main(parser.parse_args().folder)
