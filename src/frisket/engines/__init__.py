"""CompiledGrammar × an engine with a decode loop of its own → constrained generation; no engine is imported early."""

#: The modules of the engines, in the order of `frisket engines`. Each has an `ENGINE`.
NAMES = ("transformers", "llama_cpp", "mlx", "onnx", "vllm", "sglang")
