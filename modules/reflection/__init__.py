"""Reflection: what an agent did, how it went, and what repeats."""
