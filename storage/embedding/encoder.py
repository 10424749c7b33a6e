"""The interface of every embedding model: text in, unit vectors out."""

from collections.abc import Sequence
from typing import Protocol

from ...modules.memory.models import QueryEncoding


class Encoder(Protocol):
    """A loaded embedding model. Blocks while it works, so it is called from a worker thread.

    Any text is acceptable, also an empty one; what exceeds the model's window is cut off.
    """

    @property
    def fingerprint(self) -> str:
        """The model's name and a short sha256 of its weights; the same for every encoder of those weights."""

    @property
    def dimension(self) -> int:
        """The number of values in a vector."""

    def windows(self, text: str) -> list[tuple[int, int]]:
        """Return where to cut a text, by characters: one window if the model takes it whole, else overlapping ones."""

    def knows(self, text: str) -> bool:
        """Return whether the model knows the script of a text; True if unknown."""

    def encode(self, texts: Sequence[str]) -> list[bytes]:
        """Return one vector per text, in order: `dimension` float32 values, little-endian, of length 1."""

    def encode_with_signs(self, texts: Sequence[str]) -> list[tuple[bytes, bytes]]:
        """Return per text its vector and the sign bits of its token vectors, from one pass (see `Passage.signs`)."""

    def encode_query(self, text: str) -> QueryEncoding:
        """Return the vector of a query, and the vectors and words of its tokens, from the same pass."""
