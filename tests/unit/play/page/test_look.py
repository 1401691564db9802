"""What a person sees who opens the page: an answer, whole labels, colours, meanings; on a phone the button first."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.play.page.browser import Page, Server, opened

SIZES = pytest.mark.parametrize("width", [360, 1280])

#: Labels and chosen options that do not fit → their texts.
CUT = """() => {
  const pen = document.createElement("canvas").getContext("2d");
  const cut = [];
  for (const field of document.querySelectorAll(".field")) {
    if (!field.checkVisibility()) continue;
    for (const part of field.querySelectorAll(":scope > span:not(.slider), small")) {
      const isBlock = getComputedStyle(part).display !== "inline";
      if (isBlock && part.scrollWidth > part.clientWidth + 1) cut.push(part.textContent);
      if (part.getBoundingClientRect().right > field.getBoundingClientRect().right + 1) cut.push(part.textContent);
    }
    const select = field.querySelector("select");
    if (!select) continue;
    const style = getComputedStyle(select);
    pen.font = `${style.fontSize} ${style.fontFamily}`;
    const room = select.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight) - 20;
    // Of the two in the header, a menu shows what the closed field cannot.
    const options = ["example", "export"].includes(select.id) ? [] : [...select.options];
    for (const option of options) if (pen.measureText(option.text).width > room) cut.push(option.text);
  }
  return cut;
}"""
#: Rows of the controls of decoding → the heights at which their labels and their inputs begin.
ROWS = """() => {
  const rows = {};
  for (const field of document.querySelectorAll("#decoding .field")) {
    if (!field.checkVisibility()) continue;
    const top = Math.round(field.getBoundingClientRect().top);
    const inner = [...field.children].slice(0, 2).map((child) => Math.round(child.getBoundingClientRect().top) - top);
    (rows[top] ??= []).push(inner.join(" "));
  }
  return Object.values(rows);
}"""


def test_an_answer_stands_there_at_once(browser: Any, server: Server) -> None:
    with opened(browser, server.url, unfolds=False) as page:
        page.progress("^done")
        assert page("#example option:checked").inner_text() == "Ticket triage"
        assert len(page.boxes()) > 10 and page("#inspector .facts").is_visible()
        # The controls of decoding are folded, and their line says what they are set to.
        assert not page("#temperature").is_visible()
        page.expect(page("#decoding-said")).to_have_text("embedded, the likeliest token, 256 tokens at most")
        page.tab.click("#decoding > summary")
        page.tab.fill("#temperature", "0.5")
        page.expect(page("#decoding-said")).to_contain_text("temperature 0.5, seed 0")


def test_the_name_of_the_example_stays_until_the_text_is_ones_own(page: Page) -> None:
    page.example("GBNF: sums")
    page.progress("^done")
    assert page("#example option:checked").inner_text() == "GBNF: sums"
    page.tab.fill("#text", 'root ::= "a"')
    assert page.tab.input_value("#example") == ""


@SIZES
def test_labels_are_whole_and_on_one_line(browser: Any, server: Server, width: int) -> None:
    with opened(browser, server.url, viewport={"width": width, "height": 900}) as page:
        for name in ("", "particles", "best"):
            page.tab.select_option("#strategy", name)
            assert page.tab.evaluate(CUT) == []
            rows = page.tab.evaluate(ROWS)
            assert rows and all(len(set(row)) == 1 for row in rows), rows
        assert page.tab.evaluate("() => document.documentElement.scrollWidth <= innerWidth")


#: How wide the band of too small budgets is, where it ends, and where the note below begins.
BAND = """() => {
  const band = document.getElementById("budget-least").getBoundingClientRect();
  const note = document.querySelector(".slider:has(#budget) + small").getBoundingClientRect();
  return [band.width, band.bottom, note.top];
}"""


@SIZES
def test_the_band_of_budgets_that_are_too_small_leaves_its_note_free(browser: Any, server: Server, width: int) -> None:
    with opened(browser, server.url, viewport={"width": width, "height": 900}) as page:
        page.example("A category that is missing")
        page.verdict("compiled")
        page.run()
        width_of_band, end_of_band, note = page.tab.evaluate(BAND)
        assert width_of_band > 0 and end_of_band <= note


def test_no_sign_stands_alone_at_the_end_of_a_line(page: Page) -> None:
    page.run()
    assert not page("#masked ~ .figures").inner_text().count("(")


@SIZES
def test_on_a_phone_the_button_comes_first(browser: Any, server: Server, width: int) -> None:
    with opened(browser, server.url, viewport={"width": width, "height": 700}, unfolds=False) as page:
        run, text = page("#run").bounding_box(), page("#text").bounding_box()
        assert (run["y"] + run["height"] < text["y"]) == (width == 360)
        # The keyboard goes the way that the eye goes.
        first = "() => document.querySelector('main section').id"
        assert page.tab.evaluate(first) == ("answer" if width == 360 else "source")
        if width == 360:
            page.expect(page("#run")).to_be_in_viewport()


def test_json_is_coloured(page: Page) -> None:
    page.text("json_schema", '{"enum": ["a\\"b", -1.5, true]}')
    page.expect(page(".ink .json-key")).to_have_text(['"enum"'])
    page.expect(page(".ink .json-text")).to_have_text(['"a\\"b"'])
    page.expect(page(".ink .json-number, .ink .json-word")).to_have_text(["-1.5", "true"])
    assert page(".ink").text_content() == page.tab.input_value("#text")
    page.run()
    assert page("#masked ~ details .json-text").count() + page("#masked ~ details .json-number").count() + page(
        "#masked ~ details .json-word"
    ).count() == 1  # fmt: skip
    # A pattern is no JSON, and a very long line is left as it is.
    page.text("regex", "a|b")
    page.expect(page(".ink .row-of-code")).to_have_count(0)
    page.text("json_schema", '{"enum": ["' + "x" * 6000 + '"]}')
    page.expect(page("#text.inked")).to_have_count(0)


def test_words_are_explained_where_they_stand(page: Page) -> None:
    page.progress("^done")
    word = page("#masked ~ .figures").get_by_role("button", name="nats of pressure")
    assert page(".meaning").count() == 0
    word.click()
    page.expect(page(".figures .meaning").first).to_contain_text("How hard the masks pushed")
    word.press("Enter")
    page.expect(page(".meaning")).to_have_count(0)
    assert page("#inspector .facts dt .term").count() == page("#inspector .facts dt").count()
