"""CompiledGrammar × an engine that owns the decode loop → constrained generation; no engine is imported early."""

#: The engines' modules here, in the order in which they are shown. Each has an `ENGINE`, a row of `frisket engines`.
NAMES = ("transformers", "llama_cpp", "mlx", "onnx", "vllm", "sglang")
