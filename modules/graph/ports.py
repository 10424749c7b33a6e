"""What the graph counts texts by."""

from collections.abc import Callable

CountTokens = Callable[[str], int]
"""Estimate a text's tokens, on the high side."""
