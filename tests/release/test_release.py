"""The scripts that a release's workflow calls, and what the workflow names: notes, wheels, the server's image."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tools.notes import MOST, NotReady, notes

ROOT = Path(__file__).parents[2]
CARGO = '[workspace.package]\nversion = "0.1.0"\n'
LOG = "## [Unreleased]\n\nnew\n\n## [0.1.0] - 2026-12-01\n\n* one\n\n* two\n\n## [0.0.1] - 2026-01-01\n\nold\n"


def test_notes_are_the_section_of_the_tag() -> None:
    assert notes("v0.1.0", CARGO, LOG) == "* one\n\n* two"
    assert notes("v0.0.1", CARGO.replace("0.1.0", "0.0.1"), LOG) == "old"


@pytest.mark.parametrize(
    ("tag", "log", "said"),
    [
        ("v0.2.0", LOG, "Cargo.toml has version 0.1.0"),
        ("0.1.0", LOG, "the tag is 0.1.0"),
        ("v0.1.0", "## [Unreleased]\n\nnew\n", "no section"),
        ("v0.1.0", "## [0.1.0] - soon\n\nnew\n", "no section"),
        ("v0.1.0", "## [0.1.0] - 2026-12-01\n\n## [0.0.1] - 2026-01-01\n\nold\n", "0 lines"),
        ("v0.1.0", "## [0.1.0] - 2026-12-01\n" + "* more\n" * (MOST + 1), f"{MOST + 1} lines"),
    ],
)
def test_a_tag_that_is_no_release(tag: str, log: str, said: str) -> None:
    with pytest.raises(NotReady, match=re.escape(said)):
        notes(tag, CARGO, log)


def test_what_the_workflow_calls_is_there() -> None:
    text = (ROOT / ".github" / "workflows" / "wheels.yml").read_text(encoding="utf-8")
    called = set(re.findall(r"(?:tools|docker|npm)/\w+\.\w+", text))
    assert {"tools/notes.py", "tools/try_wheel.sh", "tools/library.sh", "npm/build.sh", "docker/ask.py"} <= called
    for name in called:
        assert (ROOT / name).is_file(), name
        assert name.endswith(".py") or os.access(ROOT / name, os.X_OK), name
    assert "docker/build.sh" in (ROOT / "Dockerfile").read_text(encoding="utf-8")


def test_the_image_answers(tmp_path: Path) -> None:
    """The folder that `docker/build.sh` made (FRISKET_IMAGE), started as the image starts it."""
    folder = os.environ.get("FRISKET_IMAGE")
    if folder is None:
        pytest.skip("FRISKET_IMAGE names no folder of docker/build.sh")
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    entry = re.search(r'^ENTRYPOINT \["python", "-c", "([^"]+)", "serve"', text, re.MULTILINE)
    assert entry is not None
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    environment = {"PYTHONPATH": folder, "PATH": os.environ["PATH"], "XDG_CACHE_HOME": str(tmp_path)}
    # -S: no packages but those of the folder.
    command = [sys.executable, "-S", "-c", entry[1], "serve", "--port", str(port)]
    server = subprocess.Popen(command, env=environment, cwd=tmp_path)
    try:
        asked = [sys.executable, str(ROOT / "docker" / "ask.py"), f"http://127.0.0.1:{port}"]
        with subprocess.Popen(asked, stdout=subprocess.PIPE, text=True) as asking:
            while asking.poll() is None:
                time.sleep(0.05)
                if server.poll() is not None:
                    asking.kill()
                    pytest.fail("the server ended")
            assert asking.stdout is not None and asking.stdout.read().strip() in ("billing", "technical", "other")
            assert asking.returncode == 0
    finally:
        server.kill()
        server.wait()
