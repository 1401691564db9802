"""What masks cost where they fight a model, and what greedy decoding misses under them."""
