"""Schemas as prompt text → what it costs, whether anything is lost, and what it does to answers."""
