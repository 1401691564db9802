"""Sampled answers, masked or repaired → how often they fail, and what mending costs."""
