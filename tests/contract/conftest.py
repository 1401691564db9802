"""The classes of engines that are not installed: from the Python files of their wheels (`python -m tests.contract`)."""

from __future__ import annotations

import os
import sys

# Last, so that what is installed comes first.
for folder in os.environ.get("FRISKET_ENGINE_TREE", "").split(os.pathsep):
    if folder and folder not in sys.path:
        sys.path.append(folder)
