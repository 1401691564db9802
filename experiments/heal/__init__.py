"""Prompts that end inside a text of the model's own → whether the model goes on as it would have."""
