"""Documents that are valid → whether a guard against loops would have refused one of their tokens."""
