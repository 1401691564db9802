"""Extra of frisket → the command that installs it."""

from __future__ import annotations

import importlib.metadata

DISTRIBUTION = "frisket-llm"


def install_command(extra: str, package: str) -> str:
    """The `pip install` of an extra, or of `package` where no distribution of frisket with this extra is installed.

    pip adds an extra to the frisket that is there, whether it came from a registry, a wheel or a checkout.
    """
    try:
        offered = importlib.metadata.metadata(DISTRIBUTION).get_all("Provides-Extra", [])
    except importlib.metadata.PackageNotFoundError:
        offered = []
    return f'pip install "{DISTRIBUTION}[{extra}]"' if extra in offered else f"pip install {package}"
