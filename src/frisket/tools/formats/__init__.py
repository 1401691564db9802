"""Wire formats of model families, one module each."""
