"""What every embedding model looks like to its user: text in, unit vectors out."""

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
        """How many values a vector has."""

    def windows(self, text: str) -> list[tuple[int, int]]:
        """Where to cut a text, by characters: one window if the model takes it whole, else overlapping ones."""

    def knows(self, text: str) -> bool:
        """Whether the model reads the script of a text; True where that cannot be told."""

    def encode(self, texts: Sequence[str]) -> list[bytes]:
        """One vector a text, in order: `dimension` float32 values, little-endian, of length 1."""

    def encode_with_signs(self, texts: Sequence[str]) -> list[tuple[bytes, bytes]]:
        """One vector a text, and the sign bits of its tokens' vectors, from the same pass (see `Passage.signs`)."""

    def encode_query(self, text: str) -> QueryEncoding:
        """The vector of a query, and the vectors and words of its tokens, from the same pass."""
