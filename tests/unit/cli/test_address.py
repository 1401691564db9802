"""`frisket serve` and `frisket play` at an address that they cannot have."""

from __future__ import annotations

import socket

import pytest

from frisket.cli import main

pytest.importorskip("uvicorn", reason="uvicorn is not installed")


@pytest.mark.parametrize("command", ["serve", "play"])
def test_a_taken_port_is_one_error_that_names_another(command: str, capfd: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(SystemExit) as ended:
            main([command, "--port", str(port)])
    said = capfd.readouterr()
    assert ended.value.code == 1 and said.out == ""
    assert said.err.splitlines() == [
        f"error: another program listens on port {port} of 127.0.0.1",
        "   at: --port",
        f" hint: choose another port, such as --port {port % 65535 + 1}; --port 0 takes any that is free",
    ]


def test_a_host_of_another_machine_is_told(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["serve", "--host", "192.0.2.1"])  # an address for documents (RFC 5737), which no machine has
    assert "at: --host\n hint: 127.0.0.1" in capfd.readouterr().err
