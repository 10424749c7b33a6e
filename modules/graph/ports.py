"""The ports of the graph: what it needs of storage, and of other modules."""

from collections.abc import Callable, Sequence
from typing import Protocol

from ..vectors import Familiar

CountTokens = Callable[[str], int]
"""Estimate a text's tokens, on the high side."""


class NameVectors(Protocol):
    """Embeddings of names."""

    async def vectors(self, texts: Sequence[str]) -> list[bytes]:
        """Return a unit vector for each text. Raises AgentOSError without a model."""

    async def familiar(self, text: str) -> Familiar:
        """Return what brings cosines of texts in the language of this one to the scale of constants."""
