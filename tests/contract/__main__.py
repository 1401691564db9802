"""Package × version → a folder with the Python files of its wheel, whose path is printed; for `tests/contract`.

    python -m tests.contract vllm 0.33

The newest wheel of that version is downloaded once, and none of its dependencies: the folder lies in FRISKET_CACHE_DIR,
or where caches lie. Without arguments, the packages and versions are listed that `.ci/run` tests so: `vllm:0.33`.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from frisket.engines.versions import TESTED

#: What is imported or read; compiled files make up nine tenths of such a wheel.
KEPT = (".py", ".json", ".txt", "/METADATA")


def tree(package: str, version: str) -> Path:
    """The folder; CalledProcessError where no registry has the wheel."""
    home = Path(os.environ.get("FRISKET_CACHE_DIR") or Path.home() / ".cache" / "frisket")
    target = home / "wheels" / f"{package}-{version}"
    if not target.is_dir():
        with tempfile.TemporaryDirectory() as folder:
            command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:"]
            subprocess.run([*command, "--dest", folder, f"{package}=={version}.*"], check=True, stdout=sys.stderr)
            (wheel,) = Path(folder).glob("*.whl")
            unpacked = Path(folder, "unpacked")
            with zipfile.ZipFile(wheel) as archive:
                archive.extractall(unpacked, [name for name in archive.namelist() if name.endswith(KEPT)])
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.move(unpacked, target)
    return target


if __name__ == "__main__":
    if sys.argv[1:]:
        print(tree(*sys.argv[1:]))
    else:
        print(*(f"{package}:{version}" for package in ("vllm", "sglang") for version in TESTED[package]), sep="\n")
