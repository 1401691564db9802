"""CompiledGrammar × an engine that owns the decode loop → constrained generation; no engine is imported early."""
