"""Text in a notation → Grammar; one module per notation."""
