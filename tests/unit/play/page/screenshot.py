"""`python -m tests.unit.play.page.screenshot FOLDER` → the page at 360, 1024 and 1920 pixels, to be looked at."""

from __future__ import annotations

import sys
from pathlib import Path

from tests.unit.play.page.browser import launched, opened, serving

SIZES = {360: 1400, 1024: 768, 1920: 1080}


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with serving() as server, launched() as browser:
        for width, height in SIZES.items():
            for scheme in ("light", "dark") if width == 1920 else ("light",):
                sizes = {"width": width, "height": height}
                with opened(browser, server.url, viewport=sizes, color_scheme=scheme) as page:
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
                    if width == 360:
                        page.tab.evaluate("() => document.getElementById('answer').scrollIntoView()")
                    else:
                        page.tab.evaluate("() => { document.getElementById('step').scrollTop = 0; }")
                    page.tab.mouse.move(0, 0)
                    page.tab.wait_for_timeout(300)
                    name = f"play-{width}{'-dark' if scheme == 'dark' else ''}.png"
                    page.tab.screenshot(path=folder / name)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
