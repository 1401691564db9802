"""Reports, answers and explanations → small HTML for notebooks: escaped, without scripts, with a style of its own."""

from __future__ import annotations

from html.parser import HTMLParser
from itertools import accumulate
from typing import Any

import pytest

from frisket import Grammar, Vocabulary, models, stream

SCHEMA = {
    "properties": {"<b>": {"enum": ["<script>alert(1)</script>"]}},
    "required": ["<b>"],
    "additionalProperties": False,
}
BYTES = Vocabulary.from_bytes([bytes([byte]) for byte in range(256)] + [None], special={"<end>": 256}, eos=[256])


class Tags(HTMLParser):
    """The names of the tags, and the text outside of styles."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.names: list[str] = []
        self.text = ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.append(tag)
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" not in self.open:
            self.text += data


def answer() -> Any:
    answer = stream(models.embedded(), "Write:", Grammar.from_json_schema(SCHEMA))
    next(answer)
    return answer


def shown() -> dict[str, tuple[Any, str]]:
    """(what a notebook shows, a text that must be in it) of each class."""
    grammar = Grammar.from_json_schema({**SCHEMA, "maxlength<i>": 1})
    explanation = grammar.compile(BYTES).matcher().explain('{"<i>')
    letters = Vocabulary.from_bytes([b"<b>", None], eos=[1])
    matcher = Grammar.from_choices(["<b>"]).compile(letters).matcher()
    generation = answer().generation()
    return {
        "Report": (grammar.report, "/properties/<b>"),
        "Matcher": (matcher, "1 of 2 tokens may come next after 0 steps; the text cannot end here"),
        "Explanation": (explanation, "'{\"<i>' may not come next"),
        "Stream": (answer(), "1 steps so far"),
        "Generation": (generation, "<script>alert(1)</script>"),
        "PressureReport": (generation.report, "Finish reason: "),
    }


@pytest.mark.parametrize("name", ["Report", "Matcher", "Explanation", "Stream", "Generation", "PressureReport"])
def test_html_is_escaped_and_keeps_to_itself(name: str) -> None:
    value, text = shown()[name]
    html = value._repr_html_()
    tags = Tags(html)
    assert tags.open == []
    assert not {"script", "b", "i"} & set(tags.names)
    assert text in tags.text
    style = html[html.index("<style>") + len("<style>") : html.index("</style>")]
    # One block, so that no rule reaches what is outside of it.
    depths = list(accumulate((letter == "{") - (letter == "}") for letter in style))
    assert style.startswith(".frisket {")
    assert depths.index(0, style.index("{")) == len(style) - 1
