"""Package of an engine → the versions that the tests ran with; code, `.ci/run` and the pages read this one list."""

from __future__ import annotations

#: The newest version on the registry and the one before it; each stands for all versions that begin with it.
TESTED: dict[str, tuple[str, ...]] = {
    "transformers": ("5.23", "5.24"),
    "llama-cpp-python": ("0.3.36",),
    "mlx-lm": ("0.32.1", "0.32.2"),
    "onnxruntime-genai": ("0.17", "0.18"),
    "vllm": ("0.32", "0.33"),
    "sglang": ("0.5.22", "0.5.23"),
}
