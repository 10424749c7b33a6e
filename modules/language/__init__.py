"""The optional language model: what is asked of one, and how texts are handed to it."""
