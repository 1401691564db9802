"""Programs of C that are linked with a built library."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).parent
#: The folder of the built library.
LIBRARY = Path(os.environ["FRISKET_LIBRARY"]).resolve() if "FRISKET_LIBRARY" in os.environ else None

REQUIREMENTS = [
    pytest.mark.skipif(LIBRARY is None, reason="set FRISKET_LIBRARY to the folder of libfrisket"),
    pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler"),
]


def linked(source: Path, program: Path, library: str, include: Path, folder: Path, *flags: str) -> Path:
    """A program of C, linked with a library of a folder."""
    folder = folder.resolve()
    link = [f"-L{folder}", f"-l{library}", f"-Wl,-rpath,{folder}", "-lpthread"]
    headers = [f"-I{include}", f"-I{HERE}"]
    command = ["cc", "-std=c11", "-Wall", "-Wextra", "-Werror", "-O1", *flags, *headers, str(source), *link]
    subprocess.run([*command, "-o", str(program)], check=True)
    return program
