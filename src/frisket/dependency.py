"""Extra of frisket → the command that installs its packages.

Hints name the packages instead of the extra, so they are right however frisket itself was installed.
"""

from __future__ import annotations

import importlib.metadata
import re
import shlex

DISTRIBUTION = "frisket-llm"

_REQUIREMENT = re.compile(r"(?P<name>[\w.-]+)(?:\[(?P<extras>[^]]*)\])?(?P<versions>[^;]*)(?:;(?P<marker>.*))?")


def install_command(extra: str, package: str) -> str:
    """The `pip install` of all packages in `extra`; only of `package` if frisket runs from a folder of sources."""
    return f"pip install {' '.join(map(shlex.quote, packages(extra))) or package}"


def packages(extra: str) -> list[str]:
    """The requirements of an extra, including those of the extras inside it.

    A version is given only for packages whose newer versions are refused; otherwise pip takes the newest by itself.
    """
    try:
        requirements = importlib.metadata.requires(DISTRIBUTION) or []
    except importlib.metadata.PackageNotFoundError:
        return []
    found: list[str] = []
    for requirement in requirements:
        parts = _REQUIREMENT.match(requirement)
        if parts is None or not re.search(rf"extra == ['\"]{re.escape(extra)}['\"]", parts["marker"] or ""):
            continue
        if parts["name"] == DISTRIBUTION:
            inner = [name for other in parts["extras"].split(",") for name in packages(other.strip())]
        else:
            newest = not re.search("<|==", parts["versions"])
            inner = [
                parts["name"]
                + (f"[{parts['extras']}]" if parts["extras"] else "")
                + ("" if newest else parts["versions"].strip())
            ]
        found += [name for name in inner if name not in found]
    return found
