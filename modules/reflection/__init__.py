"""Reflection: the log of an agent's actions and their outcomes, and the patterns in it."""
