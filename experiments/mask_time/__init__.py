"""Llama 3's vocabulary on one processor → what a mask adds to a token's time, by engine."""
