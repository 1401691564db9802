"""Recorded traces of the site: each is embedded by one page, runs nothing, and is what the command would record."""

from __future__ import annotations

import importlib.util
import re
from html import unescape
from types import ModuleType

import pytest

from .document import ROOT

DOCS = ROOT / "docs"


@pytest.fixture(scope="module")
def traces() -> ModuleType:
    pytest.importorskip("starlette", reason="the recorder needs the extra `server`")
    spec = importlib.util.spec_from_file_location("traces", DOCS / "extension" / "traces.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_each_trace_is_embedded_once(traces: ModuleType) -> None:
    pages = [path.read_text(encoding="utf-8") for path in DOCS.rglob("*.md")]
    shown = sorted(name for page in pages for name in re.findall(r'<iframe src="[./]+traces/([^"]+)[.]html"', page))
    assert shown == sorted(traces.TRACES) == sorted(path.stem for path in (DOCS / "traces").glob("*.html"))
    assert all(frame.endswith("sandbox>") for page in pages for frame in re.findall("<iframe[^>]*>", page))


def test_no_trace_runs_anything(traces: ModuleType) -> None:
    for name in traces.TRACES:
        page = (DOCS / "traces" / f"{name}.html").read_text(encoding="utf-8")
        assert "<script" not in page and "default-src 'none'" in page and "Token by token" in page


@pytest.mark.parametrize("name", ["mask", "pressure", "order", "utf8", "budget"])
def test_a_trace_is_what_the_command_records(traces: ModuleType, name: str) -> None:
    """The text of the answer, that is: probabilities differ in their last digits from one machine to another."""
    page = (DOCS / "traces" / f"{name}.html").read_text(encoding="utf-8")
    written = re.search("<pre>(.*?)</pre>", page, re.DOTALL)
    assert written is not None
    text = unescape(re.sub("<[^>]*>", "", written[1])).replace("⟨end⟩", "")
    assert text == traces.TRACES[name]().text
