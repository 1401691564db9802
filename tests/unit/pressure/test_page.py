"""The page: well-formed, self-contained, readable without colours, and without a way in for hostile text."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest

from frisket.pressure import PressureReport, StepPressure
from frisket.pressure.report import Likely

VOID = {"meta"}
HOSTILE = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "' onmouseover='alert(1)",
    "</pre></main></body></html><script>alert(1)</script>",
    "</title><script>alert(1)</script>",
    "</style><style>@import 'http://localhost/x'",
    "<!-- ",
    "&lt;script&gt;",
    "]]>",
    "\x00\x08\x1b[31m\r",
    "\u202e<b>\u2066",
    "\ud800",
]
NAMES = {
    "html", "head", "meta", "title", "style", "body", "main", "h1", "h2", "p", "pre", "span", "code", "table",
    "caption", "thead", "tbody", "tr", "th", "td", "ol", "li", "details", "summary", "meter",
}  # fmt: skip
ATTRIBUTES = {"lang", "charset", "name", "content", "http-equiv", "class", "title", "scope", "min", "max", "value"}


def step(text: str, log_feasible: float | None = -3.0, path: str = "/a", **more: object) -> StepPressure:
    given = {"token": 7, "logprob": -4.0, "allowed": 2, "overruled": True, "forced": False, "favourite": "x", **more}
    return StepPressure(text=text, path=path, schema_path=path, log_feasible=log_feasible, **given)  # type: ignore[arg-type]


class Reader(HTMLParser):
    """What a browser would make of a page: its elements, their attributes, its text."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.names: set[str] = set()
        self.attributes: list[tuple[str, str, str | None]] = []
        self.text: dict[str, str] = {}
        self.spans: list[tuple[str | None, str]] = []
        self.open: list[str] = []
        self.comments: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.add(tag)
        self.attributes += [(tag, name, value) for name, value in attrs]
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        for tag in self.open:
            self.text[tag] = self.text.get(tag, "") + data

    def handle_comment(self, data: str) -> None:
        self.comments.append(data)


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_stays_text(text: str) -> None:
    report = PressureReport(
        text,
        text,
        (step(text, path=f"/{text}", favourite=text), step("", favourite=text, likeliest=(Likely(text, 0.5, None),))),
    )
    page = report.to_html()
    read = Reader(page)
    assert not read.open and not read.comments
    assert read.names <= NAMES and {name for _, name, _ in read.attributes} <= ATTRIBUTES
    assert page.count("<style>") == 1 and "<script" not in page
    printable = re.sub(r"[\x00-\x1f\ud800]", "", text)
    shown = re.sub(r"[\u2400-\u2421?]", "", read.text["pre"])
    assert shown.startswith(re.sub(r"[?]", "", printable))
    assert not re.search(r"[\x00-\x08\x0b-\x1f]", page)
    page.encode()


def test_nothing_is_loaded() -> None:
    page = PressureReport("a", "end", (step("a"),)).to_html()
    assert not re.search(r"https?:|src=|href=|url\(|@import|<link|<script", page)
    assert "default-src 'none'" in page


def test_the_text_is_whole_and_each_stretch_says_its_figures() -> None:
    steps = (
        step("calm ", log_feasible=-0.01, overruled=False),
        step("", log_feasible=-1.0),
        step("é", log_feasible=-1.0, favourite='"'),
        step("?", log_feasible=None, overruled=False),
    )
    report = PressureReport("calm é?", "end", steps)
    read = Reader(report.to_html())
    assert read.text["pre"] == "calm é?"
    titles = [value or "" for tag, name, value in read.attributes if (tag, name) == ("span", "title")]
    classes = [value for tag, name, value in read.attributes if (tag, name) == ("span", "class")]
    # Two steps wrote the one character.
    assert len(titles) == 3 and titles[1].count("α 36.8%") == 2 and "instead of '\"'" in titles[1]
    assert "α unknown" in titles[2] and "/a" in titles[0]
    assert "h2 overruled" in classes and "unknown" in classes


def test_tables_have_heads_for_readers_who_do_not_see_colours() -> None:
    read = Reader(PressureReport("ab", "end", (step("a"), step("b", path="/other"))).to_html())
    scopes = [value for tag, name, value in read.attributes if (tag, name) == ("th", "scope")]
    assert scopes.count("row") == 4 and "col" in scopes
    assert read.text["caption"].count("paths") == 1 and ("html", "lang", "en") in read.attributes
    for said in ("/a", "/other", "5.0%", "overruled"):
        assert said in read.text["table"] + read.text["th"]


def test_light_and_dark() -> None:
    page = PressureReport("", "end", ()).to_html()
    assert "prefers-color-scheme: dark" in page and "color-scheme: light dark" in page
    assert not Reader(page).open
