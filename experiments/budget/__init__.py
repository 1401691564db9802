"""Answers within too few tokens → how many of their fields are right, by how they end."""
