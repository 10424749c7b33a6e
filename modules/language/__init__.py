"""The optional language model: its port, and how texts are passed to it."""
