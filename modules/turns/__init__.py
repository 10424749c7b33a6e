"""Turns: the messages of a conversation, in order, on pages of a question and its answers."""
