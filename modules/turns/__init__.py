"""Turns: what was said in a conversation, in order, on pages of a question and its answers."""
